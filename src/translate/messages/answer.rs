//! A message of Anthropic's as a canonical answer.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::translate::answer::{Answer, Incomplete, NoAnswer, OutputItem, OutputPart, Summary};
use crate::translate::{custom, sealed};
use crate::vocabulary::ProviderSurface;
use crate::wire::{fault, usage};

#[derive(Deserialize)]
struct Message {
    id: String,
    #[serde(default)]
    model: String,
    content: Vec<Block>,
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Value,
}

/// A content block; what a later version adds is skipped.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        text: String,
        #[serde(default)]
        citations: Option<Vec<Value>>,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Other,
}

/// Reads a whole message. `custom` are the names of custom tools; a message has no time, so that of the request counts.
///
/// # Errors
/// When it is no message, or tells of a failure.
pub fn read(document: &[u8], custom: &[String], created_at: u64) -> Result<Answer, NoAnswer> {
    let Ok(message) = serde_json::from_slice::<Message>(document) else {
        let document: Value = serde_json::from_slice(document).unwrap_or_default();
        return Err(match &document["error"] {
            Value::Object(_) => NoAnswer::Failed(fault::from_document(&document)),
            _ => NoAnswer::Unreadable,
        });
    };
    let Some(stop_reason) = &message.stop_reason else {
        return Err(NoAnswer::Unreadable);
    };
    let (status, incomplete) = end_of(stop_reason);
    let measured = usage::from_answer(ProviderSurface::AnthropicMessages, document);
    Ok(Answer {
        id: response_id(&message.id),
        created_at: created_at as f64,
        service_tier: tier_of(&message.usage),
        model: message.model,
        status,
        incomplete_details: incomplete,
        output: items(message.content, custom),
        error: None,
        usage: measured.map(|measured| measured.usage),
    })
}

/// Consecutive texts are the parts of one message.
fn items(blocks: Vec<Block>, custom: &[String]) -> Vec<OutputItem> {
    let mut items = Vec::with_capacity(blocks.len());
    for block in blocks {
        match block {
            Block::Text { text, citations } => {
                let citations = citations.unwrap_or_default();
                let length = text.chars().count();
                let part = OutputPart::OutputText {
                    annotations: citations
                        .iter()
                        .filter_map(|given| annotation(given, length))
                        .collect(),
                    text,
                };
                match items.last_mut() {
                    Some(OutputItem::Message { content }) => content.push(part),
                    _ => items.push(OutputItem::Message {
                        content: vec![part],
                    }),
                }
            }
            Block::ToolUse { id, name, input } if custom.contains(&name) => {
                items.push(OutputItem::CustomToolCall {
                    call_id: id,
                    name,
                    input: custom::unwrapped(&input),
                });
            }
            Block::ToolUse { id, name, input } => items.push(OutputItem::FunctionCall {
                call_id: id,
                name,
                arguments: input.to_string(),
            }),
            Block::Thinking {
                thinking,
                signature,
            } => items.push(thoughts(thinking, sealed(&signature))),
            Block::RedactedThinking { data } => {
                items.push(thoughts(String::new(), Some(sealed::of_redacted(&data))));
            }
            Block::Other => items.push(OutputItem::Other),
        }
    }
    items
}

pub(super) fn thoughts(text: String, encrypted_content: Option<String>) -> OutputItem {
    let summary = (!text.is_empty()).then_some(Summary::SummaryText { text });
    OutputItem::Reasoning {
        id: String::new(),
        summary: summary.into_iter().collect(),
        encrypted_content,
    }
}

pub(super) fn sealed(signature: &str) -> Option<String> {
    (!signature.is_empty()).then(|| sealed::of_anthropic(signature))
}

pub(super) fn response_id(message_id: &str) -> String {
    let rest = message_id.strip_prefix("msg_").unwrap_or(message_id);
    format!("resp_{rest}")
}

pub(super) fn tier_of(usage: &Value) -> Option<String> {
    usage["service_tier"].as_str().map(str::to_owned)
}

/// The status of an answer that stopped for this reason, and why it is not whole.
pub(super) fn end_of(stop_reason: &str) -> (String, Option<Incomplete>) {
    let reason = match stop_reason {
        "refusal" => "content_filter",
        "max_tokens" | "model_context_window_exceeded" | "pause_turn" => "max_output_tokens",
        _ => return ("completed".to_owned(), None),
    };
    let reason = reason.to_owned();
    ("incomplete".to_owned(), Some(Incomplete { reason }))
}

/// What a text of `length` characters cites: the whole of it.
pub(super) fn annotation(citation: &Value, length: usize) -> Option<Value> {
    Some(json!({
        "type": "url_citation",
        "start_index": 0,
        "end_index": length,
        "url": citation["url"].as_str()?,
        "title": citation["title"].as_str().unwrap_or_default(),
    }))
}
