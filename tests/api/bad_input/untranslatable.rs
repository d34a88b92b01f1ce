//! Requests for a model of another vendor that its format cannot carry.

use super::draft::{Bad, CHAT, INTERACTIONS, INTERACTIONS_BETA, MESSAGES, RESPONSES};
use super::plans::request;

pub fn table() -> Vec<Bad> {
    ROWS.iter().map(untranslatable).collect()
}

/// Endpoint, model of another vendor, field, its value, and the parameter that is told.
type Untranslatable = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const ROWS: [Untranslatable; 26] = [
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
