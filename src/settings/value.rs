//! The types that settings are read into: a duration, a size, an address, a base URL, a secret. Each is checked while
//! it is read, so that a bad value is refused with its key and the rule.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use awc::http::Uri;
use serde::{Deserialize, Deserializer, de};

/// A text that is shown to nobody: `Debug` hides it, and it has no `Display`.
#[derive(Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(transparent)]
pub struct SecretText(String);

impl SecretText {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one place that sends or hashes it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.is_empty() { "\"\"" } else { "\"…\"" })
    }
}

/// Where a provider is: scheme, host, and a path prefix without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// Reads `https://host`, `http://host:port/prefix` and the like. The error says the rule.
    pub fn parse(text: &str) -> Result<Self, String> {
        const RULE: &str =
            "must be http:// or https:// with a host, without user, query or fragment";
        let uri: Uri = text.parse().map_err(|_| RULE.to_owned())?;
        let scheme_fits = matches!(uri.scheme_str(), Some("http" | "https"));
        let authority = uri
            .authority()
            .map(|authority| authority.as_str())
            .unwrap_or_default();
        if !scheme_fits
            || authority.is_empty()
            || authority.contains('@')
            || text.contains(['?', '#'])
        {
            return Err(RULE.to_owned());
        }
        let trimmed = text.trim_end_matches('/');
        if trimmed.ends_with("/v1") || trimmed.ends_with("/v1beta") {
            return Err("must not end in /v1 or /v1beta: the router adds that part".to_owned());
        }
        Ok(Self(trimmed.to_owned()))
    }

    /// The address of a path below it; `path` begins with a slash and is one of the vendors' fixed paths.
    pub fn join(&self, path: &str) -> Uri {
        let joined = format!("{}{path}", self.0);
        joined
            .parse()
            .expect("a checked base and a fixed path make an address")
    }

    /// The text, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for BaseUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

pub(super) fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_duration(&text).map_err(de::Error::custom)
}

pub(super) fn duration_or_off<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text == "off" {
        return Ok(None);
    }
    match parse_duration(&text) {
        Ok(duration) => Ok(Some(duration)),
        Err(rule) => Err(de::Error::custom(format!("{rule}, or \"off\""))),
    }
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err(format!(
            "{text:?} must be a duration above zero with its unit, as in \"90s\" or \"1h 30m\""
        )),
    }
}

pub(super) fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_size(&text).map_err(de::Error::custom)
}

fn parse_size(text: &str) -> Result<usize, String> {
    let rule = || {
        format!("{text:?} must be a whole number above zero of B, KiB, MiB or GiB, as in \"32MiB\"")
    };
    let digits = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: usize = match unit.trim() {
        "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(rule()),
    };
    let bytes = number
        .parse::<usize>()
        .ok()
        .and_then(|count| count.checked_mul(factor));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(rule)
}

pub(super) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_address(&text).map_err(de::Error::custom)
}

pub(super) fn address_or_none<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    parse_address(&text).map(Some).map_err(de::Error::custom)
}

fn parse_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!("{text:?} must be an IP address with a port, as in \"127.0.0.1:8080\"")
    })
}

pub(super) fn url_or_none<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<BaseUrl>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    BaseUrl::parse(&text).map(Some).map_err(de::Error::custom)
}

pub(super) fn path_or_none<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PathBuf>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok((!text.is_empty()).then(|| PathBuf::from(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_written_with_its_units() {
        assert_eq!(parse_duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("1h 30m"), Ok(Duration::from_secs(5_400)));
        for bad in ["", "90", "0s", "-1s", "soon"] {
            let rule = parse_duration(bad).unwrap_err();
            assert!(rule.contains("as in \"90s\""), "{bad}: {rule}");
        }
    }

    #[test]
    fn a_size_is_a_whole_number_of_binary_units() {
        assert_eq!(parse_size("32MiB"), Ok(32 << 20));
        assert_eq!(parse_size("1 GiB"), Ok(1 << 30));
        assert_eq!(parse_size("512B"), Ok(512));
        for bad in [
            "",
            "32",
            "32MB",
            "0B",
            "1.5MiB",
            "-1B",
            "99999999999999999999GiB",
        ] {
            let rule = parse_size(bad).unwrap_err();
            assert!(rule.contains("as in \"32MiB\""), "{bad}: {rule}");
        }
    }

    #[test]
    fn a_base_url_loses_its_last_slash_and_keeps_its_prefix() {
        let plain = BaseUrl::parse("https://api.openai.com/").unwrap();
        assert_eq!(
            plain.join("/v1/responses").to_string(),
            "https://api.openai.com/v1/responses"
        );
        let prefixed = BaseUrl::parse("http://127.0.0.1:9000/openai/").unwrap();
        assert_eq!(
            prefixed.join("/v1/responses").to_string(),
            "http://127.0.0.1:9000/openai/v1/responses"
        );
    }

    #[test]
    fn a_base_url_with_a_query_a_user_another_scheme_or_a_version_is_refused() {
        for bad in [
            "",
            "api.openai.com",
            "ftp://host",
            "https://",
            "https://host?a=b",
            "https://host#f",
            "https://u:p@host",
        ] {
            assert!(
                BaseUrl::parse(bad).unwrap_err().contains("must be http"),
                "{bad}"
            );
        }
        assert!(
            BaseUrl::parse("https://api.openai.com/v1/")
                .unwrap_err()
                .contains("the router adds")
        );
    }

    #[test]
    fn a_secret_is_not_shown_by_debug() {
        let shown = format!("{:?}", SecretText::new("sk-very-secret"));
        assert_eq!(shown, "\"…\"");
    }
}
