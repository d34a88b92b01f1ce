//! What goes to a Gemini model of a Chat request.

use serde_json::{Value, json};

use crate::translate::{Refused, Translation};
use crate::vocabulary::ProviderSurface::{self, GeminiInteractions};

pub const MODEL: &str = "gemini-3.8-flash";

pub fn translated(fields: Value) -> Result<(Value, Translation), Refused> {
    super::translated(GeminiInteractions, MODEL, fields)
}

fn upstream(fields: Value) -> Value {
    translated(fields).unwrap().0
}

fn dropped(fields: Value) -> Option<String> {
    translated(fields).unwrap().1.dropped.header()
}

fn refused(fields: Value) -> String {
    translated(fields).unwrap_err().param
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn tool(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name, "description": "d", "parameters": {"type": "object"}}})
}

#[test]
fn a_plain_request_is_one_step_and_is_not_kept() {
    let expected = json!({
        "model": MODEL, "input": [{"type": "user_input", "content": [text("u")]}], "store": false,
    });
    assert_eq!(upstream(json!({})), expected);
    assert_eq!(dropped(json!({})), None);
    assert_eq!(upstream(json!({"store": true}))["store"], true);
}

#[test]
fn a_history_keeps_its_order_and_the_system_stands_before_all() {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}});
    let messages = json!([
        {"role": "system", "content": "s"},
        {"role": "user", "content": [text("a"), text("")]},
        {"role": "developer", "content": [text("t")]},
        {"role": "assistant", "content": "c", "refusal": "d", "tool_calls": [call("1", "{\"a\": 1}"), call("2", "")]},
        {"role": "tool", "tool_call_id": "1", "content": "r"},
        {"role": "tool", "tool_call_id": "2", "content": [text("s")]},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "e"},
    ]);
    let body = upstream(json!({"messages": messages}));
    assert_eq!(body["system_instruction"], "s\n\nt");
    let expected = json!([
        {"type": "user_input", "content": [text("a")]},
        {"type": "model_output", "content": [text("c"), text("d")]},
        {"type": "function_call", "id": "1", "name": "f", "arguments": {"a": 1}},
        {"type": "function_call", "id": "2", "name": "f", "arguments": {}},
        {"type": "function_result", "call_id": "1", "name": "f", "result": "r"},
        {"type": "function_result", "call_id": "2", "name": "f", "result": [text("s")]},
        {"type": "user_input", "content": [text("e")]},
    ]);
    assert_eq!(body["input"], expected);
    let broken = json!([{"role": "assistant", "tool_calls": [call("1", "[]")]}]);
    assert_eq!(refused(json!({"messages": broken})), "messages");
}

#[test]
fn a_seal_that_rode_in_the_id_of_a_call_goes_back_to_gemini_alone() {
    let id = "ab12~gemini:c2ln+/==";
    let function = json!({"name": "f", "arguments": "{}"});
    let messages = json!([
        {"role": "user", "content": "u"},
        {"role": "assistant", "tool_calls": [{"id": id, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": id, "content": "r"},
    ]);
    let fields = json!({"messages": messages});
    let steps = upstream(fields.clone())["input"].clone();
    let expected = json!([
        {"type": "thought", "signature": "c2ln+/=="},
        {"type": "function_call", "id": "ab12", "name": "f", "arguments": {}},
        {"type": "function_result", "call_id": "ab12", "name": "f", "result": "r"},
    ]);
    assert_eq!(
        steps.as_array().unwrap()[1..],
        expected.as_array().unwrap()[..]
    );
    for (provider, model) in [
        (ProviderSurface::OpenaiResponses, "gpt-6.2-sol"),
        (ProviderSurface::AnthropicMessages, "claude-opus-5"),
    ] {
        let (body, translation) = super::translated(provider, model, fields.clone()).unwrap();
        let text = body.to_string();
        assert!(text.contains("ab12") && !text.contains("gemini:"), "{text}");
        assert!(!text.contains("reasoning"), "{text}");
        assert_eq!(translation.dropped.header(), None);
    }
}

#[test]
fn an_id_that_only_looks_sealed_stays_as_it_is() {
    let messages = json!([
        {"role": "user", "content": "u"},
        {"role": "assistant", "tool_calls": [
            {"id": "a~b:c", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "a~b:c", "content": "r"},
    ]);
    let body = upstream(json!({"messages": messages}));
    assert_eq!(body["input"][1]["id"], "a~b:c");
    assert_eq!(body["input"][2]["call_id"], "a~b:c");
}

#[test]
fn images_and_documents_keep_their_form() {
    let parts = json!([
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,BBBB", "filename": "a.pdf"}},
    ]);
    let fields = json!({"messages": [{"role": "user", "content": parts}]});
    let (body, translation) = translated(fields).unwrap();
    let expected = json!([
        {"type": "image", "mime_type": "image/png", "data": "AAAA"},
        {"type": "image", "uri": "https://example.com/a.png"},
        {"type": "document", "mime_type": "application/pdf", "data": "BBBB"},
    ]);
    assert_eq!(body["input"][0]["content"], expected);
    let header = translation.dropped.header();
    assert_eq!(header.as_deref(), Some("image_url.detail, file.filename"));
    for part in [
        json!({"type": "file", "file": {"file_id": "file_1"}}),
        json!({"type": "file", "file": {"file_data": "BBBB"}}),
        json!({"type": "image_url", "image_url": {"url": "ftp://a"}}),
    ] {
        let fields = json!({"messages": [{"role": "user", "content": [part]}]});
        assert_eq!(refused(fields), "messages");
    }
}

#[test]
fn tools_and_every_choice_of_them_have_their_counterpart() {
    let named = json!({"type": "function", "function": {"name": "g"}});
    let allowed =
        json!({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [named]}});
    for (choice, expected) in [
        (json!("auto"), json!("auto")),
        (json!("none"), json!("none")),
        (json!("required"), json!("any")),
        (
            named,
            json!({"allowed_tools": {"mode": "any", "tools": ["g"]}}),
        ),
        (
            allowed,
            json!({"allowed_tools": {"mode": "any", "tools": ["g"]}}),
        ),
    ] {
        let fields = json!({"tools": [tool("f"), tool("g")], "tool_choice": choice, "parallel_tool_calls": true});
        let body = upstream(fields);
        assert_eq!(body["generation_config"]["tool_choice"], expected);
        let function = json!({"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}});
        assert_eq!(body["tools"][0], function);
    }
    let without_tools = upstream(json!({"tool_choice": "auto"}));
    assert!(without_tools.get("generation_config").is_none());
    let fields = json!({"tools": [tool("f")], "parallel_tool_calls": false});
    assert_eq!(refused(fields), "parallel_tool_calls");
    assert_eq!(
        refused(json!({"tools": [tool("f")], "tool_choice": "sometimes"})),
        "tool_choice"
    );
    let mut strict = tool("f");
    strict["function"]["strict"] = json!(true);
    assert_eq!(
        dropped(json!({"tools": [strict]})).as_deref(),
        Some("tools.strict")
    );
}

#[test]
fn a_custom_tool_takes_an_object_there() {
    let custom = json!({"type": "custom", "custom": {"name": "c", "description": "d"}});
    let call = json!({"id": "1", "type": "custom", "custom": {"name": "c", "input": "x"}});
    let messages = json!([
        {"role": "user", "content": "u"}, {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "r"},
    ]);
    let body = upstream(json!({"tools": [custom], "messages": messages}));
    assert_eq!(body["tools"][0]["parameters"]["required"], json!(["input"]));
    assert_eq!(body["input"][1]["arguments"], json!({"input": "x"}));
    let grammar = json!({"type": "grammar", "grammar": {"definition": "d", "syntax": "lark"}});
    let custom = json!({"type": "custom", "custom": {"name": "c", "format": grammar}});
    assert_eq!(refused(json!({"tools": [custom]})), "tools");
}

#[test]
fn sampling_caps_stops_and_the_form_of_the_text_are_carried() {
    let schema = json!({"type": "object"});
    let fields = json!({
        "max_completion_tokens": 3, "temperature": 0.5, "top_p": 0.9, "seed": 7, "stop": ["x", "y"],
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema, "strict": true}},
    });
    let (body, translation) = translated(fields).unwrap();
    let config = json!({
        "max_output_tokens": 3, "temperature": 0.5, "top_p": 0.9, "seed": 7, "stop_sequences": ["x", "y"],
    });
    assert_eq!(body["generation_config"], config);
    let format = json!({"type": "text", "mime_type": "application/json", "schema": schema});
    assert_eq!(body["response_format"], format);
    assert_eq!(translation.dropped.header(), None);
    let body = upstream(json!({"response_format": {"type": "json_object"}}));
    assert_eq!(
        body["response_format"],
        json!({"type": "text", "mime_type": "application/json"})
    );
}

#[test]
fn an_effort_is_the_nearest_level_of_the_model() {
    for (effort, level, is_told) in [
        ("none", "low", true),
        ("minimal", "low", true),
        ("low", "low", false),
        ("high", "high", false),
        ("max", "high", true),
    ] {
        let (body, translation) = translated(json!({"reasoning_effort": effort})).unwrap();
        assert_eq!(body["generation_config"]["thinking_level"], level);
        let told = is_told.then_some("reasoning_effort");
        assert_eq!(translation.dropped.header().as_deref(), told);
    }
    assert_eq!(
        refused(json!({"reasoning_effort": "some"})),
        "reasoning_effort"
    );
}

#[test]
fn what_gemini_does_not_have_is_told_or_refused() {
    let fields =
        json!({"user": "u", "verbosity": "low", "metadata": {"a": "b"}, "safety_identifier": "s"});
    let told = "user, metadata, safety_identifier, verbosity";
    let header = dropped(fields).unwrap();
    let mut paths: Vec<&str> = header.split(", ").collect();
    let mut expected: Vec<&str> = told.split(", ").collect();
    paths.sort_unstable();
    expected.sort_unstable();
    assert_eq!(paths, expected);
    for (name, value) in [
        ("n", json!(2)),
        ("logit_bias", json!({"1": 1})),
        ("presence_penalty", json!(0.5)),
        ("logprobs", json!(true)),
        ("made_up", json!(1)),
        ("moderation", json!({"model": "m"})),
    ] {
        let mut fields = json!({});
        fields[name] = value;
        assert_eq!(refused(fields), name);
    }
}
