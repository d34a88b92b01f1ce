//! Canonical stream events as Chat chunks, one by one as they come.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::Shape;
use super::answer::{annotation, completion_id, finish_reason, usage};
use crate::translate::answer::{Answer, OutputItem, OutputPart};
use crate::translate::sealed;
use crate::translate::writer::{Frames, StreamWriter};

/// Writes the chunks of one stream.
pub struct ChunkWriter {
    shape: Shape,
    head: Head,
    has_role: bool,
    /// The call that an item is: its place among the calls, and how much of its arguments has been written, bytes.
    calls: HashMap<u64, Call>,
    texts: HashMap<(u64, u64), WrittenText>,
    /// The item whose text counts where only the first message does.
    first_message: Option<u64>,
    characters: u64,
    /// The vendor's seal on thoughts that no call has followed yet.
    seal: Option<String>,
    frames: Frames,
}

#[derive(Default)]
struct Head {
    id: String,
    created: u64,
    model: String,
    service_tier: Option<String>,
}

struct Call {
    place: usize,
    is_custom: bool,
    written: usize,
}

#[derive(Default)]
struct WrittenText {
    /// Bytes written.
    written: usize,
    /// Characters of the whole text before it.
    before: u64,
}

impl ChunkWriter {
    /// A writer at the beginning of a stream.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            head: Head::default(),
            has_role: false,
            calls: HashMap::new(),
            texts: HashMap::new(),
            first_message: None,
            characters: 0,
            seal: None,
            frames: Frames::default(),
        }
    }

    fn role(&mut self, content: Value) {
        if !std::mem::replace(&mut self.has_role, true) {
            self.delta(&json!({"role": "assistant", "content": content, "refusal": null}));
        }
    }

    fn call(&mut self, index: u64, call_id: &str, name: &str, is_custom: bool) {
        let place = self.calls.len();
        let call = Call {
            place,
            is_custom,
            written: 0,
        };
        if self.calls.insert(index, call).is_some() {
            return;
        }
        self.role(Value::Null);
        if self.shape.legacy_functions {
            if place == 0 {
                self.delta(&json!({"function_call": {"name": name, "arguments": ""}}));
            }
            return;
        }
        let id = sealed::signed(call_id, self.seal.take().as_deref());
        self.delta(&json!({"tool_calls": [if is_custom {
            json!({"index": place, "id": id, "type": "custom", "custom": {"name": name, "input": ""}})
        } else {
            json!({"index": place, "id": id, "type": "function", "function": {"name": name, "arguments": ""}})
        }]}));
    }

    fn note(&mut self, place: (u64, u64), delta: &str) {
        let before = self.characters;
        let text = self
            .texts
            .entry(place)
            .or_insert(WrittenText { written: 0, before });
        text.written += delta.len();
    }

    fn rest_of_text(
        &mut self,
        place: (u64, u64),
        whole: &str,
        write: fn(&mut Self, u64, u64, &str),
    ) {
        let written = self.texts.get(&place).map_or(0, |text| text.written);
        if let Some(rest) = whole.get(written..) {
            write(self, place.0, place.1, rest);
        }
    }

    fn is_passed_over(&self, index: u64) -> bool {
        self.shape.structured && self.first_message.is_some_and(|first| first != index)
    }

    fn part_done(&mut self, place: (u64, u64), part: &OutputPart) {
        match part {
            OutputPart::OutputText { text, .. } => self.rest_of_text(place, text, Self::text),
            OutputPart::Refusal { refusal } => self.rest_of_text(place, refusal, Self::refusal),
            OutputPart::Other => {}
        }
    }

    fn delta(&mut self, delta: &Value) {
        self.choice(delta, None);
    }

    fn choice(&mut self, delta: &Value, finish_reason: Option<&str>) {
        let chunk = self.chunk(json!([{
            "index": 0,
            "delta": delta,
            "logprobs": null,
            "finish_reason": finish_reason,
        }]));
        self.frames.data(&chunk.to_string());
    }

    fn chunk(&self, choices: Value) -> Value {
        let mut chunk = json!({
            "id": self.head.id,
            "object": "chat.completion.chunk",
            "created": self.head.created,
            "model": self.head.model,
            "system_fingerprint": null,
            "choices": choices,
        });
        if let Some(tier) = &self.head.service_tier {
            chunk["service_tier"] = json!(tier);
        }
        if self.shape.usage_chunk {
            chunk["usage"] = Value::Null;
        }
        chunk
    }
}

impl StreamWriter for ChunkWriter {
    fn begin(&mut self, response: Answer) {
        self.head = Head {
            id: completion_id(&response.id),
            created: response.created_at as u64,
            model: response.model,
            // `auto` is what was asked for, not what serves.
            service_tier: response.service_tier.filter(|tier| tier != "auto"),
        };
    }

    fn add(&mut self, index: u64, item: &OutputItem) {
        match item {
            OutputItem::Message { .. } => {
                self.first_message.get_or_insert(index);
                self.role(json!(""));
            }
            OutputItem::FunctionCall { call_id, name, .. } => {
                self.call(index, call_id, name, false)
            }
            OutputItem::CustomToolCall { call_id, name, .. } => {
                self.call(index, call_id, name, true)
            }
            OutputItem::Reasoning { .. } | OutputItem::Other => {}
        }
    }

    fn arguments(&mut self, index: u64, delta: &str) {
        let Some(call) = self.calls.get_mut(&index) else {
            return;
        };
        if delta.is_empty() {
            return;
        }
        call.written += delta.len();
        let place = call.place;
        let delta = match (self.shape.legacy_functions, call.is_custom) {
            (true, _) if place > 0 => return,
            (true, _) => json!({"function_call": {"arguments": delta}}),
            (false, true) => json!({"tool_calls": [{"index": place, "custom": {"input": delta}}]}),
            (false, false) => {
                json!({"tool_calls": [{"index": place, "function": {"arguments": delta}}]})
            }
        };
        self.delta(&delta);
    }

    fn text(&mut self, item: u64, part: u64, delta: &str) {
        let place = (item, part);
        if self.is_passed_over(place.0) || delta.is_empty() {
            return;
        }
        self.role(json!(""));
        self.note(place, delta);
        self.characters += delta.chars().count() as u64;
        self.delta(&json!({"content": delta}));
    }

    fn refusal(&mut self, item: u64, part: u64, delta: &str) {
        let place = (item, part);
        if self.is_passed_over(place.0) || delta.is_empty() {
            return;
        }
        self.role(Value::Null);
        self.note(place, delta);
        self.delta(&json!({"refusal": delta}));
    }

    fn annotation(&mut self, item: u64, part: u64, given: Value) {
        let place = (item, part);
        if self.is_passed_over(place.0) {
            return;
        }
        let before = self
            .texts
            .get(&place)
            .map_or(self.characters, |text| text.before);
        if let Some(annotation) = annotation(&given, before) {
            self.delta(&json!({"annotations": [annotation]}));
        }
    }

    fn done(&mut self, index: u64, item: &OutputItem) {
        match item {
            OutputItem::FunctionCall { arguments, .. } => self.rest_of_arguments(index, arguments),
            OutputItem::CustomToolCall { input, .. } => self.rest_of_arguments(index, input),
            OutputItem::Message { content } => {
                for (number, part) in content.iter().enumerate() {
                    self.part_done((index, number as u64), part);
                }
            }
            OutputItem::Reasoning {
                encrypted_content, ..
            } => {
                self.seal = encrypted_content.clone().or(self.seal.take());
            }
            OutputItem::Other => {}
        }
    }

    fn end(&mut self, response: &Answer) {
        self.role(json!(""));
        self.head.service_tier = response.service_tier.clone();
        let reason = finish_reason(response, !self.calls.is_empty(), self.shape);
        self.choice(&json!({}), Some(reason));
        if self.shape.usage_chunk {
            let mut chunk = self.chunk(json!([]));
            chunk["usage"] = json!(response.usage.map(usage));
            self.frames.data(&chunk.to_string());
        }
        self.frames.data("[DONE]");
    }

    fn text_done(&mut self, item: u64, part: u64, whole: &str) {
        self.rest_of_text((item, part), whole, Self::text);
    }

    fn refusal_done(&mut self, item: u64, part: u64, whole: &str) {
        self.rest_of_text((item, part), whole, Self::refusal);
    }

    /// Chat tells nothing of thoughts.
    fn summary(&mut self, _: u64, _: u64, _: &str) {}

    fn arguments_written(&self, index: u64) -> usize {
        self.calls.get(&index).map_or(0, |call| call.written)
    }

    fn frames(&mut self) -> &mut Frames {
        &mut self.frames
    }
}
