//! What OpenAI refuses: keys, and the fields of a Responses request.

use serde_json::Value;

use super::super::answer::Refusal;
use super::super::http::Request;
use super::item_checks;

const RESPONSES_FIELDS: &[&str] = &[
    "access_programs",
    "background",
    "background_options",
    "context_management",
    "conversation",
    "image",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "moderation",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];
const TIERS: &[&str] = &[
    "auto",
    "default",
    "flex",
    "scale",
    "priority",
    "fast",
    "ultrafast",
];
const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const LEAST_OUTPUT: u64 = 16;

/// The key: any bearer token but ours, and but those that say in their text what is to happen.
pub(in super::super) fn key(request: &Request) -> Result<(), Refusal> {
    let key = request
        .header("authorization")
        .and_then(|value| value.strip_prefix("Bearer "))
        .unwrap_or_default()
        .trim();
    if key.is_empty() {
        let message = "You didn't provide an API key. Provide it in an Authorization header using Bearer auth.";
        return Err(Refusal::new(401, message));
    }
    if key.contains("rejected") || key.starts_with("flex_live_") {
        return Err(Refusal::new(401, "Incorrect API key provided.").code("invalid_api_key"));
    }
    if key.contains("exhausted") {
        let message =
            "You exceeded your current quota, please check your plan and billing details.";
        return Err(Refusal::new(429, message)
            .kind("insufficient_quota")
            .code("insufficient_quota"));
    }
    Ok(())
}

/// A Responses request.
pub(in super::super) fn responses(body: &Value) -> Result<(), Refusal> {
    known_fields(body, RESPONSES_FIELDS, "")?;
    required(body, "model")?;
    let replaces_input = ["previous_response_id", "conversation", "prompt"];
    if body["input"].is_null() && replaces_input.iter().all(|field| body[*field].is_null()) {
        return Err(missing("input"));
    }
    if !body["stream_options"].is_null() {
        known_fields(
            &body["stream_options"],
            &["include_obfuscation"],
            "stream_options.",
        )?;
        streams(body)?;
    }
    tier(body, TIERS)?;
    if body["max_output_tokens"]
        .as_u64()
        .is_some_and(|tokens| tokens < LEAST_OUTPUT)
    {
        let message = format!(
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= {LEAST_OUTPUT}, but got {} instead.",
            body["max_output_tokens"]
        );
        return Err(Refusal::new(400, message)
            .code("integer_below_min_value")
            .param("max_output_tokens"));
    }
    one_of(&body["reasoning"]["effort"], EFFORTS, "reasoning.effort")?;
    flat_tools(body)?;
    text_format(body)?;
    item_checks::items(body)?;
    let model = body["model"].as_str().unwrap_or_default();
    if model.starts_with("nope") {
        let message = format!("The requested model '{model}' does not exist.");
        return Err(Refusal::new(400, message)
            .code("model_not_found")
            .param("model"));
    }
    Ok(())
}

pub(super) fn known_fields(object: &Value, known: &[&str], path: &str) -> Result<(), Refusal> {
    let Some(fields) = object.as_object() else {
        return Ok(());
    };
    for name in fields.keys() {
        if !known.contains(&name.as_str()) {
            let message = format!("Unknown parameter: '{path}{name}'.");
            return Err(Refusal::new(400, message)
                .code("unknown_parameter")
                .param(format!("{path}{name}")));
        }
    }
    Ok(())
}

pub(super) fn required(body: &Value, field: &str) -> Result<(), Refusal> {
    if body[field].as_str().is_none_or(str::is_empty) {
        Err(missing(field))
    } else {
        Ok(())
    }
}

pub(super) fn missing(param: &str) -> Refusal {
    let message = format!("Missing required parameter: '{param}'.");
    Refusal::new(400, message)
        .code("missing_required_parameter")
        .param(param)
}

pub(super) fn invalid(param: &str, message: String) -> Refusal {
    Refusal::new(400, message)
        .code("invalid_value")
        .param(param)
}

pub(super) fn streams(body: &Value) -> Result<(), Refusal> {
    if body["stream"] == Value::Bool(true) {
        return Ok(());
    }
    let message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    Err(Refusal::new(400, message).param("stream_options"))
}

pub(super) fn tier(body: &Value, known: &[&str]) -> Result<(), Refusal> {
    one_of(&body["service_tier"], known, "service_tier")
}

pub(super) fn one_of(value: &Value, known: &[&str], param: &str) -> Result<(), Refusal> {
    match value {
        Value::Null => Ok(()),
        Value::String(word) if known.contains(&word.as_str()) => Ok(()),
        other => Err(invalid(
            param,
            format!(
                "Invalid value: {other}. Supported values are: {}.",
                known.join(", ")
            ),
        )),
    }
}

/// Tools as Responses writes them, and a choice among them.
fn flat_tools(body: &Value) -> Result<(), Refusal> {
    let tools = body["tools"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    for (place, tool) in tools.iter().enumerate() {
        let Some(kind) = tool["type"].as_str() else {
            return Err(missing(&format!("tools[{place}].type")));
        };
        if (kind == "function" || kind == "custom")
            && tool["name"].as_str().is_none_or(str::is_empty)
        {
            return Err(missing(&format!("tools[{place}].name")));
        }
        if tool["strict"] == Value::Bool(true)
            && tool["parameters"]["additionalProperties"] != Value::Bool(false)
        {
            let name = tool["name"].as_str().unwrap_or_default();
            let message = format!(
                "Invalid schema for function '{name}': In context=(), 'additionalProperties' is required to be supplied and to be false."
            );
            let param = format!("tools[{place}].parameters");
            return Err(Refusal::new(400, message)
                .code("invalid_function_parameters")
                .param(param));
        }
    }
    match &body["tool_choice"] {
        Value::Null => Ok(()),
        Value::String(_) => one_of(
            &body["tool_choice"],
            &["none", "auto", "required"],
            "tool_choice",
        ),
        choice if choice["type"] == "function" || choice["type"] == "custom" => {
            let Some(name) = choice["name"].as_str() else {
                return Err(missing("tool_choice.name"));
            };
            named_tool(tools.iter().any(|tool| tool["name"] == name), name)
        }
        _ => Ok(()),
    }
}

pub(super) fn named_tool(is_there: bool, name: &str) -> Result<(), Refusal> {
    if is_there {
        return Ok(());
    }
    Err(Refusal::new(
        400,
        format!("Tool choice 'function' '{name}' not found in 'tools' parameter."),
    )
    .param("tool_choice"))
}

fn text_format(body: &Value) -> Result<(), Refusal> {
    let format = &body["text"]["format"];
    one_of(
        &format["type"],
        &["text", "json_schema", "json_object"],
        "text.format.type",
    )?;
    if format["type"] == "json_schema" {
        if !format["name"].is_string() {
            return Err(missing("text.format.name"));
        }
        if !format["schema"].is_object() {
            return Err(missing("text.format.schema"));
        }
    }
    if format["type"] == "json_object" && !body["input"].to_string().to_lowercase().contains("json")
    {
        let message = "Response input messages must contain the word 'json' in some form to use 'text.format' of type \
            'json_object'.";
        return Err(Refusal::new(400, message).param("input"));
    }
    Ok(())
}
