//! `POST /v1/responses`: the order of its events.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::answer::{Answer, Beat};
use super::super::asked::Asked;
use super::super::events::{Class, EventStream};
use super::super::ids::{self, ResponseIds};
use super::super::output::{Item, Output, Source};
use super::super::pieces::argument_deltas;
use super::super::script::{Behaviour, Fault};
use super::response_items::{MadeItem, annotation, make, summary_part, text_part};
use super::response_object::Frame;

/// The answer to a request that is in order.
pub(in super::super) fn answer(asked: &Asked, behaviour: &Behaviour, output: &Output) -> Answer {
    let (early, served) = super::tiers(asked, behaviour);
    let created = ids::unix_now();
    let ids = ResponseIds::new(created);
    let frame = Frame {
        asked,
        id: ids.next("resp", Duration::ZERO),
        created,
        early,
        served,
    };
    if !asked.stream() {
        let document = frame.document(&ids, output, behaviour);
        return Answer::document(
            200,
            serde_json::to_vec(&document).expect("a response is plain data"),
        );
    }
    let mut stream = Stream {
        frame,
        ids,
        out: EventStream::new(behaviour),
        sequence: 0,
        index: 0,
        elapsed: Duration::from_millis(behaviour.start_delay_ms),
        behaviour,
        obfuscates: asked.body["stream_options"]["include_obfuscation"] != json!(false),
    };
    stream.write(output);
    Answer::events(stream.out, Beat::Keepalive)
}

/// The event stream while it is written.
struct Stream<'a> {
    frame: Frame<'a>,
    ids: ResponseIds,
    out: EventStream,
    sequence: usize,
    /// `output_index` of the item at hand.
    index: usize,
    /// How long after the request the event at hand will be sent.
    elapsed: Duration,
    behaviour: &'a Behaviour,
    obfuscates: bool,
}

impl Stream<'_> {
    fn write(&mut self, output: &Output) {
        self.lifecycle(Class::Prelude, "response.created");
        self.lifecycle(Class::Prelude, "response.in_progress");
        if self.behaviour.unknown_events {
            self.emit(
                Class::Prelude,
                "response.weather_changed",
                &json!({"weather": "rain"}),
            );
        }
        for _ in 0..self.out.beats(self.behaviour) {
            self.emit(Class::Beat, "keepalive", &json!({}));
        }
        if self.behaviour.fault == Some(Fault::BeforeStart) {
            return self.fail(&[]);
        }
        let mut done = Vec::with_capacity(output.items.len());
        for item in &output.items {
            let made = make(item, &self.ids, self.elapsed, output.end);
            self.item(&made);
            done.push(made.done);
            self.index += 1;
        }
        if self.behaviour.fault == Some(Fault::AfterStart) {
            self.out.keep_first_delta();
            self.sequence = self.out.marks.len();
            return self.fail(&[]);
        }
        let response = self.frame.finished(output, &done, self.behaviour);
        let name = if response.status == "completed" {
            "response.completed"
        } else {
            "response.incomplete"
        };
        let fields = json!({ "response": response });
        self.emit(Class::Terminal, name, &fields);
    }

    fn lifecycle(&mut self, class: Class, name: &str) {
        let response = self.frame.response("in_progress", self.frame.early, &[]);
        let fields = json!({ "response": response });
        self.emit(class, name, &fields);
    }

    fn fail(&mut self, items: &[Value]) {
        let fault = super::fault(self.behaviour);
        let error = json!({"type": fault.kind, "code": fault.code, "message": fault.message, "param": null});
        self.emit(Class::Terminal, "error", &json!({ "error": error }));
        if !self.behaviour.fault_bare {
            let fields = json!({ "response": self.frame.failed(&fault, items) });
            self.emit(Class::Trailer, "response.failed", &fields);
        }
    }

    fn item(&mut self, made: &MadeItem) {
        if !self.behaviour.no_item_added {
            self.emit_at(
                Class::Part,
                "response.output_item.added",
                json!({ "item": opened(made) }),
            );
        }
        match made.item {
            Item::Text { deltas, sources } => self.text(made, deltas, sources),
            Item::Refusal { deltas } => self.refusal(made, deltas),
            Item::Reasoning { summaries } => self.reasoning(made, summaries),
            Item::Call {
                name: _,
                arguments,
                deltas,
            } => {
                let pieces = if *deltas {
                    argument_deltas(arguments)
                } else {
                    Vec::new()
                };
                self.input(
                    made,
                    "response.function_call_arguments",
                    "arguments",
                    &pieces,
                    arguments,
                );
            }
            Item::CustomCall { name: _, input } => {
                self.input(
                    made,
                    "response.custom_tool_call_input",
                    "input",
                    &argument_deltas(input),
                    input,
                );
            }
            Item::Search { .. } => {
                for step in ["in_progress", "searching", "completed"] {
                    let name = format!("response.web_search_call.{step}");
                    self.emit_at(Class::Part, &name, json!({"item_id": made.id}));
                }
            }
        }
        self.emit_at(
            Class::Part,
            "response.output_item.done",
            json!({ "item": made.done }),
        );
    }

    fn text(&mut self, made: &MadeItem, deltas: &[String], sources: &[Source]) {
        let part = |part: Value| json!({"item_id": made.id, "content_index": 0, "part": part});
        self.emit_at(
            Class::Part,
            "response.content_part.added",
            part(text_part("", &[])),
        );
        for delta in deltas {
            self.text_delta(&made.id, delta);
        }
        let text = deltas.concat();
        for (number, source) in sources.iter().enumerate() {
            let fields = json!({"item_id": made.id, "content_index": 0, "annotation_index": number,
                "annotation": annotation(&text, source)});
            self.emit_at(Class::Part, "response.output_text.annotation.added", fields);
        }
        let done = json!({"item_id": made.id, "content_index": 0, "logprobs": [], "text": text});
        self.emit_at(Class::Part, "response.output_text.done", done);
        self.emit_at(
            Class::Part,
            "response.content_part.done",
            part(text_part(&text, sources)),
        );
    }

    fn refusal(&mut self, made: &MadeItem, deltas: &[String]) {
        let part = |text: &str| json!({"item_id": made.id, "content_index": 0, "part": {"type": "refusal", "refusal": text}});
        self.emit_at(Class::Part, "response.content_part.added", part(""));
        for delta in deltas {
            let fields = json!({"item_id": made.id, "content_index": 0, "delta": delta});
            self.emit_at(Class::Delta, "response.refusal.delta", fields);
        }
        let text = deltas.concat();
        let done = json!({"item_id": made.id, "content_index": 0, "refusal": text});
        self.emit_at(Class::Part, "response.refusal.done", done);
        self.emit_at(Class::Part, "response.content_part.done", part(&text));
    }

    fn reasoning(&mut self, made: &MadeItem, summaries: &[String]) {
        for (number, text) in summaries.iter().enumerate() {
            let at = |mut fields: Value| {
                fields["item_id"] = json!(made.id);
                fields["summary_index"] = json!(number);
                fields
            };
            self.emit_at(
                Class::Part,
                "response.reasoning_summary_part.added",
                at(json!({"part": summary_part("")})),
            );
            for delta in argument_deltas(text) {
                self.emit_at(
                    Class::Delta,
                    "response.reasoning_summary_text.delta",
                    at(json!({ "delta": delta })),
                );
            }
            self.emit_at(
                Class::Part,
                "response.reasoning_summary_text.done",
                at(json!({ "text": text })),
            );
            self.emit_at(
                Class::Part,
                "response.reasoning_summary_part.done",
                at(json!({"part": summary_part(text)})),
            );
        }
    }

    fn input(&mut self, made: &MadeItem, event: &str, field: &str, pieces: &[&str], whole: &str) {
        for piece in pieces {
            let mut fields = json!({"item_id": made.id, "delta": piece});
            if self.obfuscates {
                fields["obfuscation"] = json!(ids::obfuscation());
            }
            self.emit_at(Class::Delta, &format!("{event}.delta"), fields);
        }
        self.emit_at(
            Class::Part,
            &format!("{event}.done"),
            json!({"item_id": made.id, field: whole}),
        );
    }

    /// The event that there are most of, written without a detour.
    fn text_delta(&mut self, item: &str, delta: &str) {
        let mut data = String::with_capacity(320 + delta.len());
        let text = serde_json::to_string(delta).expect("text is plain data");
        let (sequence, index) = (self.sequence, self.index);
        let _ = write!(
            data,
            r#"{{"type":"response.output_text.delta","content_index":0,"delta":{text},"item_id":"{item}","logprobs":[],"#
        );
        if self.obfuscates {
            let _ = write!(data, r#""obfuscation":"{}","#, ids::obfuscation());
        }
        let _ = write!(
            data,
            r#""output_index":{index},"sequence_number":{sequence}}}"#
        );
        self.push(Class::Delta, "response.output_text.delta", &data);
        self.after_first_delta();
    }

    /// An event that belongs to the item at hand.
    fn emit_at(&mut self, class: Class, name: &str, mut fields: Value) {
        fields["output_index"] = json!(self.index);
        self.emit(class, name, &fields);
        if class == Class::Delta {
            self.after_first_delta();
        }
    }

    fn emit(&mut self, class: Class, name: &str, fields: &Value) {
        let sequence = self.sequence;
        let fields = fields.to_string();
        let rest = fields[1..].trim_start();
        let comma = if rest == "}" { "" } else { "," };
        self.push(
            class,
            name,
            &format!(r#"{{"type":"{name}","sequence_number":{sequence}{comma}{rest}"#),
        );
    }

    fn push(&mut self, class: Class, name: &str, data: &str) {
        self.out.json(class, Some(name), data);
        self.sequence += 1;
        if class == Class::Part || class == Class::Delta {
            self.elapsed += Duration::from_millis(self.behaviour.event_delay_ms);
        }
    }

    fn after_first_delta(&mut self) {
        if self.behaviour.unknown_events && self.out.is_at_first_delta() {
            self.emit(
                Class::Part,
                "response.mood.delta",
                &json!({"delta": "fine"}),
            );
        }
    }
}

/// The item as `output_item.added` shows it.
fn opened(made: &MadeItem) -> Value {
    let mut item = made.done.clone();
    if item.get("status").is_some() {
        item["status"] = json!("in_progress");
    }
    for (field, empty) in [
        ("content", json!([])),
        ("summary", json!([])),
        ("arguments", json!("")),
        ("input", json!("")),
    ] {
        if item.get(field).is_some() {
            item[field] = empty;
        }
    }
    if let Some(fields) = item.as_object_mut() {
        fields.remove("action");
    }
    item
}
