//! What OpenAI refuses in a Chat request.

use std::collections::HashSet;

use serde_json::Value;

use super::super::answer::Refusal;
use super::checks::{invalid, known_fields, missing, named_tool, one_of, required, streams, tier};
use super::is_gpt_since;

const FIELDS: &[&str] = &[
    "audio",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "moderation",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
];
const TIERS: &[&str] = &["auto", "default", "flex", "scale", "priority", "fast"];
const USER_PARTS: &[&str] = &["text", "image_url", "input_audio", "file"];
const TEXT_PARTS: &[&str] = &["text"];
const TOOL_PARTS: &[&str] = &["text", "image_url"];
const ASSISTANT_PARTS: &[&str] = &["text", "refusal"];

/// A Chat request.
pub(in super::super) fn chat(body: &Value) -> Result<(), Refusal> {
    known_fields(body, FIELDS, "")?;
    required(body, "model")?;
    let Some(messages) = body["messages"].as_array() else {
        return Err(missing("messages"));
    };
    if messages.is_empty() {
        let message =
            "Invalid 'messages': empty array. Expected an array with minimum length 1.".to_owned();
        return Err(Refusal::new(400, message)
            .code("empty_array")
            .param("messages"));
    }
    if !body["stream_options"].is_null() {
        known_fields(
            &body["stream_options"],
            &["include_usage", "include_obfuscation"],
            "stream_options.",
        )?;
        streams(body)?;
    }
    tier(body, TIERS)?;
    limits_of_reasoning_models(body)?;
    nested_tools(body)?;
    for (place, message) in messages.iter().enumerate() {
        parts(message, place)?;
    }
    calls_and_results(messages)?;
    let model = body["model"].as_str().unwrap_or_default();
    if model.starts_with("nope") {
        let message =
            format!("The model `{model}` does not exist or you do not have access to it.");
        return Err(Refusal::new(404, message).code("model_not_found"));
    }
    Ok(())
}

fn limits_of_reasoning_models(body: &Value) -> Result<(), Refusal> {
    let model = body["model"].as_str().unwrap_or_default();
    let reasons = is_gpt_since(model, 5, 0) || model.starts_with("o3") || model.starts_with("o4");
    if reasons && !body["max_tokens"].is_null() {
        let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' \
            instead.";
        return Err(Refusal::new(400, message)
            .code("unsupported_parameter")
            .param("max_tokens"));
    }
    let stops = body["stop"]
        .as_array()
        .map_or(usize::from(body["stop"].is_string()), Vec::len);
    if reasons && stops > 0 {
        let message = "Unsupported parameter: 'stop' is not supported with this model.";
        return Err(Refusal::new(400, message)
            .code("unsupported_parameter")
            .param("stop"));
    }
    let has_functions = body["tools"]
        .as_array()
        .is_some_and(|tools| tools.iter().any(|tool| tool["type"] == "function"));
    let effort = body["reasoning_effort"].as_str();
    let effort_counts = match effort {
        Some("none") => false,
        Some(_) => is_gpt_since(model, 5, 4),
        None => is_gpt_since(model, 5, 6),
    };
    if has_functions && effort_counts {
        let message = format!(
            "Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. Please use /v1/responses instead."
        );
        return Err(Refusal::new(400, message).param("reasoning_effort"));
    }
    Ok(())
}

fn nested_tools(body: &Value) -> Result<(), Refusal> {
    let tools = body["tools"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    for (place, tool) in tools.iter().enumerate() {
        let Some(kind) = tool["type"].as_str() else {
            return Err(missing(&format!("tools[{place}].type")));
        };
        one_of(
            &tool["type"],
            &["function", "custom"],
            &format!("tools[{place}].type"),
        )?;
        if tool[kind]["name"].as_str().is_none_or(str::is_empty) {
            return Err(missing(&format!("tools[{place}].{kind}.name")));
        }
    }
    match &body["tool_choice"] {
        Value::String(_) => one_of(
            &body["tool_choice"],
            &["none", "auto", "required"],
            "tool_choice",
        ),
        choice if choice["type"] == "function" => {
            let Some(name) = choice["function"]["name"].as_str() else {
                return Err(missing("tool_choice.function"));
            };
            named_tool(
                tools.iter().any(|tool| tool["function"]["name"] == name),
                name,
            )
        }
        _ => Ok(()),
    }
}

fn parts(message: &Value, place: usize) -> Result<(), Refusal> {
    let role = message["role"].as_str().unwrap_or_default();
    let known = match role {
        "user" => USER_PARTS,
        "system" | "developer" => TEXT_PARTS,
        "assistant" => ASSISTANT_PARTS,
        "tool" | "function" => TOOL_PARTS,
        _ => {
            return Err(invalid(
                &format!("messages[{place}].role"),
                format!("Invalid value: '{role}'."),
            ));
        }
    };
    let calls = !message["tool_calls"].is_null() || !message["function_call"].is_null();
    match &message["content"] {
        Value::Null if role == "assistant" && (calls || message["refusal"].is_string()) => Ok(()),
        Value::String(_) => Ok(()),
        Value::Array(list) => {
            for (number, part) in list.iter().enumerate() {
                one_of(
                    &part["type"],
                    known,
                    &format!("messages[{place}].content[{number}].type"),
                )?;
            }
            Ok(())
        }
        _ => {
            let message = format!(
                "Invalid value for 'content' of messages[{place}]: expected a string, got null."
            );
            Err(invalid(&format!("messages[{place}].content"), message))
        }
    }
}

/// Every call is answered by the tool messages right behind it, and every tool message answers a call.
fn calls_and_results(messages: &[Value]) -> Result<(), Refusal> {
    let mut open: HashSet<&str> = HashSet::new();
    let mut asked: HashSet<&str> = HashSet::new();
    for (place, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if !asked.contains(id) {
                let text = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with \
                    'tool_calls'.";
                return Err(Refusal::new(400, text).param(format!("messages[{place}].role")));
            }
            open.remove(id);
            continue;
        }
        if let Some(id) = open.iter().next() {
            return Err(unanswered(id, place));
        }
        let calls = message["tool_calls"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        asked = calls
            .iter()
            .filter_map(|call| call["id"].as_str())
            .collect();
        open.clone_from(&asked);
    }
    open.iter()
        .next()
        .map_or(Ok(()), |id| Err(unanswered(id, messages.len())))
}

fn unanswered(id: &str, place: usize) -> Refusal {
    let text = format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {id}"
    );
    Refusal::new(400, text).param(format!("messages.[{place}].role"))
}
