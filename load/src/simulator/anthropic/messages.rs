//! `POST /v1/messages`: the message and the order of its events.

use std::fmt;

use serde_json::{Value, json};

use super::super::answer::{Answer, Beat};
use super::super::asked::Asked;
use super::super::events::{Class, EventStream};
use super::super::ids;
use super::super::output::{End, Output};
use super::super::script::{Behaviour, Fault};
use super::blocks::{self, Block};

/// The answer to a request that is in order.
pub(in super::super) fn answer(asked: &Asked, behaviour: &Behaviour, output: &Output) -> Answer {
    let frame = Frame {
        asked,
        behaviour,
        id: ids::letters("msg_01", 22),
    };
    if asked.stream() {
        let mut blocks = Blocks {
            frame,
            out: EventStream::new(behaviour),
            index: 0,
        };
        blocks.write(output);
        return Answer::events(blocks.out, Beat::Ping);
    }
    if behaviour.fault.is_some() {
        let fault = super::fault(behaviour);
        return Answer::document(fault.status, super::error_body(&fault).into_bytes());
    }
    Answer::document(200, frame.document(output).to_string().into_bytes())
}

/// What all parts of one answer share.
struct Frame<'a> {
    asked: &'a Asked,
    behaviour: &'a Behaviour,
    id: String,
}

impl Frame<'_> {
    fn message(&self) -> Value {
        json!({"model": self.asked.model(), "id": self.id, "type": "message", "role": "assistant", "content": [],
            "stop_reason": null, "stop_sequence": null})
    }

    fn document(&self, output: &Output) -> Value {
        let mut message = self.message();
        let blocks: Vec<Block> = output.items.iter().flat_map(blocks::of_item).collect();
        message["content"] = blocks.into_iter().map(|block| block.whole).collect();
        message["stop_reason"] = json!(stop_reason(output));
        message["stop_details"] = stop_details(output);
        if !self.behaviour.no_usage {
            message["usage"] = self.usage(output, output.usage.output);
            message["usage"]["output_tokens_details"] =
                json!({"thinking_tokens": output.usage.reasoning});
        }
        message
    }

    /// Input leaves out what the cache gave and took.
    fn usage(&self, output: &Output, output_tokens: u64) -> Value {
        let usage = &output.usage;
        json!({
            "input_tokens": usage.input.saturating_sub(usage.cached + usage.cache_write),
            "cache_creation_input_tokens": usage.cache_write, "cache_read_input_tokens": usage.cached,
            "cache_creation": {"ephemeral_5m_input_tokens": usage.cache_write, "ephemeral_1h_input_tokens": 0},
            "output_tokens": output_tokens,
            "service_tier": self.behaviour.served_tier.as_deref().unwrap_or("standard"),
            "inference_geo": "not_available",
        })
    }
}

fn stop_reason(output: &Output) -> &'static str {
    match output.end {
        End::TokenLimit => "max_tokens",
        End::Filtered | End::Refused => "refusal",
        End::Complete if output.calls() => "tool_use",
        End::Complete => "end_turn",
    }
}

fn stop_details(output: &Output) -> Value {
    match output.end {
        End::Filtered | End::Refused => {
            json!({"type": "refusal", "category": "cyber", "explanation": "This request was blocked."})
        }
        _ => Value::Null,
    }
}

/// The event stream while it is written.
struct Blocks<'a> {
    frame: Frame<'a>,
    out: EventStream,
    /// Index of the block at hand.
    index: usize,
}

impl Blocks<'_> {
    fn write(&mut self, output: &Output) {
        if self.frame.behaviour.fault == Some(Fault::First) {
            return self.fail();
        }
        // Nothing comes before the start; a wait is filled by pings only after it.
        self.start(output, Class::Prelude);
        for _ in 0..self.out.beats(self.frame.behaviour) {
            self.bare(Class::Beat, "ping");
        }
        if self.frame.behaviour.fault == Some(Fault::BeforeStart) {
            return self.fail();
        }
        let blocks: Vec<Block> = output.items.iter().flat_map(blocks::of_item).collect();
        if blocks.is_empty() {
            self.bare(Class::Part, "ping");
        }
        blocks
            .into_iter()
            .for_each(|block| self.block(block, output));
        if self.frame.behaviour.fault == Some(Fault::AfterStart) {
            self.out.keep_first_delta();
            return self.fail();
        }
        self.end(output);
    }

    fn start(&mut self, output: &Output, class: Class) {
        let mut message = self.frame.message();
        if !self.frame.behaviour.no_usage {
            message["usage"] = self.frame.usage(output, 1);
        }
        self.emit(
            class,
            "message_start",
            format_args!(r#""message":{message}"#),
        );
    }

    fn block(&mut self, block: Block, output: &Output) {
        let (index, opened) = (self.index, &block.opened);
        let start = format_args!(r#""index":{index},"content_block":{opened}"#);
        self.emit(Class::Part, "content_block_start", start);
        if index == 0 {
            self.bare(Class::Part, "ping");
        }
        for delta in &block.deltas {
            let fields = format_args!(r#""index":{index},"delta":{delta}"#);
            self.emit(Class::Delta, "content_block_delta", fields);
            if self.out.is_at_first_delta() {
                self.interrupt(output);
            }
        }
        self.emit(
            Class::Part,
            "content_block_stop",
            format_args!(r#""index":{index}"#),
        );
        self.index += 1;
    }

    /// What is scripted for the middle of the answer.
    fn interrupt(&mut self, output: &Output) {
        if self.frame.behaviour.unknown_events {
            self.emit(
                Class::Part,
                "weather_changed",
                format_args!(r#""weather":"rain""#),
            );
        }
        if self.frame.behaviour.second_message_start {
            self.start(output, Class::Part);
        }
    }

    fn end(&mut self, output: &Output) {
        let usage = &output.usage;
        let mut delta = json!({"stop_reason": stop_reason(output), "stop_sequence": null});
        if !stop_details(output).is_null() {
            delta["stop_details"] = stop_details(output);
        }
        let mut fields = format!(r#""delta":{delta}"#);
        if !self.frame.behaviour.no_usage {
            let input = usage.input.saturating_sub(usage.cached + usage.cache_write);
            let told = json!({
                "input_tokens": self.frame.behaviour.restated_input.unwrap_or(input),
                "cache_creation_input_tokens": usage.cache_write, "cache_read_input_tokens": usage.cached,
                "output_tokens": usage.output, "output_tokens_details": {"thinking_tokens": usage.reasoning},
            });
            fields.push_str(&format!(r#","usage":{told}"#));
        }
        self.emit(Class::Part, "message_delta", format_args!("{fields}"));
        self.bare(Class::Terminal, "message_stop");
    }

    fn fail(&mut self) {
        let fault = super::fault(self.frame.behaviour);
        let error = json!({"type": fault.kind, "message": fault.message});
        self.emit(Class::Terminal, "error", format_args!(r#""error":{error}"#));
    }

    /// An event of its type alone.
    fn bare(&mut self, class: Class, name: &str) {
        self.out
            .json(class, Some(name), &format!(r#"{{"type":"{name}"}}"#));
    }

    /// An event from the inside of its JSON object.
    fn emit(&mut self, class: Class, name: &str, fields: fmt::Arguments) {
        self.out.json(
            class,
            Some(name),
            &format!(r#"{{"type":"{name}",{fields}}}"#),
        );
    }
}
