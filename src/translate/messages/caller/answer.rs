//! A canonical answer as a message.

use bytes::Bytes;
use serde_json::{Value, json};

use super::Shape;
use crate::translate::answer::{Answer, OutputItem, OutputPart, Produced, Summary, told};
use crate::translate::sealed;
use crate::wire::usage::Usage;

/// Writes a message.
pub fn answer(answer: &Answer, shape: Shape) -> Bytes {
    let mut message = head(answer);
    message["content"] = Value::Array(content(&answer.output, shape));
    message["stop_reason"] = json!(stop_reason(answer, Produced::of(&answer.output)));
    message["usage"] = usage(answer.usage.unwrap_or_default(), answer);
    Bytes::from(message.to_string())
}

/// A message that has said nothing yet.
pub(super) fn head(answer: &Answer) -> Value {
    let id = &answer.id;
    let rest = id.strip_prefix("resp_").unwrap_or(id);
    json!({
        "id": format!("msg_{rest}"),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
    })
}

/// Tokens in Anthropic's words: input without what the cache gave and took.
pub(super) fn usage(usage: Usage, answer: &Answer) -> Value {
    let uncached = usage.input.saturating_sub(usage.cached);
    json!({
        "input_tokens": uncached.saturating_sub(usage.cache_write),
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
        "output_tokens_details": {"thinking_tokens": usage.reasoning},
        // `auto` is what was asked for, not what serves.
        "service_tier": answer.service_tier.as_ref().filter(|tier| *tier != "auto"),
    })
}

pub(super) fn stop_reason(answer: &Answer, produced: Produced) -> &'static str {
    let incomplete = answer.incomplete_details.as_ref();
    match incomplete.map(|details| &*details.reason) {
        Some("content_filter") => "refusal",
        Some(_) => "max_tokens",
        None if produced.refusal => "refusal",
        None if produced.calls => "tool_use",
        None => "end_turn",
    }
}

fn content(output: &[OutputItem], shape: Shape) -> Vec<Value> {
    let mut blocks = Vec::with_capacity(output.len());
    let mut seal = None;
    for item in output {
        match item {
            OutputItem::Message { content } => blocks.extend(content.iter().filter_map(text)),
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
                let mut block = call(call_id, name, seal.take());
                block["input"] = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
                blocks.push(block);
            }
            OutputItem::Reasoning {
                summary,
                encrypted_content,
                ..
            } if shape.shows_thoughts => blocks.extend(thoughts(summary, encrypted_content)),
            OutputItem::Reasoning {
                encrypted_content, ..
            } => seal = encrypted_content.as_deref().or(seal),
            OutputItem::Other => {}
        }
    }
    blocks
}

/// A call without its input. The seal of thoughts that are not shown rides in its id.
pub(super) fn call(call_id: &str, name: &str, seal: Option<&str>) -> Value {
    let id = sealed::signed(call_id, seal);
    json!({"type": "tool_use", "id": id, "name": name, "input": {}})
}

fn thoughts(summary: &[Summary], seal: &Option<String>) -> Option<Value> {
    let thinking = told(summary);
    if thinking.is_empty() && seal.is_none() {
        return None;
    }
    let signature = seal.as_deref().unwrap_or_default();
    Some(json!({"type": "thinking", "thinking": thinking, "signature": signature}))
}

/// No words make no block.
fn text(part: &OutputPart) -> Option<Value> {
    let (text, annotations) = part.words()?;
    let mut block = json!({"type": "text", "text": text});
    let citations: Vec<Value> = annotations
        .iter()
        .filter_map(|given| citation(given, text))
        .collect();
    if !citations.is_empty() {
        block["citations"] = Value::Array(citations);
    }
    Some(block)
}

/// A citation of the web in Anthropic's shape; `None` for another kind.
pub(super) fn citation(given: &Value, text: &str) -> Option<Value> {
    if given["type"] != "url_citation" {
        return None;
    }
    let offset = |name: &str| given[name].as_u64().map(|offset| offset as usize);
    let start = offset("start_index").unwrap_or(0);
    let length = offset("end_index").map_or(usize::MAX, |end| end.saturating_sub(start));
    Some(json!({
        "type": "web_search_result_location",
        "url": given["url"].as_str()?,
        "title": given["title"],
        "cited_text": text.chars().skip(start).take(length).collect::<String>(),
        "encrypted_index": "",
    }))
}
