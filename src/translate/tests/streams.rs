//! What a Chat caller gets of a stream.

use serde_json::{Value, json};

use super::{call, message, response, translation};
use crate::translate::answer;
use crate::translate::chat::{self, Shape};
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

fn events(list: &[Value]) -> Vec<u8> {
    let mut text = String::new();
    for (number, event) in list.iter().enumerate() {
        let mut event = event.clone();
        event["sequence_number"] = json!(number);
        text += &format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap()
        );
    }
    text.into_bytes()
}

/// A stream with a text, two calls (one without deltas), an unknown item and an unknown event.
fn stream(terminal: &str) -> Vec<u8> {
    let status = terminal.strip_prefix("response.").unwrap();
    let mut begun = response(json!([]), "in_progress");
    begun["usage"] = Value::Null;
    begun["service_tier"] = json!("auto");
    let output = json!([{"type": "reasoning", "summary": []}, message("Grüße"), call("call_a", "f"), call("call_b", "g")]);
    events(&[
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "summary": []}}),
        json!({"type": "response.made_up", "output_index": 0}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "content": []}}),
        json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "Grü"}),
        json!({"type": "response.output_text.annotation.added", "output_index": 1, "content_index": 0, "annotation":
            {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://a", "title": "A"}}),
        json!({"type": "response.output_text.done", "output_index": 1, "content_index": 0, "text": "Grüße"}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": message("Grüße")}),
        json!({"type": "response.output_item.added", "output_index": 2, "item":
            {"type": "function_call", "call_id": "call_a", "name": "f", "arguments": ""}}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{\"a\""}),
        json!({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": "{\"a\": 1}"}),
        json!({"type": "response.output_item.done", "output_index": 2, "item": call("call_a", "f")}),
        json!({"type": "response.output_item.added", "output_index": 3, "item":
            {"type": "function_call", "call_id": "call_b", "name": "g", "arguments": ""}}),
        json!({"type": "response.output_item.done", "output_index": 3, "item": call("call_b", "g")}),
        json!({"type": terminal, "response": response(output, status)}),
    ])
}

/// The chunks, and whether `[DONE]` was the last.
fn chunks(written: &[u8]) -> (Vec<Value>, bool) {
    let mut chunks = Vec::new();
    let mut is_done = false;
    for_each_block(written, |block| {
        let data = Event::parse(block).data.unwrap();
        assert!(!is_done, "something after the end");
        match &*data {
            b"[DONE]" => is_done = true,
            json => chunks.push(serde_json::from_slice(json).unwrap()),
        }
    });
    (chunks, is_done)
}

/// What an SDK makes of the chunks: a whole completion.
fn assembled(chunks: &[Value]) -> Value {
    let mut message = json!({"content": null, "refusal": null, "annotations": []});
    let mut calls: Vec<Value> = Vec::new();
    let mut finish_reason = Value::Null;
    for chunk in chunks {
        assert_eq!(chunk["id"], "chatcmpl-1");
        let Some(choice) = chunk["choices"].get(0) else {
            continue;
        };
        for (name, value) in choice["delta"].as_object().unwrap() {
            match (name.as_str(), value) {
                ("tool_calls", calls_now) => {
                    let now = &calls_now[0];
                    let place = now["index"].as_u64().unwrap() as usize;
                    if place == calls.len() {
                        let mut begun = now.clone();
                        begun.as_object_mut().unwrap().remove("index");
                        calls.push(begun);
                        continue;
                    }
                    let arguments = &mut calls[place]["function"]["arguments"];
                    let more = now["function"]["arguments"].as_str().unwrap();
                    *arguments = json!(arguments.as_str().unwrap().to_owned() + more);
                }
                ("annotations", Value::Array(more)) => {
                    message["annotations"]
                        .as_array_mut()
                        .unwrap()
                        .extend(more.clone());
                }
                (name, Value::String(more)) if name != "role" => {
                    let before = message[name].as_str().unwrap_or_default().to_owned();
                    message[name] = json!(before + more);
                }
                (name, value) if message[name].is_null() => message[name] = value.clone(),
                _ => {}
            }
        }
        if !choice["finish_reason"].is_null() {
            finish_reason = choice["finish_reason"].clone();
        }
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({"message": message, "finish_reason": finish_reason, "usage": chunks.last().unwrap()["usage"]})
}

const WITH_USAGE: Shape = Shape {
    usage_chunk: true,
    legacy_functions: false,
    structured: false,
};

#[test]
fn a_stream_says_the_same_as_the_whole_answer() {
    for terminal in ["response.completed", "response.incomplete"] {
        let events = stream(terminal);
        let (chunks, is_done) = chunks(&translation(WITH_USAGE).stream("standard").write(&events));
        assert!(is_done);
        let mut whole = Value::Null;
        for_each_block(&events, |block| {
            whole = serde_json::from_slice(&Event::parse(block).data.unwrap()).unwrap();
        });
        let answer = chat::answer(
            &answer::read(whole["response"].to_string().as_bytes()).unwrap(),
            WITH_USAGE,
        );
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        let choice = &answer["choices"][0];
        let expected = json!({
            "message": choice["message"], "finish_reason": choice["finish_reason"], "usage": answer["usage"],
        });
        assert_eq!(assembled(&chunks), expected);
        assert!(
            chunks[0].get("service_tier").is_none(),
            "`auto` is not a tier that served"
        );
        assert_eq!(chunks.last().unwrap()["service_tier"], "flex");
    }
}

#[test]
fn chunks_come_with_their_events_and_not_before() {
    let events = stream("response.completed");
    let mut writer = translation(Shape::default()).stream("standard");
    let mut written = Vec::new();
    let mut silent = 0;
    for_each_block(&events, |block| {
        let chunk = writer.write(block);
        silent += usize::from(chunk.is_empty());
        written.extend_from_slice(&chunk);
    });
    assert_eq!(
        silent, 6,
        "signs of life, reasoning and what is only repeated make no chunk"
    );
    assert_eq!(
        written,
        translation(Shape::default())
            .stream("standard")
            .write(&events)
    );
    let (chunks, is_done) = chunks(&written);
    assert!(is_done && chunks.iter().all(|chunk| chunk.get("usage").is_none()));
    assert_eq!(
        chunks[0]["choices"][0]["delta"],
        json!({"role": "assistant", "content": "", "refusal": null})
    );
}

#[test]
fn nothing_but_the_end_ends_a_stream() {
    let events = stream("response.completed");
    let end = memchr::memmem::rfind(&events, b"event:").unwrap();
    let (chunks, is_done) = chunks(
        &translation(WITH_USAGE)
            .stream("standard")
            .write(&events[..end]),
    );
    assert!(!is_done);
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk["choices"][0]["finish_reason"].is_null())
    );
}
