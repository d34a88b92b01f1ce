//! What Gemini refuses: keys, and the fields and steps of an interaction.

use std::collections::HashSet;

use serde_json::Value;

use super::super::answer::Refusal;
use super::super::http::Request;

const FIELDS: &[&str] = &[
    "agent",
    "agent_config",
    "background",
    "cached_content",
    "continuation_token",
    "environment",
    "generation_config",
    "input",
    "labels",
    "model",
    "previous_interaction_id",
    "response_format",
    "response_mime_type",
    "response_modalities",
    "safety_settings",
    "service_tier",
    "store",
    "stream",
    "system_instruction",
    "tools",
    "webhook_config",
];
const CONFIG_FIELDS: &[&str] = &[
    "image_config",
    "max_output_tokens",
    "seed",
    "speech_config",
    "stop_sequences",
    "temperature",
    "thinking_level",
    "thinking_summaries",
    "tool_choice",
    "top_k",
    "top_p",
    "transcription_config",
    "video_config",
];
const TIERS: &[&str] = &["standard", "flex", "priority", "deferred"];
const PARTS: &[&str] = &[
    "text",
    "image",
    "document",
    "audio",
    "video",
    "function_result",
];

/// The key, in its own header, as a bearer token, or in the query.
pub(in super::super) fn key(request: &Request) -> Result<(), Refusal> {
    let bearer = request
        .header("authorization")
        .and_then(|value| value.strip_prefix("Bearer "));
    let in_query = request.target.split_once("key=").map(|(_, key)| key);
    let key = request
        .header("x-goog-api-key")
        .or(bearer)
        .or(in_query)
        .unwrap_or_default()
        .trim();
    if key.is_empty() {
        return Err(Refusal::new(401, "The request is missing a valid API key."));
    }
    if key.contains("rejected") || key.starts_with("flex_live_") {
        return Err(
            Refusal::new(400, "API key not valid. Please pass a valid API key.")
                .code(super::BAD_KEY),
        );
    }
    if key.contains("exhausted") {
        return Err(Refusal::new(429, "You exceeded your current quota.").code("quota_exceeded"));
    }
    Ok(())
}

/// An interaction.
pub(in super::super) fn interactions(body: &Value) -> Result<(), Refusal> {
    known_fields(body, FIELDS, "")?;
    known_fields(
        &body["generation_config"],
        CONFIG_FIELDS,
        "generation_config.",
    )?;
    let model = body["model"].as_str().unwrap_or_default();
    if model.is_empty() && body["agent"].is_null() {
        return Err(invalid("Either 'model' or 'agent' must be set."));
    }
    if body["input"].is_null() && body["continuation_token"].is_null() {
        return Err(invalid("Missing required parameter: 'input'."));
    }
    if !body["system_instruction"].is_null() && !body["system_instruction"].is_string() {
        return Err(invalid("'system_instruction' must be a string."));
    }
    one_of(&body["service_tier"], TIERS, "service_tier")?;
    let config = &body["generation_config"];
    one_of(
        &config["thinking_level"],
        &["minimal", "low", "medium", "high", "xhigh"],
        "thinking_level",
    )?;
    one_of(
        &config["thinking_summaries"],
        &["auto", "none"],
        "thinking_summaries",
    )?;
    tools(body)?;
    let steps = body["input"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    steps_in_order(steps, body["previous_interaction_id"].is_null())?;
    if needs_signatures(model) {
        signatures(steps)?;
    }
    if model.trim_start_matches("models/").starts_with("nope") {
        return Err(
            Refusal::new(404, format!("Model '{model}' was not found.")).code("model_not_found")
        );
    }
    Ok(())
}

fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new(400, message).code("invalid_request")
}

fn known_fields(object: &Value, known: &[&str], path: &str) -> Result<(), Refusal> {
    let Some(fields) = object.as_object() else {
        return Ok(());
    };
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(
            Refusal::new(400, format!("Unknown parameter: '{path}{name}'."))
                .code("parameter_unknown"),
        ),
        None => Ok(()),
    }
}

fn one_of(value: &Value, known: &[&str], name: &str) -> Result<(), Refusal> {
    match value {
        Value::Null => Ok(()),
        Value::String(word) if known.contains(&word.as_str()) => Ok(()),
        other => Err(invalid(format!("Invalid value {other} for '{name}'."))),
    }
}

fn tools(body: &Value) -> Result<(), Refusal> {
    let tools = body["tools"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    for tool in tools {
        let Some(kind) = tool["type"].as_str() else {
            return Err(invalid("A tool needs a 'type'."));
        };
        if kind == "function" && !tool["name"].is_string() {
            return Err(invalid("A function tool needs a 'name'."));
        }
        if tool.get("function").is_some() || tool.get("strict").is_some() {
            return Err(
                Refusal::new(400, "Unknown parameter in 'tools'.").code("parameter_unknown")
            );
        }
    }
    let choice = &body["generation_config"]["tool_choice"];
    if choice.is_null() {
        return Ok(());
    }
    if !tools.iter().any(|tool| tool["type"] == "function") {
        return Err(invalid(
            "Function calling config is set without function_declarations.",
        ));
    }
    if choice.is_string() {
        return one_of(choice, &["auto", "any", "none", "validated"], "tool_choice");
    }
    one_of(
        &choice["allowed_tools"]["mode"],
        &["auto", "any", "none", "validated"],
        "tool_choice",
    )
}

/// The steps' own form, and that every result answers a call.
fn steps_in_order(steps: &[Value], stands_alone: bool) -> Result<(), Refusal> {
    let mut calls: HashSet<&str> = HashSet::new();
    for (place, step) in steps.iter().enumerate() {
        if !step["role"].is_null() {
            return Err(
                Refusal::new(400, format!("Unknown parameter: 'input[{place}].role'."))
                    .code("parameter_unknown"),
            );
        }
        match step["type"].as_str().unwrap_or_default() {
            "user_input" | "model_output" => {
                let parts = step["content"]
                    .as_array()
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                if parts.is_empty() {
                    return Err(invalid(format!(
                        "'input[{place}].content' must be a list of content."
                    )));
                }
                for part in parts {
                    one_of(
                        &part["type"],
                        PARTS,
                        &format!("input[{place}].content.type"),
                    )?;
                }
            }
            "function_call" => {
                let (Some(id), true) = (step["id"].as_str(), step["arguments"].is_object()) else {
                    return Err(invalid(format!(
                        "'input[{place}]' needs an 'id' and an object 'arguments'."
                    )));
                };
                calls.insert(id);
            }
            "function_result" => {
                let id = step["call_id"].as_str().unwrap_or_default();
                if stands_alone && !calls.contains(id) {
                    return Err(invalid(format!(
                        "No function call found for the result of '{id}'."
                    )));
                }
            }
            "" => return Err(invalid(format!("'input[{place}]' needs a 'type'."))),
            _ => {}
        }
    }
    Ok(())
}

/// From Gemini 3 on, the calls of the current turn must follow a signed thought.
fn needs_signatures(model: &str) -> bool {
    let Some(version) = model.trim_start_matches("models/").strip_prefix("gemini-") else {
        return false;
    };
    version.starts_with(|first: char| first.is_ascii_digit() && first >= '3')
}

fn signatures(steps: &[Value]) -> Result<(), Refusal> {
    let turn = steps
        .iter()
        .rposition(|step| step["type"] == "user_input")
        .unwrap_or(0);
    let mut is_signed = false;
    for step in &steps[turn..] {
        let own = step["signature"]
            .as_str()
            .is_some_and(|signature| !signature.is_empty());
        match step["type"].as_str().unwrap_or_default() {
            "thought" => is_signed = own,
            "function_call" if !is_signed && !own => {
                return Err(invalid(
                    "Function call is missing a thought signature in the current turn.",
                ));
            }
            "function_call" => is_signed = true,
            "function_result" => is_signed = false,
            _ => {}
        }
    }
    Ok(())
}
