//! The tools of a Chat request as canonical ones: OpenAI's own two APIs nest them differently.

use serde_json::{Value, json};

use crate::translate::Refused;
use crate::translate::conversation::{Tool, ToolChoice};
use crate::translate::fields::{list_of, text_of};

pub(super) fn read(tools: &[Value]) -> Result<Vec<Tool>, Refused> {
    let mut read = Vec::with_capacity(tools.len());
    for (number, tool) in tools.iter().enumerate() {
        let path = format!("tools[{number}]");
        read.push(match tool["type"].as_str() {
            Some("function") => function(&format!("{path}.function"), &tool["function"])?,
            Some("custom") => custom(&format!("{path}.custom"), &tool["custom"])?,
            _ => {
                let path = format!("{path}.type");
                let what = format!("`{path}` must be `function` or `custom`.");
                return Err(Refused::new(path, what));
            }
        });
    }
    Ok(read)
}

/// `functions`, which `tools` replaced.
pub(super) fn read_functions(functions: &[Value]) -> Result<Vec<Tool>, Refused> {
    let numbered = functions.iter().enumerate();
    numbered
        .map(|(number, given)| function(&format!("functions[{number}]"), given))
        .collect()
}

fn function(path: &str, function: &Value) -> Result<Tool, Refused> {
    Ok(Tool::Function {
        name: text_of(&format!("{path}.name"), &function["name"])?,
        description: function["description"].as_str().map(str::to_owned),
        parameters: match &function["parameters"] {
            Value::Null => json!({"type": "object", "properties": {}}),
            given => given.clone(),
        },
        // Chat's schemas bind only when they are asked to, those of Responses unless they are told not to.
        strict: function["strict"] == Value::Bool(true),
    })
}

fn custom(path: &str, custom: &Value) -> Result<Tool, Refused> {
    let format = match &custom["format"] {
        Value::Null => None,
        given if given["type"] == "grammar" => {
            let grammar = &given["grammar"];
            Some(json!({
                "type": "grammar",
                "definition": grammar["definition"],
                "syntax": grammar["syntax"],
            }))
        }
        given => Some(given.clone()),
    };
    Ok(Tool::Custom {
        name: text_of(&format!("{path}.name"), &custom["name"])?,
        description: custom["description"].as_str().map(str::to_owned),
        format,
    })
}

pub(super) fn choice(choice: &Value) -> Result<ToolChoice, Refused> {
    if let Some(mode) = choice.as_str() {
        return Ok(ToolChoice::Mode(mode.to_owned()));
    }
    Ok(ToolChoice::Tool(match choice["type"].as_str() {
        Some("allowed_tools") => {
            let allowed = &choice["allowed_tools"];
            let path = "tool_choice.allowed_tools.tools";
            let tools: Result<Vec<Value>, Refused> = list_of(path, &allowed["tools"])?
                .iter()
                .map(|tool| named("tool_choice.allowed_tools.tools[]", tool))
                .collect();
            json!({"type": "allowed_tools", "mode": allowed["mode"], "tools": tools?})
        }
        _ => named("tool_choice", choice)?,
    }))
}

/// `{"type": "function", "function": {"name"}}` as `{"type": "function", "name"}`.
fn named(path: &str, tool: &Value) -> Result<Value, Refused> {
    match tool["type"].as_str() {
        Some(kind @ ("function" | "custom")) => {
            let name = text_of(&format!("{path}.{kind}.name"), &tool[kind]["name"])?;
            Ok(json!({"type": kind, "name": name}))
        }
        _ => {
            let path = format!("{path}.type");
            let what = format!("`{path}` must be `function`, `custom` or `allowed_tools`.");
            Err(Refused::new(path, what))
        }
    }
}

/// `function_call`, which `tool_choice` replaced.
pub(super) fn legacy_choice(choice: &Value) -> Result<ToolChoice, Refused> {
    match choice {
        Value::String(mode) => Ok(ToolChoice::Mode(mode.clone())),
        given => {
            let name = text_of("function_call.name", &given["name"])?;
            Ok(ToolChoice::Tool(json!({"type": "function", "name": name})))
        }
    }
}
