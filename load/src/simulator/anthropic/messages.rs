//! `POST /v1/messages`: the message and the order of its events.

use serde_json::{Value, json};

use super::super::answer::{Answer, Beat};
use super::super::asked::Asked;
use super::super::events::{Class, EventStream};
use super::super::ids;
use super::super::output::{End, Item, Output, Source};
use super::super::pieces::argument_deltas;
use super::super::script::{Behaviour, Fault};

/// How every signature of the simulator begins, so that a foreign one can be told.
pub(super) const SIGNED_BY_US: &str = "EqSim";

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
        let blocks: Vec<Block> = output.items.iter().flat_map(blocks).collect();
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

/// A block whole, as it opens, and the deltas between.
struct Block {
    whole: Value,
    opened: Value,
    deltas: Vec<Value>,
}

/// The blocks of an item; a refusal has none.
fn blocks(item: &Item) -> Vec<Block> {
    match item {
        Item::Text { deltas, sources } => vec![text_block(deltas, sources)],
        Item::Refusal { .. } => Vec::new(),
        Item::Reasoning { summaries } => vec![thinking_block(summaries)],
        Item::Call {
            name,
            arguments,
            deltas,
        } => {
            let input: Value = serde_json::from_str(arguments).unwrap_or_default();
            vec![tool_block(name, input, *deltas)]
        }
        Item::CustomCall { name, input } => vec![tool_block(name, json!({ "input": input }), true)],
        Item::Search { query } => search_blocks(query),
    }
}

fn text_block(pieces: &[String], sources: &[Source]) -> Block {
    let text = pieces.concat();
    let mut whole = json!({"type": "text", "text": text});
    let mut opened = json!({"type": "text", "text": ""});
    let mut deltas = Vec::with_capacity(pieces.len() + sources.len());
    if !sources.is_empty() {
        let citations: Vec<Value> = sources
            .iter()
            .map(|source| citation(&text, source))
            .collect();
        deltas.extend(
            citations
                .iter()
                .map(|citation| json!({"type": "citations_delta", "citation": citation})),
        );
        whole["citations"] = json!(citations);
        opened["citations"] = json!([]);
    }
    deltas.extend(
        pieces
            .iter()
            .map(|piece| json!({"type": "text_delta", "text": piece})),
    );
    Block {
        whole,
        opened,
        deltas,
    }
}

fn citation(text: &str, source: &Source) -> Value {
    json!({"type": "web_search_result_location", "url": source.url, "title": source.title,
        "cited_text": text[source.start..source.end], "encrypted_index": ids::letters("Eo8B", 24)})
}

fn thinking_block(summaries: &[String]) -> Block {
    let text = summaries.join("\n\n");
    let signature = ids::letters(SIGNED_BY_US, 96);
    let mut deltas = Vec::new();
    if !text.is_empty() {
        let thinking = |piece: &&str| json!({"type": "thinking_delta", "thinking": piece});
        deltas.extend(argument_deltas(&text).iter().map(thinking));
    }
    deltas.push(json!({"type": "signature_delta", "signature": signature}));
    Block {
        whole: json!({"type": "thinking", "thinking": text, "signature": signature}),
        opened: json!({"type": "thinking", "thinking": "", "signature": ""}),
        deltas,
    }
}

fn tool_block(name: &str, input: Value, has_deltas: bool) -> Block {
    let id = ids::letters("toolu_01", 22);
    // The first delta is empty, and the only one of a call without arguments.
    let mut deltas = vec![json!({"type": "input_json_delta", "partial_json": ""})];
    let arguments = input.to_string();
    if has_deltas && input != json!({}) {
        let piece = |piece: &&str| json!({"type": "input_json_delta", "partial_json": piece});
        deltas.extend(argument_deltas(&arguments).iter().map(piece));
    } else if input != json!({}) {
        deltas.push(json!({"type": "input_json_delta", "partial_json": arguments}));
    }
    Block {
        whole: json!({"type": "tool_use", "id": id, "name": name, "input": input}),
        opened: json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
        deltas,
    }
}

fn search_blocks(query: &str) -> Vec<Block> {
    let id = ids::letters("srvtoolu_01", 22);
    let input = json!({ "query": query });
    let found = json!([{"type": "web_search_result", "url": "https://example.com/1", "title": "Example 1",
        "page_age": null, "encrypted_content": ids::letters("Eqgf", 40)}]);
    let result = json!({"type": "web_search_tool_result", "tool_use_id": id, "content": found});
    let call = Block {
        whole: json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": input}),
        opened: json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}),
        deltas: vec![json!({"type": "input_json_delta", "partial_json": input.to_string()})],
    };
    vec![
        call,
        Block {
            whole: result.clone(),
            opened: result,
            deltas: Vec::new(),
        },
    ]
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
        // Nothing comes before the start; a wait is filled by pings only after it.
        self.start(output, Class::Prelude);
        for _ in 0..self.out.beats(self.frame.behaviour) {
            self.emit(Class::Beat, "ping", &json!({}));
        }
        if self.frame.behaviour.fault == Some(Fault::BeforeStart) {
            return self.fail();
        }
        let blocks: Vec<Block> = output.items.iter().flat_map(blocks).collect();
        if blocks.is_empty() {
            self.emit(Class::Part, "ping", &json!({}));
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
        self.emit(class, "message_start", &json!({ "message": message }));
    }

    fn block(&mut self, block: Block, output: &Output) {
        let index = self.index;
        let start = json!({"index": index, "content_block": block.opened});
        self.emit(Class::Part, "content_block_start", &start);
        if index == 0 {
            self.emit(Class::Part, "ping", &json!({}));
        }
        for delta in block.deltas {
            self.emit(
                Class::Delta,
                "content_block_delta",
                &json!({"index": index, "delta": delta}),
            );
            if self.out.is_at_first_delta() {
                self.interrupt(output);
            }
        }
        self.emit(Class::Part, "content_block_stop", &json!({"index": index}));
        self.index += 1;
    }

    /// What is scripted for the middle of the answer.
    fn interrupt(&mut self, output: &Output) {
        if self.frame.behaviour.unknown_events {
            self.emit(Class::Part, "weather_changed", &json!({"weather": "rain"}));
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
        let mut fields = json!({ "delta": delta });
        if !self.frame.behaviour.no_usage {
            let input = usage.input.saturating_sub(usage.cached + usage.cache_write);
            fields["usage"] = json!({
                "input_tokens": self.frame.behaviour.restated_input.unwrap_or(input),
                "cache_creation_input_tokens": usage.cache_write, "cache_read_input_tokens": usage.cached,
                "output_tokens": usage.output, "output_tokens_details": {"thinking_tokens": usage.reasoning},
            });
        }
        self.emit(Class::Part, "message_delta", &fields);
        self.emit(Class::Terminal, "message_stop", &json!({}));
    }

    fn fail(&mut self) {
        let fault = super::fault(self.frame.behaviour);
        let error = json!({"type": fault.kind, "message": fault.message});
        self.emit(Class::Terminal, "error", &json!({ "error": error }));
    }

    fn emit(&mut self, class: Class, name: &str, fields: &Value) {
        let fields = fields.to_string();
        let comma = if fields == "{}" { "" } else { "," };
        self.out.json(
            class,
            Some(name),
            &format!(r#"{{"type":"{name}"{comma}{}"#, &fields[1..]),
        );
    }
}
