//! What the writers of all callers' streams share: which step of theirs a canonical event is, and the frames.

use std::fmt::Display;
use std::io::Write;

use bytes::Bytes;
use serde_json::Value;

use super::answer::{Answer, OutputItem};
use super::events::StreamEvent;

/// Writes canonical events in a caller's format, as they come. `item` is the place of an item among the items, `part`
/// that of a part among the item's.
pub trait StreamWriter {
    /// The answer has begun.
    fn begin(&mut self, response: Answer);
    /// An item has begun.
    fn add(&mut self, item: u64, begun: &OutputItem);
    /// More of a text.
    fn text(&mut self, item: u64, part: u64, delta: &str);
    /// A text is whole; some models send it without deltas.
    fn text_done(&mut self, item: u64, part: u64, whole: &str);
    /// More of a refusal.
    fn refusal(&mut self, item: u64, part: u64, delta: &str);
    /// A refusal is whole.
    fn refusal_done(&mut self, item: u64, part: u64, whole: &str);
    /// A citation in a text.
    fn annotation(&mut self, item: u64, part: u64, annotation: Value);
    /// More of what is told of thoughts.
    fn summary(&mut self, item: u64, part: u64, delta: &str);
    /// More of a call's arguments, or of a custom tool's text.
    fn arguments(&mut self, item: u64, delta: &str);
    /// How many bytes of a call's arguments have been written.
    fn arguments_written(&self, item: u64) -> usize;
    /// An item is whole.
    fn done(&mut self, item: u64, whole: &OutputItem);
    /// The answer is whole.
    fn end(&mut self, response: &Answer);
    /// What has been written.
    fn frames(&mut self) -> &mut Frames;

    /// Some models send arguments without deltas.
    fn rest_of_arguments(&mut self, item: u64, whole: &str) {
        if let Some(rest) = whole.get(self.arguments_written(item)..) {
            self.arguments(item, rest);
        }
    }

    /// Writes what an event makes, which may be nothing.
    fn write(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::Created { response } => self.begin(response),
            StreamEvent::ItemAdded { output_index, item } => self.add(output_index, &item),
            StreamEvent::TextDelta {
                output_index,
                content_index,
                delta,
            } => self.text(output_index, content_index, &delta),
            StreamEvent::TextDone {
                output_index,
                content_index,
                text,
            } => self.text_done(output_index, content_index, &text),
            StreamEvent::RefusalDelta {
                output_index,
                content_index,
                delta,
            } => self.refusal(output_index, content_index, &delta),
            StreamEvent::RefusalDone {
                output_index,
                content_index,
                refusal,
            } => self.refusal_done(output_index, content_index, &refusal),
            StreamEvent::AnnotationAdded {
                output_index,
                content_index,
                annotation,
            } => self.annotation(output_index, content_index, annotation),
            StreamEvent::SummaryDelta {
                output_index,
                summary_index,
                delta,
            } => self.summary(output_index, summary_index, &delta),
            StreamEvent::ArgumentsDelta {
                output_index,
                delta,
            }
            | StreamEvent::CustomInputDelta {
                output_index,
                delta,
            } => self.arguments(output_index, &delta),
            StreamEvent::ArgumentsDone {
                output_index,
                arguments: whole,
            }
            | StreamEvent::CustomInputDone {
                output_index,
                input: whole,
            } => self.rest_of_arguments(output_index, &whole),
            StreamEvent::ItemDone { output_index, item } => self.done(output_index, &item),
            StreamEvent::Completed { response } | StreamEvent::Incomplete { response } => {
                self.end(&response);
            }
            StreamEvent::Other => {}
        }
    }
}

/// The frames of an event stream that wait to be sent.
#[derive(Debug, Default)]
pub struct Frames(Vec<u8>);

impl Frames {
    /// A frame with a name.
    pub fn event(&mut self, name: &str, data: impl Display) {
        // Writing into memory does not fail.
        let _ = write!(self.0, "event: {name}\ndata: {data}\n\n");
    }

    /// A frame without one.
    pub fn data(&mut self, data: &str) {
        for piece in ["data: ", data, "\n\n"] {
            self.0.extend_from_slice(piece.as_bytes());
        }
    }

    /// What has been written since the last call.
    pub fn take(&mut self) -> Bytes {
        Bytes::from(std::mem::take(&mut self.0))
    }
}
