//! A canonical answer as a Chat completion.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::Shape;
use crate::translate::answer::{Answer, OutputItem, OutputPart};
use crate::translate::sealed;
use crate::wire::usage::Usage;

/// Writes a completion.
pub fn answer(answer: &Answer, shape: Shape) -> Bytes {
    let collected = Collected::of(answer, shape);
    let finish_reason = finish_reason(answer, collected.has_calls(), shape);
    let completion = json!({
        "id": completion_id(&answer.id),
        "object": "chat.completion",
        "created": answer.created_at as u64,
        "model": answer.model,
        "choices": [{
            "index": 0,
            "message": collected.message(shape),
            "logprobs": null,
            "finish_reason": finish_reason,
        }],
        "usage": answer.usage.map(usage),
        "service_tier": answer.service_tier,
        "system_fingerprint": null,
    });
    Bytes::from(completion.to_string())
}

/// The same for a whole answer and each chunk of a stream.
pub(super) fn completion_id(response_id: &str) -> String {
    let rest = response_id.strip_prefix("resp_").unwrap_or(response_id);
    format!("chatcmpl-{rest}")
}

pub(super) fn finish_reason(answer: &Answer, has_calls: bool, shape: Shape) -> &'static str {
    if answer.status == "incomplete" {
        let reason = answer
            .incomplete_details
            .as_ref()
            .map(|details| &*details.reason);
        return match reason {
            Some("content_filter") => "content_filter",
            _ => "length",
        };
    }
    match (has_calls, shape.legacy_functions) {
        (true, true) => "function_call",
        (true, false) => "tool_calls",
        (false, _) => "stop",
    }
}

/// Tokens in Chat's words.
pub(super) fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total(),
        "prompt_tokens_details": {
            "cached_tokens": usage.cached,
            "cache_write_tokens": usage.cache_write,
            "audio_tokens": 0,
        },
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    })
}

/// An annotation in Chat's shape, its offsets moved behind `before` characters; `None` for a kind that Chat lacks.
pub(super) fn annotation(given: &Value, before: u64) -> Option<Value> {
    if given["type"] != "url_citation" {
        return None;
    }
    let mut citation: Map<String, Value> = given.as_object()?.clone();
    citation.remove("type");
    for offset in ["start_index", "end_index"] {
        if let Some(number) = citation.get(offset).and_then(Value::as_u64) {
            citation.insert(offset.to_owned(), json!(number.saturating_add(before)));
        }
    }
    Some(json!({"type": "url_citation", "url_citation": citation}))
}

/// What Chat puts into its one message.
#[derive(Default)]
struct Collected {
    text: Option<String>,
    refusal: Option<String>,
    annotations: Vec<Value>,
    calls: Vec<Value>,
}

impl Collected {
    fn of(answer: &Answer, shape: Shape) -> Self {
        let mut collected = Self::default();
        let mut messages = 0;
        let mut seal = None;
        for item in &answer.output {
            match item {
                OutputItem::Message { content } => {
                    messages += 1;
                    if messages == 1 || !shape.structured {
                        content.iter().for_each(|part| collected.part(part));
                    }
                }
                OutputItem::FunctionCall {
                    call_id,
                    name,
                    arguments,
                } => collected.calls.push(json!({
                    "id": sealed::signed(call_id, seal.take()),
                    "type": "function",
                    "function": {"name": name, "arguments": arguments},
                })),
                OutputItem::CustomToolCall {
                    call_id,
                    name,
                    input,
                } => collected.calls.push(json!({
                    "id": sealed::signed(call_id, seal.take()),
                    "type": "custom",
                    "custom": {"name": name, "input": input},
                })),
                OutputItem::Reasoning {
                    encrypted_content, ..
                } => seal = encrypted_content.as_deref().or(seal),
                OutputItem::Other => {}
            }
        }
        collected
    }

    fn part(&mut self, part: &OutputPart) {
        match part {
            OutputPart::OutputText { text, annotations } => {
                let whole = self.text.get_or_insert_default();
                let before = whole.chars().count() as u64;
                let moved = annotations
                    .iter()
                    .filter_map(|given| annotation(given, before));
                self.annotations.extend(moved);
                whole.push_str(text);
            }
            OutputPart::Refusal { refusal } => {
                self.refusal.get_or_insert_default().push_str(refusal);
            }
            OutputPart::Other => {}
        }
    }

    fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    fn message(self, shape: Shape) -> Value {
        let is_silent = self.text.is_none() && self.refusal.is_none() && self.calls.is_empty();
        let mut message = json!({
            "role": "assistant",
            // All tokens may have gone into reasoning.
            "content": if is_silent { Some(String::new()) } else { self.text },
            "refusal": self.refusal,
            "annotations": self.annotations,
        });
        if shape.legacy_functions {
            if let Some(call) = self.calls.into_iter().next() {
                message["function_call"] = call["function"].clone();
            }
        } else if !self.calls.is_empty() {
            message["tool_calls"] = Value::Array(self.calls);
        }
        message
    }
}
