//! Whatever a caller sends and whatever a provider answers: a refusal, no answer or a strange one, but never a panic,
//! and never more than what came in accounts for. Every value of rich requests, answers and events is replaced by one
//! of every other type, and left out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use bytes::Bytes;
use serde_json::{Value, json};

use super::given;
use crate::catalogue::{BUILT_IN, Catalogue};
use crate::envelope::Envelope;
use crate::translate::{Translation, read};
use crate::vocabulary::CallerSurface::{self, Chat, Interactions, Messages, Responses};
use crate::vocabulary::ProviderSurface::{
    self, AnthropicMessages, GeminiInteractions, OpenaiResponses,
};

/// The document with one value replaced or left out, for every value in it.
fn mutations(document: &Value) -> Vec<Value> {
    let mut paths = Vec::new();
    walk(document, String::new(), &mut paths);
    let strange = [
        Value::Null,
        json!(true),
        json!(-1.5e300),
        json!(u64::MAX),
        json!("\u{1F600}~gemini:"),
        json!([]),
        json!({}),
        json!([null, {"type": []}]),
    ];
    let mut all = Vec::new();
    for path in &paths {
        for value in &strange {
            let mut mutated = document.clone();
            *mutated.pointer_mut(path).unwrap() = value.clone();
            all.push(mutated);
        }
        let (parent, name) = path.rsplit_once('/').unwrap_or_default();
        let mut mutated = document.clone();
        if let Some(object) = mutated.pointer_mut(parent).and_then(Value::as_object_mut) {
            object.remove(name);
            all.push(mutated);
        }
    }
    all
}

fn walk(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            for (number, inner) in list.iter().enumerate() {
                walk(inner, format!("{path}/{number}"), paths);
            }
        }
        Value::Object(fields) => {
            for (name, inner) in fields {
                walk(inner, format!("{path}/{name}"), paths);
            }
        }
        _ => {}
    }
    if !path.is_empty() {
        paths.push(path);
    }
}

fn request(caller: CallerSurface) -> Value {
    let image = "data:image/png;base64,AAAA";
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    match caller {
        Responses => json!({
            "instructions": "i", "max_output_tokens": 20, "temperature": 1, "store": false, "metadata": {"a": "b"},
            "reasoning": {"effort": "low", "summary": "auto"}, "parallel_tool_calls": true,
            "text": {"format": {"type": "json_schema", "name": "n", "schema": schema}},
            "tools": [{"type": "function", "name": "f", "parameters": schema}, {"type": "custom", "name": "g"}],
            "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]},
            "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "t"}, {"type": "input_image", "image_url": image}]},
                {"type": "reasoning", "id": "rs_1", "encrypted_content": "gemini:s", "summary": [{"type": "summary_text", "text": "t"}]},
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "r"}]},
                {"type": "custom_tool_call", "call_id": "d", "name": "g", "input": "x"},
                {"type": "custom_tool_call_output", "call_id": "d", "output": "r"},
            ],
        }),
        Chat => json!({
            "max_completion_tokens": 20, "reasoning_effort": "low", "stop": ["x"], "user": "u",
            "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}},
            "tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}],
            "tool_choice": {"type": "function", "function": {"name": "f"}},
            "stream_options": {"include_usage": true},
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": [{"type": "text", "text": "t"}, {"type": "image_url", "image_url": {"url": image}}]},
                {"role": "assistant", "content": "a", "tool_calls": [
                    {"id": "c~gemini:s", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                ]},
                {"role": "tool", "tool_call_id": "c~gemini:s", "content": "r"},
            ],
        }),
        Interactions => json!({
            "system_instruction": "s", "store": false, "labels": {"a": "b"},
            "generation_config": {"max_output_tokens": 20, "thinking_level": "low", "thinking_summaries": "auto",
                "tool_choice": {"allowed_tools": {"mode": "any", "tools": ["f"]}}},
            "response_format": [{"type": "text", "mime_type": "application/json", "schema": schema}],
            "tools": [{"type": "function", "name": "f", "parameters": schema}],
            "input": [
                {"type": "user_input", "content": [{"type": "text", "text": "t"}, {"type": "image", "mime_type": "image/png", "data": "AAAA"}]},
                {"type": "thought", "signature": "openai:rs_1:g", "summary": [{"type": "text", "text": "t"}]},
                {"type": "function_call", "id": "c", "name": "f", "arguments": {}},
                {"type": "function_result", "call_id": "c", "name": "f", "result": [{"type": "text", "text": "r"}]},
            ],
        }),
        Messages => json!({
            "max_tokens": 20, "system": [{"type": "text", "text": "s"}], "metadata": {"user_id": "u"},
            "thinking": {"type": "enabled", "budget_tokens": 2000}, "stop_sequences": [],
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": schema}},
            "tools": [{"name": "f", "input_schema": schema, "strict": true}],
            "tool_choice": {"type": "tool", "name": "f"},
            "messages": [
                {"role": "user", "content": [
                    {"type": "text", "text": "t"},
                    {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
                ]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "t", "signature": "openai:rs_1:g"},
                    {"type": "tool_use", "id": "c", "name": "f", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "r"}]},
                ]},
            ],
        }),
    }
}

fn model_of(provider: ProviderSurface) -> &'static str {
    match provider {
        GeminiInteractions => "gemini-3.8-flash",
        AnthropicMessages => "claude-opus-5",
        _ => "gpt-6.2-sol",
    }
}

/// The translation of a request, if it is one.
fn translation(
    caller: CallerSurface,
    provider: ProviderSurface,
    fields: &Value,
) -> Option<Translation> {
    let mut body = fields.clone();
    body["model"] = json!(model_of(provider));
    body["start_within"] = json!("default");
    let bytes = Bytes::from(body.to_string());
    let envelope = Envelope::parse(bytes.clone(), caller, None).ok()?;
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::parse(BUILT_IN).unwrap());
    let model = CATALOGUE.get(model_of(provider));
    let (request, translation) = read(&envelope, provider, model, given()).ok()?;
    let written = serde_json::to_vec(&request).unwrap();
    assert!(written.len() < 2 * bytes.len() + 1000, "{}", written.len());
    Some(translation)
}

fn pairs() -> impl Iterator<Item = (CallerSurface, ProviderSurface)> {
    let callers = [Responses, Chat, Interactions, Messages];
    let providers = [OpenaiResponses, GeminiInteractions, AnthropicMessages];
    let all = callers
        .into_iter()
        .flat_map(move |caller| providers.map(|provider| (caller, provider)));
    all.filter(|pair| {
        !matches!(
            pair,
            (Responses, OpenaiResponses)
                | (Interactions, GeminiInteractions)
                | (Messages, AnthropicMessages)
        )
    })
}

/// Runs something that must not panic; says with what it did.
fn unharmed(what: &Value, run: impl FnOnce()) {
    let outcome = catch_unwind(AssertUnwindSafe(run));
    assert!(outcome.is_ok(), "a panic at {what}");
}

#[test]
fn no_request_makes_a_reader_panic() {
    for (caller, provider) in pairs() {
        let request = request(caller);
        assert!(translation(caller, provider, &request).is_some() || caller == Chat);
        for mutated in mutations(&request) {
            unharmed(&mutated, || {
                translation(caller, provider, &mutated);
            });
        }
    }
}

fn document(provider: ProviderSurface) -> Value {
    match provider {
        GeminiInteractions => json!({
            "id": "v1_1", "model": "m", "status": "requires_action", "service_tier": "flex",
            "usage": {"total_tokens": 3, "total_input_tokens": 1, "total_output_tokens": 2}, "errors": [{"code": "safety"}],
            "steps": [
                {"type": "thought", "signature": "s", "summary": [{"type": "text", "text": "t"}]},
                {"type": "model_output", "content": [{"type": "text", "text": "Grüße", "annotations": [
                    {"type": "url_citation", "start_index": 3, "end_index": 4, "url": "u", "title": "t"},
                ]}]},
                {"type": "function_call", "id": "c", "name": "f", "arguments": {"a": 1}},
            ],
        }),
        AnthropicMessages => json!({
            "id": "msg_1", "model": "m", "stop_reason": "tool_use",
            "usage": {"input_tokens": 1, "output_tokens": 2, "service_tier": "standard"},
            "content": [
                {"type": "thinking", "thinking": "t", "signature": "s"},
                {"type": "text", "text": "Grüße", "citations": [{"type": "web_search_result_location", "url": "u"}]},
                {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}},
            ],
        }),
        _ => json!({
            "id": "resp_1", "created_at": 1, "model": "m", "status": "incomplete", "service_tier": "flex",
            "incomplete_details": {"reason": "max_output_tokens"}, "error": null,
            "usage": {"input_tokens": 1, "output_tokens": 2, "output_tokens_details": {"reasoning_tokens": 1}},
            "output": [
                {"type": "reasoning", "id": "rs_1", "encrypted_content": "s", "summary": [{"type": "summary_text", "text": "t"}]},
                {"type": "message", "content": [{"type": "output_text", "text": "Grüße", "annotations": [
                    {"type": "url_citation", "start_index": 3, "end_index": 4, "url": "u", "title": "t"},
                ]}, {"type": "refusal", "refusal": "no"}]},
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"a\":1}"},
            ],
        }),
    }
}

#[test]
fn no_answer_makes_a_translation_panic() {
    for (caller, provider) in pairs() {
        let translation = translation(caller, provider, &plain(caller)).unwrap();
        let document = document(provider);
        assert!(translation.answer(document.to_string().as_bytes()).is_ok());
        for mutated in mutations(&document) {
            let text = mutated.to_string();
            unharmed(&mutated, || {
                if let Ok(answer) = translation.answer(text.as_bytes()) {
                    assert!(answer.len() < 4 * text.len() + 2000);
                }
            });
        }
        let text = document.to_string();
        for end in 0..text.len() {
            let cut = translation.answer(&text.as_bytes()[..end]);
            assert!(
                cut.is_err(),
                "{}",
                &text[..end.min(text.floor_char_boundary(end))]
            );
        }
    }
}

fn plain(caller: CallerSurface) -> Value {
    let turns = json!([{"role": "user", "content": "u"}]);
    match caller {
        Responses | Interactions => json!({"input": "u"}),
        Chat => json!({"messages": turns}),
        Messages => json!({"messages": turns, "max_tokens": 9}),
    }
}

fn events(provider: ProviderSurface) -> Vec<Value> {
    let document = document(provider);
    match provider {
        GeminiInteractions => {
            let mut events = vec![
                json!({"event_type": "interaction.created", "interaction": {"id": "", "model": "m"}}),
            ];
            let deltas = [
                json!({"type": "thought_summary", "content": {"type": "text", "text": "t"}}),
                json!({"type": "text", "text": "Grüße"}),
                json!({"type": "arguments_delta", "arguments": "{\"a\":1}"}),
            ];
            for (index, step) in document["steps"].as_array().unwrap().iter().enumerate() {
                events.push(json!({"event_type": "step.start", "index": index, "step": step}));
                events.push(
                    json!({"event_type": "step.delta", "index": index, "delta": deltas[index]}),
                );
                events.push(json!({"event_type": "step.stop", "index": index}));
            }
            events.push(json!({"event_type": "interaction.completed", "interaction": document}));
            events
        }
        AnthropicMessages => {
            let mut events = vec![json!({"type": "message_start", "message": document})];
            let deltas = [
                json!({"type": "thinking_delta", "thinking": "t"}),
                json!({"type": "text_delta", "text": "Grüße"}),
                json!({"type": "input_json_delta", "partial_json": "{\"a\":1}"}),
            ];
            for (index, block) in document["content"].as_array().unwrap().iter().enumerate() {
                events.push(
                    json!({"type": "content_block_start", "index": index, "content_block": block}),
                );
                events.push(
                    json!({"type": "content_block_delta", "index": index, "delta": deltas[index]}),
                );
                events.push(json!({"type": "content_block_stop", "index": index}));
            }
            let usage = &document["usage"];
            events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": usage}));
            events.push(json!({"type": "message_stop"}));
            events
        }
        _ => {
            let mut events = vec![json!({"type": "response.created", "response": document})];
            let deltas = [
                json!({"type": "response.reasoning_summary_text.delta", "summary_index": 0, "delta": "t"}),
                json!({"type": "response.output_text.delta", "content_index": 0, "delta": "Grüße"}),
                json!({"type": "response.function_call_arguments.delta", "delta": "{\"a\""}),
            ];
            for (index, item) in document["output"].as_array().unwrap().iter().enumerate() {
                let mut delta = deltas[index].clone();
                delta["output_index"] = json!(index);
                events.push(json!({"type": "response.output_item.added", "output_index": index, "item": item}));
                events.push(delta);
                events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
            }
            events.push(json!({"type": "response.incomplete", "response": document}));
            events
        }
    }
}

#[test]
fn no_event_makes_a_translator_panic() {
    for (caller, provider) in pairs() {
        let translation = translation(caller, provider, &plain(caller)).unwrap();
        let events = events(provider);
        let frame = |event: &Value| format!("data: {event}\n\n");
        for (place, event) in events.iter().enumerate() {
            for mutated in mutations(event) {
                unharmed(&mutated, || {
                    let mut translator = translation.stream("standard");
                    let mut written = 0;
                    let mut sent = 0;
                    for (number, event) in events.iter().enumerate() {
                        let text = frame(if number == place { &mutated } else { event });
                        sent += text.len();
                        written += translator.write(text.as_bytes()).len();
                    }
                    assert!(written < 8 * sent + 4000, "{written} of {sent}");
                });
            }
        }
        // Events that come twice, not at all, or from behind.
        for place in 0..events.len() {
            let twice = events[..=place].iter().chain(&events[place..]);
            let without = events[..place].iter().chain(&events[place + 1..]);
            for order in [
                twice.collect::<Vec<_>>(),
                without.collect(),
                events.iter().rev().collect(),
            ] {
                unharmed(&events[place], || {
                    let mut translator = translation.stream("standard");
                    for event in order {
                        translator.write(frame(event).as_bytes());
                    }
                });
            }
        }
    }
}
