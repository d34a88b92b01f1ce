//! What OpenAI refuses in the input items of a Responses request.

use std::collections::HashSet;

use serde_json::Value;

use super::super::answer::Refusal;
use super::checks::{invalid, missing};

const LONGEST_CALL_ID: usize = 64;
const INPUT_PARTS: &[&str] = &["input_text", "input_image", "input_file"];
const ASSISTANT_PARTS: &[&str] = &["output_text", "refusal"];

/// All input items: their own form, and that calls and results belong together.
pub(super) fn items(body: &Value) -> Result<(), Refusal> {
    let items = match &body["input"] {
        Value::Null | Value::String(_) => return Ok(()),
        Value::Array(items) => items,
        _ => {
            return Err(invalid(
                "input",
                "Invalid type for 'input': expected a string or an array.".to_owned(),
            ));
        }
    };
    let mut calls: HashSet<&str> = HashSet::new();
    let mut results: HashSet<&str> = HashSet::new();
    for (place, item) in items.iter().enumerate() {
        let path = format!("input[{place}]");
        match item["type"].as_str().unwrap_or("message") {
            "message" => message(item, &path)?,
            "function_call" | "custom_tool_call" => {
                calls.insert(call_id(item, &path)?);
                let beginning = if item["type"] == "function_call" {
                    "fc"
                } else {
                    "ctc"
                };
                id_begins(item, beginning, &path)?;
                if !item["name"].is_string() {
                    return Err(missing(&format!("{path}.name")));
                }
            }
            "function_call_output" | "custom_tool_call_output" => {
                results.insert(call_id(item, &path)?);
                if item["output"].is_null() {
                    return Err(missing(&format!("{path}.output")));
                }
            }
            "reasoning" => reasoning(item, items.get(place + 1), &path)?,
            _ => {}
        }
    }
    let continues = !body["previous_response_id"].is_null() || !body["conversation"].is_null();
    if let Some(id) = results
        .iter()
        .find(|id| !calls.contains(*id))
        .filter(|_| !continues)
    {
        return Err(Refusal::new(
            400,
            format!("No tool call found for function call output with call_id {id}."),
        )
        .param("input"));
    }
    if let Some(id) = calls.iter().find(|id| !results.contains(*id)) {
        return Err(
            Refusal::new(400, format!("No tool output found for function call {id}."))
                .param("input"),
        );
    }
    Ok(())
}

fn message(item: &Value, path: &str) -> Result<(), Refusal> {
    let role = item["role"].as_str().unwrap_or_default();
    let known = match role {
        "user" | "system" | "developer" => INPUT_PARTS,
        "assistant" => ASSISTANT_PARTS,
        _ => {
            let message = format!(
                "Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'."
            );
            return Err(invalid(&format!("{path}.role"), message));
        }
    };
    id_begins(item, "msg", path)?;
    let parts = match &item["content"] {
        Value::String(_) => return Ok(()),
        Value::Array(parts) => parts,
        _ => return Err(missing(&format!("{path}.content"))),
    };
    for (number, part) in parts.iter().enumerate() {
        let kind = part["type"].as_str().unwrap_or_default();
        if !known.contains(&kind) {
            let names: Vec<String> = known.iter().map(|name| format!("'{name}'")).collect();
            let message = format!(
                "Invalid value: '{kind}'. Supported values are: {}.",
                names.join(", ")
            );
            return Err(invalid(&format!("{path}.content[{number}].type"), message));
        }
    }
    Ok(())
}

fn reasoning(item: &Value, next: Option<&Value>, path: &str) -> Result<(), Refusal> {
    id_begins(item, "rs", path)?;
    if !item["summary"].is_array() {
        return Err(missing(&format!("{path}.summary")));
    }
    let id = item["id"].as_str().unwrap_or_default();
    if next.is_none_or(|next| next["role"] == "user") {
        let message = format!(
            "Item '{id}' of type 'reasoning' was provided without its required following item."
        );
        return Err(Refusal::new(400, message).param("input"));
    }
    Ok(())
}

fn id_begins(item: &Value, beginning: &str, path: &str) -> Result<(), Refusal> {
    match item["id"].as_str() {
        Some(id) if !id.starts_with(beginning) => {
            let message = format!(
                "Invalid '{path}.id': '{id}'. Expected an ID that begins with '{beginning}'."
            );
            Err(invalid(&format!("{path}.id"), message))
        }
        _ => Ok(()),
    }
}

fn call_id<'a>(item: &'a Value, path: &str) -> Result<&'a str, Refusal> {
    let Some(id) = item["call_id"].as_str() else {
        return Err(missing(&format!("{path}.call_id")));
    };
    if id.len() > LONGEST_CALL_ID {
        let message = format!(
            "Invalid '{path}.call_id': string too long. Expected a string with maximum length {LONGEST_CALL_ID}, but got a string with length {} instead.",
            id.len()
        );
        return Err(Refusal::new(400, message)
            .code("string_above_max_length")
            .param(format!("{path}.call_id")));
    }
    Ok(id)
}
