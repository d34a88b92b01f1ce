//! What goes to Gemini and to Claude of a Responses request.

use serde_json::{Value, json};

use super::translated_for;
use crate::translate::{Refused, Translation};
use crate::vocabulary::CallerSurface;
use crate::vocabulary::ProviderSurface::{self, AnthropicMessages, GeminiInteractions};

const GEMINI: &str = "gemini-3.8-flash";
const CLAUDE: &str = "claude-opus-5";

pub fn translated(
    provider: ProviderSurface,
    fields: Value,
) -> Result<(Value, Translation), Refused> {
    let model = match provider {
        GeminiInteractions => GEMINI,
        _ => CLAUDE,
    };
    translated_for(CallerSurface::Responses, provider, model, fields)
}

fn gemini(fields: Value) -> Value {
    translated(GeminiInteractions, fields).unwrap().0
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

#[test]
fn a_plain_request_is_one_turn() {
    let expected =
        json!({"model": GEMINI, "input": [{"type": "user_input", "content": [text("u")]}]});
    assert_eq!(gemini(json!({})), expected);
    let expected = json!({
        "model": CLAUDE, "max_tokens": 128_000, "messages": [{"role": "user", "content": [text("u")]}],
    });
    assert_eq!(claude(json!({})), expected);
    assert_eq!(gemini(json!({"store": false}))["store"], false);
    assert_eq!(
        dropped(AnthropicMessages, json!({"store": false})).as_deref(),
        Some("store")
    );
}

#[test]
fn items_keep_their_order_and_the_instructions_stand_first() {
    let input = json!([
        {"role": "developer", "content": "t"},
        {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
            {"type": "output_text", "text": "b", "annotations": [], "logprobs": []}, {"type": "refusal", "refusal": "c"},
        ]},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{\"a\": 1}", "status": "completed"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "g", "input": "x"},
        {"type": "function_call_output", "call_id": "c1", "output": "r"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "s"}]},
        {"role": "user", "content": "d"},
    ]);
    let fields = json!({"instructions": "s", "input": input});
    let body = gemini(fields.clone());
    assert_eq!(body["system_instruction"], "s\n\nt");
    let expected = json!([
        {"type": "user_input", "content": [text("a")]},
        {"type": "model_output", "content": [text("b"), text("c")]},
        {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
        {"type": "function_call", "id": "c2", "name": "g", "arguments": {"input": "x"}},
        {"type": "function_result", "call_id": "c1", "name": "f", "result": "r"},
        {"type": "function_result", "call_id": "c2", "name": "g", "result": [text("s")]},
        {"type": "user_input", "content": [text("d")]},
    ]);
    assert_eq!(body["input"], expected);
    let body = claude(fields);
    assert_eq!(body["system"], json!([text("s"), text("t")]));
    let expected = json!([
        {"role": "user", "content": [text("a")]},
        {"role": "assistant", "content": [
            text("b"), text("c"),
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
            {"type": "tool_use", "id": "c2", "name": "g", "input": {"input": "x"}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "r"},
            {"type": "tool_result", "tool_use_id": "c2", "content": [text("s")]},
            text("d"),
        ]},
    ]);
    assert_eq!(body["messages"], expected);
}

#[test]
fn thoughts_go_back_to_whoever_thought_them() {
    let history = |seal: &str| {
        json!({"input": [
            {"role": "user", "content": "u"},
            {"type": "reasoning", "id": "rs_1", "encrypted_content": seal, "summary": [{"type": "summary_text", "text": "t"}]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "r"},
        ]})
    };
    let of_gemini = gemini(history("gemini:sig"));
    assert_eq!(
        of_gemini["input"][1],
        json!({"type": "thought", "signature": "sig"})
    );
    let of_claude = claude(history("anthropic:sig"));
    let thinking = json!({"type": "thinking", "thinking": "t", "signature": "sig"});
    assert_eq!(of_claude["messages"][1]["content"][0], thinking);
    let redacted = claude(history("anthropic-redacted:data"));
    let block = json!({"type": "redacted_thinking", "data": "data"});
    assert_eq!(redacted["messages"][1]["content"][0], block);
    for foreign in ["gAAAAAB", "openai:rs_1:g"] {
        for body in [gemini(history(foreign)), claude(history(foreign))] {
            let written = body.to_string();
            assert!(
                !written.contains("thought") && !written.contains("thinking"),
                "{written}"
            );
        }
    }
    assert!(!claude(history("gemini:sig")).to_string().contains("sig"));
    assert!(!gemini(history("anthropic:sig")).to_string().contains("sig"));
}

#[test]
fn images_and_documents_keep_their_form() {
    let parts = json!([
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "high"},
        {"type": "input_file", "file_data": "data:application/pdf;base64,BBBB", "filename": "a.pdf"},
        {"type": "input_file", "file_url": "https://example.com/a.pdf"},
    ]);
    let fields = json!({"input": [{"role": "user", "content": parts}]});
    let content = claude(fields.clone())["messages"][0]["content"].clone();
    assert_eq!(content[0]["source"]["data"], "AAAA");
    assert_eq!(content[1]["title"], "a.pdf");
    assert_eq!(
        content[2]["source"],
        json!({"type": "url", "url": "https://example.com/a.pdf"})
    );
    let content = gemini(fields.clone())["input"][0]["content"].clone();
    assert_eq!(
        content[2],
        json!({"type": "document", "uri": "https://example.com/a.pdf"})
    );
    let told = dropped(GeminiInteractions, fields);
    assert_eq!(told.as_deref(), Some("image_url.detail, file.filename"));
    for (part, param) in [
        (
            json!({"type": "input_image", "file_id": "file_1"}),
            "input[0].content[0].image_url",
        ),
        (
            json!({"type": "input_audio", "input_audio": {}}),
            "input[0].content[0].type",
        ),
        (json!({"type": "input_file", "file_id": "file_1"}), "input"),
    ] {
        let fields = json!({"input": [{"role": "user", "content": [part]}]});
        for provider in [GeminiInteractions, AnthropicMessages] {
            assert_eq!(refused(provider, fields.clone()), param);
        }
    }
}

#[test]
fn tools_schemas_and_efforts_have_their_counterparts() {
    let fields = json!({
        "tools": [
            {"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": true},
            {"type": "custom", "name": "g"},
        ],
        "tool_choice": {"type": "function", "name": "f"},
        "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": true}, "verbosity": "low"},
        "reasoning": {"effort": "high", "summary": "auto"}, "max_output_tokens": 50,
    });
    let body = gemini(fields.clone());
    assert_eq!(body["tools"].as_array().unwrap().len(), 2);
    let config = json!({
        "tool_choice": {"allowed_tools": {"mode": "any", "tools": ["f"]}}, "max_output_tokens": 50,
        "thinking_summaries": "auto", "thinking_level": "high",
    });
    assert_eq!(body["generation_config"], config);
    assert_eq!(body["response_format"]["schema"], json!({"type": "object"}));
    let told = dropped(GeminiInteractions, fields.clone());
    assert_eq!(told.as_deref(), Some("tools.strict, text.verbosity"));
    let body = claude(fields);
    assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "f"}));
    assert_eq!(body["tools"][0]["strict"], true);
    assert_eq!(
        body["thinking"],
        json!({"type": "adaptive", "display": "summarized"})
    );
    assert_eq!(body["output_config"]["effort"], "high");
    let search = json!({"tools": [{"type": "web_search"}]});
    assert_eq!(refused(AnthropicMessages, search), "tools[0].type");
}

#[test]
fn what_the_other_does_not_have_is_told_or_refused() {
    let fields = json!({
        "metadata": {"a": "b"}, "user": "u", "include": ["reasoning.encrypted_content"], "prompt_cache_key": "k",
        "truncation": "disabled", "top_logprobs": 0,
    });
    for provider in [GeminiInteractions, AnthropicMessages] {
        let header = dropped(provider, fields.clone()).unwrap();
        let mut told: Vec<&str> = header.split(", ").collect();
        told.sort_unstable();
        assert_eq!(told, ["include", "metadata", "prompt_cache_key", "user"]);
        for (name, value) in [
            ("previous_response_id", json!("resp_1")),
            ("conversation", json!("conv_1")),
            ("truncation", json!("auto")),
            ("top_logprobs", json!(2)),
            ("prompt", json!({"id": "p"})),
            ("made_up", json!(1)),
        ] {
            let mut fields = json!({});
            fields[name] = value;
            assert_eq!(refused(provider, fields), name);
        }
        let reference = json!({"input": [{"type": "item_reference", "id": "msg_1"}]});
        assert_eq!(refused(provider, reference), "input[0].type");
    }
    let error = translated(
        GeminiInteractions,
        json!({"previous_response_id": "resp_1"}),
    )
    .unwrap_err();
    assert!(error.what.contains("Send the turns so far in `input`."));
}

#[test]
fn a_choice_without_tools_is_not_sent_to_claude() {
    let body = claude(json!({"tools": [], "tool_choice": "auto"}));
    assert!(body.get("tool_choice").is_none() && body.get("tools").is_none());
    let silent = claude(json!({"reasoning": {"effort": "none", "summary": "auto"}}));
    assert!(
        silent.get("thinking").is_none(),
        "no thinking is asked for, so none is shown"
    );
}
