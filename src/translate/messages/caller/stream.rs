//! Canonical stream events as Anthropic's, one by one as they come.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::Shape;
use super::answer::{call, citation, head, stop_reason, usage};
use crate::translate::answer::{Answer, OutputItem, Produced};
use crate::translate::writer::{Frames, StreamWriter};
use crate::wire::usage::Usage;

/// Writes the events of one stream.
pub struct EventWriter {
    shape: Shape,
    produced: Produced,
    /// Items that have begun and are not written to their end: blocks must not overlap, so only the first is written as
    /// it comes.
    items: VecDeque<Item>,
    /// How many blocks have been opened.
    blocks: u64,
    /// The seal on thoughts that are not shown and that no call has followed yet.
    seal: Option<String>,
    frames: Frames,
}

/// An item of the answer: one block, opened when there is something to write.
struct Item {
    index: u64,
    block: Value,
    is_open: bool,
    is_done: bool,
    /// What the first item has no turn to write yet.
    waiting: Vec<Value>,
    /// The text so far, or the arguments.
    text: String,
    /// Parts of the text, or of the summary, that have come in deltas.
    parts: Vec<u64>,
}

impl EventWriter {
    /// A writer at the beginning of a stream.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            produced: Produced::default(),
            items: VecDeque::new(),
            blocks: 0,
            seal: None,
            frames: Frames::default(),
        }
    }

    fn item(&mut self, index: u64) -> Option<&mut Item> {
        self.items.iter_mut().find(|item| item.index == index)
    }

    fn has_part(&self, index: u64, part: u64) -> bool {
        let mut items = self.items.iter();
        items.any(|item| item.index == index && item.parts.contains(&part))
    }

    /// Writes a delta of the item, if it is its turn.
    fn delta(&mut self, index: u64, delta: Value) {
        match self.items.front() {
            Some(first) if first.index == index => {
                self.open();
                self.write_delta(&delta);
            }
            _ => {
                if let Some(item) = self.item(index) {
                    item.waiting.push(delta);
                }
            }
        }
    }

    /// Opens the block of the first item, unless it is open.
    fn open(&mut self) {
        let Some(first) = self.items.front_mut() else {
            return;
        };
        if std::mem::replace(&mut first.is_open, true) {
            return;
        }
        let start = json!({
            "type": "content_block_start", "index": self.blocks, "content_block": first.block,
        });
        self.event(&start);
    }

    fn write_delta(&mut self, delta: &Value) {
        let event = json!({"type": "content_block_delta", "index": self.blocks, "delta": delta});
        self.event(&event);
    }

    /// Closes the blocks whose turn is over; the next in line writes what it had to keep.
    fn close_finished(&mut self) {
        while self.items.front().is_some_and(|first| first.is_done) {
            if self.items.pop_front().is_some_and(|item| item.is_open) {
                let stop = json!({"type": "content_block_stop", "index": self.blocks});
                self.event(&stop);
                self.blocks += 1;
            }
            let Some(next) = self.items.front_mut() else {
                return;
            };
            let waiting = std::mem::take(&mut next.waiting);
            if next.block["type"] == "tool_use" || !waiting.is_empty() {
                self.open();
            }
            waiting.iter().for_each(|delta| self.write_delta(delta));
        }
    }

    fn event(&mut self, event: &Value) {
        let name = event["type"].as_str().unwrap_or_default();
        self.frames.event(name, event);
    }
}

impl StreamWriter for EventWriter {
    /// How much has been read is not known yet.
    fn begin(&mut self, response: Answer) {
        let mut message = head(&response);
        let unknown = Usage {
            output: 1,
            ..Usage::default()
        };
        message["usage"] = usage(unknown, &response);
        self.event(&json!({"type": "message_start", "message": message}));
        self.event(&json!({"type": "ping"}));
    }

    fn add(&mut self, index: u64, item: &OutputItem) {
        let block = match item {
            OutputItem::Message { .. } => json!({"type": "text", "text": ""}),
            OutputItem::FunctionCall { call_id, name, .. }
            | OutputItem::CustomToolCall { call_id, name, .. } => {
                self.produced.calls = true;
                call(call_id, name, self.seal.take().as_deref())
            }
            OutputItem::Reasoning { .. } if self.shape.shows_thoughts => {
                json!({"type": "thinking", "thinking": "", "signature": ""})
            }
            OutputItem::Reasoning { .. } | OutputItem::Other => return,
        };
        let is_call = block["type"] == "tool_use";
        self.items.push_back(Item {
            index,
            block,
            is_open: false,
            is_done: false,
            waiting: Vec::new(),
            text: String::new(),
            parts: Vec::new(),
        });
        if is_call && self.items.len() == 1 {
            self.open();
        }
    }

    fn text(&mut self, index: u64, part: u64, delta: &str) {
        let Some(item) = self.item(index).filter(|_| !delta.is_empty()) else {
            return;
        };
        if !item.parts.contains(&part) {
            item.parts.push(part);
        }
        item.text.push_str(delta);
        self.delta(index, json!({"type": "text_delta", "text": delta}));
    }

    fn refusal(&mut self, index: u64, part: u64, delta: &str) {
        self.produced.refusal = true;
        self.text(index, part, delta);
    }

    fn annotation(&mut self, index: u64, _: u64, annotation: Value) {
        let Some(item) = self.item(index) else { return };
        if let Some(citation) = citation(&annotation, &item.text) {
            self.delta(
                index,
                json!({"type": "citations_delta", "citation": citation}),
            );
        }
    }

    /// The parts of a summary are paragraphs.
    fn summary(&mut self, index: u64, part: u64, delta: &str) {
        let Some(item) = self.item(index).filter(|_| !delta.is_empty()) else {
            return;
        };
        let is_new_paragraph = !item.parts.is_empty() && !item.parts.contains(&part);
        if !item.parts.contains(&part) {
            item.parts.push(part);
        }
        let between = if is_new_paragraph { "\n\n" } else { "" };
        let thinking = format!("{between}{delta}");
        self.delta(
            index,
            json!({"type": "thinking_delta", "thinking": thinking}),
        );
    }

    fn arguments(&mut self, index: u64, delta: &str) {
        let Some(item) = self.item(index).filter(|_| !delta.is_empty()) else {
            return;
        };
        item.text.push_str(delta);
        self.delta(
            index,
            json!({"type": "input_json_delta", "partial_json": delta}),
        );
    }

    fn done(&mut self, index: u64, item: &OutputItem) {
        match item {
            OutputItem::FunctionCall { arguments, .. }
            | OutputItem::CustomToolCall {
                input: arguments, ..
            } => self.rest_of_arguments(index, arguments),
            OutputItem::Reasoning {
                encrypted_content, ..
            } if !self.shape.shows_thoughts => {
                self.seal = encrypted_content.clone().or(self.seal.take());
            }
            OutputItem::Reasoning {
                encrypted_content: Some(seal),
                ..
            } => self.delta(index, json!({"type": "signature_delta", "signature": seal})),
            _ => {}
        }
        if let Some(item) = self.item(index) {
            item.is_done = true;
        }
        self.close_finished();
    }

    fn end(&mut self, response: &Answer) {
        self.items.iter_mut().for_each(|item| item.is_done = true);
        self.close_finished();
        let stop_reason = stop_reason(response, self.produced);
        let usage = usage(response.usage.unwrap_or_default(), response);
        self.event(&json!({
            "type": "message_delta",
            "delta": {"stop_reason": stop_reason, "stop_sequence": null},
            "usage": usage,
        }));
        self.event(&json!({"type": "message_stop"}));
    }

    fn text_done(&mut self, index: u64, part: u64, whole: &str) {
        if !self.has_part(index, part) {
            self.text(index, part, whole);
        }
    }

    fn refusal_done(&mut self, index: u64, part: u64, whole: &str) {
        if !self.has_part(index, part) {
            self.refusal(index, part, whole);
        }
    }

    fn arguments_written(&self, index: u64) -> usize {
        let item = self.items.iter().find(|item| item.index == index);
        item.map_or(0, |item| item.text.len())
    }

    fn frames(&mut self) -> &mut Frames {
        &mut self.frames
    }
}
