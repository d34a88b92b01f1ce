//! The output items of a response, as they open and in their final form.

use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::super::ids::{self, ResponseIds};
use super::super::output::{End, Item, Source};
use super::super::pieces::quoted;

/// An item with its id.
pub(super) struct MadeItem<'a> {
    pub(super) item: &'a Item,
    pub(super) id: String,
    /// As `output_item.added` shows it.
    pub(super) opened: Box<RawValue>,
    /// As it stands in `output`.
    pub(super) done: Box<RawValue>,
}

pub(super) fn make<'a>(
    item: &'a Item,
    ids: &ResponseIds,
    after: Duration,
    end: End,
) -> MadeItem<'a> {
    let id = ids.next(kind(item), after);
    // Most items are messages, so these are written without a detour.
    if let Item::Text { deltas, sources } = item {
        let status = if end == End::TokenLimit || end == End::Filtered {
            "incomplete"
        } else {
            "completed"
        };
        let part = text_part(&deltas.concat(), sources);
        let opened = raw_message(&id, "in_progress", "");
        let done = raw_message(&id, status, &part);
        return MadeItem {
            item,
            id,
            opened,
            done,
        };
    }
    let done = finished(item, &id);
    let opened = to_raw_value(&opened(done.clone())).expect("an item is plain data");
    let done = to_raw_value(&done).expect("an item is plain data");
    MadeItem {
        item,
        id,
        opened,
        done,
    }
}

fn raw_message(id: &str, status: &str, content: &str) -> Box<RawValue> {
    let message = format!(
        r#"{{"id":"{id}","type":"message","status":"{status}","role":"assistant","content":[{content}]}}"#
    );
    RawValue::from_string(message).expect("a message is JSON")
}

fn finished(item: &Item, id: &str) -> Value {
    match item {
        Item::Text { .. } | Item::Refusal { .. } => {
            let text = item.text();
            json!({"id": id, "type": "message", "status": "completed", "role": "assistant",
                "content": [{"type": "refusal", "refusal": text}]})
        }
        Item::Reasoning { summaries, sealed } => {
            let parts: Vec<Value> = summaries.iter().map(|text| summary_part(text)).collect();
            let mut reasoning = json!({"id": id, "type": "reasoning", "summary": parts});
            if *sealed {
                reasoning["encrypted_content"] = json!(ids::letters("gAAAAAB", 120));
            }
            reasoning
        }
        Item::Call {
            name, arguments, ..
        } => {
            json!({"id": id, "type": "function_call", "status": "completed", "arguments": arguments,
                "call_id": ids::letters("call_", 24), "name": name})
        }
        Item::CustomCall { name, input } => {
            json!({"id": id, "type": "custom_tool_call", "status": "completed", "input": input,
                "call_id": ids::letters("call_", 24), "name": name})
        }
        Item::Search { query } => {
            json!({"id": id, "type": "web_search_call", "status": "completed",
                "action": {"type": "search", "query": query, "queries": [query]}})
        }
    }
}

/// The item before anything of it has come.
fn opened(mut item: Value) -> Value {
    if item.get("status").is_some() {
        item["status"] = json!("in_progress");
    }
    for (field, empty) in [
        ("content", json!([])),
        ("summary", json!([])),
        ("arguments", json!("")),
        ("input", json!("")),
    ] {
        if item.get(field).is_some() {
            item[field] = empty;
        }
    }
    if let Some(fields) = item.as_object_mut() {
        fields.remove("action");
    }
    item
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

/// A part of text, as JSON.
pub(super) fn text_part(text: &str, sources: &[Source]) -> String {
    let annotations: Vec<Value> = sources
        .iter()
        .map(|source| annotation(text, source))
        .collect();
    let (annotations, text) = (json!(annotations), quoted(text));
    format!(r#"{{"type":"output_text","annotations":{annotations},"logprobs":[],"text":{text}}}"#)
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
