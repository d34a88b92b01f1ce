//! What goes to a Claude model of a Chat request.

use serde_json::{Value, json};

use super::claude_answers::message;
use crate::translate::{Refused, Translation};
use crate::vocabulary::ProviderSurface;

/// Takes no sampling, knows levels of effort.
pub const MODEL: &str = "claude-opus-5";
/// Takes sampling, thinks by a budget.
const OLDER: &str = "claude-haiku-4-5";
pub fn translated(model: &str, fields: Value) -> Result<(Value, Translation), Refused> {
    super::translated(ProviderSurface::AnthropicMessages, model, fields)
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
