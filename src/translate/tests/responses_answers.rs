//! What a Responses caller gets of a Gemini and of a Claude model's answer.

use serde_json::{Value, json};

use super::NOW;
use super::responses_requests::translated;
use crate::translate::Translation;
use crate::vocabulary::ProviderSurface::{self, AnthropicMessages, GeminiInteractions};
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

fn citation() -> Value {
    json!({"type": "url_citation", "start_index": 0, "end_index": 4, "url": "https://a", "title": "A"})
}

fn interaction(status: &str) -> Value {
    json!({
        "id": "v1_1", "model": "gemini-3.8-flash", "status": status, "service_tier": "flex",
        "usage": {"total_tokens": 22, "total_input_tokens": 10, "total_cached_tokens": 4, "total_output_tokens": 4, "total_thought_tokens": 8},
        "steps": [
            {"type": "thought", "signature": "sig", "summary": [{"type": "text", "text": "t"}]},
            {"type": "model_output", "content": [{"type": "text", "text": "Grüße", "annotations": [citation()]}]},
            {"type": "google_search_call", "id": "s", "arguments": {}},
            {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
            {"type": "function_call", "id": "c2", "name": "g", "arguments": {"input": "x"}},
        ],
    })
}

fn gemini_stream(status: &str) -> Vec<u8> {
    let whole = interaction(status);
    let mut events = vec![
        json!({"event_type": "interaction.created", "interaction": {"id": "v1_1", "model": whole["model"]}}),
    ];
    for (index, step) in whole["steps"].as_array().unwrap().iter().enumerate() {
        let mut deltas = Vec::new();
        let mut start = json!({"type": step["type"]});
        match step["type"].as_str().unwrap() {
            "thought" => {
                deltas.push(json!({"type": "thought_summary", "content": step["summary"][0]}));
                deltas.push(json!({"type": "thought_signature", "signature": step["signature"]}));
            }
            "model_output" => {
                for letter in "Grüße".chars() {
                    deltas.push(json!({"type": "text", "text": letter}));
                }
                deltas.push(json!({"type": "text_annotation_delta", "annotations": [citation()]}));
            }
            _ => {
                start = step.clone();
                let arguments = std::mem::replace(&mut start["arguments"], json!({}));
                for piece in arguments.to_string().split_inclusive(':') {
                    deltas.push(json!({"type": "arguments_delta", "arguments": piece}));
                }
            }
        }
        events.push(json!({"event_type": "step.start", "index": index, "step": start}));
        for delta in deltas {
            events.push(json!({"event_type": "step.delta", "index": index, "delta": delta}));
        }
        events.push(json!({"event_type": "step.stop", "index": index}));
    }
    let mut last = whole;
    last.as_object_mut().unwrap().remove("steps");
    events.push(json!({"event_type": "interaction.completed", "interaction": last}));
    let frames = events.iter().map(|event| format!("data: {event}\n\n"));
    frames.collect::<String>().into_bytes()
}

fn message(stop_reason: &str) -> Value {
    let source = json!({"type": "web_search_result_location", "url": "https://a", "title": "A", "cited_text": "x", "encrypted_index": "e"});
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5", "stop_reason": stop_reason,
        "content": [
            {"type": "thinking", "thinking": "t", "signature": "sig"},
            {"type": "redacted_thinking", "data": "data"},
            {"type": "text", "text": "a"},
            {"type": "text", "text": "b", "citations": [source]},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
            {"type": "tool_use", "id": "c2", "name": "g", "input": {"input": "x"}},
        ],
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 1, "output_tokens": 7, "service_tier": "standard"},
    })
}

fn claude_stream(stop_reason: &str) -> Vec<u8> {
    let whole = message(stop_reason);
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": start})];
    for (index, block) in whole["content"].as_array().unwrap().iter().enumerate() {
        let mut opened = block.clone();
        let mut deltas = Vec::new();
        match block["type"].as_str().unwrap() {
            "thinking" => {
                opened = json!({"type": "thinking", "thinking": "", "signature": ""});
                deltas.push(json!({"type": "thinking_delta", "thinking": block["thinking"]}));
                deltas.push(json!({"type": "signature_delta", "signature": block["signature"]}));
            }
            "text" => {
                opened = json!({"type": "text", "text": ""});
                for citation in block["citations"].as_array().into_iter().flatten() {
                    deltas.push(json!({"type": "citations_delta", "citation": citation}));
                }
                deltas.push(json!({"type": "text_delta", "text": block["text"]}));
            }
            "tool_use" => {
                opened["input"] = json!({});
                for piece in block["input"].to_string().split_inclusive(':') {
                    deltas.push(json!({"type": "input_json_delta", "partial_json": piece}));
                }
            }
            _ => {}
        }
        events
            .push(json!({"type": "content_block_start", "index": index, "content_block": opened}));
        for delta in deltas {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": {"output_tokens": 7}}));
    events.push(json!({"type": "message_stop"}));
    let frames = events.iter().map(|event| format!("data: {event}\n\n"));
    frames.collect::<String>().into_bytes()
}

/// `g` is a custom tool.
fn asked() -> Value {
    json!({
        "tools": [{"type": "custom", "name": "g"}], "temperature": null, "instructions": "i", "metadata": {"a": "b"},
        "reasoning": {"effort": "low", "summary": "auto"},
    })
}

fn answered(translation: &Translation, document: &Value) -> Value {
    let answer = translation.answer(document.to_string().as_bytes());
    serde_json::from_slice(&answer.unwrap()).unwrap()
}

/// Events of a Responses stream: named as their types, numbered without a gap.
fn events(written: &[u8]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for_each_block(written, |block| {
        let event = Event::parse(block);
        let data: Value = serde_json::from_slice(&event.data.unwrap()).unwrap();
        assert_eq!(event.name, data["type"].as_str().map(str::as_bytes));
        assert_eq!(data["sequence_number"], all.len());
        all.push(data);
    });
    all
}

/// The items that the events tell, put together from their deltas, and checked against what is told at their end.
fn told(events: &[Value]) -> Vec<Value> {
    let mut done = Vec::new();
    let mut open: Option<Value> = None;
    let mut text = String::new();
    for event in events {
        let kind = event["type"]
            .as_str()
            .unwrap()
            .strip_prefix("response.")
            .unwrap();
        if let (Some(item), false) = (&open, kind.starts_with("output_item")) {
            assert_eq!(
                (&event["item_id"], &event["output_index"]),
                (&item["id"], &json!(done.len())),
                "{event}"
            );
        }
        match kind {
            "output_item.added" => {
                assert!(open.is_none(), "items are told one after the other");
                assert_eq!(event["output_index"], done.len());
                open = Some(event["item"].clone());
                text.clear();
            }
            "content_part.added" | "reasoning_summary_part.added" => text.clear(),
            kind if kind.ends_with(".delta") => text.push_str(event["delta"].as_str().unwrap()),
            "output_text.annotation.added" => {}
            "output_text.done" | "reasoning_summary_text.done" => assert_eq!(event["text"], text),
            "function_call_arguments.done" => assert_eq!(event["arguments"], text),
            "custom_tool_call_input.done" => assert_eq!(event["input"], text),
            "content_part.done" | "reasoning_summary_part.done" => {
                assert_eq!(event["part"]["text"], text)
            }
            "output_item.done" => {
                let begun = open.take().unwrap();
                assert_eq!(
                    (&begun["id"], &begun["type"]),
                    (&event["item"]["id"], &event["item"]["type"])
                );
                done.push(event["item"].clone());
            }
            "created" | "in_progress" | "completed" | "incomplete" => assert!(open.is_none()),
            other => panic!("{other}"),
        }
    }
    done
}

#[test]
fn an_interaction_is_a_response_with_all_that_one_has() {
    let translation = translated(GeminiInteractions, asked()).unwrap().1;
    let response = answered(&translation, &interaction("requires_action"));
    let annotation = json!({"type": "url_citation", "start_index": 0, "end_index": 3, "url": "https://a", "title": "A"});
    let output = json!([
        {"id": "rs_v1_1_0", "type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}], "encrypted_content": "gemini:sig"},
        {"id": "msg_v1_1_1", "type": "message", "status": "completed", "role": "assistant", "content": [
            {"type": "output_text", "text": "Grüße", "annotations": [annotation], "logprobs": []},
        ]},
        {"id": "fc_v1_1_2", "type": "function_call", "status": "completed", "call_id": "c1", "name": "f", "arguments": "{\"a\":1}"},
        {"id": "ctc_v1_1_3", "type": "custom_tool_call", "status": "completed", "call_id": "c2", "name": "g", "input": "x"},
    ]);
    assert_eq!(response["output"], output);
    for (name, value) in [
        ("id", json!("resp_v1_1")),
        ("object", json!("response")),
        ("created_at", json!(NOW)),
        ("status", json!("completed")),
        ("service_tier", json!("flex")),
        ("model", json!("gemini-3.8-flash")),
        ("instructions", json!("i")),
        ("metadata", json!({"a": "b"})),
        ("tools", asked()["tools"].clone()),
        ("reasoning", asked()["reasoning"].clone()),
        ("tool_choice", json!("auto")),
        ("error", Value::Null),
    ] {
        assert_eq!(response[name], value, "{name}");
    }
    let usage = json!({
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
        "output_tokens": 12, "output_tokens_details": {"reasoning_tokens": 8}, "total_tokens": 22,
    });
    assert_eq!(response["usage"], usage);
}

#[test]
fn a_message_is_a_response() {
    let translation = translated(AnthropicMessages, asked()).unwrap().1;
    let response = answered(&translation, &message("tool_use"));
    let output = response["output"].as_array().unwrap();
    let kinds: Vec<&str> = output
        .iter()
        .map(|item| item["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "reasoning",
            "reasoning",
            "message",
            "function_call",
            "custom_tool_call"
        ]
    );
    assert_eq!(output[0]["encrypted_content"], "anthropic:sig");
    assert_eq!(output[0]["summary"][0]["text"], "t");
    assert_eq!(output[1]["encrypted_content"], "anthropic-redacted:data");
    assert_eq!(output[2]["content"][1]["text"], "b");
    assert_eq!(response["usage"]["input_tokens"], 10);
    assert_eq!(response["service_tier"], "standard");
    for (stop, reason) in [
        ("max_tokens", "max_output_tokens"),
        ("refusal", "content_filter"),
    ] {
        let response = answered(&translation, &message(stop));
        assert_eq!(response["status"], "incomplete");
        assert_eq!(response["incomplete_details"]["reason"], reason);
    }
}

fn check_stream(provider: ProviderSurface, stream: &[u8], document: &Value, ending: &str) {
    let translation = translated(provider, asked()).unwrap().1;
    let mut translator = translation.stream("standard");
    let mut written = Vec::new();
    for_each_block(stream, |block| {
        let some = translator.write(block);
        let is_text = memchr::memmem::find(block, b"\"text_delta\"").is_some();
        assert!(!is_text || !some.is_empty(), "nothing is collected first");
        written.extend_from_slice(&some);
    });
    assert!(translator.has_ended());
    assert_eq!(translation.stream("standard").write(stream), written);
    let events = events(&written);
    assert_eq!(events[0]["type"], "response.created");
    assert_eq!(events[0]["response"]["status"], "in_progress");
    assert_eq!(events[1]["type"], "response.in_progress");
    let last = events.last().unwrap();
    assert_eq!(last["type"], ending);
    assert_eq!(last["response"], answered(&translation, document));
    assert_eq!(json!(told(&events)), last["response"]["output"]);
}

#[test]
fn a_stream_says_the_same_as_the_whole_answer() {
    for (status, ending) in [
        ("requires_action", "response.completed"),
        ("incomplete", "response.incomplete"),
    ] {
        let stream = gemini_stream(status);
        check_stream(GeminiInteractions, &stream, &interaction(status), ending);
    }
    for (stop, ending) in [
        ("tool_use", "response.completed"),
        ("max_tokens", "response.incomplete"),
        ("refusal", "response.incomplete"),
    ] {
        let stream = claude_stream(stop);
        check_stream(AnthropicMessages, &stream, &message(stop), ending);
    }
}

#[test]
fn what_was_sent_as_null_or_in_part_keeps_its_default() {
    let fields = json!({"tools": null, "tool_choice": null, "parallel_tool_calls": null, "text": {"verbosity": "low"}});
    for (provider, document, stored) in [
        (GeminiInteractions, interaction("completed"), true),
        (AnthropicMessages, message("end_turn"), false),
    ] {
        let translation = translated(provider, fields.clone()).unwrap().1;
        let response = answered(&translation, &document);
        assert_eq!(
            (&response["tools"], &response["tool_choice"]),
            (&json!([]), &json!("auto"))
        );
        assert_eq!(response["parallel_tool_calls"], true);
        assert_eq!(
            response["text"],
            json!({"format": {"type": "text"}, "verbosity": "low"})
        );
        assert_eq!(response["store"], stored);
    }
}

#[test]
fn an_empty_text_of_claude_is_no_part() {
    let mut whole = message("end_turn");
    let text = |text: &str| json!({"type": "text", "text": text});
    whole["content"] = json!([text(""), text("a")]);
    let mut start = whole.clone();
    start["content"] = json!([]);
    let mut events_in = vec![json!({"type": "message_start", "message": start})];
    for (index, block) in [text(""), text("a")].iter().enumerate() {
        events_in
            .push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events_in.push(json!({"type": "content_block_stop", "index": index}));
    }
    events_in.push(json!({"type": "message_stop"}));
    let stream: String = events_in
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let translation = translated(AnthropicMessages, json!({})).unwrap().1;
    let events = events(&translation.stream("standard").write(stream.as_bytes()));
    let part = events
        .iter()
        .find(|event| event["type"] == "response.content_part.added")
        .unwrap();
    assert_eq!(part["content_index"], 0);
}
