//! A canonical answer as a Responses object with all that one has.

use bytes::Bytes;
use serde_json::{Value, json};

use super::Shape;
use crate::translate::answer::{Answer, OutputItem, OutputPart, Summary};
use crate::wire::usage::Usage;

/// Writes a response.
pub fn answer(answer: &Answer, shape: &Shape) -> Bytes {
    let mut output = Vec::with_capacity(answer.output.len());
    for given in &answer.output {
        let id = item_id(&answer.id, output.len());
        output.extend(item(given, &id));
    }
    Bytes::from(response(answer, shape, output).to_string())
}

/// The object, at any time of its life.
pub(super) fn response(answer: &Answer, shape: &Shape, output: Vec<Value>) -> Value {
    let reason = answer.incomplete_details.as_ref();
    let is_over = answer.status != "in_progress";
    let mut response = json!({
        "id": answer.id,
        "object": "response",
        "created_at": answer.created_at as u64,
        "status": answer.status,
        "background": false,
        "completed_at": is_over.then_some(answer.created_at as u64),
        "error": null,
        "incomplete_details": reason.map(|details| json!({"reason": details.reason})),
        "instructions": null,
        "max_output_tokens": null,
        "max_tool_calls": null,
        "metadata": {},
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": {"effort": null, "summary": null},
        "service_tier": answer.service_tier,
        "store": true,
        "temperature": null,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": null,
        "truncation": "disabled",
        "usage": answer.usage.map(usage),
        "user": null,
    });
    for (name, value) in shape.echo.iter() {
        match (&mut response[name], value) {
            // Of an object what was not sent keeps its default.
            (Value::Object(fields), Value::Object(sent)) => fields.extend(sent.clone()),
            (field, sent) => *field = sent.clone(),
        }
    }
    response
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.cache_write},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.total(),
    })
}

/// What makes the ids of an answer's items: they are the answer's, and count.
pub(super) fn item_id(response_id: &str, place: usize) -> String {
    let rest = response_id.strip_prefix("resp_").unwrap_or(response_id);
    format!("{rest}_{place}")
}

/// An item at its end; `id` is without its prefix. `None` for one that Responses has no name for.
pub(super) fn item(item: &OutputItem, id: &str) -> Option<Value> {
    let mut written = beginning(item, id)?;
    match item {
        OutputItem::Message { content } => {
            written["content"] = content.iter().filter_map(part).collect();
        }
        OutputItem::FunctionCall { arguments, .. } => written["arguments"] = json!(arguments),
        OutputItem::CustomToolCall { input, .. } => written["input"] = json!(input),
        OutputItem::Reasoning {
            summary,
            encrypted_content,
            ..
        } => {
            written["summary"] = summary.iter().filter_map(summary_part).collect();
            if let Some(seal) = encrypted_content {
                written["encrypted_content"] = json!(seal);
            }
            return Some(written);
        }
        OutputItem::Other => {}
    }
    written["status"] = json!("completed");
    Some(written)
}

/// An item at its beginning.
pub(super) fn beginning(item: &OutputItem, id: &str) -> Option<Value> {
    Some(match item {
        OutputItem::Message { .. } => json!({
            "id": format!("msg_{id}"), "type": "message", "status": "in_progress", "role": "assistant", "content": [],
        }),
        OutputItem::FunctionCall { call_id, name, .. } => json!({
            "id": format!("fc_{id}"), "type": "function_call", "status": "in_progress", "call_id": call_id,
            "name": name, "arguments": "",
        }),
        OutputItem::CustomToolCall { call_id, name, .. } => json!({
            "id": format!("ctc_{id}"), "type": "custom_tool_call", "status": "in_progress", "call_id": call_id,
            "name": name, "input": "",
        }),
        OutputItem::Reasoning { .. } => {
            json!({"id": format!("rs_{id}"), "type": "reasoning", "summary": []})
        }
        OutputItem::Other => return None,
    })
}

fn part(part: &OutputPart) -> Option<Value> {
    match part {
        OutputPart::OutputText { text, annotations } => Some(text_part(text, annotations)),
        OutputPart::Refusal { refusal } => Some(refusal_part(refusal)),
        OutputPart::Other => None,
    }
}

pub(super) fn text_part(text: &str, annotations: &[Value]) -> Value {
    json!({"type": "output_text", "text": text, "annotations": annotations, "logprobs": []})
}

pub(super) fn refusal_part(refusal: &str) -> Value {
    json!({"type": "refusal", "refusal": refusal})
}

fn summary_part(part: &Summary) -> Option<Value> {
    match part {
        Summary::SummaryText { text } => Some(summary_text(text)),
        Summary::Other => None,
    }
}

pub(super) fn summary_text(text: &str) -> Value {
    json!({"type": "summary_text", "text": text})
}
