//! The canonical stream events: those of Responses, as far as a writer needs them.

use serde::Deserialize;
use serde_json::Value;

use super::answer::{Answer, OutputItem};
use crate::vocabulary::ProviderSurface;
use crate::wire::usage::{self, Usage};

/// One event. `output_index` counts items, `content_index` the parts of one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "the fields are OpenAI's")]
pub enum StreamEvent {
    #[serde(rename = "response.created")]
    Created { response: Answer },
    #[serde(rename = "response.output_item.added")]
    ItemAdded { output_index: u64, item: OutputItem },
    #[serde(rename = "response.output_text.delta")]
    TextDelta {
        output_index: u64,
        #[serde(default)]
        content_index: u64,
        delta: String,
    },
    #[serde(rename = "response.output_text.done")]
    TextDone {
        output_index: u64,
        #[serde(default)]
        content_index: u64,
        text: String,
    },
    #[serde(rename = "response.output_text.annotation.added")]
    AnnotationAdded {
        output_index: u64,
        #[serde(default)]
        content_index: u64,
        annotation: Value,
    },
    #[serde(rename = "response.refusal.delta")]
    RefusalDelta {
        output_index: u64,
        #[serde(default)]
        content_index: u64,
        delta: String,
    },
    #[serde(rename = "response.refusal.done")]
    RefusalDone {
        output_index: u64,
        #[serde(default)]
        content_index: u64,
        refusal: String,
    },
    #[serde(rename = "response.reasoning_summary_text.delta")]
    SummaryDelta {
        output_index: u64,
        #[serde(default)]
        summary_index: u64,
        delta: String,
    },
    #[serde(rename = "response.function_call_arguments.delta")]
    ArgumentsDelta { output_index: u64, delta: String },
    #[serde(rename = "response.function_call_arguments.done")]
    ArgumentsDone {
        output_index: u64,
        arguments: String,
    },
    #[serde(rename = "response.custom_tool_call_input.delta")]
    CustomInputDelta { output_index: u64, delta: String },
    #[serde(rename = "response.custom_tool_call_input.done")]
    CustomInputDone { output_index: u64, input: String },
    #[serde(rename = "response.output_item.done")]
    ItemDone { output_index: u64, item: OutputItem },
    #[serde(rename = "response.completed")]
    Completed { response: Answer },
    #[serde(rename = "response.incomplete")]
    Incomplete { response: Answer },
    /// Everything else: signs of life, failures (which are told otherwise), what a later version adds.
    #[serde(other)]
    Other,
}

impl StreamEvent {
    /// Whether the answer is whole with it.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Completed { .. } | Self::Incomplete { .. })
    }
}

/// Reads the data of one event. What cannot be read is something else.
pub fn read(data: &[u8]) -> StreamEvent {
    let mut event = serde_json::from_slice(data).unwrap_or(StreamEvent::Other);
    match &mut event {
        StreamEvent::Completed { response } | StreamEvent::Incomplete { response } => {
            response.usage = usage_of(data);
        }
        StreamEvent::ItemDone { item, .. } => item.mark_seal(),
        _ => {}
    }
    event
}

/// Tokens, of the data of a terminal event.
fn usage_of(data: &[u8]) -> Option<Usage> {
    #[derive(Deserialize)]
    struct Terminal<'a> {
        #[serde(borrow)]
        response: &'a serde_json::value::RawValue,
    }
    let terminal: Terminal<'_> = serde_json::from_slice(data).ok()?;
    let document = terminal.response.get().as_bytes();
    let measured = usage::from_answer(ProviderSurface::OpenaiResponses, document)?;
    Some(measured.usage)
}
