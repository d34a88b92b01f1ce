//! What the vendors refuse, in their own words.

use serde_json::{Value, json};
use startline_load::simulator::Simulator;

use crate::client::{Answer, post, post_with, surfaces, usual_headers};

/// The surface's request with one field set.
fn with(number: usize, field: &str, value: Value) -> (&'static str, Value) {
    let (path, mut body) = surfaces(false)[number].clone();
    body[field] = value;
    (path, body)
}

fn code(answer: &Answer) -> String {
    let error = &answer.json()["error"];
    error["code"]
        .as_str()
        .or(error["type"].as_str())
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_key_is_refused_in_each_vendors_words() {
    let simulator = Simulator::start_default();
    let bearer =
        |key: &str| format!("authorization: Bearer {key}\r\nanthropic-version: 2023-06-01\r\n");
    let expected = [
        [
            (401, "invalid_request_error"),
            (401, "invalid_api_key"),
            (429, "insufficient_quota"),
        ],
        [
            (401, "invalid_request_error"),
            (401, "invalid_api_key"),
            (429, "insufficient_quota"),
        ],
        [(401, "authentication"), (400, ""), (429, "quota_exceeded")],
        [
            (401, "authentication_error"),
            (401, "authentication_error"),
            (400, "invalid_request_error"),
        ],
    ];
    for ((path, body), expected) in surfaces(false).into_iter().zip(expected) {
        let headers = [String::new(), bearer("sk-rejected"), bearer("sk-exhausted")];
        for (headers, (status, word)) in headers.iter().zip(expected) {
            let answer = post_with(&simulator, path, headers, &body);
            assert_eq!(
                (answer.status, code(&answer).as_str()),
                (status, word),
                "{path}"
            );
        }
        assert_eq!(
            post_with(&simulator, path, &bearer("sk-fine"), &body).status,
            200,
            "{path}"
        );
        assert_ne!(
            post_with(&simulator, path, &bearer("flex_live_0"), &body).status,
            200,
            "{path}"
        );
    }
    let (path, body) = &surfaces(false)[2];
    let error = post_with(&simulator, path, "x-goog-api-key: rejected\r\n", body).json();
    assert_eq!(error["error"]["details"][0]["reason"], "API_KEY_INVALID");
    assert_eq!(error["error"]["code"], 400);
}

#[test]
fn fields_of_the_router_are_unknown_to_every_vendor() {
    let simulator = Simulator::start_default();
    let words = [
        "unknown_parameter",
        "unknown_parameter",
        "parameter_unknown",
        "invalid_request_error",
    ];
    for (number, word) in words.into_iter().enumerate() {
        for field in ["start_within", "retry", "provider", "include_cost"] {
            let (path, body) = with(number, field, json!("x"));
            let answer = post(&simulator, path, &body);
            assert_eq!(
                (answer.status, code(&answer).as_str()),
                (400, word),
                "{path} {field}"
            );
        }
    }
}

#[test]
fn an_unknown_model_has_each_vendors_status() {
    let simulator = Simulator::start_default();
    let expected = [
        (400, "model_not_found"),
        (404, "model_not_found"),
        (404, "model_not_found"),
        (404, "not_found_error"),
    ];
    for (number, (status, word)) in expected.into_iter().enumerate() {
        let (path, body) = with(number, "model", json!("nope-1"));
        let answer = post(&simulator, path, &body);
        assert_eq!(
            (answer.status, code(&answer).as_str()),
            (status, word),
            "{path}"
        );
    }
}

#[test]
fn a_tier_of_another_vendor_is_refused() {
    let simulator = Simulator::start_default();
    for (number, tier) in [
        (0, "standard"),
        (1, "ultrafast"),
        (2, "default"),
        (2, "FLEX"),
        (3, "flex"),
    ] {
        let (path, body) = with(number, "service_tier", json!(tier));
        assert_eq!(post(&simulator, path, &body).status, 400, "{path} {tier}");
    }
}

/// The surface's number, fields to set, and a word of the refusal.
type Case = (usize, Value, &'static str);

#[test]
fn what_a_vendor_does_not_take_is_refused() {
    let simulator = Simulator::start_default();
    let tool = json!([{"type": "function", "function": {"name": "f"}}]);
    let user_text =
        |kind: &str, role: &str| json!([{"role": role, "content": [{"type": kind, "text": "x"}]}]);
    let result = json!({"type": "function_call_output", "call_id": "c", "output": "x"});
    let long = "c".repeat(65);
    let cases: Vec<Case> = vec![
        (
            0,
            json!({"stream_options": {"include_usage": true}, "stream": true}),
            "stream_options.include_usage",
        ),
        (
            0,
            json!({"max_output_tokens": 15}),
            "integer_below_min_value",
        ),
        (0, json!({"input": null}), "missing_required_parameter"),
        (0, json!({"model": null}), "missing_required_parameter"),
        (
            0,
            json!({"input": user_text("text", "user")}),
            "input[0].content[0].type",
        ),
        (
            0,
            json!({"input": user_text("input_text", "assistant")}),
            "'output_text', 'refusal'",
        ),
        (0, json!({"input": [result]}), "No tool call found"),
        (
            0,
            json!({"input": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]}),
            "No tool output",
        ),
        (
            0,
            json!({"input": [{"type": "function_call_output", "call_id": long, "output": "x"}]}),
            "string_above_max",
        ),
        (
            0,
            json!({"input": [{"type": "function_call", "id": "call_1", "call_id": "c", "name": "f"}]}),
            "begins with 'fc'",
        ),
        (0, json!({"tools": tool}), "tools[0].name"),
        (
            0,
            json!({"text": {"format": {"type": "json_object"}}}),
            "must contain the word 'json'",
        ),
        (1, json!({"messages": []}), "empty_array"),
        (
            1,
            json!({"model": "gpt-5.6-sol", "tools": tool}),
            "reasoning_effort",
        ),
        (
            1,
            json!({"model": "gpt-5.4", "tools": tool, "reasoning_effort": "low"}),
            "reasoning_effort",
        ),
        (1, json!({"max_tokens": 5}), "unsupported_parameter"),
        (
            1,
            json!({"messages": user_text("input_text", "user")}),
            "messages[0].content[0].type",
        ),
        (
            1,
            json!({"messages": [{"role": "tool", "tool_call_id": "c", "content": "x"}]}),
            "preceeding message",
        ),
        (2, json!({"input": null}), "invalid_request"),
        (
            2,
            json!({"generation_config": {"tool_choice": "any"}}),
            "function_declarations",
        ),
        (
            2,
            json!({"generation_config": {"thinking_budget": 1}}),
            "parameter_unknown",
        ),
        (
            2,
            json!({"input": [{"role": "user", "content": "x"}]}),
            "role",
        ),
        (
            2,
            json!({"input": [{"type": "function_call", "id": "c", "name": "f", "arguments": {}}]}),
            "signature",
        ),
        (3, json!({"max_tokens": null}), "max_tokens: Field required"),
        (
            3,
            json!({"messages": user_text("text", "assistant")}),
            "first message",
        ),
        (
            3,
            json!({"messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}]}),
            "non-empty",
        ),
        (
            3,
            json!({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "f", "input": {}}]}]}),
            "tool_result",
        ),
        (
            3,
            json!({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "x", "signature": "foreign"}]}]}),
            "Invalid `signature`",
        ),
        (3, json!({"tools": [{"name": "f"}]}), "input_schema"),
    ];
    for (number, fields, word) in cases {
        let (path, mut body) = surfaces(false)[number].clone();
        body.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        let answer = post(&simulator, path, &body);
        assert_eq!(answer.status, 400, "{path} {fields}");
        assert!(
            answer.text().contains(word),
            "{path} {fields}: {}",
            answer.text()
        );
    }
}

#[test]
fn a_conversation_with_its_own_answers_is_taken_back() {
    let simulator = Simulator::start_default();
    let call = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"});
    let result = json!({"type": "function_call_output", "call_id": "c", "output": "x"});
    let input = json!([{"role": "user", "content": "x"}, call, result]);
    assert_eq!(
        post(
            &simulator,
            "/v1/responses",
            &json!({"model": "gpt-5.2", "input": input})
        )
        .status,
        200
    );
    let script = r#"[[sim {"any":{"content":["reasoning_summary","tool_call"]}}]]"#;
    let first = json!([{"role": "user", "content": script}]);
    let request = |messages: &Value| json!({"model": "claude-opus-5", "max_tokens": 64, "messages": messages});
    let content = post(&simulator, "/v1/messages", &request(&first)).json()["content"].clone();
    let id = content[1]["id"].clone();
    let results = json!([{"type": "tool_result", "tool_use_id": id, "content": "4 C"}]);
    let mut messages = first.clone();
    messages
        .as_array_mut()
        .unwrap()
        .push(json!({"role": "assistant", "content": content}));
    messages
        .as_array_mut()
        .unwrap()
        .push(json!({"role": "user", "content": results}));
    assert_eq!(
        post(&simulator, "/v1/messages", &request(&messages)).status,
        200
    );
}

#[test]
fn the_version_decides_about_sampling_at_anthropic() {
    let simulator = Simulator::start_default();
    let (path, body) = with(3, "temperature", json!(0.5));
    assert_eq!(post(&simulator, path, &body).status, 200);
    let newer = "x-api-key: k\r\nanthropic-version: 2026-10-21\r\n";
    let answer = post_with(&simulator, path, newer, &body);
    assert!(answer.status == 400 && answer.text().contains("temperature"));
    let answer = post_with(&simulator, path, "x-api-key: k\r\n", &body);
    assert!(answer.status == 400 && answer.text().contains("anthropic-version"));
}

#[test]
fn an_unreadable_script_an_unknown_path_and_a_broken_body_are_told() {
    let simulator = Simulator::start_default();
    let (path, body) = &surfaces(false)[0];
    let headers = format!(
        "{}x-sim: {{\"any\":{{\"stauts\":1}}}}\r\n",
        usual_headers(path)
    );
    let answer = post_with(&simulator, path, &headers, body);
    assert!(answer.status == 400 && answer.text().contains("stauts"));
    assert_eq!(post(&simulator, "/v1/embeddings", body).status, 404);
    let answer = post(&simulator, path, &json!("not an object"));
    assert!(answer.status == 400 && answer.text().contains("parse"));
}
