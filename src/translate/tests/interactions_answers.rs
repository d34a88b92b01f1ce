//! What an Interactions caller gets of an OpenAI and of a Claude model's answer.

use serde_json::{Value, json};

use super::interactions_requests::translated;
use super::response;
use crate::translate::Translation;
use crate::vocabulary::ProviderSurface::{AnthropicMessages, OpenaiResponses};
use crate::wire::assembly::assemble;
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

/// Thoughts in two parts, a cited text, a search, a refusal and a call.
fn output() -> Vec<Value> {
    vec![
        json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "enc", "summary": [
            {"type": "summary_text", "text": "one"}, {"type": "summary_text", "text": "two"},
        ]}),
        json!({"type": "message", "content": [{"type": "output_text", "text": "Grüße", "annotations": [
            {"type": "url_citation", "start_index": 0, "end_index": 3, "url": "https://a", "title": "A"},
        ]}]}),
        json!({"type": "web_search_call", "id": "ws_1"}),
        json!({"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{\"a\":1}"}),
    ]
}

fn stream(last: &str) -> Vec<u8> {
    let items = output();
    let mut events =
        vec![json!({"type": "response.created", "response": response(json!([]), "in_progress")})];
    for (index, item) in items.iter().enumerate() {
        let mut added = item.clone();
        for field in ["content", "summary"] {
            if !added[field].is_null() {
                added[field] = json!([]);
            }
        }
        if !added["arguments"].is_null() {
            added["arguments"] = json!("");
        }
        events.push(
            json!({"type": "response.output_item.added", "output_index": index, "item": added}),
        );
        match item["type"].as_str().unwrap() {
            "reasoning" => {
                for (part, summary) in item["summary"].as_array().unwrap().iter().enumerate() {
                    let delta = &summary["text"];
                    events.push(json!({"type": "response.reasoning_summary_text.delta", "output_index": index, "summary_index": part, "delta": delta}));
                }
            }
            "message" => {
                for letter in "Grüße".chars() {
                    events.push(json!({"type": "response.output_text.delta", "output_index": index, "content_index": 0, "delta": letter}));
                }
                let annotation = &item["content"][0]["annotations"][0];
                events.push(json!({"type": "response.output_text.annotation.added", "output_index": index, "content_index": 0, "annotation": annotation}));
            }
            "function_call" => {
                for piece in ["{\"a\"", ":1}"] {
                    events.push(json!({"type": "response.function_call_arguments.delta", "output_index": index, "delta": piece}));
                }
            }
            _ => {}
        }
        events.push(
            json!({"type": "response.output_item.done", "output_index": index, "item": item}),
        );
    }
    let mut whole = response(json!(items), last);
    if last == "incomplete" {
        whole["incomplete_details"] = json!({"reason": "max_output_tokens"});
    }
    events.push(json!({"type": format!("response.{last}"), "response": whole}));
    let frames = events.iter().map(|event| format!("data: {event}\n\n"));
    frames.collect::<String>().into_bytes()
}

fn answered(translation: &Translation, document: &Value) -> Value {
    let answer = translation.answer(document.to_string().as_bytes());
    serde_json::from_slice(&answer.unwrap()).unwrap()
}

#[test]
fn a_response_is_an_interaction() {
    let translation = translated(OpenaiResponses, json!({})).unwrap().1;
    let interaction = answered(&translation, &response(json!(output()), "completed"));
    let annotation = json!({"type": "url_citation", "start_index": 0, "end_index": 4, "url": "https://a", "title": "A"});
    let expected = json!({
        "id": "v1_1", "object": "interaction", "model": "gpt-fast-1", "status": "requires_action",
        "created": "2023-11-14T22:13:20Z", "updated": "2023-11-14T22:13:20Z", "service_tier": "flex",
        "usage": {
            "total_tokens": 17, "total_input_tokens": 10, "total_cached_tokens": 4, "total_output_tokens": 4,
            "total_tool_use_tokens": 0, "total_thought_tokens": 3,
        },
        "steps": [
            {"type": "thought", "signature": "openai:rs_1:enc", "summary": [{"type": "text", "text": "one\n\ntwo"}]},
            {"type": "model_output", "content": [{"type": "text", "text": "Grüße", "annotations": [annotation]}]},
            {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
        ],
    });
    assert_eq!(interaction, expected);
}

#[test]
fn an_interaction_ends_for_its_reason() {
    let translation = translated(OpenaiResponses, json!({})).unwrap().1;
    let refusal = json!({"type": "message", "content": [{"type": "refusal", "refusal": "no"}]});
    for (output, reason, status) in [
        (json!([]), Value::Null, "completed"),
        (json!([refusal]), Value::Null, "incomplete"),
        (json!([output()[3]]), Value::Null, "requires_action"),
        (
            json!([output()[3]]),
            json!("max_output_tokens"),
            "incomplete",
        ),
        (json!([]), json!("content_filter"), "failed"),
    ] {
        let told = if reason.is_null() {
            "completed"
        } else {
            "incomplete"
        };
        let mut document = response(output, told);
        if !reason.is_null() {
            document["incomplete_details"] = json!({"reason": reason});
        }
        let interaction = answered(&translation, &document);
        assert_eq!(interaction["status"], status);
        assert_eq!(interaction["errors"].is_array(), status == "failed");
    }
}

/// As Google's SDK and our own race put a stream together.
#[test]
fn a_stream_says_the_same_as_the_whole_response() {
    let translation = translated(OpenaiResponses, json!({})).unwrap().1;
    for last in ["completed", "incomplete"] {
        let events = stream(last);
        let mut translator = translation.stream("default");
        let mut written = Vec::new();
        for_each_block(&events, |block| {
            let some = translator.write(block);
            let is_delta = memchr::memmem::find(block, b"_text.delta").is_some();
            assert!(!is_delta || !some.is_empty(), "nothing is collected first");
            written.extend_from_slice(&some);
        });
        assert!(translator.has_ended());
        assert_eq!(translation.stream("default").write(&events), written);
        for_each_block(&written, |block| {
            let event = Event::parse(block);
            let data = event.data.unwrap();
            if event.name != Some(b"done") {
                let data: Value = serde_json::from_slice(&data).unwrap();
                assert_eq!(event.name, data["event_type"].as_str().map(str::as_bytes));
            } else {
                assert_eq!(data.as_ref(), b"[DONE]");
            }
        });
        let surface = crate::vocabulary::ProviderSurface::GeminiInteractions;
        let assembled: Value =
            serde_json::from_slice(&assemble(surface, &written).unwrap()).unwrap();
        let mut document = response(json!(output()), last);
        if last == "incomplete" {
            document["incomplete_details"] = json!({"reason": "max_output_tokens"});
        }
        assert_eq!(assembled, answered(&translation, &document));
    }
}

#[test]
fn a_message_is_an_interaction() {
    let translation = translated(AnthropicMessages, json!({})).unwrap().1;
    let message = json!({
        "id": "msg_1", "model": "claude-opus-5", "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "t", "signature": "sig"},
            {"type": "text", "text": "a"},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
        ],
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 4, "output_tokens": 7, "service_tier": "standard",
            "output_tokens_details": {"thinking_tokens": 3}},
    });
    let interaction = answered(&translation, &message);
    let steps = json!([
        {"type": "thought", "signature": "anthropic:sig", "summary": [{"type": "text", "text": "t"}]},
        {"type": "model_output", "content": [{"type": "text", "text": "a"}]},
        {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
    ]);
    assert_eq!(interaction["steps"], steps);
    assert_eq!(interaction["usage"]["total_input_tokens"], 9);
    assert_eq!(interaction["usage"]["total_output_tokens"], 4);
}

#[test]
fn a_step_of_claudes_stops_before_the_next_starts() {
    let start = json!({"id": "msg_1", "model": "m", "content": [], "usage": {}});
    let call = json!({"type": "tool_use", "id": "c", "name": "f", "input": {}});
    let events = [
        json!({"type": "message_start", "message": start}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": call}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ];
    let stream: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let translation = translated(AnthropicMessages, json!({})).unwrap().1;
    let written = translation.stream("standard").write(stream.as_bytes());
    let mut told = Vec::new();
    for_each_block(&written, |block| {
        let name = Event::parse(block).name.unwrap();
        told.push(String::from_utf8(name.to_vec()).unwrap());
    });
    let steps: Vec<&str> = told
        .iter()
        .filter_map(|name| name.strip_prefix("step."))
        .collect();
    assert_eq!(steps, ["start", "delta", "stop", "start", "delta", "stop"]);
}
