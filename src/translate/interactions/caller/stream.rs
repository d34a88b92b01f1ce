//! Canonical stream events as Gemini's, one by one as they come.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::answer::{annotation, call, finished, interaction_id};
use crate::translate::answer::{Answer, OutputItem, Produced};
use crate::translate::writer::{Frames, StreamWriter};

/// Writes the events of one stream.
#[derive(Default)]
pub struct EventWriter {
    produced: Produced,
    /// The steps that are told, by the places of their items.
    open: BTreeMap<u64, Step>,
    /// How many steps have begun.
    steps: u64,
    frames: Frames,
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

    fn stop(&mut self, place: u64) {
        if let Some(index) = self.open.remove(&place).and_then(|step| step.index) {
            self.event(json!({"event_type": "step.stop", "index": index}));
        }
    }

    fn stop_all(&mut self) {
        let places: Vec<u64> = self.open.keys().copied().collect();
        places.into_iter().for_each(|place| self.stop(place));
    }

    fn event(&mut self, event: Value) {
        let name = event["event_type"].as_str().unwrap_or_default();
        self.frames.event(name, &event);
    }
}

impl StreamWriter for EventWriter {
    fn begin(&mut self, response: Answer) {
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

    fn annotation(&mut self, place: u64, _: u64, given: Value) {
        let Some(step) = self.open.get(&place) else {
            return;
        };
        if let Some(annotation) = annotation(&given, &step.text) {
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

    fn end(&mut self, response: &Answer) {
        self.stop_all();
        let interaction = finished(response, self.produced);
        self.event(json!({"event_type": "interaction.completed", "interaction": interaction}));
        self.frames.event("done", format_args!("[DONE]"));
    }

    fn text_done(&mut self, place: u64, part: u64, whole: &str) {
        if !self.has_part(place, part) {
            self.text(place, part, whole);
        }
    }

    fn refusal_done(&mut self, place: u64, part: u64, whole: &str) {
        if !self.has_part(place, part) {
            self.refusal(place, part, whole);
        }
    }

    fn arguments_written(&self, place: u64) -> usize {
        self.open.get(&place).map_or(0, |step| step.text.len())
    }

    fn frames(&mut self) -> &mut Frames {
        &mut self.frames
    }
}
