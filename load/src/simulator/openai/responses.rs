//! `POST /v1/responses`: the response object and the order of its events.

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::super::answer::{Answer, Beat, Refusal};
use super::super::asked::Asked;
use super::super::events::{Class, EventStream};
use super::super::ids::{self, ResponseIds};
use super::super::output::{End, Item, Output, Source, argument_deltas};
use super::super::script::{Behaviour, Fault};
use super::response_items::{MadeItem, annotation, make, summary_part, text_part};

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

/// What all response objects of one answer share.
struct Frame<'a> {
    asked: &'a Asked,
    id: String,
    created: u64,
    early: &'a str,
    served: &'a str,
}

/// A response object; the request's own fields are told back.
#[derive(Serialize)]
struct Response<'a> {
    id: &'a str,
    object: &'static str,
    created_at: u64,
    status: &'static str,
    background: bool,
    #[serde(skip_serializing_if = "Value::is_null")]
    billing: Value,
    completed_at: Option<u64>,
    error: Value,
    frequency_penalty: f64,
    incomplete_details: Value,
    instructions: &'a Value,
    max_output_tokens: &'a Value,
    max_tool_calls: &'a Value,
    metadata: Value,
    model: &'a str,
    output: &'a [Value],
    parallel_tool_calls: bool,
    presence_penalty: f64,
    previous_response_id: &'a Value,
    prompt_cache_key: &'a Value,
    prompt_cache_retention: &'static str,
    reasoning: Value,
    safety_identifier: &'a Value,
    service_tier: &'a str,
    store: bool,
    temperature: f64,
    text: Value,
    tool_choice: Value,
    tools: &'a Value,
    tool_usage: Value,
    top_logprobs: u64,
    top_p: f64,
    truncation: &'a str,
    usage: Value,
    user: &'a Value,
}

impl Frame<'_> {
    fn response<'a>(
        &'a self,
        status: &'static str,
        tier: &'a str,
        output: &'a [Value],
    ) -> Response<'a> {
        const NO_TOOLS: &Value = &Value::Array(Vec::new());
        let body = &self.asked.body;
        let or = |field: &str, usual: Value| {
            if body[field].is_null() {
                usual
            } else {
                body[field].clone()
            }
        };
        Response {
            id: &self.id,
            object: "response",
            created_at: self.created,
            status,
            background: false,
            billing: Value::Null,
            completed_at: None,
            error: Value::Null,
            frequency_penalty: 0.0,
            incomplete_details: Value::Null,
            instructions: &body["instructions"],
            max_output_tokens: &body["max_output_tokens"],
            max_tool_calls: &body["max_tool_calls"],
            metadata: or("metadata", json!({})),
            model: self.asked.model(),
            output,
            parallel_tool_calls: body["parallel_tool_calls"].as_bool().unwrap_or(true),
            presence_penalty: 0.0,
            previous_response_id: &body["previous_response_id"],
            prompt_cache_key: &body["prompt_cache_key"],
            prompt_cache_retention: "24h",
            reasoning: reasoning(&body["reasoning"]),
            safety_identifier: &body["safety_identifier"],
            service_tier: tier,
            store: body["store"].as_bool().unwrap_or(true),
            temperature: body["temperature"].as_f64().unwrap_or(1.0),
            text: text(&body["text"]),
            tool_choice: or("tool_choice", json!("auto")),
            tools: if body["tools"].is_array() {
                &body["tools"]
            } else {
                NO_TOOLS
            },
            tool_usage: json!({"web_search": {"num_requests": 0}}),
            top_logprobs: body["top_logprobs"].as_u64().unwrap_or(0),
            top_p: body["top_p"].as_f64().unwrap_or(1.0),
            truncation: body["truncation"].as_str().unwrap_or("disabled"),
            usage: Value::Null,
            user: &body["user"],
        }
    }

    /// The response as it stands at the end.
    fn finished<'a>(
        &'a self,
        output: &Output,
        items: &'a [Value],
        behaviour: &Behaviour,
    ) -> Response<'a> {
        let (status, reason) = match output.end {
            End::TokenLimit => ("incomplete", json!({"reason": "max_output_tokens"})),
            End::Filtered => ("incomplete", json!({"reason": "content_filter"})),
            End::Complete | End::Refused => ("completed", Value::Null),
        };
        let mut response = self.response(status, self.served, items);
        response.incomplete_details = reason;
        response.billing = json!({"payer": "developer"});
        if status == "completed" {
            response.completed_at = Some(ids::unix_now());
        }
        if !behaviour.no_usage {
            response.usage = usage(output);
        }
        let searches = output
            .items
            .iter()
            .filter(|item| matches!(item, Item::Search { .. }))
            .count();
        response.tool_usage["web_search"]["num_requests"] = json!(searches);
        response
    }

    fn document(&self, ids: &ResponseIds, output: &Output, behaviour: &Behaviour) -> Value {
        if behaviour.fault.is_some() {
            return serde_json::to_value(self.failed(&super::fault(behaviour), &[]))
                .expect("plain data");
        }
        let made: Vec<Value> = output
            .items
            .iter()
            .map(|item| make(item, ids, Duration::ZERO, output.end).done)
            .collect();
        serde_json::to_value(self.finished(output, &made, behaviour)).expect("plain data")
    }

    fn failed<'a>(&'a self, fault: &Refusal, items: &'a [Value]) -> Response<'a> {
        let mut response = self.response("failed", self.early, items);
        response.error = json!({"code": fault.code, "message": fault.message});
        response
    }
}

fn reasoning(asked: &Value) -> Value {
    let effort = if asked["effort"].is_null() {
        json!("medium")
    } else {
        asked["effort"].clone()
    };
    json!({"context": "all_turns", "effort": effort, "mode": "standard", "summary": asked["summary"]})
}

fn text(asked: &Value) -> Value {
    let format = if asked["format"].is_null() {
        json!({"type": "text"})
    } else {
        asked["format"].clone()
    };
    let verbosity = if asked["verbosity"].is_null() {
        json!("medium")
    } else {
        asked["verbosity"].clone()
    };
    json!({"format": format, "verbosity": verbosity})
}

fn usage(output: &Output) -> Value {
    let usage = &output.usage;
    json!({
        "input_tokens": usage.input,
        "input_tokens_details": {"cache_write_tokens": usage.cache_write, "cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    })
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
