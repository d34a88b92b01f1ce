//! How each vendor is addressed: path, authentication, and the few headers of a caller that go upstream.

use awc::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::vocabulary::{Provider, ProviderSurface};

/// Where Claude models count tokens.
pub const COUNT_TOKENS_PATH: &str = "/v1/messages/count_tokens";

/// The version of Anthropic's API that a caller who names none gets.
const ANTHROPIC_VERSION: &str = "2023-06-01";
const EVENT_STREAM: &str = "text/event-stream";
const USER_AGENT: &str = concat!("startline/", env!("CARGO_PKG_VERSION"));

/// A provider key holds a character that no header can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the provider key cannot be sent in a header: it holds a line end or another control character"
)]
pub struct UnsendableKey;

/// The vendor's path for a surface, below its base URL.
pub fn path(surface: ProviderSurface) -> &'static str {
    match surface {
        ProviderSurface::OpenaiResponses => "/v1/responses",
        ProviderSurface::OpenaiChat => "/v1/chat/completions",
        ProviderSurface::GeminiInteractions => "/v1beta/interactions",
        ProviderSurface::AnthropicMessages => "/v1/messages",
    }
}

/// The headers of a request to a provider: ours, the key, and what is taken over from the caller's. `streams` says
/// whether an event stream is asked for.
pub fn headers(
    provider: Provider,
    key: &str,
    caller: &HeaderMap,
    streams: bool,
) -> Result<Vec<(HeaderName, HeaderValue)>, UnsendableKey> {
    let accept = if streams {
        EVENT_STREAM
    } else {
        "application/json"
    };
    let mut headers = vec![
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::ACCEPT, HeaderValue::from_static(accept)),
        (header::USER_AGENT, HeaderValue::from_static(USER_AGENT)),
        authentication(provider, key)?,
    ];
    for name in taken_over(provider) {
        let name = HeaderName::from_static(name);
        for value in caller.get_all(&name) {
            headers.push((name.clone(), value.clone()));
        }
    }
    let version = HeaderName::from_static("anthropic-version");
    if provider == Provider::Anthropic && !caller.contains_key(&version) {
        headers.push((version, HeaderValue::from_static(ANTHROPIC_VERSION)));
    }
    Ok(headers)
}

/// A caller's headers without the version it writes for: a translated request is written for one of ours.
pub fn without_version(caller: &HeaderMap) -> HeaderMap {
    let mut rest = caller.clone();
    rest.remove("anthropic-version");
    rest.remove("anthropic-beta");
    rest
}

/// Makes the headers of a request those of one that asks for an event stream.
pub fn ask_for_stream(headers: &mut [(HeaderName, HeaderValue)]) {
    for (name, value) in headers {
        if *name == header::ACCEPT {
            *value = HeaderValue::from_static(EVENT_STREAM);
        }
    }
}

fn authentication(
    provider: Provider,
    key: &str,
) -> Result<(HeaderName, HeaderValue), UnsendableKey> {
    let (name, text) = match provider {
        Provider::Openai => (header::AUTHORIZATION, format!("Bearer {key}")),
        Provider::Gemini => (HeaderName::from_static("x-goog-api-key"), key.to_owned()),
        Provider::Anthropic => (HeaderName::from_static("x-api-key"), key.to_owned()),
    };
    let mut value = HeaderValue::from_str(&text).map_err(|_| UnsendableKey)?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// The caller's headers that go to a provider; no other does, the caller's key least of all.
fn taken_over(provider: Provider) -> &'static [&'static str] {
    match provider {
        Provider::Openai => &["openai-beta", "traceparent"],
        Provider::Gemini => &["traceparent"],
        Provider::Anthropic => &["anthropic-version", "anthropic-beta", "traceparent"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        headers
    }

    fn of<'a>(headers: &'a [(HeaderName, HeaderValue)], wanted: &str) -> Vec<&'a str> {
        let named = headers.iter().filter(|(name, _)| name == wanted);
        named.map(|(_, value)| value.to_str().unwrap()).collect()
    }

    #[test]
    fn every_surface_has_its_vendors_path() {
        assert_eq!(path(ProviderSurface::OpenaiResponses), "/v1/responses");
        assert_eq!(path(ProviderSurface::OpenaiChat), "/v1/chat/completions");
        assert_eq!(
            path(ProviderSurface::GeminiInteractions),
            "/v1beta/interactions"
        );
        assert_eq!(path(ProviderSurface::AnthropicMessages), "/v1/messages");
    }

    #[test]
    fn the_key_goes_where_each_vendor_looks_for_it_and_is_marked_sensitive() {
        let places = [
            (Provider::Openai, "authorization", "Bearer k"),
            (Provider::Gemini, "x-goog-api-key", "k"),
            (Provider::Anthropic, "x-api-key", "k"),
        ];
        for (provider, name, value) in places {
            let headers = headers(provider, "k", &HeaderMap::new(), true).unwrap();
            assert_eq!(of(&headers, name), [value]);
            let mut sensitive = headers.iter().filter(|(_, value)| value.is_sensitive());
            assert_eq!(sensitive.next().map(|(key, _)| key.as_str()), Some(name));
        }
    }

    #[test]
    fn a_key_with_a_line_end_is_refused_without_showing_it() {
        let error = headers(Provider::Openai, "sk-\nsecret", &HeaderMap::new(), true).unwrap_err();
        assert!(!error.to_string().contains("secret"));
    }

    #[test]
    fn only_the_listed_headers_of_a_caller_go_upstream() {
        let sent = caller(&[
            ("authorization", "Bearer flex_live_x"),
            ("x-api-key", "flex_live_x"),
            ("x-goog-api-key", "flex_live_x"),
            ("cookie", "a=b"),
            ("idempotency-key", "1"),
            ("x-stainless-retry-count", "1"),
            ("user-agent", "theirs"),
            ("accept", "*/*"),
            ("traceparent", "00-1-2-01"),
            ("openai-beta", "x=v1"),
            ("openai-organization", "org"),
            ("anthropic-beta", "b1"),
            ("anthropic-version", "2026-10-21"),
        ]);
        let names = |provider| {
            let headers = headers(provider, "k", &sent, false).unwrap();
            let mut names: Vec<String> = headers.iter().map(|(name, _)| name.to_string()).collect();
            names.sort();
            names
        };
        let common = ["accept", "content-type", "traceparent", "user-agent"];
        let with = |more: &[&str]| {
            let mut names: Vec<String> = common
                .iter()
                .chain(more)
                .map(|name| (*name).to_owned())
                .collect();
            names.sort();
            names
        };
        assert_eq!(
            names(Provider::Openai),
            with(&["authorization", "openai-beta"])
        );
        assert_eq!(names(Provider::Gemini), with(&["x-goog-api-key"]));
        assert_eq!(
            names(Provider::Anthropic),
            with(&["x-api-key", "anthropic-version", "anthropic-beta"])
        );
        let openai = headers(Provider::Openai, "k", &sent, false).unwrap();
        assert_eq!(of(&openai, "authorization"), ["Bearer k"]);
        assert_eq!(of(&openai, "user-agent"), [USER_AGENT]);
    }

    #[test]
    fn the_callers_anthropic_version_is_kept_and_an_absent_one_filled_in() {
        let newer = caller(&[("anthropic-version", "2026-10-21")]);
        let kept = headers(Provider::Anthropic, "k", &newer, true).unwrap();
        assert_eq!(of(&kept, "anthropic-version"), ["2026-10-21"]);
        let filled = headers(Provider::Anthropic, "k", &HeaderMap::new(), true).unwrap();
        assert_eq!(of(&filled, "anthropic-version"), ["2023-06-01"]);
    }

    #[test]
    fn every_beta_header_of_a_caller_goes_to_anthropic() {
        let two = caller(&[("anthropic-beta", "a"), ("anthropic-beta", "b")]);
        let sent = headers(Provider::Anthropic, "k", &two, true).unwrap();
        assert_eq!(of(&sent, "anthropic-beta"), ["a", "b"]);
    }

    #[test]
    fn accept_says_whether_a_stream_is_asked_for() {
        let accept = |streams| {
            let headers = headers(Provider::Gemini, "k", &HeaderMap::new(), streams).unwrap();
            of(&headers, "accept").join(",")
        };
        assert_eq!(accept(true), "text/event-stream");
        assert_eq!(accept(false), "application/json");
    }
}
