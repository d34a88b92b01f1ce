//! Reads what a provider's error body says. The bodies come in the three vendors' envelopes, in shapes of gateways in
//! front of them, or as no JSON at all; none of that may lose the message.

use serde_json::{Map, Value};

use super::envelope::EnvelopeKind;

/// The longest text that is taken for a message when it stands outside any envelope, in characters.
const LONGEST_TEXT: usize = 500;
/// A body beyond this many bytes is a page, not a message.
const LONGEST_TEXT_BODY: usize = 4096;

/// What a provider said.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Said {
    /// Its message; `None` when none could be read.
    pub(super) message: Option<String>,
    /// Its code or, where it has none, its error type.
    pub(super) code: Option<String>,
    /// The members of its `error` object.
    pub(super) members: Map<String, Value>,
}

impl Said {
    /// Reads a body, whole or cut.
    pub(super) fn read(body: &[u8]) -> Self {
        let Ok(document) = serde_json::from_slice::<Value>(body) else {
            return Self {
                message: short_text(body),
                ..Self::default()
            };
        };
        // Some of Google's endpoints wrap the error in an array of one.
        let document = match document {
            Value::Array(mut wrapped) if wrapped.len() == 1 => wrapped.remove(0),
            other => other,
        };
        let Value::Object(mut top) = document else {
            return Self {
                message: short_text(body),
                ..Self::default()
            };
        };
        match top.remove("error") {
            Some(Value::Object(error)) => Self {
                message: text_of(&error, "message")
                    .map(str::to_owned)
                    .or_else(|| short_text(body)),
                code: code_of(&error),
                members: error,
            },
            Some(Value::String(error)) => {
                let described = text_of(&top, "error_description").or(text_of(&top, "message"));
                Self {
                    message: Some(described.unwrap_or(&error).to_owned()),
                    code: Some(error),
                    ..Self::default()
                }
            }
            _ => Self {
                message: text_of(&top, "message")
                    .or(text_of(&top, "Message"))
                    .or(text_of(&top, "detail"))
                    .map(str::to_owned)
                    .or_else(|| short_text(body)),
                code: text_of(&top, "code").map(str::to_owned),
                ..Self::default()
            },
        }
    }

    /// Whether the body came in this envelope, so that its members can stay.
    pub(super) fn is_in(&self, kind: EnvelopeKind) -> bool {
        if text_of(&self.members, "message").is_none() {
            return false;
        }
        match kind {
            EnvelopeKind::Openai => {
                self.members.contains_key("type") || self.members.contains_key("code")
            }
            EnvelopeKind::Anthropic => text_of(&self.members, "type").is_some(),
            EnvelopeKind::Google => self.members.contains_key("code"),
        }
    }
}

fn text_of<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// The code of an `error` object: a word before a number, the more exact word before the more general one.
fn code_of(error: &Map<String, Value>) -> Option<String> {
    let detailed = error
        .get("details")
        .and_then(|details| details.get("error_code"))
        .and_then(Value::as_str);
    let word = text_of(error, "code")
        .or(detailed)
        .or(text_of(error, "status"))
        .or(text_of(error, "type"));
    match word {
        Some(word) => Some(word.to_owned()),
        None => error
            .get("code")
            .filter(|code| code.is_number())
            .map(Value::to_string),
    }
}

/// The body itself when it is a short printable text, cut to [`LONGEST_TEXT`].
fn short_text(body: &[u8]) -> Option<String> {
    if body.len() > LONGEST_TEXT_BODY {
        return None;
    }
    let text = std::str::from_utf8(body).ok()?.trim();
    let printable = text
        .chars()
        .all(|letter| !letter.is_control() || matches!(letter, '\n' | '\r' | '\t'));
    // A page, or a document that was cut, says nothing to a reader.
    if text.is_empty() || !printable || text.starts_with(['<', '{', '[']) {
        return None;
    }
    if text.chars().count() <= LONGEST_TEXT {
        return Some(text.to_owned());
    }
    let mut shortened: String = text.chars().take(LONGEST_TEXT).collect();
    shortened.push('…');
    Some(shortened)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message_and_code(body: &str) -> (Option<String>, Option<String>) {
        let said = Said::read(body.as_bytes());
        (said.message, said.code)
    }

    fn both(message: &str, code: &str) -> (Option<String>, Option<String>) {
        (Some(message.to_owned()), Some(code.to_owned()))
    }

    #[test]
    fn the_message_and_code_of_every_known_shape_are_found() {
        for (body, message, code) in [
            (
                r#"{"error":{"message":"m","type":"t","param":null,"code":"c"}}"#,
                "m",
                "c",
            ),
            (
                r#"{"error":{"message":"m","type":"server_error","param":null,"code":null}}"#,
                "m",
                "server_error",
            ),
            (r#"{"error":{"message":"m","code":404}}"#, "m", "404"),
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#,
                "m",
                "overloaded_error",
            ),
            (
                r#"{"type":"error","error":{"type":"t","message":"m","details":{"error_code":"e"}}}"#,
                "m",
                "e",
            ),
            (
                r#"{"error":{"code":"rate_limit_exceeded","message":"m"}}"#,
                "m",
                "rate_limit_exceeded",
            ),
            (
                r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"m","details":[]}}"#,
                "m",
                "INVALID_ARGUMENT",
            ),
            (
                r#"[{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"m"}}]"#,
                "m",
                "INVALID_ARGUMENT",
            ),
            (
                r#"{"error":"invalid_grant","error_description":"m"}"#,
                "m",
                "invalid_grant",
            ),
            (r#"{"error":"bad"}"#, "bad", "bad"),
            (r#"{"code":"Throttled","message":"m"}"#, "m", "Throttled"),
        ] {
            assert_eq!(message_and_code(body), both(message, code), "{body}");
        }
    }

    #[test]
    fn a_short_text_is_the_message() {
        assert_eq!(
            message_and_code("upstream connect error\n").0.as_deref(),
            Some("upstream connect error")
        );
        let shortened = message_and_code(&"é".repeat(600)).0.unwrap();
        assert_eq!(shortened.chars().count(), LONGEST_TEXT + 1);
        assert!(shortened.ends_with('…'));
    }

    #[test]
    fn a_page_or_bytes_are_no_message() {
        assert_eq!(
            message_and_code("<html><body>502 Bad Gateway</body></html>").0,
            None
        );
        assert_eq!(message_and_code("").0, None);
        assert_eq!(message_and_code("a\u{0}b").0, None);
        assert_eq!(message_and_code(&"a".repeat(LONGEST_TEXT_BODY + 1)).0, None);
        assert_eq!(Said::read(&[0xff, 0xfe]).message, None);
    }

    #[test]
    fn the_envelope_is_known_by_its_members() {
        let openai =
            Said::read(br#"{"error":{"message":"m","type":"t","param":null,"code":null}}"#);
        assert!(openai.is_in(EnvelopeKind::Openai));
        let bare = Said::read(br#"{"message":"m"}"#);
        assert!(!bare.is_in(EnvelopeKind::Anthropic) && !bare.is_in(EnvelopeKind::Openai));
        let wrapped = Said::read(br#"[{"error":{"code":400,"message":"m"}}]"#);
        assert!(wrapped.is_in(EnvelopeKind::Google) && !wrapped.is_in(EnvelopeKind::Anthropic));
    }
}
