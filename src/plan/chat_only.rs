//! Parameters of Chat Completions that Responses has no counterpart for. A request that uses one is served over
//! native Chat, where flex cannot be raced. A value that changes nothing does not count as use.

use serde_json::Value;

type IsNeutral = fn(&Value) -> bool;

/// The parameters, each with the values that count as not used; `null` never counts.
const PARAMETERS: [(&str, IsNeutral); 13] = [
    ("n", |value| value.as_u64() == Some(1)),
    ("stop", |value| value.as_array().is_some_and(Vec::is_empty)),
    ("seed", |_| false),
    ("logprobs", |value| value == &Value::Bool(false)),
    ("top_logprobs", |value| value.as_u64() == Some(0)),
    ("logit_bias", |value| {
        value.as_object().is_some_and(serde_json::Map::is_empty)
    }),
    ("frequency_penalty", |value| value.as_f64() == Some(0.0)),
    ("presence_penalty", |value| value.as_f64() == Some(0.0)),
    ("prediction", |_| false),
    ("audio", |_| false),
    ("modalities", |value| value == &serde_json::json!(["text"])),
    ("web_search_options", |_| false),
    ("messages", |value| !has_audio(value)),
];

/// The first member of a Chat request, in the request's own order, that only native Chat can serve. Members are
/// names with their JSON text.
pub fn first<'a>(members: impl Iterator<Item = (&'a str, &'a [u8])>) -> Option<&'a str> {
    for (name, text) in members {
        let Some((_, is_neutral)) = PARAMETERS.iter().find(|(parameter, _)| *parameter == name)
        else {
            continue;
        };
        if name == "messages" && memchr::memmem::find(text, b"input_audio").is_none() {
            continue;
        }
        match serde_json::from_slice::<Value>(text) {
            Ok(value) if value.is_null() || is_neutral(&value) => {}
            _ => return Some(name),
        }
    }
    None
}

fn has_audio(messages: &Value) -> bool {
    let contents = messages
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| message["content"].as_array());
    contents.flatten().any(|part| part["type"] == "input_audio")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_of(members: &[(&'static str, &'static str)]) -> Option<&'static str> {
        first(members.iter().map(|(name, text)| (*name, text.as_bytes())))
    }

    #[test]
    fn a_used_parameter_is_found_in_the_requests_own_order() {
        assert_eq!(
            first_of(&[("model", "\"m\""), ("seed", "7"), ("n", "2")]),
            Some("seed")
        );
        assert_eq!(first_of(&[("n", "2"), ("seed", "7")]), Some("n"));
        for (name, text) in [
            ("stop", "\"x\""),
            ("logprobs", "true"),
            ("audio", "{}"),
            ("modalities", "[\"audio\"]"),
        ] {
            assert_eq!(first_of(&[(name, text)]), Some(name));
        }
    }

    #[test]
    fn neutral_values_do_not_count() {
        let neutral = [
            ("n", "1"),
            ("stop", "[]"),
            ("seed", "null"),
            ("logprobs", "false"),
            ("top_logprobs", "0"),
            ("logit_bias", "{}"),
            ("frequency_penalty", "0"),
            ("presence_penalty", "0.0"),
            ("modalities", "[\"text\"]"),
            ("prediction", " null "),
        ];
        assert_eq!(first_of(&neutral), None);
    }

    #[test]
    fn audio_in_a_message_counts_and_its_mention_in_a_text_does_not() {
        let audio = r#"[{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}]"#;
        let text = r#"[{"role":"user","content":"what is input_audio?"}]"#;
        assert_eq!(first_of(&[("messages", audio)]), Some("messages"));
        assert_eq!(first_of(&[("messages", text)]), None);
    }

    #[test]
    fn parameters_that_responses_has_do_not_count() {
        assert_eq!(
            first_of(&[("temperature", "0.2"), ("tools", "[]"), ("max_tokens", "5")]),
            None
        );
    }
}
