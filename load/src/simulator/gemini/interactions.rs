//! `POST /v1beta/interactions`: the interaction and the order of its events.

use std::fmt;
use std::time::SystemTime;

use serde_json::{Value, json};

use super::super::answer::{Answer, Beat};
use super::super::asked::Asked;
use super::super::events::{Class, EventStream};
use super::super::ids;
use super::super::output::{End, Item, Output, Source};
use super::super::pieces::{argument_deltas, quoted};
use super::super::script::{Behaviour, Fault};
use super::steps::{annotations, call, signature, steps, text_part, usage};

const THOUGHT_TOKENS: u64 = 32;

/// The answer to a request that is in order.
pub(in super::super) fn answer(asked: &Asked, behaviour: &Behaviour, output: &Output) -> Answer {
    let stores = asked.body["store"] != json!(false);
    let id = if stores {
        ids::letters("v1_", 60)
    } else {
        String::new()
    };
    let frame = Frame {
        asked,
        behaviour,
        id,
        created: now(),
    };
    let output = thoughtful(output, behaviour);
    if asked.stream() {
        let mut steps = Steps {
            frame,
            out: EventStream::new(behaviour),
            index: 0,
        };
        steps.write(&output);
        return Answer::events(steps.out, Beat::Comment);
    }
    if matches!(behaviour.fault, Some(Fault::First | Fault::BeforeStart)) {
        let fault = super::fault(behaviour);
        return Answer::document(fault.status, super::error_body(&fault).into_bytes());
    }
    Answer::document(200, frame.document(&output).to_string().into_bytes())
}

/// Gemini thinks before every answer, and signs it.
fn thoughtful(output: &Output, behaviour: &Behaviour) -> Output {
    let mut output = output.clone();
    if !output
        .items
        .iter()
        .any(|item| matches!(item, Item::Reasoning { .. }))
    {
        output.items.insert(
            0,
            Item::Reasoning {
                summaries: Vec::new(),
                sealed: false,
            },
        );
        if behaviour.usage.is_none() {
            output.usage.output += THOUGHT_TOKENS;
            output.usage.reasoning += THOUGHT_TOKENS;
        }
    }
    output
}

/// The time as Gemini writes it, to the second.
fn now() -> String {
    // The HTTP date holds the same parts in another order.
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let date = httpdate::fmt_http_date(SystemTime::now());
    let month = MONTHS
        .iter()
        .position(|name| *name == &date[8..11])
        .unwrap_or(0)
        + 1;
    format!(
        "{}-{month:02}-{}T{}Z",
        &date[12..16],
        &date[5..7],
        &date[17..25]
    )
}

/// What all parts of one answer share.
struct Frame<'a> {
    asked: &'a Asked,
    behaviour: &'a Behaviour,
    id: String,
    created: String,
}

impl Frame<'_> {
    fn document(&self, output: &Output) -> Value {
        let mut document = self.finished(output);
        if self.id.is_empty()
            && let Some(fields) = document.as_object_mut()
        {
            fields.remove("id");
        }
        if self.behaviour.fault.is_some() {
            let fault = super::fault(self.behaviour);
            document["status"] = json!("failed");
            document["errors"] = json!([{"code": fault.code, "message": fault.message}]);
        }
        document["steps"] = output.items.iter().flat_map(steps).collect();
        document
    }

    /// The interaction at its end, without its steps.
    fn finished(&self, output: &Output) -> Value {
        let status = match output.end {
            End::TokenLimit => "incomplete",
            End::Filtered => "failed",
            _ if output.calls() => "requires_action",
            _ => "completed",
        };
        let usual_tier = self.asked.tier().unwrap_or("standard");
        let tier = self.behaviour.served_tier.as_deref().unwrap_or(usual_tier);
        let mut interaction = json!({
            "id": self.id, "status": status, "created": self.created, "updated": self.created,
            "service_tier": tier, "object": "interaction", "model": self.asked.model(),
        });
        if !self.behaviour.no_usage {
            interaction["usage"] = usage(output);
        }
        if output.end == End::Filtered {
            interaction["errors"] =
                json!([{"code": "safety", "message": "The output was blocked."}]);
        }
        interaction
    }
}

/// The event stream while it is written.
struct Steps<'a> {
    frame: Frame<'a>,
    out: EventStream,
    /// Index of the step at hand.
    index: usize,
}

impl Steps<'_> {
    fn write(&mut self, output: &Output) {
        let behaviour = self.frame.behaviour;
        if behaviour.fault == Some(Fault::First) {
            return self.fail();
        }
        self.prelude();
        for _ in 0..self.out.beats(behaviour) {
            self.out.comment_beat();
        }
        if behaviour.fault == Some(Fault::BeforeStart) {
            return self.fail();
        }
        output.items.iter().for_each(|item| self.item(item));
        if behaviour.fault == Some(Fault::AfterStart) {
            self.out.keep_first_delta();
            return self.fail();
        }
        let interaction = self.frame.finished(output);
        self.emit(
            Class::Terminal,
            "interaction.completed",
            format_args!(r#""interaction":{interaction}"#),
        );
        self.out.event(Class::Trailer, Some("done"), "[DONE]");
    }

    fn prelude(&mut self) {
        let (id, model) = (self.frame.id.clone(), quoted(self.frame.asked.model()));
        let interaction = format!(
            r#"{{"id":"{id}","status":"in_progress","object":"interaction","model":{model}}}"#
        );
        self.emit(
            Class::Prelude,
            "interaction.created",
            format_args!(r#""interaction":{interaction}"#),
        );
        let update = format_args!(r#""interaction_id":"{id}","status":"in_progress""#);
        self.emit(Class::Prelude, "interaction.status_update", update);
        if self.frame.behaviour.unknown_events {
            self.emit(
                Class::Prelude,
                "interaction.weather_changed",
                format_args!(r#""weather":"rain""#),
            );
        }
    }

    fn fail(&mut self) {
        let fault = super::fault(self.frame.behaviour);
        let error = json!({"code": fault.code, "message": fault.message});
        self.emit(Class::Terminal, "error", format_args!(r#""error":{error}"#));
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Reasoning { summaries, .. } => self.thought(summaries),
            Item::Text { deltas, sources } => self.text(deltas, sources),
            Item::Refusal { deltas } => self.text(deltas, &[]),
            Item::Call {
                name,
                arguments,
                deltas: true,
            } => {
                self.open(&call(name, json!({})));
                argument_deltas(arguments)
                    .iter()
                    .for_each(|piece| self.arguments(piece));
                self.close();
            }
            Item::Call {
                name,
                arguments,
                deltas: false,
            } => {
                self.open(&call(
                    name,
                    serde_json::from_str(arguments).unwrap_or_default(),
                ));
                self.close();
            }
            Item::CustomCall { name, input } => {
                self.open(&call(name, json!({})));
                self.arguments(&json!({ "input": input }).to_string());
                self.close();
            }
            Item::Search { .. } => {
                for step in steps(item) {
                    self.open(&step);
                    self.close();
                }
            }
        }
    }

    fn thought(&mut self, summaries: &[String]) {
        let mut rest = summaries;
        let mut start = json!({"type": "thought"});
        if let ([first, others @ ..], true) = (rest, self.frame.behaviour.prefilled) {
            start = json!({"type": "thought", "signature": "", "summary": [text_part(first)]});
            rest = others;
        }
        self.open(&start);
        for text in rest {
            self.delta(format_args!(
                "{}",
                json!({"type": "thought_summary", "content": text_part(text)})
            ));
        }
        self.delta(format_args!(
            r#"{{"type":"thought_signature","signature":"{}"}}"#,
            signature()
        ));
        self.close();
    }

    fn text(&mut self, pieces: &[String], sources: &[Source]) {
        let mut rest = pieces;
        let mut start = json!({"type": "model_output"});
        if let ([first, others @ ..], true) = (rest, self.frame.behaviour.prefilled) {
            start = json!({"type": "model_output", "content": [text_part(first)]});
            rest = others;
        }
        self.open(&start);
        for piece in rest {
            self.delta(format_args!(
                r#"{{"type":"text","text":{}}}"#,
                quoted(piece)
            ));
        }
        if !sources.is_empty() {
            let annotations = annotations(sources);
            self.delta(format_args!(
                r#"{{"type":"text_annotation_delta","annotations":{annotations}}}"#
            ));
        }
        self.close();
    }

    fn arguments(&mut self, piece: &str) {
        self.delta(format_args!(
            r#"{{"type":"arguments_delta","arguments":{}}}"#,
            quoted(piece)
        ));
    }

    fn open(&mut self, step: &Value) {
        let index = self.index;
        self.emit(
            Class::Part,
            "step.start",
            format_args!(r#""index":{index},"step":{step}"#),
        );
    }

    fn delta(&mut self, delta: fmt::Arguments) {
        let index = self.index;
        self.emit(
            Class::Delta,
            "step.delta",
            format_args!(r#""index":{index},"delta":{delta}"#),
        );
        if self.frame.behaviour.unknown_events && self.out.is_at_first_delta() {
            let unknown =
                format_args!(r#""index":{index},"delta":{{"type":"mood","mood":"fine"}}"#);
            self.emit(Class::Part, "step.delta", unknown);
        }
    }

    fn close(&mut self) {
        let index = self.index;
        self.emit(Class::Part, "step.stop", format_args!(r#""index":{index}"#));
        self.index += 1;
    }

    /// An event from the inside of its JSON object.
    fn emit(&mut self, class: Class, name: &str, fields: fmt::Arguments) {
        self.out.json(
            class,
            Some(name),
            &format!(r#"{{{fields},"event_type":"{name}"}}"#),
        );
    }
}
