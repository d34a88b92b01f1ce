//! What holds for every endpoint and a model of another vendor, whatever the two formats are; and what the tests of
//! each endpoint share.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::requests::{CHAT, INTERACTIONS, MESSAGES, RESPONSES, data, with};
use crate::rig::{Rig, scripted};

pub const RACE: &str = "00h-00m-30s";
pub const OPENAI: &str = "gpt-5.5";
pub const GEMINI: &str = "gemini-3.5-flash";
pub const CLAUDE: &str = "claude-opus-5";

const PAIRS: [(&str, &str); 8] = [
    (RESPONSES, GEMINI),
    (RESPONSES, CLAUDE),
    (CHAT, GEMINI),
    (CHAT, CLAUDE),
    (INTERACTIONS, OPENAI),
    (INTERACTIONS, CLAUDE),
    (MESSAGES, OPENAI),
    (MESSAGES, GEMINI),
];

/// A request for a model of any vendor, whose provider behaves by `script`.
pub fn asked(path: &str, model: &str, script: &Value, fields: Value) -> Value {
    let prompt = scripted(script);
    let mut body = json!({"model": model, "start_within": "default"});
    match path {
        RESPONSES | INTERACTIONS => body["input"] = json!(prompt),
        _ => body["messages"] = json!([{"role": "user", "content": prompt}]),
    }
    if path == MESSAGES {
        body["max_tokens"] = json!(200);
    }
    with(body, fields)
}

/// A script of one behaviour on every tier.
pub fn any(behaviour: &Value) -> Value {
    json!({ "any": behaviour })
}

/// A tool, in the format of the endpoint.
pub fn weather(path: &str) -> Value {
    let schema =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    match path {
        CHAT => {
            json!([{"type": "function", "function": {"name": "weather", "parameters": schema}}])
        }
        MESSAGES => json!([{"name": "weather", "input_schema": schema}]),
        _ => json!([{"type": "function", "name": "weather", "parameters": schema}]),
    }
}

/// The events of a stream, without a `[DONE]` at its end.
pub fn events(answer: &Answer) -> Vec<Value> {
    let text = answer.text();
    let all = data(&text);
    all.iter()
        .filter(|data| **data != "[DONE]")
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

/// Whether a stream says of itself that it is whole.
fn is_whole(path: &str, answer: &Answer) -> bool {
    let tells = |kind: &str| events(answer).iter().any(|event| event["type"] == kind);
    match path {
        RESPONSES => tells("response.completed"),
        MESSAGES => tells("message_stop"),
        _ => answer.text().contains("data: [DONE]\n\n"),
    }
}

/// The tier that an answer tells.
fn tier_told(path: &str, answer: &Answer, streamed: bool) -> Value {
    let last = || events(answer).pop().unwrap();
    match (path, streamed) {
        (MESSAGES, false) => answer.json()["usage"]["service_tier"].clone(),
        (_, false) => answer.json()["service_tier"].clone(),
        (RESPONSES, true) => last()["response"]["service_tier"].clone(),
        (INTERACTIONS, true) => last()["interaction"]["service_tier"].clone(),
        (MESSAGES, true) => {
            let mut events = events(answer);
            events.retain(|event| event["type"] == "message_delta");
            events.pop().unwrap()["usage"]["service_tier"].clone()
        }
        (_, true) => last()["service_tier"].clone(),
    }
}

#[actix_web::test]
async fn a_race_is_won_by_flex_or_lost_to_standard() {
    let rig = Rig::start().await;
    for (path, model) in PAIRS.into_iter().filter(|(_, model)| *model != CLAUDE) {
        let (upstream, standard) = match model {
            OPENAI => ("/v1/responses", "default"),
            _ => ("/v1beta/interactions", "standard"),
        };
        for streamed in [false, true] {
            for (flex, reason) in [
                (json!({}), "flex_won"),
                (json!({"status": 429}), "flex_capacity"),
                (json!({"status": 503}), "flex_upstream_error"),
                (json!({"fault": "before_start"}), "flex_not_started"),
            ] {
                rig.simulator.clear();
                let script = json!({"flex": flex, "settled": {}});
                let fields = json!({"start_within": RACE, "stream": streamed});
                let answer = rig.post(path, &asked(path, model, &script, fields)).await;
                assert_eq!(answer.status, 200, "{path}, {model}: {}", answer.text());
                assert_eq!(
                    answer.header("x-flexinference-routing-reason"),
                    Some(reason)
                );
                let tiers: &[&str] = match reason {
                    "flex_won" => &["flex"],
                    _ => &["flex", standard],
                };
                let seen = rig.simulator.seen();
                let asked: Vec<_> = seen
                    .iter()
                    .filter_map(|seen| seen.tier.as_deref())
                    .collect();
                assert_eq!(asked, tiers);
                assert!(seen.iter().all(|seen| seen.path == upstream));
                assert!(seen[0].stream, "the flex leg is always streamed");
                let told = tier_told(path, &answer, streamed);
                assert_eq!(told, *tiers.last().unwrap(), "{path}, {model}");
                assert!(!streamed || is_whole(path, &answer), "{}", answer.text());
                match (path, streamed) {
                    (CHAT, false) => assert_eq!(answer.json()["object"], "chat.completion"),
                    (MESSAGES, true) => assert_eq!(events(&answer)[0]["type"], "message_start"),
                    _ => {}
                }
            }
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_stream_that_breaks_is_never_a_clean_end() {
    let rig = Rig::start().await;
    for (path, model) in PAIRS {
        let words: &[&str] = match model {
            CLAUDE => &["default"],
            _ => &["default", RACE],
        };
        for behaviour in [
            json!({"fault": "after_start"}),
            json!({"cut": {"before_terminal": true, "how": "fin"}}),
            json!({"cut": {"before_terminal": true, "how": "rst"}}),
        ] {
            for start_within in words {
                let ask = |streamed: bool| {
                    let fields = json!({"stream": streamed, "start_within": start_within});
                    asked(path, model, &any(&behaviour), fields)
                };
                let answer = rig.post(path, &ask(true)).await;
                assert!(!is_whole(path, &answer), "{behaviour}: {}", answer.text());
                check_failure(path, &events(&answer));
                let whole = rig.post(path, &ask(false)).await;
                assert_ne!(whole.status, 200, "{behaviour}: {}", whole.text());
            }
        }
    }
    rig.settle().await;
}

/// The last event tells the failure as the format does.
fn check_failure(path: &str, events: &[Value]) {
    let last = events.last().unwrap();
    let error = match path {
        RESPONSES => {
            assert_eq!(last["type"], "response.failed", "{last}");
            assert_eq!(last["sequence_number"], events.len() - 1);
            assert_eq!(last["response"]["id"], events[0]["response"]["id"]);
            &last["response"]["error"]
        }
        INTERACTIONS => {
            assert_eq!(last["event_type"], "error", "{last}");
            &last["error"]
        }
        MESSAGES => {
            assert_eq!(last["type"], "error", "{last}");
            &last["error"]
        }
        _ => &last["error"],
    };
    assert!(error["flexinference"].is_object(), "{last}");
}
