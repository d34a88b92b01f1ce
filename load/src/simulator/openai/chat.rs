//! `POST /v1/chat/completions`: the completion and its chunks.

use std::fmt;

use serde_json::{Value, json};

use super::super::answer::{Answer, Beat};
use super::super::asked::Asked;
use super::super::events::{Class, EventStream};
use super::super::ids;
use super::super::output::{End, Item, Output, Source};
use super::super::pieces::{argument_deltas, quoted};
use super::super::script::{Behaviour, Fault};
use super::response_items::annotation;

/// The answer to a request that is in order.
pub(in super::super) fn answer(asked: &Asked, behaviour: &Behaviour, output: &Output) -> Answer {
    let frame = Frame {
        id: ids::letters("chatcmpl-", 29),
        created: ids::unix_now(),
        model: asked.model(),
        tier: super::tiers(asked, behaviour).1,
    };
    if asked.stream() {
        let mut chunks = Chunks::new(&frame, asked, behaviour);
        chunks.write(output);
        return Answer::events(chunks.out, Beat::Comment);
    }
    if behaviour.fault.is_some() {
        let fault = super::fault(behaviour);
        return Answer::document(fault.status, super::error_body(&fault).into_bytes());
    }
    let count = asked.body["n"].as_u64().unwrap_or(1);
    Answer::document(
        200,
        frame
            .document(output, count, behaviour)
            .to_string()
            .into_bytes(),
    )
}

/// What all parts of one answer share.
struct Frame<'a> {
    id: String,
    created: u64,
    model: &'a str,
    tier: &'a str,
}

impl Frame<'_> {
    fn document(&self, output: &Output, count: u64, behaviour: &Behaviour) -> Value {
        let message = message(output);
        let choice = |index| json!({"index": index, "message": message, "finish_reason": finish_reason(output)});
        let choices: Vec<Value> = (0..count).map(choice).collect();
        let mut document = json!({
            "id": self.id, "object": "chat.completion", "created": self.created, "model": self.model,
            "choices": choices, "service_tier": self.tier, "system_fingerprint": null,
        });
        if !behaviour.no_usage {
            document["usage"] = usage(output);
        }
        document
    }

    /// The beginning of every chunk.
    fn chunk(&self) -> String {
        let (id, created, tier) = (&self.id, self.created, quoted(self.tier));
        let model = quoted(self.model);
        format!(
            r#"{{"id":"{id}","object":"chat.completion.chunk","created":{created},"model":{model},"service_tier":{tier},"system_fingerprint":null"#
        )
    }
}

fn message(output: &Output) -> Value {
    let mut message =
        json!({"role": "assistant", "content": null, "refusal": null, "annotations": []});
    let (mut calls, mut annotations) = (Vec::new(), Vec::new());
    for item in &output.items {
        match item {
            Item::Text { deltas, sources } => {
                let text = deltas.concat();
                annotations.extend(nested(&text, sources));
                let before = message["content"].as_str().unwrap_or_default();
                message["content"] = json!(format!("{before}{text}"));
            }
            Item::Refusal { deltas } => message["refusal"] = json!(deltas.concat()),
            Item::Call {
                name, arguments, ..
            } => calls.push(opened_call(name, arguments)),
            Item::CustomCall { name, input } => calls.push(opened_custom(name, input)),
            // Chat has no word for reasoning and searches.
            Item::Reasoning { .. } | Item::Search { .. } => {}
        }
    }
    message["annotations"] = json!(annotations);
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    message
}

fn opened_call(name: &str, arguments: &str) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    json!({"id": ids::letters("call_", 24), "type": "function", "function": function})
}

fn opened_custom(name: &str, input: &str) -> Value {
    json!({"id": ids::letters("call_", 24), "type": "custom", "custom": {"name": name, "input": input}})
}

/// Chat nests what Responses writes flat.
fn nested(text: &str, sources: &[Source]) -> Vec<Value> {
    let nest = |source: &Source| {
        let mut flat = annotation(text, source);
        if let Some(fields) = flat.as_object_mut() {
            fields.remove("type");
        }
        json!({"type": "url_citation", "url_citation": flat})
    };
    sources.iter().map(nest).collect()
}

fn finish_reason(output: &Output) -> &'static str {
    match output.end {
        End::TokenLimit => "length",
        End::Filtered => "content_filter",
        _ if output.calls() => "tool_calls",
        _ => "stop",
    }
}

fn usage(output: &Output) -> Value {
    let usage = &output.usage;
    json!({
        "prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.cache_write,
            "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning, "audio_tokens": 0,
            "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
    })
}

/// The event stream while it is written.
struct Chunks<'a> {
    /// The beginning of every chunk.
    beginning: String,
    out: EventStream,
    behaviour: &'a Behaviour,
    includes_usage: bool,
    obfuscates: bool,
    /// Index of the tool call at hand.
    calls: usize,
    /// The delta that names the role, until it is sent.
    role: Option<Value>,
}

impl<'a> Chunks<'a> {
    fn new(frame: &Frame, asked: &Asked, behaviour: &'a Behaviour) -> Self {
        let options = &asked.body["stream_options"];
        Self {
            beginning: frame.chunk(),
            out: EventStream::new(behaviour),
            behaviour,
            includes_usage: options["include_usage"] == json!(true),
            obfuscates: options["include_obfuscation"] != json!(false),
            calls: 0,
            role: None,
        }
    }

    fn write(&mut self, output: &Output) {
        // Chat says nothing before the answer begins.
        for _ in 0..self.out.beats(self.behaviour) {
            self.out.comment_beat();
        }
        if matches!(
            self.behaviour.fault,
            Some(Fault::First | Fault::BeforeStart)
        ) {
            return self.fail();
        }
        self.role = Some(json!({"role": "assistant", "content": "", "refusal": null}));
        let brings_only_calls = output.calls() && output.deltas() == 0;
        if brings_only_calls {
            self.role = Some(json!({"role": "assistant", "content": null, "refusal": null}));
        }
        let call = |item: &&Item| matches!(item, Item::Call { .. } | Item::CustomCall { .. });
        if !brings_only_calls || output.items.iter().filter(call).count() > 1 {
            self.role();
        }
        for item in &output.items {
            self.item(item);
        }
        if self.behaviour.fault == Some(Fault::AfterStart) {
            self.out.keep_first_delta();
            return self.fail();
        }
        self.role();
        self.chunk(
            Class::Terminal,
            format_args!("{{}}"),
            &quoted(finish_reason(output)),
        );
        if self.includes_usage && !self.behaviour.no_usage {
            self.push(
                Class::Trailer,
                format_args!(r#""choices":[],"usage":{}"#, usage(output)),
            );
        }
        self.out.event(Class::Trailer, None, "[DONE]");
    }

    /// The chunk that names the role, if it is still due.
    fn role(&mut self) {
        if let Some(role) = self.role.take() {
            self.delta(Class::Part, &role);
        }
    }

    fn fail(&mut self) {
        let body = super::error_body(&super::fault(self.behaviour));
        self.out.json(Class::Terminal, None, &body);
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Text { deltas, sources } => {
                self.text("content", deltas);
                if !sources.is_empty() {
                    let annotations = nested(&deltas.concat(), sources);
                    self.delta(Class::Delta, &json!({ "annotations": annotations }));
                }
            }
            Item::Refusal { deltas } => {
                self.text("refusal", deltas);
            }
            Item::Call {
                name,
                arguments,
                deltas,
            } => {
                let pieces = if *deltas {
                    argument_deltas(arguments)
                } else {
                    Vec::new()
                };
                let opening = if *deltas { "" } else { arguments };
                self.call(opened_call(name, opening), "function", "arguments", &pieces);
            }
            Item::CustomCall { name, input } => {
                self.call(
                    opened_custom(name, ""),
                    "custom",
                    "input",
                    &argument_deltas(input),
                );
            }
            Item::Reasoning { .. } | Item::Search { .. } => {}
        }
    }

    fn call(&mut self, mut opening: Value, kind: &str, field: &str, pieces: &[&str]) {
        let index = self.calls;
        self.calls += 1;
        opening["index"] = json!(index);
        // A call that stands alone opens in the chunk that names the role.
        let mut delta = self.role.take().unwrap_or(json!({}));
        delta["tool_calls"] = json!([opening]);
        self.delta(Class::Part, &delta);
        for piece in pieces {
            self.delta(
                Class::Delta,
                &json!({"tool_calls": [{"index": index, kind: {field: piece}}]}),
            );
        }
    }

    /// The chunks that there are most of, written without a detour.
    fn text(&mut self, field: &str, deltas: &[String]) {
        for delta in deltas {
            let text = quoted(delta);
            self.chunk(
                Class::Delta,
                format_args!(r#"{{"{field}":{text}}}"#),
                "null",
            );
        }
    }

    fn delta(&mut self, class: Class, delta: &Value) {
        self.chunk(class, format_args!("{delta}"), "null");
    }

    fn chunk(&mut self, class: Class, delta: fmt::Arguments, finish_reason: &str) {
        let usage = if self.includes_usage {
            r#","usage":null"#
        } else {
            ""
        };
        let choice =
            format_args!(r#"{{"index":0,"delta":{delta},"finish_reason":{finish_reason}}}"#);
        self.push(class, format_args!(r#""choices":[{choice}]{usage}"#));
    }

    fn push(&mut self, class: Class, fields: fmt::Arguments) {
        let mut chunk = format!("{},{fields}", self.beginning);
        if self.obfuscates {
            chunk.push_str(r#","obfuscation":""#);
            chunk.push_str(&ids::obfuscation());
            chunk.push('"');
        }
        chunk.push('}');
        if self.behaviour.unknown_events && self.out.is_at_first_delta() {
            self.out.json(
                Class::Part,
                Some("weather_changed"),
                r#"{"object":"weather","choices":[]}"#,
            );
        }
        self.out.json(class, None, &chunk);
    }
}
