//! Canonical stream events as Gemini's, one by one as they come.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Value, json};

use super::answer::{Produced, annotation, call, finished, interaction_id};
use crate::translate::answer::{Answer, OutputItem};
use crate::translate::events::StreamEvent;

/// Writes the events of one stream.
#[derive(Default)]
pub struct EventWriter {
    produced: Produced,
    /// The steps that are told, by the places of their items.
    open: BTreeMap<u64, Step>,
    /// How many steps have begun.
    steps: u64,
    has_ended: bool,
    buffer: Vec<u8>,
}

struct Step {
    /// Its number, when it has begun: thoughts begin when there is something to tell of them.
    index: Option<u64>,
    start: Value,
    /// The text so far, or the arguments.
    text: String,
    /// Parts of the text, or of the summary, that have come in deltas.
    parts: Vec<u64>,
}

impl EventWriter {
    /// The events that have been written since the last call.
    pub fn take(&mut self) -> Bytes {
        Bytes::from(std::mem::take(&mut self.buffer))
    }

    /// Whether the last event has been written.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Writes the events that a canonical one makes, which may be none.
    pub fn write(&mut self, event: StreamEvent) {
        match event {
            StreamEvent::Created { response } => self.begin(&response),
            StreamEvent::ItemAdded { output_index, item } => self.add(output_index, &item),
            StreamEvent::TextDelta {
                output_index,
                content_index,
                delta,
            } => self.text(output_index, content_index, &delta),
            StreamEvent::RefusalDelta {
                output_index,
                content_index,
                delta,
            } => self.refusal(output_index, content_index, &delta),
            StreamEvent::TextDone {
                output_index,
                content_index,
                text,
            } if !self.has_part(output_index, content_index) => {
                self.text(output_index, content_index, &text);
            }
            StreamEvent::RefusalDone {
                output_index,
                content_index,
                refusal,
            } if !self.has_part(output_index, content_index) => {
                self.refusal(output_index, content_index, &refusal);
            }
            StreamEvent::AnnotationAdded {
                output_index,
                annotation,
                ..
            } => self.annotation(output_index, &annotation),
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
            StreamEvent::TextDone { .. } | StreamEvent::RefusalDone { .. } | StreamEvent::Other => {
            }
        }
    }

    fn begin(&mut self, response: &Answer) {
        let id = interaction_id(&response.id);
        let status = "in_progress";
        let interaction = json!({
            "id": id, "status": status, "object": "interaction", "model": response.model,
        });
        self.event(json!({"event_type": "interaction.created", "interaction": interaction}));
        let update = json!({
            "event_type": "interaction.status_update", "interaction_id": id, "status": status,
        });
        self.event(update);
    }

    /// Items come one after the other, and not every vendor says when one is over.
    fn add(&mut self, place: u64, item: &OutputItem) {
        self.stop_all();
        let (start, is_at_once) = match item {
            OutputItem::Message { .. } => (json!({"type": "model_output"}), false),
            OutputItem::FunctionCall { call_id, name, .. }
            | OutputItem::CustomToolCall { call_id, name, .. } => {
                self.produced.calls = true;
                (call(call_id, name), true)
            }
            OutputItem::Reasoning { .. } => (json!({"type": "thought"}), false),
            OutputItem::Other => return,
        };
        let step = Step {
            index: None,
            start,
            text: String::new(),
            parts: Vec::new(),
        };
        self.open.insert(place, step);
        if is_at_once {
            self.start(place);
        }
    }

    /// Begins the step, unless it has begun; gives its number.
    fn start(&mut self, place: u64) -> Option<u64> {
        let step = self.open.get_mut(&place)?;
        if let Some(index) = step.index {
            return Some(index);
        }
        let index = self.steps;
        self.steps += 1;
        step.index = Some(index);
        let start = step.start.clone();
        self.event(json!({"event_type": "step.start", "index": index, "step": start}));
        Some(index)
    }

    fn delta(&mut self, place: u64, delta: &Value) {
        if let Some(index) = self.start(place) {
            self.event(json!({"event_type": "step.delta", "index": index, "delta": delta}));
        }
    }

    fn has_part(&self, place: u64, part: u64) -> bool {
        let step = self.open.get(&place);
        step.is_some_and(|step| step.parts.contains(&part))
    }

    /// Takes note of a part; says whether another came before it.
    fn is_next_part(&mut self, place: u64, part: u64) -> bool {
        let Some(step) = self.open.get_mut(&place) else {
            return false;
        };
        if step.parts.contains(&part) {
            return false;
        }
        step.parts.push(part);
        step.parts.len() > 1
    }

    fn text(&mut self, place: u64, part: u64, delta: &str) {
        if delta.is_empty() {
            return;
        }
        self.is_next_part(place, part);
        if let Some(step) = self.open.get_mut(&place) {
            step.text.push_str(delta);
        }
        self.delta(place, &json!({"type": "text", "text": delta}));
    }

    fn refusal(&mut self, place: u64, part: u64, delta: &str) {
        self.produced.refusal = true;
        self.text(place, part, delta);
    }

    fn annotation(&mut self, place: u64, given: &Value) {
        let Some(step) = self.open.get(&place) else {
            return;
        };
        if let Some(annotation) = annotation(given, &step.text) {
            let delta = json!({"type": "text_annotation_delta", "annotations": [annotation]});
            self.delta(place, &delta);
        }
    }

    /// The parts of a summary are paragraphs.
    fn summary(&mut self, place: u64, part: u64, delta: &str) {
        if delta.is_empty() {
            return;
        }
        let between = if self.is_next_part(place, part) {
            "\n\n"
        } else {
            ""
        };
        let content = json!({"type": "text", "text": format!("{between}{delta}")});
        self.delta(
            place,
            &json!({"type": "thought_summary", "content": content}),
        );
    }

    fn arguments(&mut self, place: u64, delta: &str) {
        let Some(step) = self.open.get_mut(&place).filter(|_| !delta.is_empty()) else {
            return;
        };
        step.text.push_str(delta);
        self.delta(
            place,
            &json!({"type": "arguments_delta", "arguments": delta}),
        );
    }

    /// Some models send arguments without deltas.
    fn rest_of_arguments(&mut self, place: u64, whole: &str) {
        let written = self.open.get(&place).map_or(0, |step| step.text.len());
        if let Some(rest) = whole.get(written..) {
            self.arguments(place, rest);
        }
    }

    fn done(&mut self, place: u64, item: &OutputItem) {
        match item {
            OutputItem::FunctionCall { arguments, .. }
            | OutputItem::CustomToolCall {
                input: arguments, ..
            } => self.rest_of_arguments(place, arguments),
            OutputItem::Reasoning {
                encrypted_content: Some(seal),
                ..
            } => self.delta(
                place,
                &json!({"type": "thought_signature", "signature": seal}),
            ),
            _ => {}
        }
        self.stop(place);
    }

    fn stop(&mut self, place: u64) {
        if let Some(index) = self.open.remove(&place).and_then(|step| step.index) {
            self.event(json!({"event_type": "step.stop", "index": index}));
        }
    }

    fn stop_all(&mut self) {
        let places: Vec<u64> = self.open.keys().copied().collect();
        places.into_iter().for_each(|place| self.stop(place));
    }

    fn end(&mut self, response: &Answer) {
        self.has_ended = true;
        self.stop_all();
        let interaction = finished(response, self.produced);
        self.event(json!({"event_type": "interaction.completed", "interaction": interaction}));
        self.buffer
            .extend_from_slice(b"event: done\ndata: [DONE]\n\n");
    }

    fn event(&mut self, event: Value) {
        let name = event["event_type"].as_str().unwrap_or_default();
        let frame = format!("event: {name}\ndata: {event}\n\n");
        self.buffer.extend_from_slice(frame.as_bytes());
    }
}
