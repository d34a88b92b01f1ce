//! Parameters that cannot be served: Chat's own in a race, an answer in the background; and what `count_tokens` refuses.

use super::draft::{Bad, CHAT, Draft, INTERACTIONS, INTERACTIONS_BETA, MESSAGES, RESPONSES};
use super::plans::request;

pub fn table() -> Vec<Bad> {
    let mut rows = Vec::new();
    rows.extend(chat_parameters());
    rows.extend(background());
    rows.extend(count_tokens());
    rows
}

/// Chat parameters that Responses has no counterpart for, and those that cannot be translated.
fn chat_parameters() -> Vec<Bad> {
    let native_only = [
        ("n", "2"),
        ("n", "1.5"),
        ("stop", "\"END\""),
        ("stop", "[\"END\"]"),
        ("seed", "0"),
        ("logprobs", "true"),
        ("top_logprobs", "1"),
        ("logit_bias", "{\"50256\":-100}"),
        ("frequency_penalty", "0.1"),
        ("presence_penalty", "-0.1"),
        ("prediction", "{\"type\":\"content\",\"content\":\"x\"}"),
        ("audio", "{\"voice\":\"alloy\",\"format\":\"wav\"}"),
        ("modalities", "[\"text\",\"audio\"]"),
        ("web_search_options", "{}"),
    ];
    let draft = |name: &str, value: &str| {
        request(CHAT, "gpt-5.5", "00h-00m-30s")
            .with(name, value)
            .json()
    };
    let mut rows = Vec::new();
    for (name, value) in native_only {
        let row = Bad::new(
            format!("a race with {name} {value}"),
            CHAT,
            400,
            "flex_unsupported_chat_params",
        );
        rows.push(row.body(draft(name, value)).param(name));
    }
    let audio = r#"[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}}]}]"#;
    let row = Bad::new(
        "a race with audio input",
        CHAT,
        400,
        "flex_unsupported_chat_params",
    );
    rows.push(row.body(draft("messages", audio)).param("messages"));
    for (name, value, param) in [
        ("made_up", "1", "made_up"),
        ("tools", r#"[{"type":"hammer"}]"#, "tools[0].type"),
        ("tool_choice", r#"{"type":"hammer"}"#, "tool_choice.type"),
        (
            "response_format",
            r#"{"type":"xml"}"#,
            "response_format.type",
        ),
        ("max_completion_tokens", "\"many\"", "max_completion_tokens"),
        (
            "messages",
            r#"[{"role":"clown","content":"x"}]"#,
            "messages[0].role",
        ),
        (
            "messages",
            r#"[{"role":"user","content":7}]"#,
            "messages[0].content",
        ),
    ] {
        let name_of_row = format!("a race with {name} {value}");
        let row = Bad::new(name_of_row, CHAT, 400, "unsupported_parameter");
        rows.push(row.body(draft(name, value)).param(param));
    }
    rows
}

fn background() -> Vec<Bad> {
    let row = |path| {
        let draft = Draft::of(path).with("background", "true");
        Bad::new("background", path, 400, "unsupported_parameter")
            .body(draft.json())
            .param("background")
            .says("retrieve endpoint")
    };
    let mut rows: Vec<Bad> = [RESPONSES, CHAT, INTERACTIONS, INTERACTIONS_BETA, MESSAGES]
        .map(row)
        .into();
    let escaped = Draft::of(RESPONSES).and("backgr\\u006fund", "true");
    rows.push(
        Bad::new(
            "background with an escape",
            RESPONSES,
            400,
            "unsupported_parameter",
        )
        .body(escaped.json()),
    );
    let raced = request(RESPONSES, "gpt-5.5", "00h-00m-30s").with("background", "true");
    rows.push(
        Bad::new(
            "background in a race",
            RESPONSES,
            400,
            "unsupported_parameter",
        )
        .body(raced.json()),
    );
    rows
}

fn count_tokens() -> Vec<Bad> {
    let path = "/v1/messages/count_tokens";
    let body = |model: &str| {
        Draft::of(path)
            .without("start_within")
            .with("model", model)
            .json()
    };
    vec![
        Bad::new("not a Claude model", path, 400, "provider_model_mismatch")
            .body(body("\"gpt-5.5\"")),
        Bad::new("a Gemini model", path, 400, "provider_model_mismatch")
            .body(body("\"gemini-3.5-flash\"")),
        Bad::new("no model", path, 400, "missing_model").body(body("null")),
        Bad::new("no JSON", path, 400, "invalid_json").body("{"),
        Bad::new("no messages", path, 400, "missing_messages").body(r#"{"model":"claude-opus-5"}"#),
        Bad::new("no key", path, 401, "missing_api_key").without_key(),
    ]
}
