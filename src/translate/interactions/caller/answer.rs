//! A canonical answer as an interaction.

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::translate::answer::{Answer, OutputItem, OutputPart, Produced, Summary, told};
use crate::wire::usage::Usage;

/// Writes an interaction.
pub fn answer(answer: &Answer) -> Bytes {
    let steps: Vec<Value> = answer.output.iter().filter_map(step).collect();
    let mut interaction = finished(answer, Produced::of(&answer.output));
    interaction["steps"] = Value::Array(steps);
    Bytes::from(interaction.to_string())
}

pub(super) fn interaction_id(response_id: &str) -> String {
    let rest = response_id.strip_prefix("resp_").unwrap_or(response_id);
    format!("v1_{rest}")
}

/// The interaction at its end, without its steps.
pub(super) fn finished(answer: &Answer, produced: Produced) -> Value {
    let incomplete = answer.incomplete_details.as_ref();
    let status = match incomplete.map(|details| &*details.reason) {
        Some("content_filter") => "failed",
        Some(_) => "incomplete",
        None if produced.refusal => "incomplete",
        None if produced.calls => "requires_action",
        None => "completed",
    };
    let seconds = Timestamp::from_second(answer.created_at as i64).unwrap_or_default();
    let time = seconds.to_string();
    let mut interaction = json!({
        "id": interaction_id(&answer.id),
        "object": "interaction",
        "model": answer.model,
        "status": status,
        "created": time,
        "updated": time,
        "service_tier": answer.service_tier,
        "usage": answer.usage.map(usage),
    });
    if status == "failed" {
        let message = "The provider stopped the answer because of its content.";
        interaction["errors"] = json!([{"code": "content_blocked", "message": message}]);
    }
    interaction
}

/// Tokens in Google's words: output without thoughts.
fn usage(usage: Usage) -> Value {
    json!({
        "total_tokens": usage.total(),
        "total_input_tokens": usage.input,
        "total_cached_tokens": usage.cached,
        "total_output_tokens": usage.output.saturating_sub(usage.reasoning),
        "total_tool_use_tokens": 0,
        "total_thought_tokens": usage.reasoning,
    })
}

fn step(item: &OutputItem) -> Option<Value> {
    match item {
        OutputItem::Message { content } => {
            let content: Vec<Value> = content.iter().filter_map(content_of).collect();
            (!content.is_empty()).then(|| json!({"type": "model_output", "content": content}))
        }
        OutputItem::FunctionCall {
            call_id,
            name,
            arguments,
        }
        | OutputItem::CustomToolCall {
            call_id,
            name,
            input: arguments,
        } => {
            let mut call = call(call_id, name);
            call["arguments"] = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
            Some(call)
        }
        OutputItem::Reasoning {
            summary,
            encrypted_content,
            ..
        } => thought(summary, encrypted_content.as_deref()),
        OutputItem::Other => None,
    }
}

/// A call without its arguments.
pub(super) fn call(call_id: &str, name: &str) -> Value {
    json!({"type": "function_call", "id": call_id, "name": name, "arguments": {}})
}

fn thought(summary: &[Summary], seal: Option<&str>) -> Option<Value> {
    let text = told(summary);
    if text.is_empty() && seal.is_none() {
        return None;
    }
    let mut thought = json!({"type": "thought"});
    if let Some(seal) = seal {
        thought["signature"] = json!(seal);
    }
    if !text.is_empty() {
        thought["summary"] = json!([{"type": "text", "text": text}]);
    }
    Some(thought)
}

fn content_of(part: &OutputPart) -> Option<Value> {
    let (text, annotations) = part.words()?;
    let mut content = json!({"type": "text", "text": text});
    let cited: Vec<Value> = annotations
        .iter()
        .filter_map(|given| annotation(given, text))
        .collect();
    if !cited.is_empty() {
        content["annotations"] = Value::Array(cited);
    }
    Some(content)
}

/// A canonical citation counts characters of the text, one of Gemini's bytes.
pub(super) fn annotation(given: &Value, text: &str) -> Option<Value> {
    if given["type"] != "url_citation" {
        return None;
    }
    let bytes = |characters: usize| {
        let mut places = text.char_indices().map(|(place, _)| place);
        places.nth(characters).unwrap_or(text.len())
    };
    let offset = |name: &str| given[name].as_u64().map(|offset| offset as usize);
    Some(json!({
        "type": "url_citation",
        "start_index": bytes(offset("start_index").unwrap_or(0)),
        "end_index": offset("end_index").map_or(text.len(), bytes),
        "url": given["url"].as_str()?,
        "title": given["title"],
    }))
}
