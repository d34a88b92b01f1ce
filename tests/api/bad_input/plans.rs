//! Requests that are well formed and cannot be planned: the routes, tiers and formats of section 3 and 4.

use super::draft::{Bad, CHAT, Draft, INTERACTIONS, INTERACTIONS_BETA, MESSAGES, RESPONSES};

pub fn table() -> Vec<Bad> {
    let mut rows = Vec::new();
    rows.extend(CHAINS.iter().map(chain));
    rows.extend(TIERS.iter().map(tier));
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

pub fn request(path: &'static str, model: &str, start_within: &str) -> Draft {
    Draft::of(path)
        .with("model", &format!("\"{model}\""))
        .with("start_within", &format!("\"{start_within}\""))
}
