//! What goes to OpenAI and to Claude of a request for an interaction.

use serde_json::{Value, json};

use super::translated_for;
use crate::translate::{Refused, Translation};
use crate::vocabulary::CallerSurface;
use crate::vocabulary::ProviderSurface::{self, AnthropicMessages, OpenaiResponses};

const OPENAI: &str = "gpt-6.2-sol";
const CLAUDE: &str = "claude-opus-5";

pub fn translated(
    provider: ProviderSurface,
    fields: Value,
) -> Result<(Value, Translation), Refused> {
    let model = match provider {
        OpenaiResponses => OPENAI,
        _ => CLAUDE,
    };
    translated_for(CallerSurface::Interactions, provider, model, fields)
}

fn openai(fields: Value) -> Value {
    translated(OpenaiResponses, fields).unwrap().0
}

fn claude(fields: Value) -> Value {
    translated(AnthropicMessages, fields).unwrap().0
}

fn dropped(provider: ProviderSurface, fields: Value) -> Option<String> {
    translated(provider, fields).unwrap().1.dropped.header()
}

fn refused(provider: ProviderSurface, fields: Value) -> String {
    translated(provider, fields).unwrap_err().param
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn input_text(text: &str) -> Value {
    json!({"type": "input_text", "text": text})
}

#[test]
fn the_input_may_be_a_text_a_content_contents_or_steps() {
    let one = json!([{"type": "message", "role": "user", "content": [input_text("u")]}]);
    for input in [
        json!("u"),
        text("u"),
        json!([text("u")]),
        json!([{"type": "user_input", "content": [text("u")]}]),
        json!([{"type": "user_input", "content": "u"}]),
    ] {
        let body = openai(json!({"input": input}));
        assert_eq!(body, json!({"model": OPENAI, "input": one}), "{input}");
    }
    let body = claude(json!({"store": true}));
    let messages = json!([{"role": "user", "content": [text("u")]}]);
    assert_eq!(
        body,
        json!({"model": CLAUDE, "max_tokens": 128_000, "messages": messages})
    );
    assert_eq!(openai(json!({"store": false}))["store"], false);
    assert_eq!(
        dropped(AnthropicMessages, json!({"store": true})).as_deref(),
        Some("store")
    );
}

#[test]
fn steps_keep_their_order_and_results_find_their_calls() {
    let input = json!([
        {"type": "user_input", "content": [text("a")]},
        {"type": "thought", "signature": "Gemini's own"},
        {"type": "model_output", "content": [text("b")]},
        {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
        {"type": "function_call", "name": "g"},
        {"type": "function_result", "name": "g", "result": {"b": 2}},
        {"type": "function_result", "call_id": "c1", "result": [text("r")], "is_error": true},
        {"type": "user_input", "content": [text("d")]},
    ]);
    let fields = json!({"system_instruction": [text("s"), text("t")], "input": input});
    let expected = json!([
        {"type": "message", "role": "system", "content": [input_text("s"), input_text("t")]},
        {"type": "message", "role": "user", "content": [input_text("a")]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "b"}]},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{\"a\":1}"},
        {"type": "function_call", "call_id": "call_2", "name": "g", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_2", "output": "{\"b\":2}"},
        {"type": "function_call_output", "call_id": "c1", "output": [input_text("r")]},
        {"type": "message", "role": "user", "content": [input_text("d")]},
    ]);
    assert_eq!(openai(fields.clone())["input"], expected);
    assert_eq!(
        dropped(OpenaiResponses, fields.clone()).as_deref(),
        Some("input.is_error")
    );
    let body = claude(fields);
    assert_eq!(body["system"], json!([text("s"), text("t")]));
    let result = json!({"type": "tool_result", "tool_use_id": "c1", "content": [text("r")], "is_error": true});
    assert_eq!(body["messages"][2]["content"][1], result);
    let nested = json!({"input": [
        {"type": "function_call", "id": "c1", "name": "f", "arguments": {}},
        {"type": "user_input", "content": [{"type": "function_result", "call_id": "c1", "result": "r"}, text("d")]},
    ]});
    let input = openai(nested)["input"].clone();
    assert_eq!(input[1]["output"], "r");
    assert_eq!(input[2]["content"][0]["text"], "d");
    let lost = json!({"input": [{"type": "function_result", "name": "f", "result": "r"}]});
    assert_eq!(refused(OpenaiResponses, lost), "input[0].call_id");
}

#[test]
fn thoughts_go_back_to_whoever_thought_them() {
    let history = |signature: &str| {
        json!({"input": [
            {"type": "user_input", "content": "u"},
            {"type": "thought", "signature": signature, "summary": [text("t")]},
            {"type": "function_call", "id": "c1", "name": "f", "arguments": {}},
            {"type": "function_result", "call_id": "c1", "result": "r"},
        ]})
    };
    let thoughts = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "g",
        "summary": [{"type": "summary_text", "text": "t"}]});
    assert_eq!(openai(history("openai:rs_1:g"))["input"][1], thoughts);
    let thinking = json!({"type": "thinking", "thinking": "t", "signature": "s"});
    assert_eq!(
        claude(history("anthropic:s"))["messages"][1]["content"][0],
        thinking
    );
    for foreign in ["CiQBDDnW", "gemini:CiQBDDnW"] {
        assert_eq!(
            openai(history(foreign))["input"][1]["type"],
            "function_call"
        );
        let first = &claude(history(foreign))["messages"][1]["content"][0];
        assert_eq!(first["type"], "tool_use");
    }
}

#[test]
fn images_and_documents_keep_their_form() {
    let contents = json!([
        {"type": "image", "mime_type": "image/png", "data": "AAAA", "resolution": "low"},
        {"type": "image", "uri": "https://example.com/a.png"},
        {"type": "document", "mime_type": "application/pdf", "data": "BBBB"},
        {"type": "document", "uri": "https://example.com/a.pdf"},
    ]);
    let fields = json!({"input": contents});
    let expected = json!([
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"},
        {"type": "input_image", "image_url": "https://example.com/a.png", "detail": "auto"},
        {"type": "input_file", "file_data": "data:application/pdf;base64,BBBB", "filename": "document.pdf"},
        {"type": "input_file", "file_url": "https://example.com/a.pdf"},
    ]);
    assert_eq!(openai(fields.clone())["input"][0]["content"], expected);
    assert_eq!(
        dropped(OpenaiResponses, fields.clone()).as_deref(),
        Some("input.resolution")
    );
    let content = claude(fields)["messages"][0]["content"].clone();
    assert_eq!(content[2]["source"]["media_type"], "application/pdf");
    assert_eq!(content[3]["source"]["url"], "https://example.com/a.pdf");
}

#[test]
fn the_configuration_has_its_counterparts() {
    let fields = json!({
        "tools": [{"type": "function", "name": "f", "description": "d"}, {"type": "function", "name": "g"}],
        "response_format": {"type": "text", "mime_type": "application/json", "schema": {"type": "object"}},
        "generation_config": {
            "max_output_tokens": 50, "thinking_level": "high", "thinking_summaries": "auto",
            "tool_choice": {"allowed_tools": {"mode": "any", "tools": ["g"]}},
        },
    });
    let body = openai(fields.clone());
    assert_eq!(body["max_output_tokens"], 50);
    assert_eq!(
        body["reasoning"],
        json!({"effort": "high", "summary": "auto"})
    );
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(
        body["tool_choice"],
        json!({"type": "function", "name": "g"})
    );
    let format = json!({"type": "json_schema", "name": "output", "schema": {"type": "object"}, "strict": false});
    assert_eq!(body["text"]["format"], format);
    let body = claude(fields);
    assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "g"}));
    assert_eq!(
        body["thinking"],
        json!({"type": "adaptive", "display": "summarized"})
    );
    assert_eq!(
        body["output_config"]["format"]["schema"],
        json!({"type": "object"})
    );
    for (choice, mode) in [
        ("auto", "auto"),
        ("any", "required"),
        ("none", "none"),
        ("validated", "auto"),
    ] {
        let fields = json!({"generation_config": {"tool_choice": choice}});
        assert_eq!(openai(fields.clone())["tool_choice"], mode);
        let told = (choice == "validated").then_some("generation_config.tool_choice");
        assert_eq!(dropped(OpenaiResponses, fields).as_deref(), told);
    }
    let bare = openai(json!({"response_format": {"properties": {}}}));
    assert_eq!(bare["text"]["format"]["schema"], json!({"properties": {}}));
    let stops = json!({"generation_config": {"stop_sequences": ["x"]}});
    assert_eq!(claude(stops.clone())["stop_sequences"], json!(["x"]));
    assert_eq!(
        refused(OpenaiResponses, stops),
        "generation_config.stop_sequences"
    );
    let capped = json!({"generation_config": {"max_output_tokens": 3}});
    assert_eq!(openai(capped.clone())["max_output_tokens"], 16);
    assert_eq!(
        dropped(OpenaiResponses, capped).as_deref(),
        Some("generation_config.max_output_tokens")
    );
}

#[test]
fn what_the_other_does_not_have_is_told_or_refused() {
    for provider in [OpenaiResponses, AnthropicMessages] {
        assert_eq!(
            dropped(provider, json!({"labels": {"a": "b"}})).as_deref(),
            Some("labels")
        );
        for (param, fields) in [
            (
                "previous_interaction_id",
                json!({"previous_interaction_id": "v1_1"}),
            ),
            (
                "generation_config.seed",
                json!({"generation_config": {"seed": 1}}),
            ),
            (
                "generation_config.top_k",
                json!({"generation_config": {"top_k": 1}}),
            ),
            ("safety_settings", json!({"safety_settings": []})),
            (
                "tools[0].type",
                json!({"tools": [{"type": "google_search"}]}),
            ),
            (
                "response_format.type",
                json!({"response_format": {"type": "image"}}),
            ),
            (
                "input[0].type",
                json!({"input": [{"type": "video", "uri": "v"}]}),
            ),
            (
                "input[0].type",
                json!({"input": [{"type": "code_execution_call"}]}),
            ),
        ] {
            assert_eq!(refused(provider, fields), param);
        }
    }
    let named = translated(
        AnthropicMessages,
        json!({"generation_config": {"temperature": 0.2}}),
    );
    let refused = named.unwrap_err();
    assert_eq!(refused.param, "generation_config.temperature");
    assert!(
        refused.what.contains("`generation_config.temperature`"),
        "{}",
        refused.what
    );
}
