//! The content blocks of a message.

use serde_json::{Value, json};

use super::super::ids;
use super::super::output::{Item, Source};
use super::super::pieces::{argument_deltas, quoted};

/// How every signature of the simulator begins, so that a foreign one can be told.
pub(super) const SIGNED_BY_US: &str = "EqSim";

/// A block whole, as it opens, and the deltas between.
pub(super) struct Block {
    pub(super) whole: Value,
    pub(super) opened: Value,
    pub(super) deltas: Vec<String>,
}

/// The blocks of an item; a refusal has none.
pub(super) fn of_item(item: &Item) -> Vec<Block> {
    match item {
        Item::Text { deltas, sources } => vec![text_block(deltas, sources)],
        Item::Refusal { .. } => Vec::new(),
        Item::Reasoning { summaries, .. } => vec![thinking_block(summaries)],
        Item::Call {
            name,
            arguments,
            deltas,
        } => {
            let input: Value = serde_json::from_str(arguments).unwrap_or_default();
            vec![tool_block(name, input, *deltas)]
        }
        Item::CustomCall { name, input } => vec![tool_block(name, json!({ "input": input }), true)],
        Item::Search { query } => search_blocks(query),
    }
}

fn text_block(pieces: &[String], sources: &[Source]) -> Block {
    let text = pieces.concat();
    let mut whole = json!({"type": "text", "text": text});
    let mut opened = json!({"type": "text", "text": ""});
    let mut deltas = Vec::with_capacity(pieces.len() + sources.len());
    if !sources.is_empty() {
        let citations: Vec<Value> = sources
            .iter()
            .map(|source| citation(&text, source))
            .collect();
        deltas.extend(
            citations.iter().map(|citation| {
                json!({"type": "citations_delta", "citation": citation}).to_string()
            }),
        );
        whole["citations"] = json!(citations);
        opened["citations"] = json!([]);
    }
    for piece in pieces {
        deltas.push(format!(
            r#"{{"type":"text_delta","text":{}}}"#,
            quoted(piece)
        ));
    }
    Block {
        whole,
        opened,
        deltas,
    }
}

fn citation(text: &str, source: &Source) -> Value {
    json!({"type": "web_search_result_location", "url": source.url, "title": source.title,
        "cited_text": text[source.start..source.end], "encrypted_index": ids::letters("Eo8B", 24)})
}

fn thinking_block(summaries: &[String]) -> Block {
    let text = summaries.join("\n\n");
    let signature = ids::letters(SIGNED_BY_US, 96);
    let mut deltas = Vec::new();
    if !text.is_empty() {
        let thinking =
            |piece: &&str| json!({"type": "thinking_delta", "thinking": piece}).to_string();
        deltas.extend(argument_deltas(&text).iter().map(thinking));
    }
    deltas.push(json!({"type": "signature_delta", "signature": signature}).to_string());
    Block {
        whole: json!({"type": "thinking", "thinking": text, "signature": signature}),
        opened: json!({"type": "thinking", "thinking": "", "signature": ""}),
        deltas,
    }
}

fn tool_block(name: &str, input: Value, has_deltas: bool) -> Block {
    let id = ids::letters("toolu_01", 22);
    // The first delta is empty, and the only one of a call without arguments.
    let mut deltas = vec![json!({"type": "input_json_delta", "partial_json": ""}).to_string()];
    let arguments = input.to_string();
    if has_deltas && input != json!({}) {
        let piece =
            |piece: &&str| json!({"type": "input_json_delta", "partial_json": piece}).to_string();
        deltas.extend(argument_deltas(&arguments).iter().map(piece));
    } else if input != json!({}) {
        deltas.push(json!({"type": "input_json_delta", "partial_json": arguments}).to_string());
    }
    Block {
        whole: json!({"type": "tool_use", "id": id, "name": name, "input": input}),
        opened: json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
        deltas,
    }
}

fn search_blocks(query: &str) -> Vec<Block> {
    let id = ids::letters("srvtoolu_01", 22);
    let input = json!({ "query": query });
    let found = json!([{"type": "web_search_result", "url": "https://example.com/1", "title": "Example 1",
        "page_age": null, "encrypted_content": ids::letters("Eqgf", 40)}]);
    let result = json!({"type": "web_search_tool_result", "tool_use_id": id, "content": found});
    let call = Block {
        whole: json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": input}),
        opened: json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}),
        deltas: vec![
            json!({"type": "input_json_delta", "partial_json": input.to_string()}).to_string(),
        ],
    };
    vec![
        call,
        Block {
            whole: result.clone(),
            opened: result,
            deltas: Vec::new(),
        },
    ]
}
