//! What a Chat caller gets of a Claude model's answer.

use serde_json::{Value, json};

use super::claude_requests::{MODEL, translated};
use super::{NOW, assembled, data};
use crate::translate::NoAnswer;
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

pub fn message(content: &[Value], stop_reason: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-1", "content": content,
        "stop_reason": stop_reason, "stop_sequence": null,
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 1,
            "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3}, "service_tier": "standard"},
    })
}

fn citation(url: &str) -> Value {
    json!({"type": "web_search_result_location", "url": url, "title": "A", "cited_text": "x", "encrypted_index": "e"})
}

/// Thoughts, two texts of which the second is cited, a search, and two calls of which the second has no arguments.
fn content() -> Vec<Value> {
    vec![
        json!({"type": "thinking", "thinking": "t", "signature": "s"}),
        json!({"type": "text", "text": "Grü"}),
        json!({"type": "text", "text": "ße", "citations": [citation("https://a")]}),
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}),
        json!({"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}),
        json!({"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}}),
    ]
}

/// The same as a stream.
fn stream(stop_reason: &str) -> Vec<u8> {
    let mut start = message(&[], "");
    start["stop_reason"] = Value::Null;
    start["usage"]["output_tokens"] = json!(1);
    let mut events = vec![
        json!({"type": "message_start", "message": start}),
        json!({"type": "ping"}),
    ];
    for (index, block) in content().into_iter().enumerate() {
        let mut opened = block.clone();
        let mut deltas = Vec::new();
        match block["type"].as_str().unwrap() {
            "text" => {
                opened = json!({"type": "text", "text": ""});
                for citation in block["citations"].as_array().into_iter().flatten() {
                    deltas.push(json!({"type": "citations_delta", "citation": citation}));
                }
                for letter in block["text"].as_str().unwrap().chars() {
                    deltas.push(json!({"type": "text_delta", "text": letter}));
                }
            }
            "tool_use" => {
                opened["input"] = json!({});
                deltas.push(json!({"type": "input_json_delta", "partial_json": ""}));
                if block["input"] != json!({}) {
                    for piece in ["{\"a\"", ":1}"] {
                        deltas.push(json!({"type": "input_json_delta", "partial_json": piece}));
                    }
                }
            }
            "thinking" => deltas.push(json!({"type": "thinking_delta", "thinking": "t"})),
            _ => {}
        }
        events
            .push(json!({"type": "content_block_start", "index": index, "content_block": opened}));
        events.push(json!({"type": "made_up", "index": index}));
        for delta in deltas {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(
        json!({"type": "message_delta", "delta": {"stop_reason": stop_reason},
        "usage": {"output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3}}}),
    );
    events.push(json!({"type": "message_stop"}));
    let text: String = events
        .iter()
        .map(|event| {
            format!(
                "event: {}\ndata: {event}\n\n",
                event["type"].as_str().unwrap()
            )
        })
        .collect();
    text.into_bytes()
}

#[test]
fn a_message_is_a_completion() {
    let translation = translated(MODEL, json!({})).unwrap().1;
    let document = message(&content(), "tool_use").to_string();
    let answer: Value =
        serde_json::from_slice(&translation.answer(document.as_bytes()).unwrap()).unwrap();
    let choice = &answer["choices"][0];
    assert_eq!(answer["id"], "chatcmpl-1");
    assert_eq!(answer["created"], NOW);
    assert_eq!(answer["model"], "claude-opus-5-1");
    assert_eq!(answer["service_tier"], "standard");
    assert_eq!(choice["finish_reason"], "tool_calls");
    let citation = json!({"start_index": 3, "end_index": 5, "url": "https://a", "title": "A"});
    let expected = json!({
        "role": "assistant", "content": "Grüße", "refusal": null,
        "annotations": [{"type": "url_citation", "url_citation": citation}],
        "tool_calls": [
            {"id": "toolu_1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
            {"id": "toolu_2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ],
    });
    assert_eq!(choice["message"], expected);
    let usage = &answer["usage"];
    assert_eq!(usage["prompt_tokens"], 10, "the cache counts");
    assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], 4);
    assert_eq!(usage["prompt_tokens_details"]["cache_write_tokens"], 1);
    assert_eq!(usage["completion_tokens"], 7);
    assert_eq!(usage["completion_tokens_details"]["reasoning_tokens"], 3);
    for (stop, finish) in [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
    ] {
        let document = message(&[], stop).to_string();
        let answer: Value =
            serde_json::from_slice(&translation.answer(document.as_bytes()).unwrap()).unwrap();
        assert_eq!(answer["choices"][0]["finish_reason"], finish, "{stop}");
        assert_eq!(answer["choices"][0]["message"]["content"], "");
    }
}

#[test]
fn a_document_that_is_no_message_is_no_answer() {
    let translation = translated(MODEL, json!({})).unwrap().1;
    let mut unfinished = message(&[], "");
    unfinished["stop_reason"] = Value::Null;
    for document in ["[]", "{}", "no json", &unfinished.to_string()] {
        let read = translation.answer(document.as_bytes());
        assert_eq!(read, Err(NoAnswer::Unreadable), "{document}");
    }
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}});
    let read = translation.answer(error.to_string().as_bytes());
    assert!(matches!(read, Err(NoAnswer::Failed(_))));
}

#[test]
fn a_stream_says_the_same_as_the_whole_message() {
    let fields = json!({"stream": true, "stream_options": {"include_usage": true}});
    let translation = translated(MODEL, fields).unwrap().1;
    for stop in ["tool_use", "max_tokens", "refusal"] {
        let written = translation.stream("standard").write(&stream(stop));
        let mut written = data(&written);
        assert_eq!(written.pop().as_deref(), Some("[DONE]"));
        let chunks: Vec<Value> = written
            .iter()
            .map(|data| serde_json::from_str(data).unwrap())
            .collect();
        let whole = message(&content(), stop).to_string();
        let whole: Value =
            serde_json::from_slice(&translation.answer(whole.as_bytes()).unwrap()).unwrap();
        let choice = &whole["choices"][0];
        let assembled = assembled(&chunks);
        for part in ["content", "annotations", "tool_calls"] {
            assert_eq!(assembled["message"][part], choice["message"][part]);
        }
        assert_eq!(assembled["finish_reason"], choice["finish_reason"]);
        let last = chunks.last().unwrap();
        assert_eq!(last["usage"], whole["usage"]);
        assert_eq!(last["service_tier"], "standard");
        assert!(
            chunks
                .iter()
                .all(|chunk| chunk["id"] == whole["id"] && chunk["created"] == NOW)
        );
    }
}

#[test]
fn chunks_come_with_their_events_and_a_second_beginning_is_passed_over() {
    let translation = translated(MODEL, json!({"stream": true})).unwrap().1;
    let events = stream("tool_use");
    let whole = translation.stream("standard").write(&events);
    let mut translator = translation.stream("standard");
    let mut written = Vec::new();
    for_each_block(&events, |block| {
        let chunk = translator.write(block);
        assert!(chunk.len() < 600, "an event makes few chunks");
        written.extend_from_slice(&chunk);
        if Event::parse(block).name == Some(b"message_start") {
            assert!(translator.write(block).is_empty());
        }
    });
    assert_eq!(written, whole);
}

#[test]
fn nothing_but_the_end_ends_a_stream() {
    let translation = translated(MODEL, json!({"stream": true})).unwrap().1;
    let events = stream("end_turn");
    let end = memchr::memmem::rfind(&events, b"event:").unwrap();
    let written = data(&translation.stream("standard").write(&events[..end]));
    assert!(written.iter().all(|data| data != "[DONE]"));
}
