//! What goes upstream of a Chat request.

use bytes::Bytes;
use serde_json::{Value, json};

use super::given;
use crate::envelope::Envelope;
use crate::translate::{Translation, read};
use crate::vocabulary::{CallerSurface, ProviderSurface};

fn envelope(fields: &Value) -> Envelope {
    let mut body = json!({"model": "gpt-fast", "start_within": "00h-00m-30s", "messages": []});
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    let bytes = Bytes::from(body.to_string());
    Envelope::parse(bytes, CallerSurface::Chat, None).unwrap()
}

/// What goes upstream, without what every request has.
fn upstream(fields: Value) -> (Value, Translation) {
    let (conversation, translation) = read(
        &envelope(&fields),
        ProviderSurface::OpenaiResponses,
        None,
        given(),
    )
    .unwrap();
    let mut value = serde_json::to_value(conversation).unwrap();
    let object = value.as_object_mut().unwrap();
    assert_eq!(object.remove("model"), Some(json!("gpt-fast")));
    (value, translation)
}

fn input(messages: Value) -> Value {
    upstream(json!({"messages": messages})).0["input"].take()
}

fn refused(fields: Value) -> String {
    read(
        &envelope(&fields),
        ProviderSurface::OpenaiResponses,
        None,
        given(),
    )
    .unwrap_err()
    .param
}

#[test]
fn the_parts_of_an_assistant_are_output_and_those_of_all_others_input() {
    let said = |kind: &str, text: &str| json!([{"type": kind, "text": text}]);
    let read = input(json!([
        {"role": "system", "content": "s"},
        {"role": "developer", "content": [{"type": "text", "text": "d"}]},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "a"},
        {"role": "assistant", "content": [{"type": "text", "text": "b"}, {"type": "refusal", "refusal": "r"}]},
    ]));
    let expected = json!([
        {"type": "message", "role": "system", "content": said("input_text", "s")},
        {"type": "message", "role": "developer", "content": said("input_text", "d")},
        {"type": "message", "role": "user", "content": said("input_text", "u")},
        {"type": "message", "role": "assistant", "content": said("output_text", "a")},
        {"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "b"}, {"type": "refusal", "refusal": "r"},
        ]},
    ]);
    assert_eq!(read, expected);
}

#[test]
fn calls_and_results_keep_their_ids_and_their_order() {
    let read = input(json!([
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
            {"id": "call_2", "type": "custom", "custom": {"name": "c", "input": "x"}},
        ]},
        {"role": "tool", "tool_call_id": "call_2", "content": "two"},
        {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "one"}]},
    ]));
    let expected = json!([
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{\"a\":1}"},
        {"type": "custom_tool_call", "call_id": "call_2", "name": "c", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "call_2", "output": "two"},
        {"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text", "text": "one"}]},
    ]);
    assert_eq!(read, expected);
}

#[test]
fn an_empty_assistant_message_makes_no_item() {
    assert_eq!(
        input(json!([{"role": "assistant", "content": ""}])),
        json!([])
    );
    assert_eq!(
        input(json!([{"role": "assistant", "content": null}])),
        json!([])
    );
}

#[test]
fn images_and_files_are_flat_in_responses() {
    let read = input(json!([{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "https://a/b.png", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA", "filename": "a.pdf"}},
    ]}]));
    let expected = json!([
        {"type": "input_image", "image_url": "https://a/b.png", "detail": "low"},
        {"type": "input_image", "image_url": "data:image/png;base64,AA", "detail": "auto"},
        {"type": "input_file", "file_data": "data:application/pdf;base64,AA", "filename": "a.pdf"},
    ]);
    assert_eq!(read[0]["content"], expected);
}

#[test]
fn tools_are_flat_and_not_strict_unless_they_say_so() {
    let (body, _) = upstream(json!({"tools": [
        {"type": "function", "function": {"name": "f"}},
        {"type": "function", "function": {"name": "g", "description": "d", "parameters": {"type": "object"}, "strict": true}},
        {"type": "custom", "custom": {"name": "c", "format": {"type": "grammar", "grammar": {"definition": "d", "syntax": "lark"}}}},
    ], "parallel_tool_calls": false}));
    let expected = json!([
        {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}, "strict": false},
        {"type": "function", "name": "g", "description": "d", "parameters": {"type": "object"}, "strict": true},
        {"type": "custom", "name": "c", "format": {"type": "grammar", "definition": "d", "syntax": "lark"}},
    ]);
    assert_eq!(body["tools"], expected);
    assert_eq!(body["parallel_tool_calls"], false);
}

#[test]
fn every_form_of_tool_choice_has_its_counterpart() {
    let function = json!({"type": "function", "function": {"name": "f"}});
    for (chat, responses) in [
        (json!("auto"), json!("auto")),
        (json!("none"), json!("none")),
        (json!("required"), json!("required")),
        (function.clone(), json!({"type": "function", "name": "f"})),
        (
            json!({"type": "custom", "custom": {"name": "c"}}),
            json!({"type": "custom", "name": "c"}),
        ),
        (
            json!({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [function]}}),
            json!({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]}),
        ),
    ] {
        assert_eq!(
            upstream(json!({"tool_choice": chat})).0["tool_choice"],
            responses
        );
    }
}

#[test]
fn formats_effort_and_verbosity_move_to_their_places() {
    let (body, _) = upstream(json!({
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}},
        "verbosity": "low", "reasoning_effort": "high", "temperature": 0.5, "top_p": 1, "user": "u",
        "metadata": {"a": "b"}, "prompt_cache_key": "k",
    }));
    let expected = json!({
        "input": [], "store": false,
        "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": false}, "verbosity": "low"},
        "reasoning": {"effort": "high"}, "temperature": 0.5, "top_p": 1, "user": "u", "metadata": {"a": "b"},
        "prompt_cache_key": "k",
    });
    assert_eq!(body, expected);
}

#[test]
fn the_newer_output_cap_wins_and_one_below_the_least_is_raised_and_reported() {
    let cap = |fields| {
        let (body, translation) = upstream(fields);
        (
            body["max_output_tokens"].clone(),
            translation.dropped.header(),
        )
    };
    assert_eq!(cap(json!({"max_tokens": 20})), (json!(20), None));
    let both = json!({"max_tokens": 20, "max_completion_tokens": 30});
    assert_eq!(cap(both), (json!(30), None));
    let low = cap(json!({"max_completion_tokens": 5}));
    assert_eq!(low, (json!(16), Some("max_completion_tokens".to_owned())));
    assert_eq!(cap(json!({})), (Value::Null, None));
}

#[test]
fn nothing_is_kept_unless_it_is_asked_for() {
    assert_eq!(upstream(json!({})).0["store"], false);
    assert_eq!(upstream(json!({"store": true})).0["store"], true);
}

#[test]
fn a_name_on_a_message_is_left_out_and_reported() {
    let messages = json!([{"role": "user", "name": "x", "content": "a"}]);
    let (_, translation) = upstream(json!({"messages": messages}));
    assert_eq!(
        translation.dropped.header().as_deref(),
        Some("messages[0].name")
    );
}

#[test]
fn neutral_values_of_what_only_chat_has_are_taken_out() {
    let (body, translation) = upstream(json!({
        "n": 1, "logprobs": false, "stop": [], "seed": null, "stream_options": {"include_usage": true}, "stream": true,
    }));
    assert_eq!(body, json!({"input": [], "store": false}));
    assert_eq!(translation.dropped.header(), None);
}

#[test]
fn what_has_no_counterpart_or_the_wrong_type_is_refused_by_name() {
    for (fields, param) in [
        (json!({"made_up": 1}), "made_up"),
        (
            json!({"messages": [{"role": "clown", "content": "a"}]}),
            "messages[0].role",
        ),
        (
            json!({"messages": [{"role": "user", "content": 5}]}),
            "messages[0].content",
        ),
        (
            json!({"messages": [{"role": "user", "content": [{"type": "video"}]}]}),
            "messages[0].content[0].type",
        ),
        (
            json!({"messages": [{"role": "tool", "content": "a"}]}),
            "messages[0].tool_call_id",
        ),
        (json!({"tools": [{"type": "hammer"}]}), "tools[0].type"),
        (
            json!({"tools": [{"type": "function", "function": {}}]}),
            "tools[0].function.name",
        ),
        (
            json!({"tool_choice": {"type": "hammer"}}),
            "tool_choice.type",
        ),
        (
            json!({"response_format": {"type": "xml"}}),
            "response_format.type",
        ),
        (json!({"max_tokens": "many"}), "max_tokens"),
        (json!({"temperature": "warm"}), "temperature"),
    ] {
        assert_eq!(refused(fields.clone()), param, "{fields}");
    }
    let long = "x".repeat(10_000);
    assert!(refused(json!({ long: 1 })).len() < 100);
}
