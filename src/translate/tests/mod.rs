//! Callers of every format before providers of every other.

mod answers;
mod claude_answers;
mod claude_requests;
mod gemini_answers;
mod gemini_requests;
mod hostile;
mod interactions_answers;
mod interactions_requests;
mod messages_answers;
mod messages_requests;
mod messages_thoughts;
mod requests;
mod responses_answers;
mod responses_requests;
mod streams;

use bytes::Bytes;
use serde_json::{Value, json};

use super::chat::Shape;
use super::{Dropped, Form, Given, Refused, Translation, read};
use crate::catalogue::{BUILT_IN, Catalogue};
use crate::envelope::Envelope;
use crate::vocabulary::{CallerSurface, ProviderSurface};
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

pub const NOW: u64 = 1_700_000_000;

fn given() -> Given {
    Given {
        id: "0123".to_owned(),
        created_at: NOW,
    }
}

/// A Chat request with these fields as it goes upstream, and what its answer must know.
pub fn translated(
    provider: ProviderSurface,
    model: &str,
    fields: Value,
) -> Result<(Value, Translation), Refused> {
    translated_for(CallerSurface::Chat, provider, model, fields)
}

/// A request of either surface.
pub fn translated_for(
    caller: CallerSurface,
    provider: ProviderSurface,
    model: &str,
    fields: Value,
) -> Result<(Value, Translation), Refused> {
    let mut body = json!({"model": model, "start_within": "default"});
    match caller {
        CallerSurface::Responses | CallerSurface::Interactions => body["input"] = json!("u"),
        _ => body["messages"] = json!([{"role": "user", "content": "u"}]),
    }
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    let bytes = Bytes::from(body.to_string());
    let envelope = Envelope::parse(bytes, caller, None).unwrap();
    let catalogue = Catalogue::parse(BUILT_IN).unwrap();
    let (request, translation) = read(&envelope, provider, catalogue.get(model), given())?;
    Ok((serde_json::to_value(request).unwrap(), translation))
}

/// Of a request that went to Responses.
pub fn translation(shape: Shape) -> Translation {
    Translation {
        provider: ProviderSurface::OpenaiResponses,
        form: Form::Chat(shape),
        custom: Vec::new(),
        given: given(),
        dropped: Dropped::default(),
    }
}

pub fn response(output: Value, status: &str) -> Value {
    json!({
        "id": "resp_1", "object": "response", "created_at": 1_700_000_000, "model": "gpt-fast-1", "status": status,
        "output": output, "service_tier": "flex", "new_field": {"a": 1},
        "usage": {
            "input_tokens": 10, "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
            "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 17,
        },
    })
}

pub fn message(text: &str) -> Value {
    json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
        {"type": "output_text", "text": text, "annotations": [
            {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://a", "title": "A"},
            {"type": "file_citation", "file_id": "f", "index": 0},
        ], "logprobs": []},
    ]})
}

pub fn call(id: &str, name: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": name, "arguments": "{\"a\": 1}"})
}

/// The message that chunks make, as an SDK puts it together.
pub fn assembled(chunks: &[Value]) -> Value {
    let mut message = json!({"content": "", "annotations": [], "tool_calls": []});
    let mut finish = Value::Null;
    for choice in chunks.iter().filter_map(|chunk| chunk["choices"].get(0)) {
        let delta = &choice["delta"];
        if let Some(text) = delta["content"].as_str() {
            message["content"] = json!(message["content"].as_str().unwrap().to_owned() + text);
        }
        for given in delta["annotations"].as_array().into_iter().flatten() {
            message["annotations"]
                .as_array_mut()
                .unwrap()
                .push(given.clone());
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let calls = message["tool_calls"].as_array_mut().unwrap();
            let place = call["index"].as_u64().unwrap() as usize;
            let more = call["function"]["arguments"].as_str().unwrap();
            if place == calls.len() {
                let mut whole = call.clone();
                whole.as_object_mut().unwrap().remove("index");
                calls.push(whole);
            } else {
                let so_far = calls[place]["function"]["arguments"].as_str().unwrap();
                calls[place]["function"]["arguments"] = json!(so_far.to_owned() + more);
            }
        }
        if !choice["finish_reason"].is_null() {
            finish = choice["finish_reason"].clone();
        }
    }
    json!({"message": message, "finish_reason": finish})
}

pub fn data(written: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    for_each_block(written, |block| {
        let data = Event::parse(block).data.unwrap();
        all.push(String::from_utf8(data.into_owned()).unwrap());
    });
    all
}
