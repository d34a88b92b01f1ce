//! `POST /v1/responses`: the order of its events.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::answer::{Answer, Beat};
use super::super::asked::Asked;
use super::super::events::{Class, EventStream};
use super::super::ids::{self, ResponseIds};
use super::super::output::{Item, Output, Source};
use super::super::pieces::{argument_deltas, quoted};
use super::super::script::{Behaviour, Fault};
use super::response_items::{MadeItem, annotation, make, summary_part, text_part};
use super::response_object::{Frame, Response};

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
        return Answer::document(200, frame.document(&ids, output, behaviour));
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
        if self.behaviour.fault == Some(Fault::First) {
            return self.fail();
        }
        self.lifecycle("response.created");
        self.lifecycle("response.in_progress");
        if self.behaviour.unknown_events {
            self.write_event(
                Class::Prelude,
                "response.weather_changed",
                format_args!(r#""weather":"rain""#),
            );
        }
        for _ in 0..self.out.beats(self.behaviour) {
            self.keepalive();
        }
        if self.behaviour.fault == Some(Fault::BeforeStart) {
            return self.fail();
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
            return self.fail();
        }
        let response = self.frame.finished(output, &done, self.behaviour);
        let name = if response.status == "completed" {
            "response.completed"
        } else {
            "response.incomplete"
        };
        let response = text_of(&response);
        self.write_event(
            Class::Terminal,
            name,
            format_args!(r#""response":{response}"#),
        );
    }

    fn lifecycle(&mut self, name: &str) {
        let response = text_of(&self.frame.response("in_progress", self.frame.early, &[]));
        self.write_event(
            Class::Prelude,
            name,
            format_args!(r#""response":{response}"#),
        );
    }

    fn fail(&mut self) {
        let fault = super::fault(self.behaviour);
        let error = json!({"type": fault.kind, "code": fault.code, "message": fault.message, "param": null});
        self.write_event(Class::Terminal, "error", format_args!(r#""error":{error}"#));
        if !self.behaviour.fault_bare {
            let response = text_of(&self.frame.failed(&fault));
            self.write_event(
                Class::Trailer,
                "response.failed",
                format_args!(r#""response":{response}"#),
            );
        }
    }

    fn item(&mut self, made: &MadeItem) {
        if !self.behaviour.no_item_added {
            let item = &made.opened;
            self.write_at(
                Class::Part,
                "response.output_item.added",
                format_args!(r#""item":{item}"#),
            );
        }
        match made.item {
            Item::Text { deltas, sources } => self.text(made, deltas, sources),
            Item::Refusal { deltas } => self.refusal(made, deltas),
            Item::Reasoning { summaries, .. } => self.reasoning(made, summaries),
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
        let item = &made.done;
        self.write_at(
            Class::Part,
            "response.output_item.done",
            format_args!(r#""item":{item}"#),
        );
    }

    fn text(&mut self, made: &MadeItem, deltas: &[String], sources: &[Source]) {
        let id = &made.id;
        let part = text_part("", &[]);
        let fields = format_args!(r#""item_id":"{id}","content_index":0,"part":{part}"#);
        self.write_at(Class::Part, "response.content_part.added", fields);
        for delta in deltas {
            self.text_delta(id, delta);
        }
        let whole = deltas.concat();
        for (number, source) in sources.iter().enumerate() {
            let annotation = annotation(&whole, source);
            let fields = format_args!(
                r#""item_id":"{id}","content_index":0,"annotation_index":{number},"annotation":{annotation}"#
            );
            self.write_at(Class::Part, "response.output_text.annotation.added", fields);
        }
        let (text, part) = (quoted(&whole), text_part(&whole, sources));
        let fields =
            format_args!(r#""item_id":"{id}","content_index":0,"logprobs":[],"text":{text}"#);
        self.write_at(Class::Part, "response.output_text.done", fields);
        let fields = format_args!(r#""item_id":"{id}","content_index":0,"part":{part}"#);
        self.write_at(Class::Part, "response.content_part.done", fields);
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

    fn text_delta(&mut self, item: &str, delta: &str) {
        let (text, padding) = (quoted(delta), self.padding());
        let fields = format_args!(
            r#""item_id":"{item}","content_index":0,"delta":{text},"logprobs":[]{padding}"#
        );
        self.write_at(Class::Delta, "response.output_text.delta", fields);
    }

    /// The field `obfuscation` behind a comma, if it is wanted.
    fn padding(&self) -> String {
        if !self.obfuscates {
            return String::new();
        }
        format!(r#","obfuscation":"{}""#, ids::obfuscation())
    }

    /// An event that belongs to the item at hand.
    fn emit_at(&mut self, class: Class, name: &str, fields: Value) {
        let fields = fields.to_string();
        self.write_at(
            class,
            name,
            format_args!("{}", &fields[1..fields.len() - 1]),
        );
    }

    /// The same from the inside of its JSON object.
    fn write_at(&mut self, class: Class, name: &str, fields: fmt::Arguments) {
        let index = self.index;
        self.write_event(
            class,
            name,
            format_args!(r#""output_index":{index},{fields}"#),
        );
        if class == Class::Delta && self.behaviour.unknown_events && self.out.is_at_first_delta() {
            self.write_event(
                Class::Part,
                "response.mood.delta",
                format_args!(r#""delta":"fine""#),
            );
        }
    }

    fn keepalive(&mut self) {
        let sequence = self.sequence;
        let data = format!(r#"{{"type":"keepalive","sequence_number":{sequence}}}"#);
        self.push(Class::Beat, "keepalive", &data);
    }

    fn write_event(&mut self, class: Class, name: &str, fields: fmt::Arguments) {
        let sequence = self.sequence;
        self.push(
            class,
            name,
            &format!(r#"{{"type":"{name}","sequence_number":{sequence},{fields}}}"#),
        );
    }

    fn push(&mut self, class: Class, name: &str, data: &str) {
        self.out.json(class, Some(name), data);
        self.sequence += 1;
        if class == Class::Part || class == Class::Delta {
            self.elapsed += Duration::from_millis(self.behaviour.event_delay_ms);
        }
    }
}

fn text_of(response: &Response) -> String {
    serde_json::to_string(response).expect("a response is plain data")
}
