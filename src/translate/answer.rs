//! The canonical answer: a Responses object, read leniently: what a later version adds is skipped.

use serde::Deserialize;
use serde_json::Value;
use startline_actors::error::Fault;

use super::sealed;
use crate::vocabulary::ProviderSurface;
use crate::wire::fault;
use crate::wire::usage::{self, Usage};

/// An answer, whole.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct Answer {
    /// The provider's id.
    pub id: String,
    /// Seconds since 1970.
    #[serde(default)]
    pub created_at: f64,
    /// The model, in the provider's word.
    #[serde(default)]
    pub model: String,
    /// `completed`, `incomplete`, `failed` and what is not final.
    pub status: String,
    /// Why it is incomplete.
    pub incomplete_details: Option<Incomplete>,
    /// What the model produced, in order.
    pub output: Vec<OutputItem>,
    /// The tier that served, in the provider's word.
    pub service_tier: Option<String>,
    /// What went wrong, if it failed.
    pub error: Option<Value>,
    /// Tokens; [`read`] fills it in.
    #[serde(skip)]
    pub usage: Option<Usage>,
}

/// Why an answer is incomplete.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Incomplete {
    /// `max_output_tokens` or `content_filter`.
    pub reason: String,
}

/// One item of an answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum OutputItem {
    /// Text.
    Message {
        /// Its parts.
        #[serde(default)]
        content: Vec<OutputPart>,
    },
    /// A call of a function.
    FunctionCall {
        /// Ties the call to its result.
        call_id: String,
        /// The function.
        name: String,
        /// JSON text; empty until it is known.
        #[serde(default)]
        arguments: String,
    },
    /// A call of a custom tool.
    CustomToolCall {
        /// Ties the call to its result.
        call_id: String,
        /// The tool.
        name: String,
        /// Free text; empty until it is known.
        #[serde(default)]
        input: String,
    },
    /// Thoughts.
    Reasoning {
        /// OpenAI's id of them.
        #[serde(default)]
        id: String,
        /// What is told of them.
        #[serde(default)]
        summary: Vec<Summary>,
        /// Sealed by their vendor, and marked with whose seal it is.
        encrypted_content: Option<String>,
    },
    /// A tool that the provider runs itself, or something new.
    #[serde(other)]
    Other,
}

impl OutputItem {
    /// Marks the seal of OpenAI's own thoughts.
    pub(super) fn mark_seal(&mut self) {
        if let Self::Reasoning {
            id,
            encrypted_content: Some(seal),
            ..
        } = self
        {
            *seal = sealed::of_openai(id, seal);
        }
    }
}

/// What decides how an answer ended, beside its status.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Produced {
    pub(super) calls: bool,
    pub(super) refusal: bool,
}

impl Produced {
    pub(super) fn of(output: &[OutputItem]) -> Self {
        let mut produced = Self::default();
        for item in output {
            match item {
                OutputItem::FunctionCall { .. } | OutputItem::CustomToolCall { .. } => {
                    produced.calls = true;
                }
                OutputItem::Message { content } => {
                    let is_refusal = |part: &OutputPart| matches!(part, OutputPart::Refusal { .. });
                    produced.refusal |= content.iter().any(is_refusal);
                }
                OutputItem::Reasoning { .. } | OutputItem::Other => {}
            }
        }
        produced
    }
}

/// What is told of thoughts, in one text: its parts are paragraphs.
pub(super) fn told(summary: &[Summary]) -> String {
    let texts = summary.iter().filter_map(|part| match part {
        Summary::SummaryText { text } => Some(&**text),
        Summary::Other => None,
    });
    texts.collect::<Vec<&str>>().join("\n\n")
}

impl OutputPart {
    /// The words of a text or a refusal, if there are any, and what they cite.
    pub(super) fn words(&self) -> Option<(&str, &[Value])> {
        let (text, annotations) = match self {
            Self::OutputText { text, annotations } => (text, annotations.as_slice()),
            Self::Refusal { refusal } => (refusal, &[][..]),
            Self::Other => return None,
        };
        (!text.is_empty()).then_some((text, annotations))
    }
}

/// A part of what is told of thoughts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Summary {
    /// Text.
    SummaryText {
        /// The text.
        text: String,
    },
    /// Something new.
    #[serde(other)]
    Other,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum OutputPart {
    /// Text.
    OutputText {
        /// The text.
        text: String,
        /// Citations, with offsets in characters of this text.
        #[serde(default)]
        annotations: Vec<Value>,
    },
    /// The model declined.
    Refusal {
        /// Its words.
        refusal: String,
    },
    /// Something new.
    #[serde(other)]
    Other,
}

/// Why a document is no answer that can be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// It is no Responses object, or one that is not final.
    Unreadable,
    /// The provider says in it that it failed.
    Failed(Fault),
}

/// Reads a Responses object that is complete, or incomplete for a reason of the model's.
///
/// # Errors
/// When it is no such object, or tells of a failure.
pub fn read(document: &[u8]) -> Result<Answer, NoAnswer> {
    let mut answer: Answer = serde_json::from_slice(document).map_err(|_| NoAnswer::Unreadable)?;
    match (&*answer.status, &answer.error) {
        ("completed" | "incomplete", _) => {}
        ("failed", Some(error)) => return Err(NoAnswer::Failed(fault::from_error(error))),
        _ => return Err(NoAnswer::Unreadable),
    }
    answer.output.iter_mut().for_each(OutputItem::mark_seal);
    let measured = usage::from_answer(ProviderSurface::OpenaiResponses, document);
    Ok(Answer {
        usage: measured.map(|measured| measured.usage),
        ..answer
    })
}
