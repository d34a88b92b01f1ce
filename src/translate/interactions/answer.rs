//! An interaction as a canonical answer.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::translate::answer::{Answer, Incomplete, NoAnswer, OutputItem, OutputPart, Summary};
use crate::translate::{Given, custom, sealed};
use crate::vocabulary::ProviderSurface;
use crate::wire::{fault, usage};

/// Codes of an answer that was stopped because of what it said.
const BLOCKED: [&str; 8] = [
    "blocklist",
    "content_blocked",
    "language",
    "prohibited_content",
    "recitation",
    "safety",
    "spii",
    "image_safety",
];

/// An interaction, as far as an answer needs it. One that is not stored has no id, or an empty one.
#[derive(Deserialize)]
pub(super) struct Interaction {
    #[serde(default)]
    pub(super) id: String,
    #[serde(default)]
    pub(super) model: String,
    #[serde(default)]
    status: String,
    pub(super) service_tier: Option<String>,
    errors: Option<Vec<Value>>,
    #[serde(default)]
    steps: Vec<Step>,
}

/// A step; what a later version adds is skipped.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Step {
    Thought {
        signature: Option<String>,
        #[serde(default)]
        summary: Vec<Content>,
    },
    ModelOutput {
        #[serde(default)]
        content: Vec<Content>,
    },
    FunctionCall {
        id: Option<String>,
        name: String,
        #[serde(default)]
        arguments: Value,
    },
    #[serde(other)]
    Other,
}

/// A part of the output.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Content {
    Text {
        text: String,
        annotations: Option<Vec<Value>>,
    },
    #[serde(other)]
    Other,
}

/// Reads a whole interaction. `custom` are the names of custom tools.
///
/// # Errors
/// When it is no interaction, or tells of a failure.
pub fn read(document: &[u8], custom: &[String], given: &Given) -> Result<Answer, NoAnswer> {
    let interaction: Interaction =
        serde_json::from_slice(document).map_err(|_| NoAnswer::Unreadable)?;
    let Some((status, incomplete)) = interaction.end() else {
        return Err(match interaction.errors.iter().flatten().next() {
            Some(error) => NoAnswer::Failed(fault::from_error(error)),
            None => NoAnswer::Unreadable,
        });
    };
    let measured = usage::from_answer(ProviderSurface::GeminiInteractions, document);
    Ok(Answer {
        id: response_id(&interaction.id, given),
        created_at: given.created_at as f64,
        model: interaction.model,
        status,
        incomplete_details: incomplete,
        output: items(interaction.steps, custom, given),
        service_tier: interaction.service_tier,
        error: None,
        usage: measured.map(|measured| measured.usage),
    })
}

impl Interaction {
    /// The canonical status, and why the answer is not whole; `None` for one that failed or is not over.
    pub(super) fn end(&self) -> Option<(String, Option<Incomplete>)> {
        let reason = match &*self.status {
            "completed" | "requires_action" => return Some(("completed".to_owned(), None)),
            "incomplete" | "requires_continuation" | "budget_exceeded" => "max_output_tokens",
            "failed" if self.was_blocked() => "content_filter",
            _ => return None,
        };
        let reason = reason.to_owned();
        Some(("incomplete".to_owned(), Some(Incomplete { reason })))
    }

    fn was_blocked(&self) -> bool {
        let errors = self.errors.iter().flatten();
        errors
            .filter_map(|error| error["code"].as_str())
            .any(|code| BLOCKED.contains(&code))
    }
}

pub(super) fn response_id(id: &str, given: &Given) -> String {
    let id = if id.is_empty() { &given.id } else { id };
    format!("resp_{id}")
}

/// A call's own id, or one of ours.
pub(super) fn call_id(id: Option<String>, given: &Given, place: usize) -> String {
    id.filter(|id| !id.is_empty())
        .unwrap_or_else(|| format!("call_{}_{place}", given.id))
}

fn items(steps: Vec<Step>, custom: &[String], given: &Given) -> Vec<OutputItem> {
    let steps = steps.into_iter().enumerate();
    steps
        .map(|(place, step)| item(step, custom, given, place))
        .collect()
}

fn item(step: Step, custom: &[String], given: &Given, place: usize) -> OutputItem {
    match step {
        Step::Thought { signature, summary } => OutputItem::Reasoning {
            id: String::new(),
            summary: summarised(summary),
            encrypted_content: sealed(signature),
        },
        Step::ModelOutput { content } => OutputItem::Message {
            content: content.into_iter().filter_map(part).collect(),
        },
        Step::FunctionCall {
            id,
            name,
            arguments,
        } => {
            let call_id = call_id(id, given, place);
            let is_custom = custom.contains(&name);
            let whole = if is_custom {
                custom::unwrapped(&arguments)
            } else {
                arguments_text(&arguments)
            };
            called(is_custom, call_id, name, whole)
        }
        Step::Other => OutputItem::Other,
    }
}

/// A call with its arguments, or with the text of a custom tool.
pub(super) fn called(is_custom: bool, call_id: String, name: String, whole: String) -> OutputItem {
    if is_custom {
        OutputItem::CustomToolCall {
            call_id,
            name,
            input: whole,
        }
    } else {
        OutputItem::FunctionCall {
            call_id,
            name,
            arguments: whole,
        }
    }
}

/// The vendor sends one text in pieces.
fn summarised(summary: Vec<Content>) -> Vec<Summary> {
    let pieces = summary.into_iter().filter_map(|content| match content {
        Content::Text { text, .. } => Some(text),
        Content::Other => None,
    });
    match pieces.collect::<String>() {
        text if text.is_empty() => Vec::new(),
        text => vec![Summary::SummaryText { text }],
    }
}

pub(super) fn sealed(signature: Option<String>) -> Option<String> {
    let signature = signature.filter(|signature| !signature.is_empty())?;
    Some(sealed::of_gemini(&signature))
}

pub(super) fn arguments_text(arguments: &Value) -> String {
    match arguments {
        Value::Null => "{}".to_owned(),
        given => given.to_string(),
    }
}

fn part(content: Content) -> Option<OutputPart> {
    let Content::Text { text, annotations } = content else {
        return None;
    };
    let annotations = annotations.unwrap_or_default();
    Some(OutputPart::OutputText {
        annotations: annotations
            .iter()
            .filter_map(|given| annotation(given, &text))
            .collect(),
        text,
    })
}

/// A citation of Gemini's counts bytes of the text, a canonical one characters. One without offsets is of the whole.
pub(super) fn annotation(given: &Value, text: &str) -> Option<Value> {
    if given["type"] != "url_citation" {
        return None;
    }
    let characters = |bytes: u64| {
        let within = |(start, _): &(usize, char)| (*start as u64) < bytes;
        text.char_indices().take_while(within).count()
    };
    let start = given["start_index"].as_u64().unwrap_or(0);
    let end = given["end_index"].as_u64().unwrap_or(text.len() as u64);
    Some(json!({
        "type": "url_citation",
        "start_index": characters(start),
        "end_index": characters(end),
        "url": given["url"].as_str()?,
        "title": given["title"].as_str().unwrap_or_default(),
    }))
}
