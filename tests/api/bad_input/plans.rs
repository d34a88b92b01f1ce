//! Requests that are well formed and cannot be planned: the routes, tiers and formats of section 3 and 4.

use super::draft::{Bad, CHAT, Draft, INTERACTIONS, INTERACTIONS_BETA, MESSAGES, RESPONSES};

pub fn table() -> Vec<Bad> {
    let mut rows = Vec::new();
    rows.extend(CHAINS.iter().map(chain));
    rows.extend(TIERS.iter().map(tier));
    rows.extend(UNTRANSLATABLE.iter().map(untranslatable));
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

/// Endpoint, model of another vendor, field, its value, and the parameter that is told.
type Untranslatable = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const UNTRANSLATABLE: [Untranslatable; 26] = [
    (
        RESPONSES,
        "gemini-3.5-flash",
        "previous_response_id",
        "\"resp_1\"",
        "previous_response_id",
    ),
    (
        RESPONSES,
        "gemini-3.5-flash",
        "conversation",
        "\"conv_1\"",
        "conversation",
    ),
    (
        RESPONSES,
        "claude-opus-5",
        "prompt",
        "{\"id\": \"p\"}",
        "prompt",
    ),
    (
        RESPONSES,
        "claude-opus-5",
        "tools",
        "[{\"type\": \"image_generation\"}]",
        "tools[0].type",
    ),
    (
        RESPONSES,
        "claude-opus-5",
        "text",
        "{\"format\": {\"type\": \"json_object\"}}",
        "text.format",
    ),
    (
        RESPONSES,
        "claude-opus-5",
        "input",
        "[{\"type\": \"item_reference\", \"id\": \"i\"}]",
        "input[0].type",
    ),
    (RESPONSES, "claude-opus-5", "input", "7", "input"),
    (
        RESPONSES,
        "claude-opus-5",
        "reasoning",
        "\"deep\"",
        "reasoning",
    ),
    (
        CHAT,
        "claude-opus-5",
        "response_format",
        "{\"type\": \"json_object\"}",
        "response_format",
    ),
    (
        CHAT,
        "claude-opus-5",
        "messages",
        "[{\"role\": \"nobody\"}]",
        "messages[0].role",
    ),
    (
        CHAT,
        "gemini-3.5-flash",
        "logit_bias",
        "{\"1\": 1}",
        "logit_bias",
    ),
    (
        CHAT,
        "gemini-3.5-flash",
        "parallel_tool_calls",
        "false",
        "parallel_tool_calls",
    ),
    (
        CHAT,
        "gemini-3.5-flash",
        "tools",
        "[{\"type\": \"web_search\"}]",
        "tools[0].type",
    ),
    (
        INTERACTIONS,
        "gpt-5.5",
        "previous_interaction_id",
        "\"v1_1\"",
        "previous_interaction_id",
    ),
    (
        INTERACTIONS,
        "gpt-5.5",
        "generation_config",
        "{\"seed\": 1}",
        "generation_config.seed",
    ),
    (
        INTERACTIONS,
        "gpt-5.5",
        "generation_config",
        "{\"stop_sequences\": [\"x\"]}",
        "generation_config.stop_sequences",
    ),
    (
        INTERACTIONS,
        "claude-opus-5",
        "tools",
        "[{\"type\": \"google_search\"}]",
        "tools[0].type",
    ),
    (
        INTERACTIONS,
        "claude-opus-5",
        "input",
        "[{\"type\": \"audio\", \"data\": \"\"}]",
        "input[0].type",
    ),
    (
        INTERACTIONS,
        "claude-opus-5",
        "input",
        "[{\"type\": \"made_up\"}]",
        "input[0].type",
    ),
    (
        INTERACTIONS_BETA,
        "gpt-5.5",
        "safety_settings",
        "[]",
        "safety_settings",
    ),
    (MESSAGES, "gpt-5.5", "top_k", "5", "top_k"),
    (
        MESSAGES,
        "gpt-5.5",
        "stop_sequences",
        "[\"x\"]",
        "stop_sequences",
    ),
    (
        MESSAGES,
        "gpt-5.5",
        "thinking",
        "{\"type\": \"deep\"}",
        "thinking.type",
    ),
    (
        MESSAGES,
        "gemini-3.5-flash",
        "tools",
        "[{\"type\": \"bash_20250124\", \"name\": \"bash\"}]",
        "tools[0].type",
    ),
    (
        MESSAGES,
        "gemini-3.5-flash",
        "messages",
        "[{\"role\": \"user\", \"content\": [{\"type\": \"made_up\"}]}]",
        "messages[0].content[0].type",
    ),
    (MESSAGES, "some-model", "container", "\"c\"", "container"),
];

fn untranslatable(&(path, model, field, value, param): &Untranslatable) -> Bad {
    let name = format!("{model} cannot be told {field} {value}");
    let draft = request(path, model, "default").with(field, value);
    Bad::new(name, path, 400, "unsupported_parameter")
        .body(draft.json())
        .param(param)
}

pub fn request(path: &'static str, model: &str, start_within: &str) -> Draft {
    Draft::of(path)
        .with("model", &format!("\"{model}\""))
        .with("start_within", &format!("\"{start_within}\""))
}
