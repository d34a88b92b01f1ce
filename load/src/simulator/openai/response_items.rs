//! The output items of a response in their final form.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::ids::{self, ResponseIds};
use super::super::output::{End, Item, Source};

/// An item with its id.
pub(super) struct MadeItem<'a> {
    pub(super) item: &'a Item,
    pub(super) id: String,
    /// As it stands in `output`.
    pub(super) done: Value,
}

pub(super) fn make<'a>(
    item: &'a Item,
    ids: &ResponseIds,
    after: Duration,
    end: End,
) -> MadeItem<'a> {
    let status = if end == End::TokenLimit || end == End::Filtered {
        "incomplete"
    } else {
        "completed"
    };
    let call_id = match item {
        Item::Call { .. } | Item::CustomCall { .. } => ids::letters("call_", 24),
        _ => String::new(),
    };
    let id = ids.next(kind(item), after);
    let done = match item {
        Item::Text { deltas, sources } => {
            json!({"id": id, "type": "message", "status": status, "role": "assistant",
                "content": [text_part(&deltas.concat(), sources)]})
        }
        Item::Refusal { deltas } => {
            json!({"id": id, "type": "message", "status": "completed", "role": "assistant",
                "content": [{"type": "refusal", "refusal": deltas.concat()}]})
        }
        Item::Reasoning { summaries } => {
            let parts: Vec<Value> = summaries.iter().map(|text| summary_part(text)).collect();
            json!({"id": id, "type": "reasoning", "summary": parts})
        }
        Item::Call {
            name, arguments, ..
        } => {
            json!({"id": id, "type": "function_call", "status": "completed", "arguments": arguments,
                "call_id": call_id, "name": name})
        }
        Item::CustomCall { name, input } => {
            json!({"id": id, "type": "custom_tool_call", "status": "completed", "input": input,
                "call_id": call_id, "name": name})
        }
        Item::Search { query } => {
            json!({"id": id, "type": "web_search_call", "status": "completed",
                "action": {"type": "search", "query": query, "queries": [query]}})
        }
    };
    MadeItem { item, id, done }
}

fn kind(item: &Item) -> &'static str {
    match item {
        Item::Text { .. } | Item::Refusal { .. } => "msg",
        Item::Reasoning { .. } => "rs",
        Item::Call { .. } => "fc",
        Item::CustomCall { .. } => "ctc",
        Item::Search { .. } => "ws",
    }
}

pub(super) fn text_part(text: &str, sources: &[Source]) -> Value {
    let annotations: Vec<Value> = sources
        .iter()
        .map(|source| annotation(text, source))
        .collect();
    json!({"type": "output_text", "annotations": annotations, "logprobs": [], "text": text})
}

pub(super) fn summary_part(text: &str) -> Value {
    json!({"type": "summary_text", "text": text})
}

/// A citation; its places count characters.
pub(super) fn annotation(text: &str, source: &Source) -> Value {
    let characters = |end: usize| text[..end].chars().count();
    json!({"type": "url_citation", "start_index": characters(source.start), "end_index": characters(source.end),
        "title": source.title, "url": source.url})
}
