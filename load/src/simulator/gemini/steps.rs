//! The steps of an interaction in one piece, and the parts that its stream shares with them.

use serde_json::{Value, json};

use super::super::ids;
use super::super::output::{Item, Output, Source};

/// Output tokens leave the thought tokens out; the total holds both.
pub(super) fn usage(output: &Output) -> Value {
    let usage = &output.usage;
    json!({
        "total_tokens": usage.input + usage.output, "total_input_tokens": usage.input,
        "input_tokens_by_modality": [{"modality": "text", "tokens": usage.input}],
        "total_cached_tokens": usage.cached,
        "total_output_tokens": usage.output.saturating_sub(usage.reasoning),
        "total_tool_use_tokens": 0, "total_thought_tokens": usage.reasoning,
    })
}

/// The steps of an item, whole.
pub(super) fn steps(item: &Item) -> Vec<Value> {
    match item {
        Item::Reasoning { summaries, .. } => {
            let mut step = json!({"type": "thought", "signature": signature()});
            if !summaries.is_empty() {
                step["summary"] = summaries.iter().map(|text| text_part(text)).collect();
            }
            vec![step]
        }
        Item::Text { deltas, sources } => {
            let mut part = text_part(&deltas.concat());
            if !sources.is_empty() {
                part["annotations"] = annotations(sources);
            }
            vec![json!({"type": "model_output", "content": [part]})]
        }
        Item::Refusal { deltas } => {
            vec![json!({"type": "model_output", "content": [text_part(&deltas.concat())]})]
        }
        Item::Call {
            name, arguments, ..
        } => vec![call(
            name,
            serde_json::from_str(arguments).unwrap_or_default(),
        )],
        Item::CustomCall { name, input } => vec![call(name, json!({ "input": input }))],
        Item::Search { query } => {
            let id = ids::letters("", 8);
            let shown = json!([{"search_suggestions": "<div></div>"}]);
            vec![
                json!({"type": "google_search_call", "id": id, "arguments": {"queries": [query]},
                    "signature": signature()}),
                json!({"type": "google_search_result", "call_id": id, "result": shown, "signature": signature()}),
            ]
        }
    }
}

pub(super) fn call(name: &str, arguments: Value) -> Value {
    json!({"type": "function_call", "id": ids::letters("", 8), "name": name, "arguments": arguments})
}

pub(super) fn text_part(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Citations; their places count bytes.
pub(super) fn annotations(sources: &[Source]) -> Value {
    let one = |source: &Source| {
        json!({"type": "url_citation", "start_index": source.start, "end_index": source.end, "url": source.url,
            "title": source.title})
    };
    sources.iter().map(one).collect()
}

pub(super) fn signature() -> String {
    ids::letters("CiQB", 96)
}
