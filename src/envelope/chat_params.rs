//! Chat Completions parameters that Responses has no counterpart for: one table. A request that uses one is served over
//! Chat Completions itself, and cannot be raced. `functions` and `function_call` are not here: they map to tools.

use super::Envelope;
use crate::json::{decoded_string, elements_of, members_of};
use crate::vocabulary::CallerSurface;

/// A value that means the same as leaving the parameter out. `null` always does.
#[derive(Debug, Clone, Copy)]
enum Neutral {
    NullOnly,
    Number(f64),
    False,
    EmptyObject,
    EmptyArray,
    TextAlone,
}

/// Parameter and neutral value, after OpenAI's reference of the endpoint.
const NATIVE_ONLY: [(&str, Neutral); 12] = [
    ("n", Neutral::Number(1.0)),
    ("stop", Neutral::EmptyArray),
    ("seed", Neutral::NullOnly),
    ("logprobs", Neutral::False),
    ("top_logprobs", Neutral::Number(0.0)),
    ("logit_bias", Neutral::EmptyObject),
    ("frequency_penalty", Neutral::Number(0.0)),
    ("presence_penalty", Neutral::Number(0.0)),
    ("prediction", Neutral::NullOnly),
    ("audio", Neutral::NullOnly),
    ("modalities", Neutral::TextAlone),
    ("web_search_options", Neutral::NullOnly),
];

/// The first native-only parameter that a Chat request uses, in the order of its body; `messages`
/// when one of them holds audio. `None` for other surfaces.
pub fn first_native_only(envelope: &Envelope) -> Option<&'static str> {
    if envelope.surface() != CallerSurface::Chat {
        return None;
    }
    for (name, value) in envelope.fields() {
        if name == "messages" && has_audio(value) {
            return Some("messages");
        }
        if let Some((parameter, neutral)) = native_only(name)
            && !is_neutral(*neutral, value)
        {
            return Some(parameter);
        }
    }
    None
}

/// The native-only parameters that a Chat request sends with their neutral values: to be taken out where the request is
/// served over Responses.
pub fn neutral_native_only(envelope: &Envelope) -> Vec<&'static str> {
    if envelope.surface() != CallerSurface::Chat {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (name, value) in envelope.fields() {
        if let Some((parameter, neutral)) = native_only(name)
            && is_neutral(*neutral, value)
        {
            found.push(*parameter);
        }
    }
    found
}

fn native_only(name: &str) -> Option<&'static (&'static str, Neutral)> {
    NATIVE_ONLY.iter().find(|(parameter, _)| *parameter == name)
}

fn is_neutral(neutral: Neutral, value: &[u8]) -> bool {
    if value == b"null" {
        return true;
    }
    match neutral {
        Neutral::NullOnly => false,
        Neutral::Number(number) => number_of(value) == Some(number),
        Neutral::False => value == b"false",
        Neutral::EmptyObject => value.first() == Some(&b'{') && members_of(value).next().is_none(),
        Neutral::EmptyArray => value.first() == Some(&b'[') && elements_of(value).next().is_none(),
        Neutral::TextAlone => {
            let mut elements = elements_of(value);
            elements.next().and_then(decoded_string).as_deref() == Some("text")
                && elements.next().is_none()
        }
    }
}

fn number_of(value: &[u8]) -> Option<f64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// Whether a message holds an audio part, or refers to an audio answer given earlier.
fn has_audio(messages: &[u8]) -> bool {
    // The walk below costs as much as the validation did; few requests need it. ASCII may hide behind `\u00`.
    let may_hold_audio = [&b"audio"[..], b"\\u00"]
        .iter()
        .any(|sign| memchr::memmem::find(messages, sign).is_some());
    may_hold_audio && elements_of(messages).any(message_has_audio)
}

fn message_has_audio(message: &[u8]) -> bool {
    members_of(message).any(|(name, value)| match &*name {
        "content" => elements_of(value).any(is_audio_part),
        "audio" => value != b"null",
        _ => false,
    })
}

fn is_audio_part(part: &[u8]) -> bool {
    members_of(part).any(|(name, value)| {
        name == "type" && decoded_string(value).as_deref() == Some("input_audio")
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn chat(fields: &str) -> Envelope {
        let body = format!(r#"{{"model":"m","start_within":"default","messages":[],{fields}}}"#);
        Envelope::parse(Bytes::from(body), CallerSurface::Chat, None).unwrap()
    }

    fn with_messages(messages: &str) -> Option<&'static str> {
        let body = format!(r#"{{"model":"m","start_within":"default","messages":{messages}}}"#);
        first_native_only(&Envelope::parse(Bytes::from(body), CallerSurface::Chat, None).unwrap())
    }

    #[test]
    fn a_value_that_says_something_makes_a_request_native() {
        for (field, value) in [
            ("n", "2"),
            ("n", "\"1\""),
            ("stop", "\"\\n\""),
            ("stop", "[\"a\"]"),
            ("seed", "0"),
            ("logprobs", "true"),
            ("top_logprobs", "3"),
            ("logit_bias", "{\"50256\":-100}"),
            ("frequency_penalty", "0.1"),
            ("presence_penalty", "-1"),
            ("prediction", "{\"type\":\"content\"}"),
            ("audio", "{}"),
            ("modalities", "[\"text\",\"audio\"]"),
            ("modalities", "[]"),
            ("web_search_options", "{}"),
        ] {
            assert_eq!(
                first_native_only(&chat(&format!("\"{field}\":{value}"))),
                Some(field),
                "{field} {value}"
            );
        }
    }

    #[test]
    fn neutral_values_do_not_count_and_are_listed() {
        for (field, value) in [
            ("n", "1"),
            ("n", "1.0"),
            ("n", "null"),
            ("stop", "[ ]"),
            ("stop", "null"),
            ("seed", "null"),
            ("logprobs", "false"),
            ("top_logprobs", "0"),
            ("logit_bias", "{ }"),
            ("frequency_penalty", "0.0"),
            ("presence_penalty", "-0"),
            ("modalities", "[\"text\"]"),
            ("audio", "null"),
        ] {
            let envelope = chat(&format!("\"{field}\":{value}"));
            assert_eq!(first_native_only(&envelope), None, "{field} {value}");
            assert_eq!(neutral_native_only(&envelope), [field], "{field} {value}");
        }
    }

    #[test]
    fn parameters_with_a_counterpart_are_nobodys_business() {
        let envelope = chat(
            r#""functions":[{}],"function_call":"auto","max_tokens":1,"tools":[],"reasoning_effort":"low""#,
        );
        assert_eq!(first_native_only(&envelope), None);
        assert!(neutral_native_only(&envelope).is_empty());
    }

    #[test]
    fn the_first_in_the_body_is_named() {
        assert_eq!(
            first_native_only(&chat(r#""n":1,"seed":1,"logprobs":true"#)),
            Some("seed")
        );
    }

    #[test]
    fn audio_in_a_message_is_found_and_the_word_alone_is_not() {
        let audio =
            r#"[{"role":"user","content":[{"type":"text","text":"a"},{"type":"input_audio"}]}]"#;
        assert_eq!(with_messages(audio), Some("messages"));
        let escaped = r#"[{"role":"user","content":[{"type":"\u0069nput\u005faudio"}]}]"#;
        assert_eq!(with_messages(escaped), Some("messages"));
        assert_eq!(
            with_messages(r#"[{"role":"assistant","audio":{"id":"audio_1"}}]"#),
            Some("messages")
        );
        assert_eq!(
            with_messages(r#"[{"role":"assistant","audio":null}]"#),
            None
        );
        assert_eq!(
            with_messages(r#"[{"role":"user","content":"what is input_audio?"}]"#),
            None
        );
        assert_eq!(
            with_messages(r#"[{"role":"user","content":[{"type":"text","text":"input_audio"}]}]"#),
            None
        );
    }

    #[test]
    fn other_surfaces_have_no_chat_parameters() {
        let body = Bytes::from_static(
            br#"{"model":"m","start_within":"default","messages":[],"stop":["a"]}"#,
        );
        assert_eq!(
            first_native_only(&Envelope::parse(body, CallerSurface::Messages, None).unwrap()),
            None
        );
    }
}
