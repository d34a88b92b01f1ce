//! What a Messages caller gets of an OpenAI and of a Gemini model's answer.

use serde_json::{Value, json};

use super::messages_requests::translated;
use super::response;
use crate::translate::Translation;
use crate::vocabulary::ProviderSurface::{GeminiInteractions, OpenaiResponses};
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

fn thinking() -> Value {
    json!({"thinking": {"type": "adaptive"}})
}

/// Thoughts in two parts, a cited text, a search, and two calls.
fn output() -> Vec<Value> {
    vec![
        json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "enc", "summary": [
            {"type": "summary_text", "text": "one"}, {"type": "summary_text", "text": "two"},
        ]}),
        json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
            {"type": "output_text", "text": "Grüße", "annotations": [
                {"type": "url_citation", "start_index": 0, "end_index": 3, "url": "https://a", "title": "A"},
            ]},
        ]}),
        json!({"type": "web_search_call", "id": "ws_1", "status": "completed"}),
        json!({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{\"a\":1}"}),
        json!({"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "g", "arguments": "{}"}),
    ]
}

/// The same as a stream; the second call comes without deltas, and between the events of the first.
fn stream(last: &str) -> Vec<u8> {
    let items = output();
    let mut events =
        vec![json!({"type": "response.created", "response": response(json!([]), "in_progress")})];
    let added = |index: usize, item: &Value| json!({"type": "response.output_item.added", "output_index": index, "item": item});
    let done = |index: usize| json!({"type": "response.output_item.done", "output_index": index, "item": items[index]});
    events.push(added(
        0,
        &json!({"type": "reasoning", "id": "rs_1", "summary": []}),
    ));
    for (part, text) in ["one", "two"].iter().enumerate() {
        for letter in text.chars() {
            events.push(json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": part, "delta": letter}));
        }
    }
    events.push(done(0));
    events.push(added(1, &json!({"type": "message", "content": []})));
    for letter in "Grüße".chars() {
        events.push(json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": letter}));
    }
    let annotation = items[1]["content"][0]["annotations"][0].clone();
    events.push(json!({"type": "response.output_text.annotation.added", "output_index": 1, "content_index": 0, "annotation": annotation}));
    events.push(json!({"type": "response.output_text.done", "output_index": 1, "content_index": 0, "text": "Grüße"}));
    events.push(done(1));
    events.push(added(2, &items[2]));
    events.push(json!({"type": "response.made_up", "output_index": 2}));
    events.push(done(2));
    let call = |index: usize| {
        let mut call = items[index].clone();
        call["arguments"] = json!("");
        call
    };
    events.push(added(3, &call(3)));
    events.push(added(4, &call(4)));
    events.push(json!({"type": "response.function_call_arguments.delta", "output_index": 3, "delta": "{\"a\""}));
    events.push(done(4));
    events.push(json!({"type": "response.function_call_arguments.delta", "output_index": 3, "delta": ":1}"}));
    events.push(json!({"type": "response.function_call_arguments.done", "output_index": 3, "arguments": "{\"a\":1}"}));
    events.push(done(3));
    let mut whole = response(json!(items), last);
    if last == "incomplete" {
        whole["incomplete_details"] = json!({"reason": "max_output_tokens"});
    }
    events.push(json!({"type": format!("response.{last}"), "response": whole}));
    let frames = events.iter().map(|event| {
        let name = event["type"].as_str().unwrap();
        format!("event: {name}\ndata: {event}\n\n")
    });
    frames.collect::<String>().into_bytes()
}

fn answered(translation: &Translation, document: &Value) -> Value {
    let answer = translation.answer(document.to_string().as_bytes());
    serde_json::from_slice(&answer.unwrap()).unwrap()
}

/// Events of a Messages stream; each is named as its type.
fn events(written: &[u8]) -> Vec<Value> {
    let mut all = Vec::new();
    for_each_block(written, |block| {
        let event = Event::parse(block);
        let data: Value = serde_json::from_slice(&event.data.unwrap()).unwrap();
        assert_eq!(event.name, data["type"].as_str().map(str::as_bytes));
        all.push(data);
    });
    all
}

/// The message that events make, as an SDK puts it together; blocks must not overlap.
fn assembled(events: &[Value]) -> Value {
    let mut message = Value::Null;
    let mut open = false;
    for event in events {
        match event["type"].as_str().unwrap() {
            "message_start" => message = event["message"].clone(),
            "content_block_start" => {
                assert!(!open, "a block opens while another is open");
                open = true;
                let content = message["content"].as_array_mut().unwrap();
                assert_eq!(event["index"], content.len());
                let mut block = event["content_block"].clone();
                if block["type"] == "tool_use" {
                    assert_eq!(block["input"], json!({}));
                    block["input"] = json!("");
                }
                content.push(block);
            }
            "content_block_delta" => {
                assert!(open);
                let content = message["content"].as_array_mut().unwrap();
                assert_eq!(event["index"], content.len() - 1);
                let block = content.last_mut().unwrap();
                let delta = &event["delta"];
                let (name, more) = match delta["type"].as_str().unwrap() {
                    "text_delta" => ("text", &delta["text"]),
                    "thinking_delta" => ("thinking", &delta["thinking"]),
                    "signature_delta" => ("signature", &delta["signature"]),
                    "input_json_delta" => ("input", &delta["partial_json"]),
                    _ => {
                        if block["citations"].is_null() {
                            block["citations"] = json!([]);
                        }
                        block["citations"]
                            .as_array_mut()
                            .unwrap()
                            .push(delta["citation"].clone());
                        continue;
                    }
                };
                block[name] =
                    json!(block[name].as_str().unwrap().to_owned() + more.as_str().unwrap());
            }
            "content_block_stop" => {
                assert!(open);
                open = false;
                let block = message["content"]
                    .as_array_mut()
                    .unwrap()
                    .last_mut()
                    .unwrap();
                if let Some(input) = block["input"].as_str() {
                    block["input"] = serde_json::from_str(input).unwrap_or_else(|_| json!({}));
                }
            }
            "message_delta" => {
                message["stop_reason"] = event["delta"]["stop_reason"].clone();
                message["usage"] = event["usage"].clone();
            }
            "message_stop" => assert!(!open),
            "ping" => {}
            other => panic!("{other}"),
        }
    }
    message
}

#[test]
fn a_response_is_a_message() {
    let translation = translated(OpenaiResponses, thinking()).unwrap().1;
    let message = answered(&translation, &response(json!(output()), "completed"));
    let citation = json!({"type": "web_search_result_location", "url": "https://a", "title": "A", "cited_text": "Grü", "encrypted_index": ""});
    let expected = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "gpt-fast-1",
        "content": [
            {"type": "thinking", "thinking": "one\n\ntwo", "signature": "openai:rs_1:enc"},
            {"type": "text", "text": "Grüße", "citations": [citation]},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
            {"type": "tool_use", "id": "c2", "name": "g", "input": {}},
        ],
        "stop_reason": "tool_use", "stop_sequence": null,
        "usage": {
            "input_tokens": 5, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 1, "output_tokens": 7,
            "output_tokens_details": {"thinking_tokens": 3}, "service_tier": "flex",
        },
    });
    assert_eq!(message, expected);
    let unasked = translated(OpenaiResponses, json!({})).unwrap().1;
    let message = answered(&unasked, &response(json!(output()), "completed"));
    assert_eq!(
        message["content"][0]["type"], "text",
        "thoughts that nobody asked for are not shown"
    );
    assert_eq!(message["content"][1]["id"], "c1");
}

#[test]
fn an_answer_stops_for_its_reason() {
    let translation = translated(OpenaiResponses, json!({})).unwrap().1;
    let refusal = json!({"type": "message", "content": [{"type": "refusal", "refusal": "no"}]});
    for (output, reason, stop) in [
        (json!([]), Value::Null, "end_turn"),
        (json!([refusal]), Value::Null, "refusal"),
        (json!([output()[3]]), Value::Null, "tool_use"),
        (
            json!([output()[3]]),
            json!("max_output_tokens"),
            "max_tokens",
        ),
        (json!([]), json!("content_filter"), "refusal"),
    ] {
        let status = if reason.is_null() {
            "completed"
        } else {
            "incomplete"
        };
        let mut document = response(output, status);
        if !reason.is_null() {
            document["incomplete_details"] = json!({"reason": reason});
        }
        assert_eq!(answered(&translation, &document)["stop_reason"], stop);
    }
}

#[test]
fn a_stream_says_the_same_as_the_whole_response() {
    for fields in [json!({}), thinking()] {
        let translation = translated(OpenaiResponses, fields).unwrap().1;
        for last in ["completed", "incomplete"] {
            let mut translator = translation.stream("standard");
            let written = events(&translator.write(&stream(last)));
            assert!(translator.has_ended());
            assert_eq!(written[0]["type"], "message_start");
            assert_eq!(written[0]["message"]["usage"]["service_tier"], "flex");
            assert_eq!(written[1]["type"], "ping");
            assert_eq!(written.last().unwrap()["type"], "message_stop");
            let mut document = response(json!(output()), last);
            if last == "incomplete" {
                document["incomplete_details"] = json!({"reason": "max_output_tokens"});
            }
            assert_eq!(assembled(&written), answered(&translation, &document));
        }
    }
}

#[test]
fn events_come_with_what_they_tell() {
    let translation = translated(OpenaiResponses, thinking()).unwrap().1;
    let whole = translation.stream("standard").write(&stream("completed"));
    let mut translator = translation.stream("standard");
    let mut written = Vec::new();
    for_each_block(&stream("completed"), |block| {
        let some = translator.write(block);
        let is_delta = memchr::memmem::find(block, b"_text.delta").is_some();
        assert!(!is_delta || !some.is_empty(), "nothing is collected first");
        written.extend_from_slice(&some);
    });
    assert_eq!(written, whole);
}

#[test]
fn nothing_but_the_end_ends_a_stream() {
    let translation = translated(OpenaiResponses, json!({})).unwrap().1;
    let all = stream("completed");
    let end = memchr::memmem::rfind(&all, b"event: response.completed").unwrap();
    let mut translator = translation.stream("standard");
    let written = events(&translator.write(&all[..end]));
    assert!(!translator.has_ended());
    assert!(
        written
            .iter()
            .all(|event| event["type"] != "message_stop" && event["type"] != "message_delta")
    );
}

fn interaction(status: &str) -> Value {
    json!({
        "id": "v1_1", "model": "gemini-3.8-flash", "status": status, "service_tier": "standard",
        "usage": {"total_tokens": 22, "total_input_tokens": 10, "total_cached_tokens": 4, "total_output_tokens": 4, "total_thought_tokens": 8},
        "steps": [
            {"type": "thought", "signature": "sig", "summary": [{"type": "text", "text": "t"}, {"type": "text", "text": "u"}]},
            {"type": "model_output", "content": [{"type": "text", "text": "a"}]},
            {"type": "thought", "signature": "two"},
            {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
        ],
    })
}

fn gemini_stream() -> Vec<u8> {
    let whole = interaction("requires_action");
    let mut events = vec![
        json!({"event_type": "interaction.created", "interaction": {"id": "v1_1", "model": whole["model"]}}),
    ];
    for (index, step) in whole["steps"].as_array().unwrap().iter().enumerate() {
        let mut deltas = Vec::new();
        let mut start = json!({"type": step["type"]});
        match step["type"].as_str().unwrap() {
            "thought" => {
                for content in step["summary"].as_array().into_iter().flatten() {
                    deltas.push(json!({"type": "thought_summary", "content": content}));
                }
                deltas.push(json!({"type": "thought_signature", "signature": step["signature"]}));
            }
            "model_output" => deltas.push(json!({"type": "text", "text": "a"})),
            _ => {
                start = step.clone();
                start["arguments"] = json!({});
                deltas.push(json!({"type": "arguments_delta", "arguments": "{\"a\":1}"}));
            }
        }
        events.push(json!({"event_type": "step.start", "index": index, "step": start}));
        for delta in deltas {
            events.push(json!({"event_type": "step.delta", "index": index, "delta": delta}));
        }
        events.push(json!({"event_type": "step.stop", "index": index}));
    }
    let mut last = whole;
    last.as_object_mut().unwrap().remove("steps");
    events.push(json!({"event_type": "interaction.completed", "interaction": last}));
    let frames = events.iter().map(|event| format!("data: {event}\n\n"));
    frames.collect::<String>().into_bytes()
}

#[test]
fn an_interaction_is_a_message_streamed_or_not() {
    for (fields, expected) in [
        (
            thinking(),
            json!([
                {"type": "thinking", "thinking": "tu", "signature": "gemini:sig"},
                {"type": "text", "text": "a"},
                {"type": "thinking", "thinking": "", "signature": "gemini:two"},
                {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
            ]),
        ),
        (
            json!({}),
            json!([
                {"type": "text", "text": "a"},
                {"type": "tool_use", "id": "c1~gemini:two", "name": "f", "input": {"a": 1}},
            ]),
        ),
    ] {
        let translation = translated(GeminiInteractions, fields).unwrap().1;
        let message = answered(&translation, &interaction("requires_action"));
        assert_eq!(message["content"], expected);
        assert_eq!(message["id"], "msg_v1_1");
        assert_eq!(message["stop_reason"], "tool_use");
        let usage = &message["usage"];
        assert_eq!(
            (&usage["input_tokens"], &usage["cache_read_input_tokens"]),
            (&json!(6), &json!(4))
        );
        assert_eq!(usage["output_tokens"], 12);
        let written = events(&translation.stream("flex").write(&gemini_stream()));
        let first = &written[0]["message"]["usage"];
        assert_eq!(
            first["service_tier"], "flex",
            "what was asked for, until the end tells"
        );
        assert_eq!(assembled(&written), message);
    }
}
