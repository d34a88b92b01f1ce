//! What Anthropic refuses in the turns of a conversation.

use std::collections::HashSet;

use serde_json::Value;

use super::super::answer::Refusal;
use super::blocks::SIGNED_BY_US;
use super::checks::invalid;

const USER_BLOCKS: &[&str] = &[
    "text",
    "image",
    "document",
    "tool_result",
    "search_result",
    "container_upload",
];
const ASSISTANT_BLOCKS: &[&str] = &[
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "server_tool_use",
    "web_search_tool_result",
    "document",
];

/// All turns: roles, blocks, and results right behind the calls they answer.
pub(super) fn turns(messages: &[Value], is_new_version: bool) -> Result<(), Refusal> {
    let Some(first) = messages.first() else {
        return Err(invalid("messages: at least one message is required"));
    };
    if first["role"] == "assistant" {
        return Err(invalid(
            "messages: first message must use the \"user\" role",
        ));
    }
    let mut open: HashSet<&str> = HashSet::new();
    for (place, message) in messages.iter().enumerate() {
        let is_last = place + 1 == messages.len();
        let blocks = blocks_of(message, place, is_last)?;
        for (number, block) in blocks.iter().enumerate() {
            well_formed(
                block,
                &format!("messages.{place}.content.{number}"),
                message["role"] == "user",
                is_new_version,
            )?;
        }
        answers_all(&open, blocks, place)?;
        open = blocks
            .iter()
            .filter(|block| block["type"] == "tool_use")
            .filter_map(|block| block["id"].as_str())
            .collect();
    }
    if let Some(id) = open.iter().next() {
        return Err(invalid(format!(
            "messages.{}: `tool_use` ids were found without `tool_result` blocks: {id}",
            messages.len()
        )));
    }
    Ok(())
}

/// The blocks of a message; none when its content is a string.
fn blocks_of(message: &Value, place: usize, is_last: bool) -> Result<&[Value], Refusal> {
    let role = message["role"].as_str().unwrap_or_default();
    if !matches!(role, "user" | "assistant" | "system") {
        return Err(invalid(format!(
            "messages.{place}.role: Input should be 'user' or 'assistant'"
        )));
    }
    let may_be_empty = is_last && role == "assistant";
    match &message["content"] {
        Value::String(text) if text.is_empty() && !may_be_empty => Err(invalid(format!(
            "messages.{place}: all messages must have non-empty content"
        ))),
        Value::String(_) => Ok(&[]),
        Value::Array(blocks) if blocks.is_empty() && !may_be_empty => Err(invalid(format!(
            "messages.{place}: all messages must have non-empty content"
        ))),
        Value::Array(blocks) => Ok(blocks),
        _ => Err(invalid(format!("messages.{place}.content: Field required"))),
    }
}

fn well_formed(
    block: &Value,
    path: &str,
    is_user: bool,
    is_new_version: bool,
) -> Result<(), Refusal> {
    let kind = block["type"].as_str().unwrap_or_default();
    let known = if is_user {
        USER_BLOCKS
    } else {
        ASSISTANT_BLOCKS
    };
    if !known.contains(&kind) {
        return Err(invalid(format!(
            "{path}.type: Input tag '{kind}' is not allowed here"
        )));
    }
    match kind {
        "text" if block["text"].as_str().is_none_or(str::is_empty) => Err(invalid(format!(
            "{path}: text content blocks must be non-empty"
        ))),
        "text"
            if is_user
                && is_new_version
                && block["citations"]
                    .as_array()
                    .is_some_and(|list| !list.is_empty()) =>
        {
            Err(invalid(format!(
                "{path}.citations: Extra inputs are not permitted"
            )))
        }
        "document" if !is_user && is_new_version => {
            Err(invalid(format!("{path}: documents are not allowed here")))
        }
        "thinking"
            if !block["signature"]
                .as_str()
                .is_some_and(|text| text.starts_with(SIGNED_BY_US)) =>
        {
            Err(invalid(format!(
                "{path}: Invalid `signature` in `thinking` block"
            )))
        }
        "tool_use" if !block["input"].is_object() => Err(invalid(format!(
            "{path}.input: Input should be a valid dictionary"
        ))),
        "image" | "document" if !block["source"].is_object() => {
            Err(invalid(format!("{path}.source: Field required")))
        }
        _ => Ok(()),
    }
}

/// The message behind calls begins with one result for each of them, and brings no other results.
fn answers_all(open: &HashSet<&str>, blocks: &[Value], place: usize) -> Result<(), Refusal> {
    let results: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["tool_use_id"].as_str())
        .collect();
    let of_callers: Vec<&&str> = results
        .iter()
        .filter(|id| !id.starts_with("srvtoolu_"))
        .collect();
    if let Some(id) = of_callers.iter().find(|id| !open.contains(**id)) {
        return Err(invalid(format!(
            "messages.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}"
        )));
    }
    if let Some(id) = open.iter().find(|id| !results.contains(*id)) {
        return Err(invalid(format!(
            "messages.{place}: `tool_use` ids were found without `tool_result` blocks: {id}"
        )));
    }
    let begins_with_results = blocks
        .iter()
        .take(open.len())
        .all(|block| block["type"] == "tool_result");
    if !open.is_empty() && !begins_with_results {
        return Err(invalid(format!(
            "messages.{place}: `tool_result` blocks must come first"
        )));
    }
    Ok(())
}
