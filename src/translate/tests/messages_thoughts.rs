//! The thoughts in the history of a Messages caller.

use serde_json::json;

use super::messages_requests::{gemini, openai, translated};
use crate::vocabulary::ProviderSurface::{GeminiInteractions, OpenaiResponses};

#[test]
fn thoughts_go_back_to_whoever_thought_them() {
    let history = |signature: &str| {
        json!({"messages": [
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "t", "signature": signature},
                {"type": "tool_use", "id": "c1", "name": "f", "input": {}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "r"}]},
        ]})
    };
    let of_openai = history("openai:rs_1:gAAA:b");
    let thoughts = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA:b",
        "summary": [{"type": "summary_text", "text": "t"}]});
    assert_eq!(openai(of_openai.clone())["input"][1], thoughts);
    let of_gemini = history("gemini:c2ln");
    let thoughts = json!({"type": "thought", "signature": "c2ln"});
    assert_eq!(gemini(of_gemini.clone())["input"][1], thoughts);
    let of_anthropic = history("EqQBCgIYAhIM");
    for (provider, fields) in [
        (OpenaiResponses, of_gemini),
        (GeminiInteractions, of_openai),
        (OpenaiResponses, of_anthropic.clone()),
        (GeminiInteractions, of_anthropic),
    ] {
        let (body, translation) = translated(provider, fields).unwrap();
        let kind = body["input"][1]["type"].as_str().unwrap();
        assert_eq!(kind, "function_call", "{body}");
        assert_eq!(translation.dropped.header(), None);
    }
    // OpenAI wants no thoughts that led to nothing.
    let last = json!({"messages": [
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "openai:rs_1:g"}]},
        {"role": "user", "content": "v"},
    ]});
    assert_eq!(openai(last)["input"].as_array().unwrap().len(), 2);
}

#[test]
fn a_seal_that_rode_in_the_id_of_a_call_goes_back_to_gemini_alone() {
    let id = "c1~gemini:c2ln";
    let fields = json!({"messages": [
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "r"}]},
    ]});
    let input = gemini(fields.clone())["input"].clone();
    assert_eq!(input[1], json!({"type": "thought", "signature": "c2ln"}));
    assert_eq!(
        (&input[2]["id"], &input[3]["call_id"]),
        (&json!("c1"), &json!("c1"))
    );
    let input = openai(fields)["input"].clone();
    assert_eq!(
        (&input[1]["call_id"], &input[2]["call_id"]),
        (&json!("c1"), &json!("c1"))
    );
}
