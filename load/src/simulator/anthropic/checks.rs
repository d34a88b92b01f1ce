//! What Anthropic refuses: keys, versions, and the fields of a Messages request.

use serde_json::Value;

use super::super::answer::Refusal;
use super::super::http::Request;
use super::turn_checks;

const NEW_VERSION: &str = "2026-10-21";
const VERSIONS: &[&str] = &["2023-06-01", NEW_VERSION];
const FIELDS: &[&str] = &[
    "cache_control",
    "container",
    "context_management",
    "diagnostics",
    "inference_geo",
    "max_tokens",
    "mcp_servers",
    "messages",
    "metadata",
    "model",
    "output_config",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
];
const COUNT_FIELDS: &[&str] = &[
    "cache_control",
    "context_management",
    "mcp_servers",
    "messages",
    "model",
    "output_config",
    "system",
    "thinking",
    "tool_choice",
    "tools",
];

/// The key, in its own header or as a bearer token; not two different ones.
pub(in super::super) fn key(request: &Request) -> Result<(), Refusal> {
    let bearer = request
        .header("authorization")
        .and_then(|value| value.strip_prefix("Bearer "))
        .map(str::trim);
    let own = request.header("x-api-key").map(str::trim);
    if let (Some(own), Some(bearer)) = (own, bearer)
        && own != bearer
    {
        return Err(Refusal::new(401, "Two different credentials were sent."));
    }
    let key = own.or(bearer).unwrap_or_default();
    if key.is_empty() {
        return Err(Refusal::new(401, "x-api-key header is required"));
    }
    if key.contains("rejected") || key.starts_with("flex_live_") {
        return Err(Refusal::new(401, "invalid x-api-key"));
    }
    if key.contains("exhausted") {
        return Err(Refusal::new(
            400,
            "Your credit balance is too low to access the Anthropic API.",
        ));
    }
    Ok(())
}

/// A Messages request.
pub(in super::super) fn messages(body: &Value, request: &Request) -> Result<(), Refusal> {
    let version = version(request)?;
    known_fields(body, FIELDS)?;
    if body["max_tokens"].is_null() {
        return Err(invalid("max_tokens: Field required"));
    }
    if body["max_tokens"].as_u64().is_none() {
        return Err(invalid("max_tokens: Input should be a valid integer"));
    }
    common(body, version == NEW_VERSION)?;
    match &body["service_tier"] {
        Value::Null => {}
        tier if tier == "auto" || tier == "standard_only" => {}
        _ => {
            return Err(invalid(
                "service_tier: Input should be 'auto' or 'standard_only'",
            ));
        }
    }
    let sampling = ["temperature", "top_p", "top_k"]
        .into_iter()
        .find(|field| !body[*field].is_null());
    if let (Some(field), NEW_VERSION) = (sampling, version) {
        return Err(invalid(format!(
            "{field}: Extra inputs are not permitted in version {NEW_VERSION}"
        )));
    }
    if !body["temperature"].is_null() && !body["top_p"].is_null() {
        return Err(invalid(
            "`temperature` and `top_p` cannot both be specified for this model.",
        ));
    }
    let thinking = &body["thinking"];
    if let Some(budget) = thinking["budget_tokens"].as_u64()
        && (budget < 1024
            || body["max_tokens"]
                .as_u64()
                .is_some_and(|most| budget >= most))
    {
        return Err(invalid(
            "thinking.budget_tokens: must be at least 1024 and less than max_tokens",
        ));
    }
    known_model(body)
}

/// A request to count tokens.
pub(in super::super) fn count_tokens(body: &Value, request: &Request) -> Result<(), Refusal> {
    let version = version(request)?;
    known_fields(body, COUNT_FIELDS)?;
    common(body, version == NEW_VERSION)?;
    known_model(body)
}

pub(super) fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new(400, message)
}

fn version(request: &Request) -> Result<&str, Refusal> {
    match request.header("anthropic-version") {
        None => Err(invalid("anthropic-version: header is required")),
        Some(version) if VERSIONS.contains(&version) => Ok(version),
        Some(version) => Err(invalid(format!(
            "anthropic-version: \"{version}\" is not a valid version"
        ))),
    }
}

fn known_fields(body: &Value, known: &[&str]) -> Result<(), Refusal> {
    let Some(fields) = body.as_object() else {
        return Ok(());
    };
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(invalid(format!("{name}: Extra inputs are not permitted"))),
        None => Ok(()),
    }
}

fn common(body: &Value, is_new_version: bool) -> Result<(), Refusal> {
    if body["model"].as_str().is_none_or(str::is_empty) {
        return Err(invalid("model: Field required"));
    }
    let Some(messages) = body["messages"].as_array() else {
        return Err(invalid("messages: Field required"));
    };
    turn_checks::turns(messages, is_new_version)?;
    tools(body)
}

fn known_model(body: &Value) -> Result<(), Refusal> {
    let model = body["model"].as_str().unwrap_or_default();
    if model.starts_with("nope") {
        Err(Refusal::new(404, format!("model: {model}")))
    } else {
        Ok(())
    }
}

fn tools(body: &Value) -> Result<(), Refusal> {
    let tools = body["tools"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    for (place, tool) in tools.iter().enumerate() {
        if !tool["name"].is_string() {
            return Err(invalid(format!(
                "tools.{place}.custom.name: Field required"
            )));
        }
        let is_custom = tool["type"].is_null() || tool["type"] == "custom";
        if is_custom && !tool["input_schema"].is_object() {
            return Err(invalid(format!(
                "tools.{place}.custom.input_schema: Field required"
            )));
        }
        if is_custom && tool["input_schema"]["type"] != "object" {
            return Err(invalid(format!(
                "tools.{place}.custom.input_schema.type: Input should be 'object'"
            )));
        }
    }
    let choice = &body["tool_choice"];
    if choice.is_null() {
        return Ok(());
    }
    match choice["type"].as_str() {
        Some("auto" | "any" | "none") if !tools.is_empty() => Ok(()),
        Some("none") => Ok(()),
        Some("tool") if tools.iter().any(|tool| tool["name"] == choice["name"]) => Ok(()),
        Some("auto" | "any" | "tool") => Err(invalid("tool_choice: no such tool in `tools`")),
        _ => Err(invalid(
            "tool_choice: Input should be an object with a known 'type'",
        )),
    }
}
