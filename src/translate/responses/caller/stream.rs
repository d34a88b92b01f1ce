//! Canonical stream events with all that those of Responses have, one by one as they come.

use serde_json::{Map, Value, json};

use super::Shape;
use super::answer::{beginning, item_id, refusal_part, response, summary_text, text_part};
use crate::translate::answer::{Answer, OutputItem};
use crate::translate::writer::{Frames, StreamWriter};

/// Writes the events of one stream.
pub struct EventWriter {
    shape: Shape,
    head: Answer,
    sequence_number: u64,
    /// Items that are whole.
    output: Vec<Value>,
    open: Option<Open>,
    frames: Frames,
}

/// The item that is being told: other vendors tell one after the other.
struct Open {
    /// Its place among the canonical items.
    index: u64,
    item: Value,
    /// The part that is being told, of its content or of its summary.
    part: Option<Part>,
    /// Arguments, or the text of a custom tool.
    arguments: String,
}

struct Part {
    index: u64,
    kind: PartKind,
    text: String,
    annotations: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Text,
    Refusal,
    Summary,
}

impl PartKind {
    fn whole(self, part: &Part) -> Value {
        match self {
            Self::Text => text_part(&part.text, &part.annotations),
            Self::Refusal => refusal_part(&part.text),
            Self::Summary => summary_text(&part.text),
        }
    }

    /// The beginning of the names of its events, the name of its index, and the field that its text is in at the end.
    fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Text => ("output_text", "content_index", "text"),
            Self::Refusal => ("refusal", "content_index", "refusal"),
            Self::Summary => ("reasoning_summary_text", "summary_index", "text"),
        }
    }

    fn part_events(self) -> &'static str {
        match self {
            Self::Text | Self::Refusal => "content_part",
            Self::Summary => "reasoning_summary_part",
        }
    }
}

impl EventWriter {
    /// A writer at the beginning of a stream.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            head: Answer::default(),
            sequence_number: 0,
            output: Vec::new(),
            open: None,
            frames: Frames::default(),
        }
    }

    fn open(&mut self, index: u64) -> Option<&mut Open> {
        self.open.as_mut().filter(|open| open.index == index)
    }

    fn part_delta(&mut self, index: u64, part: u64, kind: PartKind, delta: &str) {
        if delta.is_empty() || self.open(index).is_none() {
            return;
        }
        self.begin_part(part, kind);
        if let Some(part) = self.open.as_mut().and_then(|open| open.part.as_mut()) {
            part.text.push_str(delta);
        }
        let (name, index_name, _) = kind.names();
        let mut fields = vec![(index_name, json!(part)), ("delta", json!(delta))];
        if kind == PartKind::Text {
            fields.push(("logprobs", json!([])));
        }
        self.event_of_item(&format!("response.{name}.delta"), fields);
    }

    fn begin_part(&mut self, index: u64, kind: PartKind) {
        let part = self.open.as_ref().and_then(|open| open.part.as_ref());
        if part.is_some_and(|part| part.index == index && part.kind == kind) {
            return;
        }
        self.close_part();
        let part = Part {
            index,
            kind,
            text: String::new(),
            annotations: Vec::new(),
        };
        let (_, index_name, _) = kind.names();
        let fields = [(index_name, json!(index)), ("part", kind.whole(&part))];
        self.event_of_item(&format!("response.{}.added", kind.part_events()), fields);
        if let Some(open) = &mut self.open {
            open.part = Some(part);
        }
    }

    fn close_part(&mut self) {
        let Some(open) = &mut self.open else { return };
        let Some(part) = open.part.take() else { return };
        let whole = part.kind.whole(&part);
        let list = match part.kind {
            PartKind::Summary => "summary",
            PartKind::Text | PartKind::Refusal => "content",
        };
        if let Some(parts) = open.item[list].as_array_mut() {
            parts.push(whole.clone());
        }
        let (name, index_name, text_name) = part.kind.names();
        let index = json!(part.index);
        let mut fields = vec![(index_name, index.clone()), (text_name, json!(part.text))];
        if part.kind == PartKind::Text {
            fields.push(("logprobs", json!([])));
        }
        self.event_of_item(&format!("response.{name}.done"), fields);
        let name = format!("response.{}.done", part.kind.part_events());
        self.event_of_item(&name, [(index_name, index), ("part", whole)]);
    }

    /// Ends the item that is being told, if one is.
    fn close(&mut self) {
        self.close_part();
        let Some(open) = &mut self.open else { return };
        let (name, field) = match open.item["type"].as_str() {
            Some("function_call") => (Some("function_call_arguments"), "arguments"),
            Some("custom_tool_call") => (Some("custom_tool_call_input"), "input"),
            _ => (None, ""),
        };
        if let Some(name) = name {
            let whole = json!(open.arguments);
            open.item[field] = whole.clone();
            self.event_of_item(&format!("response.{name}.done"), [(field, whole)]);
        }
        let Some(Open { mut item, .. }) = self.open.take() else {
            return;
        };
        if item["type"] != "reasoning" {
            item["status"] = json!("completed");
        }
        let place = json!(self.output.len());
        self.event(
            "response.output_item.done",
            [("output_index", place), ("item", item.clone())],
        );
        self.output.push(item);
    }

    /// An event of the item that is being told.
    fn event_of_item<'a>(
        &mut self,
        name: &str,
        fields: impl IntoIterator<Item = (&'a str, Value)>,
    ) {
        let Some(open) = &self.open else { return };
        let item = [
            ("item_id", open.item["id"].clone()),
            ("output_index", json!(self.output.len())),
        ];
        self.event(name, item.into_iter().chain(fields));
    }

    fn event<'a>(&mut self, name: &str, fields: impl IntoIterator<Item = (&'a str, Value)>) {
        let mut event = Map::new();
        event.insert("type".to_owned(), json!(name));
        event.insert("sequence_number".to_owned(), json!(self.sequence_number));
        for (name, value) in fields {
            event.insert(name.to_owned(), value);
        }
        self.sequence_number += 1;
        self.frames.event(name, Value::Object(event));
    }
}

impl StreamWriter for EventWriter {
    fn begin(&mut self, answer: Answer) {
        let response = response(&answer, &self.shape, Vec::new());
        self.event("response.created", [("response", response.clone())]);
        self.event("response.in_progress", [("response", response)]);
        self.head = answer;
    }

    fn add(&mut self, index: u64, item: &OutputItem) {
        self.close();
        let id = item_id(&self.head.id, self.output.len());
        let Some(item) = beginning(item, &id) else {
            return;
        };
        let place = json!(self.output.len());
        self.event(
            "response.output_item.added",
            [("output_index", place), ("item", item.clone())],
        );
        self.open = Some(Open {
            index,
            item,
            part: None,
            arguments: String::new(),
        });
    }

    fn annotation(&mut self, index: u64, part_index: u64, annotation: Value) {
        let open = self.open(index);
        let Some(part) = open.and_then(|open| open.part.as_mut()) else {
            return;
        };
        let place = part.annotations.len();
        part.annotations.push(annotation.clone());
        let fields = [
            ("content_index", json!(part_index)),
            ("annotation_index", json!(place)),
            ("annotation", annotation),
        ];
        self.event_of_item("response.output_text.annotation.added", fields);
    }

    fn arguments(&mut self, index: u64, delta: &str) {
        let Some(open) = self.open(index).filter(|_| !delta.is_empty()) else {
            return;
        };
        open.arguments.push_str(delta);
        let name = argument_events(&open.item);
        self.event_of_item(&format!("response.{name}.delta"), [("delta", json!(delta))]);
    }

    fn done(&mut self, index: u64, item: &OutputItem) {
        match item {
            OutputItem::FunctionCall { arguments, .. }
            | OutputItem::CustomToolCall {
                input: arguments, ..
            } => self.rest_of_arguments(index, arguments),
            OutputItem::Reasoning {
                encrypted_content: Some(seal),
                ..
            } => {
                if let Some(open) = self.open(index) {
                    open.item["encrypted_content"] = json!(seal);
                }
            }
            _ => {}
        }
        if self.open(index).is_some() {
            self.close();
        }
    }

    fn end(&mut self, answer: &Answer) {
        self.close();
        let name = match &*answer.status {
            "incomplete" => "response.incomplete",
            _ => "response.completed",
        };
        let output = std::mem::take(&mut self.output);
        let response = response(answer, &self.shape, output);
        self.event(name, [("response", response)]);
    }

    fn text(&mut self, index: u64, part: u64, delta: &str) {
        self.part_delta(index, part, PartKind::Text, delta);
    }

    fn refusal(&mut self, index: u64, part: u64, delta: &str) {
        self.part_delta(index, part, PartKind::Refusal, delta);
    }

    fn summary(&mut self, index: u64, part: u64, delta: &str) {
        self.part_delta(index, part, PartKind::Summary, delta);
    }

    /// A part is over when the next begins, or its item is.
    fn text_done(&mut self, _: u64, _: u64, _: &str) {}

    fn refusal_done(&mut self, _: u64, _: u64, _: &str) {}

    fn arguments_written(&self, index: u64) -> usize {
        let open = self.open.as_ref().filter(|open| open.index == index);
        open.map_or(0, |open| open.arguments.len())
    }

    fn frames(&mut self) -> &mut Frames {
        &mut self.frames
    }
}

fn argument_events(item: &Value) -> &'static str {
    match item["type"].as_str() {
        Some("custom_tool_call") => "custom_tool_call_input",
        _ => "function_call_arguments",
    }
}
