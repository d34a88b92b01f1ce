//! A Chat caller before a Claude model.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::catalogue::{BUILT_IN, Catalogue};
use crate::envelope::Envelope;
use crate::translate::{NoAnswer, Refused, Request, Translation, read};
use crate::vocabulary::{CallerSurface, ProviderSurface};
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

/// Takes no sampling, knows levels of effort.
const MODEL: &str = "claude-opus-5";
/// Takes sampling, thinks by a budget.
const OLDER: &str = "claude-haiku-4-5";
const NOW: u64 = 1_700_000_000;

fn translated(model: &str, fields: Value) -> Result<(Value, Translation), Refused> {
    let mut body = json!({"model": model, "start_within": "default", "messages": [{"role": "user", "content": "u"}]});
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    let bytes = Bytes::from(body.to_string());
    let envelope = Envelope::parse(bytes, CallerSurface::Chat, None).unwrap();
    let catalogue = Catalogue::parse(BUILT_IN).unwrap();
    let surface = ProviderSurface::AnthropicMessages;
    let (request, translation) = read(&envelope, surface, catalogue.get(model), NOW)?;
    assert!(matches!(request, Request::Messages(_)));
    Ok((serde_json::to_value(request).unwrap(), translation))
}

fn upstream(fields: Value) -> Value {
    translated(MODEL, fields).unwrap().0
}

fn dropped(model: &str, fields: Value) -> Option<String> {
    translated(model, fields).unwrap().1.dropped.header()
}

fn refused(model: &str, fields: Value) -> String {
    translated(model, fields).unwrap_err().param
}

fn tool(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name, "parameters": {"properties": {"a": {"type": "integer"}}}}})
}

#[test]
fn a_plain_request_says_what_a_messages_request_must_say() {
    let expected = json!({
        "model": MODEL, "max_tokens": 128_000, "messages": [{"role": "user", "content": [{"type": "text", "text": "u"}]}],
    });
    assert_eq!(upstream(json!({})), expected);
    assert_eq!(
        upstream(json!({"max_completion_tokens": 3}))["max_tokens"],
        3
    );
    assert_eq!(
        refused("claude-unheard-of", json!({})),
        "max_completion_tokens"
    );
}

#[test]
fn what_is_said_by_one_side_is_one_turn_and_the_system_stands_before_all() {
    let messages = json!([
        {"role": "system", "content": "s"},
        {"role": "user", "content": "a"},
        {"role": "user", "content": [{"type": "text", "text": "b"}, {"type": "text", "text": ""}]},
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": "c", "refusal": "d"},
        {"role": "developer", "content": "t"},
        {"role": "user", "content": "e"},
    ]);
    let body = upstream(json!({"messages": messages}));
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(body["system"], json!([text("s"), text("t")]));
    let expected = json!([
        {"role": "user", "content": [text("a"), text("b")]},
        {"role": "assistant", "content": [text("c"), text("d")]},
        {"role": "user", "content": [text("e")]},
    ]);
    assert_eq!(body["messages"], expected);
}

#[test]
fn all_results_come_first_in_one_turn_behind_their_calls() {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}});
    let messages = json!([
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "c", "tool_calls": [call("call_1", "{\"a\": 1}"), call("call_2", "")]},
        {"role": "tool", "tool_call_id": "call_1", "content": "r"},
        {"role": "user", "content": "and"},
        {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "s"}]},
    ]);
    let body = upstream(json!({"messages": messages, "tools": [tool("f")]}));
    let expected = json!([
        {"role": "user", "content": [{"type": "text", "text": "u"}]},
        {"role": "assistant", "content": [
            {"type": "text", "text": "c"},
            {"type": "tool_use", "id": "call_1", "name": "f", "input": {"a": 1}},
            {"type": "tool_use", "id": "call_2", "name": "f", "input": {}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "call_1", "content": "r"},
            {"type": "tool_result", "tool_use_id": "call_2", "content": [{"type": "text", "text": "s"}]},
            {"type": "text", "text": "and"},
        ]},
    ]);
    assert_eq!(body["messages"], expected);
    let broken = json!([{"role": "assistant", "tool_calls": [call("call_1", "[]")]}]);
    assert_eq!(refused(MODEL, json!({"messages": broken})), "messages");
}

#[test]
fn images_and_documents_keep_their_form() {
    let parts = json!([
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,BBBB", "filename": "a.pdf"}},
    ]);
    let fields = json!({"messages": [{"role": "user", "content": parts}]});
    let (body, translation) = translated(MODEL, fields).unwrap();
    let expected = json!([
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "BBBB"}, "title": "a.pdf"},
    ]);
    assert_eq!(body["messages"][0]["content"], expected);
    assert_eq!(
        translation.dropped.header().as_deref(),
        Some("image_url.detail")
    );
    for part in [
        json!({"type": "file", "file": {"file_id": "file_1"}}),
        json!({"type": "file", "file": {"file_data": "data:text/csv;base64,BBBB"}}),
        json!({"type": "image_url", "image_url": {"url": "ftp://a"}}),
    ] {
        let fields = json!({"messages": [{"role": "user", "content": [part]}]});
        assert_eq!(refused(MODEL, fields), "messages");
    }
}

#[test]
fn every_choice_of_a_tool_has_its_counterpart() {
    let named = json!({"type": "function", "function": {"name": "g"}});
    let allowed =
        json!({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [named]}});
    for (choice, parallel, expected, tools) in [
        (json!("auto"), true, json!({"type": "auto"}), 2),
        (json!("none"), false, json!({"type": "none"}), 2),
        (json!("required"), true, json!({"type": "any"}), 2),
        (named, true, json!({"type": "tool", "name": "g"}), 2),
        (allowed, true, json!({"type": "any"}), 1),
        (
            Value::Null,
            false,
            json!({"type": "auto", "disable_parallel_tool_use": true}),
            2,
        ),
        (Value::Null, true, Value::Null, 2),
    ] {
        let body = upstream(json!({
            "tools": [tool("f"), tool("g")], "tool_choice": choice, "parallel_tool_calls": parallel,
        }));
        assert_eq!(body["tool_choice"], expected, "{choice}");
        assert_eq!(body["tools"].as_array().unwrap().len(), tools);
        let last = &body["tools"][tools - 1];
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
        assert_eq!(last, &json!({"name": "g", "input_schema": schema}));
    }
}

#[test]
fn a_custom_tool_takes_its_text_in_an_object_and_gives_it_back_as_text() {
    let tools = json!([{"type": "custom", "custom": {"name": "run", "description": "d"}}]);
    let (body, translation) = translated(MODEL, json!({"tools": tools})).unwrap();
    assert_eq!(
        body["tools"][0]["input_schema"]["required"],
        json!(["input"])
    );
    let block =
        json!({"type": "tool_use", "id": "toolu_1", "name": "run", "input": {"input": "ls"}});
    let answer = translation.answer(message(&[block], "tool_use").to_string().as_bytes());
    let answer: Value = serde_json::from_slice(&answer.unwrap()).unwrap();
    let call = json!({"id": "toolu_1", "type": "custom", "custom": {"name": "run", "input": "ls"}});
    assert_eq!(answer["choices"][0]["message"]["tool_calls"], json!([call]));
    let grammar = json!([{"type": "custom", "custom": {"name": "run", "format":
        {"type": "grammar", "grammar": {"syntax": "lark", "definition": "start: \"a\""}}}}]);
    assert_eq!(refused(MODEL, json!({"tools": grammar})), "tools");
}

#[test]
fn sampling_is_carried_where_the_model_takes_it() {
    assert_eq!(refused(MODEL, json!({"temperature": 0.5})), "temperature");
    assert!(
        upstream(json!({"temperature": 1, "top_p": 1.0}))
            .get("temperature")
            .is_none()
    );
    let body = translated(OLDER, json!({"temperature": 0.5})).unwrap().0;
    assert_eq!(body["temperature"], 0.5);
    assert_eq!(refused(OLDER, json!({"temperature": 1.5})), "temperature");
}

#[test]
fn an_effort_becomes_the_nearest_that_the_model_has() {
    for (asked, level, thinking, told) in [
        ("none", "low", Value::Null, true),
        ("minimal", "low", json!({"type": "adaptive"}), true),
        ("high", "high", json!({"type": "adaptive"}), false),
        ("max", "max", json!({"type": "adaptive"}), false),
    ] {
        let (body, translation) = translated(MODEL, json!({"reasoning_effort": asked})).unwrap();
        assert_eq!(body["output_config"]["effort"], level);
        assert_eq!(body["thinking"], thinking, "{asked}");
        let expected = told.then(|| "reasoning_effort".to_owned());
        assert_eq!(translation.dropped.header(), expected);
    }
    let (body, translation) = translated(OLDER, json!({"reasoning_effort": "high"})).unwrap();
    assert!(body.get("output_config").is_none() && body.get("thinking").is_none());
    assert_eq!(
        translation.dropped.header().as_deref(),
        Some("reasoning_effort")
    );
    assert_eq!(
        refused(MODEL, json!({"reasoning_effort": "huge"})),
        "reasoning_effort"
    );
}

#[test]
fn a_schema_is_carried_and_json_without_one_refused() {
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let format = json!({"type": "json_schema", "json_schema": {"name": "n", "schema": schema, "strict": true}});
    let body = upstream(json!({"response_format": format}));
    let expected = json!({"type": "json_schema", "schema": schema});
    assert_eq!(body["output_config"]["format"], expected);
    let any = json!({"response_format": {"type": "json_object"}});
    assert_eq!(refused(MODEL, any), "response_format");
}

#[test]
fn what_means_nothing_there_is_left_out_and_told_and_what_means_something_is_refused() {
    let fields = json!({
        "metadata": {"a": "b"}, "user": "u", "store": true, "verbosity": "low", "prompt_cache_key": "k",
        "stop": ["x", "y"], "n": 1, "seed": null,
    });
    let (body, translation) = translated(MODEL, fields.clone()).unwrap();
    assert_eq!(body["stop_sequences"], json!(["x", "y"]));
    let mut told: Vec<String> = translation.dropped.paths().to_vec();
    told.sort();
    assert_eq!(
        told,
        ["metadata", "prompt_cache_key", "store", "user", "verbosity"]
    );
    assert_eq!(dropped(MODEL, json!({"stop": "x"})), None);
    for (name, value) in [
        ("seed", json!(1)),
        ("n", json!(2)),
        ("logprobs", json!(true)),
        ("frequency_penalty", json!(1)),
        ("web_search_options", json!({})),
        ("made_up", json!(1)),
    ] {
        assert_eq!(refused(MODEL, json!({name: value})), name);
    }
}

fn message(content: &[Value], stop_reason: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-1", "content": content,
        "stop_reason": stop_reason, "stop_sequence": null,
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 1,
            "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3}, "service_tier": "standard"},
    })
}

fn citation(url: &str) -> Value {
    json!({"type": "web_search_result_location", "url": url, "title": "A", "cited_text": "x", "encrypted_index": "e"})
}

/// Thoughts, two texts of which the second is cited, a search, and two calls of which the second has no arguments.
fn content() -> Vec<Value> {
    vec![
        json!({"type": "thinking", "thinking": "t", "signature": "s"}),
        json!({"type": "text", "text": "Grü"}),
        json!({"type": "text", "text": "ße", "citations": [citation("https://a")]}),
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}),
        json!({"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}),
        json!({"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}}),
    ]
}

/// The same as a stream.
fn stream(stop_reason: &str) -> Vec<u8> {
    let mut start = message(&[], "");
    start["stop_reason"] = Value::Null;
    start["usage"]["output_tokens"] = json!(1);
    let mut events = vec![
        json!({"type": "message_start", "message": start}),
        json!({"type": "ping"}),
    ];
    for (index, block) in content().into_iter().enumerate() {
        let mut opened = block.clone();
        let mut deltas = Vec::new();
        match block["type"].as_str().unwrap() {
            "text" => {
                opened = json!({"type": "text", "text": ""});
                for citation in block["citations"].as_array().into_iter().flatten() {
                    deltas.push(json!({"type": "citations_delta", "citation": citation}));
                }
                for letter in block["text"].as_str().unwrap().chars() {
                    deltas.push(json!({"type": "text_delta", "text": letter}));
                }
            }
            "tool_use" => {
                opened["input"] = json!({});
                deltas.push(json!({"type": "input_json_delta", "partial_json": ""}));
                if block["input"] != json!({}) {
                    for piece in ["{\"a\"", ":1}"] {
                        deltas.push(json!({"type": "input_json_delta", "partial_json": piece}));
                    }
                }
            }
            "thinking" => deltas.push(json!({"type": "thinking_delta", "thinking": "t"})),
            _ => {}
        }
        events
            .push(json!({"type": "content_block_start", "index": index, "content_block": opened}));
        events.push(json!({"type": "made_up", "index": index}));
        for delta in deltas {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(
        json!({"type": "message_delta", "delta": {"stop_reason": stop_reason},
        "usage": {"output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3}}}),
    );
    events.push(json!({"type": "message_stop"}));
    let text: String = events
        .iter()
        .map(|event| {
            format!(
                "event: {}\ndata: {event}\n\n",
                event["type"].as_str().unwrap()
            )
        })
        .collect();
    text.into_bytes()
}

#[test]
fn a_message_is_a_completion() {
    let translation = translated(MODEL, json!({})).unwrap().1;
    let document = message(&content(), "tool_use").to_string();
    let answer: Value =
        serde_json::from_slice(&translation.answer(document.as_bytes()).unwrap()).unwrap();
    let choice = &answer["choices"][0];
    assert_eq!(answer["id"], "chatcmpl-1");
    assert_eq!(answer["created"], NOW);
    assert_eq!(answer["model"], "claude-opus-5-1");
    assert_eq!(answer["service_tier"], "standard");
    assert_eq!(choice["finish_reason"], "tool_calls");
    let citation = json!({"start_index": 3, "end_index": 5, "url": "https://a", "title": "A"});
    let expected = json!({
        "role": "assistant", "content": "Grüße", "refusal": null,
        "annotations": [{"type": "url_citation", "url_citation": citation}],
        "tool_calls": [
            {"id": "toolu_1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
            {"id": "toolu_2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ],
    });
    assert_eq!(choice["message"], expected);
    let usage = &answer["usage"];
    assert_eq!(usage["prompt_tokens"], 10, "the cache counts");
    assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], 4);
    assert_eq!(usage["prompt_tokens_details"]["cache_write_tokens"], 1);
    assert_eq!(usage["completion_tokens"], 7);
    assert_eq!(usage["completion_tokens_details"]["reasoning_tokens"], 3);
    for (stop, finish) in [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
    ] {
        let document = message(&[], stop).to_string();
        let answer: Value =
            serde_json::from_slice(&translation.answer(document.as_bytes()).unwrap()).unwrap();
        assert_eq!(answer["choices"][0]["finish_reason"], finish, "{stop}");
        assert_eq!(answer["choices"][0]["message"]["content"], "");
    }
}

#[test]
fn a_document_that_is_no_message_is_no_answer() {
    let translation = translated(MODEL, json!({})).unwrap().1;
    let mut unfinished = message(&[], "");
    unfinished["stop_reason"] = Value::Null;
    for document in ["[]", "{}", "no json", &unfinished.to_string()] {
        let read = translation.answer(document.as_bytes());
        assert_eq!(read, Err(NoAnswer::Unreadable), "{document}");
    }
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}});
    let read = translation.answer(error.to_string().as_bytes());
    assert!(matches!(read, Err(NoAnswer::Failed(_))));
}

/// The message that chunks make, as an SDK puts it together.
fn assembled(chunks: &[Value]) -> Value {
    let mut message = json!({"content": "", "annotations": [], "tool_calls": []});
    let mut finish = Value::Null;
    for choice in chunks.iter().filter_map(|chunk| chunk["choices"].get(0)) {
        let delta = &choice["delta"];
        if let Some(text) = delta["content"].as_str() {
            message["content"] = json!(message["content"].as_str().unwrap().to_owned() + text);
        }
        for given in delta["annotations"].as_array().into_iter().flatten() {
            message["annotations"]
                .as_array_mut()
                .unwrap()
                .push(given.clone());
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let calls = message["tool_calls"].as_array_mut().unwrap();
            let place = call["index"].as_u64().unwrap() as usize;
            let more = call["function"]["arguments"].as_str().unwrap();
            if place == calls.len() {
                let mut whole = call.clone();
                whole.as_object_mut().unwrap().remove("index");
                calls.push(whole);
            } else {
                let so_far = calls[place]["function"]["arguments"].as_str().unwrap();
                calls[place]["function"]["arguments"] = json!(so_far.to_owned() + more);
            }
        }
        if !choice["finish_reason"].is_null() {
            finish = choice["finish_reason"].clone();
        }
    }
    json!({"message": message, "finish_reason": finish})
}

fn data(written: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    for_each_block(written, |block| {
        let data = Event::parse(block).data.unwrap();
        all.push(String::from_utf8(data.into_owned()).unwrap());
    });
    all
}

#[test]
fn a_stream_says_the_same_as_the_whole_message() {
    let fields = json!({"stream": true, "stream_options": {"include_usage": true}});
    let translation = translated(MODEL, fields).unwrap().1;
    for stop in ["tool_use", "max_tokens", "refusal"] {
        let written = translation.stream().write(&stream(stop));
        let mut written = data(&written);
        assert_eq!(written.pop().as_deref(), Some("[DONE]"));
        let chunks: Vec<Value> = written
            .iter()
            .map(|data| serde_json::from_str(data).unwrap())
            .collect();
        let whole = message(&content(), stop).to_string();
        let whole: Value =
            serde_json::from_slice(&translation.answer(whole.as_bytes()).unwrap()).unwrap();
        let choice = &whole["choices"][0];
        let assembled = assembled(&chunks);
        for part in ["content", "annotations", "tool_calls"] {
            assert_eq!(assembled["message"][part], choice["message"][part]);
        }
        assert_eq!(assembled["finish_reason"], choice["finish_reason"]);
        let last = chunks.last().unwrap();
        assert_eq!(last["usage"], whole["usage"]);
        assert_eq!(last["service_tier"], "standard");
        assert!(
            chunks
                .iter()
                .all(|chunk| chunk["id"] == whole["id"] && chunk["created"] == NOW)
        );
    }
}

#[test]
fn chunks_come_with_their_events_and_a_second_beginning_is_passed_over() {
    let translation = translated(MODEL, json!({"stream": true})).unwrap().1;
    let events = stream("tool_use");
    let whole = translation.stream().write(&events);
    let mut translator = translation.stream();
    let mut written = Vec::new();
    for_each_block(&events, |block| {
        let chunk = translator.write(block);
        assert!(chunk.len() < 600, "an event makes few chunks");
        written.extend_from_slice(&chunk);
        if Event::parse(block).name == Some(b"message_start") {
            assert!(translator.write(block).is_empty());
        }
    });
    assert_eq!(written, whole);
}

#[test]
fn nothing_but_the_end_ends_a_stream() {
    let translation = translated(MODEL, json!({"stream": true})).unwrap().1;
    let events = stream("end_turn");
    let end = memchr::memmem::rfind(&events, b"event:").unwrap();
    let written = data(&translation.stream().write(&events[..end]));
    assert!(written.iter().all(|data| data != "[DONE]"));
}
