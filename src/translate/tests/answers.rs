//! What a Chat caller gets of a whole answer.

use serde_json::{Value, json};

use super::{call, message, response, translation};
use crate::translate::NoAnswer;
use crate::translate::chat::Shape;

fn answered(output: Value, status: &str, shape: Shape) -> Value {
    let document = response(output, status).to_string();
    serde_json::from_slice(&translation(shape).answer(document.as_bytes()).unwrap()).unwrap()
}

#[test]
fn an_answer_is_a_completion_with_the_same_usage_and_tier() {
    let answer = answered(
        json!([{"type": "reasoning", "summary": []}, message("Grüße")]),
        "completed",
        Shape::default(),
    );
    let expected = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": "gpt-fast-1",
        "choices": [{"index": 0, "logprobs": null, "finish_reason": "stop", "message": {
            "role": "assistant", "content": "Grüße", "refusal": null, "annotations": [
                {"type": "url_citation", "url_citation": {"start_index": 0, "end_index": 2, "url": "https://a", "title": "A"}},
            ],
        }}],
        "usage": {
            "prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17,
            "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": 3, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0,
            },
        },
        "service_tier": "flex", "system_fingerprint": null,
    });
    assert_eq!(answer, expected);
}

#[test]
fn citations_move_behind_the_text_before_them_in_characters() {
    let answer = answered(
        json!([message("äöü"), message("b")]),
        "completed",
        Shape::default(),
    );
    let message = &answer["choices"][0]["message"];
    assert_eq!(message["content"], "äöüb");
    assert_eq!(message["annotations"][1]["url_citation"]["start_index"], 3);
}

#[test]
fn of_structured_answers_only_the_first_counts() {
    let shape = Shape {
        structured: true,
        ..Shape::default()
    };
    let answer = answered(json!([message("{}"), message("{}")]), "completed", shape);
    assert_eq!(answer["choices"][0]["message"]["content"], "{}");
}

#[test]
fn calls_end_a_turn_with_tool_calls_and_the_cap_with_length() {
    let both = json!([call("call_a", "f"), call("call_b", "g")]);
    let answer = answered(both.clone(), "completed", Shape::default());
    let choice = &answer["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(choice["message"]["content"], Value::Null);
    let expected = json!({"id": "call_b", "type": "function", "function": {"name": "g", "arguments": "{\"a\": 1}"}});
    assert_eq!(choice["message"]["tool_calls"][1], expected);
    let cut = answered(both.clone(), "incomplete", Shape::default());
    assert_eq!(cut["choices"][0]["finish_reason"], "length");
    let legacy = Shape {
        legacy_functions: true,
        ..Shape::default()
    };
    let choice = &answered(both, "completed", legacy)["choices"][0];
    assert_eq!(choice["finish_reason"], "function_call");
    assert_eq!(
        choice["message"]["function_call"],
        json!({"name": "f", "arguments": "{\"a\": 1}"})
    );
}

#[test]
fn reasoning_that_took_all_tokens_is_an_empty_answer_cut_by_the_cap() {
    let answer = answered(
        json!([{"type": "reasoning", "summary": []}]),
        "incomplete",
        Shape::default(),
    );
    let choice = &answer["choices"][0];
    assert_eq!(
        (
            choice["finish_reason"].as_str(),
            choice["message"]["content"].as_str()
        ),
        (Some("length"), Some(""))
    );
    assert_eq!(
        answer["usage"]["completion_tokens_details"]["reasoning_tokens"],
        3
    );
}

#[test]
fn a_refusal_is_no_content() {
    let refusal = json!([{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]);
    let message = &answered(refusal, "completed", Shape::default())["choices"][0]["message"];
    assert_eq!(
        (&message["content"], &message["refusal"]),
        (&Value::Null, &json!("No."))
    );
}

#[test]
fn a_document_that_is_no_answer_or_tells_of_a_failure_is_not_given_as_one() {
    let translation = translation(Shape::default());
    let mut queued = response(json!([]), "queued");
    for text in [
        "[]",
        "{}",
        "null",
        "\"a\"",
        "{\"id\": \"resp_1\"}",
        &queued.to_string(),
    ] {
        assert_eq!(
            translation.answer(text.as_bytes()),
            Err(NoAnswer::Unreadable),
            "{text}"
        );
    }
    queued["status"] = json!("failed");
    queued["error"] = json!({"code": "server_error", "message": "Sorry."});
    let fault = match translation.answer(queued.to_string().as_bytes()) {
        Err(NoAnswer::Failed(fault)) => fault,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (fault.code.as_deref(), &*fault.message),
        (Some("server_error"), "Sorry.")
    );
}
