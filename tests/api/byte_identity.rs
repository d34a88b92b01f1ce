//! An answer on the caller's own surface is the provider's, byte for byte: whole and streamed, however the provider
//! writes it, whether flex won, lost or was not asked.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::client::Answer;
use crate::requests::{
    CHAT, ENDPOINTS, INTERACTIONS, RESPONSES, UNTRANSLATED, behaving, good, last_sent, with,
};
use crate::rig::{Rig, scripted};

/// What an answer can hold.
fn contents() -> Vec<Value> {
    let mut found = vec![json!({})];
    for content in [
        "tool_call",
        "parallel_tool_calls",
        "delta_less_tool_call",
        "custom_tool_call",
        "reasoning",
        "reasoning_summary",
        "refusal",
        "incomplete",
        "content_filter",
        "web_search",
    ] {
        found.push(json!({ "content": content }));
    }
    found.push(json!({"content": ["reasoning_summary", "text", "parallel_tool_calls"]}));
    found.push(json!({"text": "Grüße, 世界 👋 \u{2028} \" \\ \n\n data: x"}));
    found.push(json!({"deltas": 1, "delta_bytes": 1 << 20}));
    found.push(json!({"no_usage": true}));
    found
}

/// How a stream can be written.
fn manners() -> Vec<Value> {
    vec![
        json!({"crlf": true}),
        json!({"bom": true}),
        json!({"comments": true}),
        json!({"multiline": true}),
        json!({"unknown_events": true}),
        json!({"chunk": 1}),
        json!({"chunk": 7}),
        json!({"chunk": 4_099, "deltas": 40, "delta_bytes": 1_000}),
        json!({"crlf": true, "chunk": 1, "comments": true}),
        json!({"no_terminal_newline": true}),
        json!({"no_terminal_newline": true, "crlf": true, "chunk": 3}),
        json!({"second_message_start": true}),
        json!({"prefilled": true}),
        json!({"no_item_added": true}),
        json!({"framing": "length"}),
        json!({"start_delay_ms": 40, "keepalive_ms": 10}),
        json!({"event_delay_ms": 2, "deltas": 10}),
        json!({
            "crlf": true, "bom": true, "comments": true, "multiline": true, "unknown_events": true, "chunk": 5,
            "deltas": 3, "delta_bytes": 70_000,
        }),
        json!({"fault": "after_start"}),
    ]
}

fn assert_same(what: &str, answer: &Answer, sent: &[u8]) {
    assert_eq!(answer.status, 200, "{what}: {}", answer.text());
    assert!(answer.is_whole, "{what}: cut");
    if answer.body == sent {
        return;
    }
    let same = answer.body.iter().zip(sent).take_while(|(a, b)| a == b);
    let at = same.count();
    let around = |bytes: &[u8]| {
        let range = at.saturating_sub(60)..(at + 60).min(bytes.len());
        String::from_utf8_lossy(&bytes[range]).into_owned()
    };
    panic!(
        "{what}: {} bytes in place of {}, different from byte {at}:\n{:?}\n{:?}",
        answer.body.len(),
        sent.len(),
        around(&answer.body),
        around(sent)
    );
}

#[actix_web::test]
async fn a_whole_answer_is_the_providers_bytes() {
    let rig = Rig::start().await;
    let mut behaviours = contents();
    for framing in ["chunked", "length"] {
        behaviours.push(json!({"framing": framing, "chunk": 11}));
    }
    // Blanks, the order of the fields, unknown ones, numbers as they were written.
    let odd = "\n {\"z\" : 1.50, \"a\":\t[1e2, -0.0, \"\\u0041\\/\"],\r\n \"usage\": {\"output_tokens\": 3} }\n\n";
    behaviours.push(json!({ "raw_body": odd }));
    for path in ENDPOINTS {
        for behaviour in &behaviours {
            let answer = rig.post(path, &behaving(path, behaviour)).await;
            let what = format!("{path} {behaviour}");
            assert_same(&what, &answer, &last_sent(&rig).await);
            let length = answer.body.len().to_string();
            assert_eq!(answer.header("content-length"), Some(&*length), "{what}");
            rig.simulator.clear();
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_stream_is_the_providers_bytes() {
    let rig = Rig::start().await;
    let behaviours = [contents(), manners()].concat();
    for path in ENDPOINTS {
        for behaviour in &behaviours {
            // Without its line end a Chat stream lacks `[DONE]` too, and is not whole.
            if path == CHAT && behaviour.get("no_terminal_newline").is_some() {
                continue;
            }
            let body = with(behaving(path, behaviour), json!({"stream": true}));
            let answer = rig.post(path, &body).await;
            let what = format!("{path} {behaviour}");
            assert_same(&what, &answer, &last_sent(&rig).await);
            assert_eq!(answer.header("content-length"), None, "{what}");
            rig.simulator.clear();
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_chat_stream_with_usage_is_the_providers_bytes() {
    let rig = Rig::start().await;
    for options in [
        json!({"include_usage": true}),
        json!({"include_usage": false}),
        json!({"include_usage": true, "include_obfuscation": false}),
    ] {
        let more = json!({"stream": true, "stream_options": options, "n": 1, "seed": 5});
        let answer = rig.post(CHAT, &with(good(CHAT, "Hello"), more)).await;
        assert_same(&options.to_string(), &answer, &last_sent(&rig).await);
        rig.simulator.clear();
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_stream_that_flex_won_is_the_providers_bytes_with_its_prelude() {
    let rig = Rig::start().await;
    let raced = json!({"stream": true, "start_within": "00h-00m-30s"});
    for path in UNTRANSLATED {
        for behaviour in [contents(), manners()].concat() {
            let answer = rig
                .post(path, &with(behaving(path, &behaviour), raced.clone()))
                .await;
            let what = format!("{path} {behaviour}");
            assert_eq!(
                answer.header("x-flexinference-flex-applied"),
                Some("true"),
                "{what}"
            );
            assert_same(&what, &answer, &last_sent(&rig).await);
            assert_eq!(rig.simulator.seen().len(), 1, "{what}");
            rig.simulator.clear();
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn what_standard_sends_after_a_lost_race_is_passed_on_unchanged() {
    let rig = Rig::start().await;
    for path in UNTRANSLATED {
        for stream in [true, false] {
            for flex in [json!({"status": 429}), json!({"fault": "before_start"})] {
                let settled = json!({"content": ["reasoning_summary", "text"], "chunk": 9});
                let prompt = scripted(&json!({"flex": flex, "settled": settled}));
                let raced = json!({"stream": stream, "start_within": "00h-00m-30s"});
                let answer = rig.post(path, &with(good(path, &prompt), raced)).await;
                let what = format!("{path}, stream {stream}, {flex}");
                assert_eq!(rig.simulator.seen().len(), 2, "{what}");
                assert_same(&what, &answer, &last_sent(&rig).await);
                rig.simulator.clear();
            }
        }
    }
    rig.settle().await;
}

/// The HTTP client does not read a body that has neither a length nor chunks; what matters is that nobody takes the
/// nothing for an answer.
#[actix_web::test]
async fn an_answer_that_ends_with_its_connection_is_not_taken_for_a_whole_one() {
    let rig = Rig::start().await;
    for path in ENDPOINTS {
        let body = behaving(path, &json!({"framing": "close"}));
        let whole = rig.post(path, &body).await;
        assert_eq!(whole.status, 502, "{path}: {}", whole.text());
        let streamed = rig.post(path, &with(body, json!({"stream": true}))).await;
        assert!(streamed.text().contains("upstream_stream_failed"), "{path}");
    }
    rig.settle().await;
}

#[derive(Deserialize)]
struct Terminal<'a> {
    #[serde(borrow)]
    response: &'a RawValue,
}

#[actix_web::test]
async fn a_whole_answer_that_flex_won_on_responses_is_the_terminal_events_response() {
    let rig = Rig::start().await;
    for behaviour in [contents(), manners()].concat() {
        if behaviour.get("fault").is_some() {
            continue;
        }
        let raced = with(
            behaving(RESPONSES, &behaviour),
            json!({"start_within": "00h-00m-30s"}),
        );
        let answer = rig.post(RESPONSES, &raced).await;
        let sent = String::from_utf8(last_sent(&rig).await).unwrap();
        let last = last_event(&sent);
        let terminal: Terminal<'_> = serde_json::from_str(&last).unwrap();
        let what = behaviour.to_string();
        assert_same(&what, &answer, terminal.response.get().as_bytes());
        assert_eq!(
            answer.header("content-type"),
            Some("application/json"),
            "{what}"
        );
        let length = answer.body.len().to_string();
        assert_eq!(answer.header("content-length"), Some(&*length), "{what}");
        rig.simulator.clear();
    }
    rig.settle().await;
}

/// The data of the last event that ends an answer, its lines joined as an event stream's reader joins them.
fn last_event(sent: &str) -> String {
    let unix = sent.replace("\r\n", "\n");
    let blocks: Vec<&str> = unix
        .split("\n\n")
        .filter(|block| block.contains("data: "))
        .collect();
    let lines = blocks.last().unwrap().lines();
    let data: Vec<&str> = lines
        .filter_map(|line| line.strip_prefix("data: "))
        .collect();
    data.join("\n")
}

#[actix_web::test]
async fn a_whole_answer_that_flex_won_on_interactions_says_what_the_stream_said() {
    let rig = Rig::start().await;
    for behaviour in contents() {
        // Gemini tells a blocked output as a failure.
        if behaviour["content"] == "content_filter" {
            continue;
        }
        let body = behaving(INTERACTIONS, &behaviour);
        let raced = with(body.clone(), json!({"start_within": "00h-00m-30s"}));
        let assembled = rig.post(INTERACTIONS, &raced).await;
        assert_eq!(assembled.status, 200, "{behaviour}: {}", assembled.text());
        let whole = rig.post(INTERACTIONS, &body).await;
        let (mut assembled, mut whole) = (assembled.json(), whole.json());
        // The lengths of the two requests differ, and with them what the simulator counts.
        for answer in [&mut assembled, &mut whole] {
            for name in ["id", "created", "updated", "service_tier", "usage"] {
                answer.as_object_mut().unwrap().remove(name);
            }
            forget_ids(answer);
            join_summaries(answer);
        }
        assert_eq!(assembled, whole, "{behaviour}");
    }
    rig.settle().await;
}

fn forget_ids(value: &mut Value) {
    match value {
        Value::Array(entries) => entries.iter_mut().for_each(forget_ids),
        Value::Object(members) => {
            for name in ["id", "call_id", "signature"] {
                members.remove(name);
            }
            members.values_mut().for_each(forget_ids);
        }
        _ => {}
    }
}

/// Deltas do not tell where one part of a summary ends and the next begins.
fn join_summaries(answer: &mut Value) {
    for step in answer["steps"].as_array_mut().into_iter().flatten() {
        if let Some(Value::Array(parts)) = step.get("summary") {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect();
            step["summary"] = Value::from(texts.concat());
        }
    }
}
