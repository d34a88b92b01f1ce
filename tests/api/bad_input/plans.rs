//! Requests that are well formed and cannot be planned: the routes, tiers and formats of section 3 and 4.

use super::draft::{Bad, CHAT, Draft, INTERACTIONS, INTERACTIONS_BETA, MESSAGES, RESPONSES};

pub fn table() -> Vec<Bad> {
    let mut rows = Vec::new();
    rows.extend(CHAINS.iter().map(chain));
    rows.extend(TIERS.iter().map(tier));
    rows.extend(PAIRINGS.iter().map(pairing));
    rows.extend(chat_parameters());
    rows.extend(background());
    rows.extend(count_tokens());
    rows
}

/// Path, model, start_within, provider, code, what the message names.
type Chain = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const CHAINS: [Chain; 22] = [
    (
        RESPONSES,
        "gpt-5.5",
        "default",
        r#"["google"]"#,
        "provider_model_mismatch",
        "google",
    ),
    (
        RESPONSES,
        "gpt-5.5",
        "default",
        r#"["openai","google"]"#,
        "provider_model_mismatch",
        "google",
    ),
    (
        RESPONSES,
        "gpt-5.5",
        "default",
        r#"["openai","foundry","bedrock"]"#,
        "provider_model_mismatch",
        "bedrock",
    ),
    (
        RESPONSES,
        "gpt-5.5",
        "default",
        r#"["cloudflare"]"#,
        "provider_model_mismatch",
        "cloudflare",
    ),
    (
        CHAT,
        "some-model",
        "default",
        r#"["anthropic"]"#,
        "provider_model_mismatch",
        "some-model",
    ),
    (
        INTERACTIONS,
        "gemini-3.5-flash",
        "default",
        r#"["openai"]"#,
        "provider_model_mismatch",
        "openai",
    ),
    (
        INTERACTIONS_BETA,
        "gemini-3.5-flash",
        "default",
        r#"["foundry"]"#,
        "provider_model_mismatch",
        "foundry",
    ),
    (
        MESSAGES,
        "claude-opus-5",
        "default",
        r#"["vertex"]"#,
        "provider_model_mismatch",
        "vertex",
    ),
    (
        MESSAGES,
        "claude-opus-5",
        "priority",
        r#"["anthropic","openai"]"#,
        "provider_model_mismatch",
        "openai",
    ),
    (
        RESPONSES,
        "gpt-5.5",
        "00h-00m-30s",
        r#"["foundry"]"#,
        "flex_unsupported_on_cloud",
        "foundry",
    ),
    (
        RESPONSES,
        "gpt-5.5",
        "00h-00m-30s",
        r#"["foundry","openai"]"#,
        "flex_unsupported_on_cloud",
        "foundry",
    ),
    (
        INTERACTIONS,
        "gemini-3.5-flash",
        "00h-00m-30s",
        r#"["vertex"]"#,
        "flex_unsupported_on_cloud",
        "vertex",
    ),
    (
        RESPONSES,
        "gpt-5.5",
        "priority",
        r#"["openai","foundry"]"#,
        "tier_unsupported_on_route",
        "foundry",
    ),
    (
        RESPONSES,
        "gpt-5.5",
        "auto",
        r#"["foundry"]"#,
        "tier_unsupported_on_route",
        "foundry",
    ),
    (
        INTERACTIONS,
        "gemini-3.5-flash",
        "priority",
        r#"["google","vertex"]"#,
        "tier_unsupported_on_route",
        "vertex",
    ),
    (
        MESSAGES,
        "claude-opus-5",
        "auto",
        r#"["anthropic","bedrock"]"#,
        "tier_unsupported_on_route",
        "bedrock",
    ),
    (
        RESPONSES,
        "gpt-5.5",
        "default",
        r#"["openai","foundry"]"#,
        "no_foundry_key",
        "foundry",
    ),
    (
        RESPONSES,
        "gpt-5.5",
        "00h-00m-30s",
        r#"["openai","foundry"]"#,
        "no_foundry_key",
        "foundry",
    ),
    (
        INTERACTIONS,
        "gemini-3.5-flash",
        "default",
        r#"["vertex"]"#,
        "no_vertex_key",
        "vertex",
    ),
    (
        INTERACTIONS,
        "gemini-3.5-flash",
        "00h-00m-30s",
        r#"["google","vertex"]"#,
        "no_vertex_key",
        "vertex",
    ),
    (
        MESSAGES,
        "claude-opus-5",
        "default",
        r#"["bedrock"]"#,
        "no_bedrock_key",
        "bedrock",
    ),
    (
        MESSAGES,
        "claude-opus-5",
        "default",
        r#"["anthropic","bedrock"]"#,
        "no_bedrock_key",
        "bedrock",
    ),
];

fn chain(&(path, model, start_within, provider, code, named): &Chain) -> Bad {
    let draft = request(path, model, start_within).with("provider", provider);
    let name = format!("{model}, {start_within}, {provider}");
    Bad::new(name, path, 400, code)
        .body(draft.json())
        .says(named)
}

/// Path, model, start_within, code.
type Tier = (&'static str, &'static str, &'static str, &'static str);

const TIERS: [Tier; 17] = [
    (
        INTERACTIONS,
        "gemini-3.5-flash",
        "auto",
        "auto_unsupported_for_gemini",
    ),
    (
        INTERACTIONS_BETA,
        "models/gemini-3.5-flash",
        "auto",
        "auto_unsupported_for_gemini",
    ),
    (
        INTERACTIONS,
        "gemini-99-unlisted",
        "auto",
        "auto_unsupported_for_gemini",
    ),
    (
        RESPONSES,
        "gemini-3.5-flash",
        "auto",
        "auto_unsupported_for_gemini",
    ),
    (
        MESSAGES,
        "claude-opus-5",
        "00h-00m-30s",
        "flex_unsupported_for_anthropic",
    ),
    (
        MESSAGES,
        "claude-99-unlisted",
        "00h-00m-05s",
        "flex_unsupported_for_anthropic",
    ),
    (
        CHAT,
        "claude-opus-5",
        "00h-10m-00s",
        "flex_unsupported_for_anthropic",
    ),
    (
        RESPONSES,
        "gpt-5.5-2026-04-24",
        "00h-00m-30s",
        "flex_model_not_capable",
    ),
    (
        RESPONSES,
        "gpt-4.1",
        "00h-00m-30s",
        "flex_model_not_capable",
    ),
    (
        RESPONSES,
        "gpt-99-unlisted",
        "00h-00m-30s",
        "flex_model_not_capable",
    ),
    (
        RESPONSES,
        "GPT-5.5",
        "00h-00m-30s",
        "flex_model_not_capable",
    ),
    (
        RESPONSES,
        "gpt-5.5 ",
        "00h-00m-30s",
        "flex_model_not_capable",
    ),
    (CHAT, "gpt-4o", "00h-00m-30s", "flex_model_not_capable"),
    (
        CHAT,
        "ft:gpt-5.5:org::1",
        "00h-00m-30s",
        "flex_model_not_capable",
    ),
    (
        INTERACTIONS,
        "gemini-3.5-flash-001",
        "00h-00m-30s",
        "flex_model_not_capable",
    ),
    (
        INTERACTIONS_BETA,
        "models/gemini-99-unlisted",
        "00h-00m-90s",
        "flex_model_not_capable",
    ),
    (MESSAGES, "gpt-4o", "00h-00m-30s", "flex_model_not_capable"),
];

fn tier(&(path, model, start_within, code): &Tier) -> Bad {
    let draft = request(path, model, start_within);
    let name = format!("{model}, {start_within}");
    Bad::new(name, path, 400, code)
        .body(draft.json())
        .param("start_within")
}

const PAIRINGS: [(&str, &str, &str); 14] = [
    (RESPONSES, "gemini-3.5-flash", "default"),
    (RESPONSES, "claude-opus-5", "default"),
    (RESPONSES, "gemini-3.5-flash", "00h-00m-30s"),
    (CHAT, "gemini-3.5-flash", "default"),
    (CHAT, "claude-opus-5", "priority"),
    (CHAT, "gpt-5.5", "00h-00m-30s"),
    (CHAT, "gemini-3.5-flash", "00h-00m-30s"),
    (INTERACTIONS, "gpt-5.5", "default"),
    (INTERACTIONS, "claude-opus-5", "default"),
    (INTERACTIONS_BETA, "gpt-5.5", "00h-00m-30s"),
    (MESSAGES, "gpt-5.5", "default"),
    (MESSAGES, "gemini-3.5-flash", "default"),
    (MESSAGES, "some-model", "auto"),
    (MESSAGES, "gpt-5.5", "00h-00m-30s"),
];

fn pairing(&(path, model, start_within): &(&'static str, &str, &str)) -> Bad {
    let draft = request(path, model, start_within);
    let name = format!("{model}, {start_within}, not translated yet");
    Bad::new(name, path, 501, "not_implemented")
        .body(draft.json())
        .param("model")
}

pub fn request(path: &'static str, model: &str, start_within: &str) -> Draft {
    Draft::of(path)
        .with("model", &format!("\"{model}\""))
        .with("start_within", &format!("\"{start_within}\""))
}

/// Chat parameters that Responses has no counterpart for, and the values that mean nothing.
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
    let neutral = [
        ("n", "1"),
        ("stop", "[]"),
        ("stop", "null"),
        ("seed", "null"),
        ("logprobs", "false"),
        ("top_logprobs", "0"),
        ("logit_bias", "{ }"),
        ("frequency_penalty", "0.0"),
        ("presence_penalty", "-0"),
        ("modalities", "[\"text\"]"),
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
    for (name, value) in neutral {
        // Nothing is wrong with it but that Chat cannot be raced yet.
        let row = Bad::new(
            format!("a race with a neutral {name} {value}"),
            CHAT,
            501,
            "not_implemented",
        );
        rows.push(row.body(draft(name, value)));
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
