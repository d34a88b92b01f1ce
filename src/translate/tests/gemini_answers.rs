//! What a Chat caller gets of a Gemini model's answer.

use std::fs;

use serde_json::{Value, json};

use super::gemini_requests::translated;
use super::{NOW, assembled, data};
use crate::translate::{NoAnswer, Translation};
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

fn usage() -> Value {
    json!({"total_tokens": 22, "total_input_tokens": 8, "total_cached_tokens": 4, "total_output_tokens": 4,
        "total_tool_use_tokens": 2, "total_thought_tokens": 8})
}

fn interaction(steps: &[Value], status: &str) -> Value {
    json!({
        "id": "v1_1", "object": "interaction", "model": "gemini-3.8-flash-1", "status": status, "steps": steps,
        "created": "2026-05-15T18:51:55Z", "updated": "2026-05-15T18:51:55Z", "service_tier": "flex", "usage": usage(),
    })
}

fn citation(start: u64, end: u64) -> Value {
    json!({"type": "url_citation", "start_index": start, "end_index": end, "url": "https://a", "title": "A"})
}

fn thought(signature: &str) -> Value {
    json!({"type": "thought", "signature": signature})
}

/// Thoughts, a text of which a part is cited (bytes), a search, signed calls of which the last has no arguments.
fn steps() -> Vec<Value> {
    vec![
        thought("one"),
        json!({"type": "model_output", "content": [
            {"type": "text", "text": "Grüße", "annotations": [citation(0, 4)]},
        ]}),
        json!({"type": "google_search_call", "id": "s1", "arguments": {"queries": ["q"]}}),
        json!({"type": "google_search_result", "call_id": "s1", "result": []}),
        thought("two"),
        json!({"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}}),
        json!({"type": "function_call", "id": "c2", "name": "g", "arguments": {}}),
    ]
}

/// The same as a stream; `whole` puts everything into the beginning of a step.
fn stream(steps: &[Value], status: &str, whole: bool) -> Vec<u8> {
    let mut events = vec![
        json!({"event_type": "interaction.created", "interaction":
            {"id": "v1_1", "status": "in_progress", "object": "interaction", "model": "gemini-3.8-flash-1"}}),
        json!({"event_type": "interaction.status_update", "interaction_id": "v1_1", "status": "in_progress"}),
    ];
    for (index, step) in steps.iter().enumerate() {
        let mut deltas = Vec::new();
        let mut start = step.clone();
        if !whole {
            match step["type"].as_str().unwrap() {
                "thought" => {
                    start = json!({"type": "thought"});
                    deltas.push(json!({"type": "thought_summary", "content": {"type": "text", "text": "t"}}));
                    deltas
                        .push(json!({"type": "thought_signature", "signature": step["signature"]}));
                }
                "model_output" => {
                    start = json!({"type": "model_output"});
                    let part = &step["content"][0];
                    for letter in part["text"].as_str().unwrap().chars() {
                        deltas.push(json!({"type": "text", "text": letter}));
                    }
                    deltas.push(json!({"type": "text_annotation_delta", "annotations": part["annotations"]}));
                }
                "function_call" => {
                    start["arguments"] = json!({});
                    if step["arguments"] != json!({}) {
                        for piece in ["{\"a\"", ":1}"] {
                            deltas.push(json!({"type": "arguments_delta", "arguments": piece}));
                        }
                    }
                }
                _ => {}
            }
        }
        events.push(json!({"event_type": "step.start", "index": index, "step": start}));
        events.push(json!({"event_type": "made.up", "index": index}));
        events.push(json!({"event_type": "step.delta", "index": index, "delta": {"type": "mood"}}));
        for delta in deltas {
            events.push(json!({"event_type": "step.delta", "index": index, "delta": delta}));
        }
        events.push(json!({"event_type": "step.stop", "index": index}));
    }
    let mut last = interaction(&[], status);
    last.as_object_mut().unwrap().remove("steps");
    if status == "failed" {
        last["errors"] = json!([{"code": "safety", "message": "m"}]);
    }
    events.push(json!({"event_type": "interaction.completed", "interaction": last}));
    let mut text: String = events
        .iter()
        .map(|event| {
            format!(
                "event: {}\ndata: {event}\n\n",
                event["event_type"].as_str().unwrap()
            )
        })
        .collect();
    text.push_str("event: done\ndata: [DONE]\n\n");
    text.into_bytes()
}

fn answered(translation: &Translation, document: &Value) -> Value {
    let answer = translation.answer(document.to_string().as_bytes());
    serde_json::from_slice(&answer.unwrap()).unwrap()
}

#[test]
fn an_interaction_is_a_completion_and_its_seal_rides_in_the_call() {
    let translation = translated(json!({})).unwrap().1;
    let answer = answered(&translation, &interaction(&steps(), "requires_action"));
    let choice = &answer["choices"][0];
    assert_eq!(answer["id"], "chatcmpl-v1_1");
    assert_eq!(answer["created"], NOW);
    assert_eq!(answer["model"], "gemini-3.8-flash-1");
    assert_eq!(answer["service_tier"], "flex");
    assert_eq!(choice["finish_reason"], "tool_calls");
    let citation = json!({"start_index": 0, "end_index": 3, "url": "https://a", "title": "A"});
    let expected = json!({
        "role": "assistant", "content": "Grüße", "refusal": null,
        "annotations": [{"type": "url_citation", "url_citation": citation}],
        "tool_calls": [
            {"id": "c1~gemini:two", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
            {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ],
    });
    assert_eq!(choice["message"], expected);
    let usage = &answer["usage"];
    assert_eq!(usage["prompt_tokens"], 10, "what tools put in counts");
    assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], 4);
    assert_eq!(usage["completion_tokens"], 12, "thoughts count");
    assert_eq!(usage["completion_tokens_details"]["reasoning_tokens"], 8);
    assert_eq!(usage["total_tokens"], 22);
}

#[test]
fn a_status_is_a_finish_reason_and_calls_decide_over_it() {
    let translation = translated(json!({})).unwrap().1;
    let call = json!({"type": "function_call", "id": "c", "name": "f", "arguments": {}});
    for (status, steps, finish) in [
        ("completed", vec![], "stop"),
        ("completed", vec![call], "tool_calls"),
        ("incomplete", vec![], "length"),
        ("budget_exceeded", vec![], "length"),
        ("requires_continuation", vec![], "length"),
    ] {
        let answer = answered(&translation, &interaction(&steps, status));
        assert_eq!(answer["choices"][0]["finish_reason"], finish, "{status}");
    }
    let mut blocked = interaction(&[], "failed");
    blocked["errors"] = json!([{"code": "safety", "message": "m"}]);
    let answer = answered(&translation, &blocked);
    assert_eq!(answer["choices"][0]["finish_reason"], "content_filter");
    blocked["errors"] = json!([{"code": "api_error", "message": "m"}]);
    let read = translation.answer(blocked.to_string().as_bytes());
    assert!(matches!(read, Err(NoAnswer::Failed(fault)) if fault.message == "m"));
}

#[test]
fn what_is_not_kept_has_no_id_and_gets_one() {
    let translation = translated(json!({})).unwrap().1;
    let mut document = interaction(
        &[json!({"type": "function_call", "name": "f"})],
        "completed",
    );
    document.as_object_mut().unwrap().remove("id");
    let answer = answered(&translation, &document);
    assert_eq!(answer["id"], "chatcmpl-0123");
    let call = &answer["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["id"], "call_0123_0");
    assert_eq!(call["function"]["arguments"], "{}");
}

#[test]
fn a_document_that_is_no_interaction_is_no_answer() {
    let translation = translated(json!({})).unwrap().1;
    let unfinished = interaction(&[], "in_progress").to_string();
    for document in ["[]", "{}", "no json", &unfinished] {
        let read = translation.answer(document.as_bytes());
        assert_eq!(read, Err(NoAnswer::Unreadable), "{document}");
    }
}

#[test]
fn a_stream_says_the_same_as_the_whole_interaction() {
    let fields = json!({"stream": true, "stream_options": {"include_usage": true}});
    let translation = translated(fields).unwrap().1;
    for (status, prefilled) in [
        ("requires_action", false),
        ("completed", true),
        ("incomplete", false),
        ("failed", false),
    ] {
        let mut translator = translation.stream("standard");
        let mut written = data(&translator.write(&stream(&steps(), status, prefilled)));
        assert!(translator.has_ended());
        assert_eq!(written.pop().as_deref(), Some("[DONE]"));
        let chunks: Vec<Value> = written
            .iter()
            .map(|data| serde_json::from_str(data).unwrap())
            .collect();
        let mut document = interaction(&steps(), status);
        document["errors"] = json!([{"code": "safety", "message": "m"}]);
        let whole = answered(&translation, &document);
        let choice = &whole["choices"][0];
        let assembled = assembled(&chunks);
        for part in ["content", "annotations", "tool_calls"] {
            assert_eq!(
                assembled["message"][part], choice["message"][part],
                "{status}"
            );
        }
        assert_eq!(assembled["finish_reason"], choice["finish_reason"]);
        let last = chunks.last().unwrap();
        assert_eq!(last["usage"], whole["usage"]);
        assert_eq!(last["service_tier"], "flex");
        let is_one = |chunk: &Value| chunk["id"] == whole["id"] && chunk["created"] == NOW;
        assert!(chunks.iter().all(is_one));
    }
}

#[test]
fn chunks_come_with_their_events() {
    let translation = translated(json!({"stream": true})).unwrap().1;
    let events = stream(&steps(), "requires_action", false);
    let whole = translation.stream("standard").write(&events);
    let mut translator = translation.stream("standard");
    let mut written = Vec::new();
    for_each_block(&events, |block| {
        let chunk = translator.write(block);
        assert!(chunk.len() < 600, "an event makes few chunks");
        if Event::parse(block).name == Some(b"interaction.completed") {
            assert!(!chunk.is_empty());
        }
        written.extend_from_slice(&chunk);
    });
    assert_eq!(written, whole);
}

#[test]
fn nothing_but_the_end_ends_a_stream() {
    let translation = translated(json!({"stream": true})).unwrap().1;
    let events = stream(&steps(), "completed", false);
    let end = memchr::memmem::find(&events, b"event: interaction.completed").unwrap();
    let mut translator = translation.stream("standard");
    let written = data(&translator.write(&events[..end]));
    assert!(written.iter().all(|data| data != "[DONE]") && !translator.has_ended());
}

#[test]
fn recorded_streams_say_the_same_as_their_documents() {
    let Some(folder) = crate::wire::tests::captures() else {
        return;
    };
    let folder = folder.join("gemini-interactions");
    let translation = translated(json!({"stream": true})).unwrap().1;
    for name in [
        "basic",
        "multi-turn-stateless-turn1",
        "multi-turn-stateless-turn2",
        "tool-call-step1",
        "tool-call-step2",
    ] {
        let whole: Value =
            serde_json::from_slice(&fs::read(folder.join(format!("{name}.json"))).unwrap())
                .unwrap();
        let whole = answered(&translation, &whole);
        let events = fs::read_to_string(folder.join(format!("{name}.events.jsonl"))).unwrap();
        let stream: String = events
            .lines()
            .map(|json| format!("data: {json}\n\n"))
            .collect();
        let mut written = data(&translation.stream("standard").write(stream.as_bytes()));
        assert_eq!(written.pop().as_deref(), Some("[DONE]"), "{name}");
        let chunks: Vec<Value> = written
            .iter()
            .map(|data| serde_json::from_str(data).unwrap())
            .collect();
        let assembled = assembled(&chunks);
        let choice = &whole["choices"][0];
        assert_eq!(
            assembled["finish_reason"], choice["finish_reason"],
            "{name}"
        );
        // Each was recorded of an answer of its own.
        let says = |message: &Value| {
            message["content"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        };
        assert_eq!(
            says(&assembled["message"]),
            says(&choice["message"]),
            "{name}"
        );
        let calls = |message: &Value| message["tool_calls"].as_array().map_or(0, Vec::len);
        assert_eq!(
            calls(&assembled["message"]),
            calls(&choice["message"]),
            "{name}"
        );
        for call in assembled["message"]["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
        {
            assert!(call["id"].as_str().unwrap().contains("~gemini:"), "{name}");
        }
    }
}
