//! The tools of a Responses request.

use serde_json::{Value, json};

use crate::translate::Refused;
use crate::translate::conversation::{Tool, ToolChoice};
use crate::translate::fields::text_of;

pub(super) fn read(tools: &[Value]) -> Result<Vec<Tool>, Refused> {
    let numbered = tools.iter().enumerate();
    numbered
        .map(|(number, tool)| read_one(&format!("tools[{number}]"), tool))
        .collect()
}

fn read_one(path: &str, tool: &Value) -> Result<Tool, Refused> {
    let name = || text_of(&format!("{path}.name"), &tool["name"]);
    let description = tool["description"].as_str().map(str::to_owned);
    match tool["type"].as_str() {
        Some("function") => Ok(Tool::Function {
            name: name()?,
            description,
            parameters: match &tool["parameters"] {
                Value::Null => json!({"type": "object", "properties": {}}),
                given => given.clone(),
            },
            // A schema that OpenAI would bind unasked need not be one that another vendor can bind.
            strict: tool["strict"] == Value::Bool(true),
        }),
        Some("custom") => Ok(Tool::Custom {
            name: name()?,
            description,
            format: (!tool["format"].is_null()).then(|| tool["format"].clone()),
        }),
        _ => {
            let path = format!("{path}.type");
            Err(Refused::of_another_vendor(path))
        }
    }
}

/// In the canonical form already.
pub(super) fn choice(choice: &Value) -> Result<ToolChoice, Refused> {
    match choice {
        Value::String(mode) => Ok(ToolChoice::Mode(mode.clone())),
        given if matches!(given["type"].as_str(), Some("function" | "custom")) => {
            text_of("tool_choice.name", &given["name"])?;
            Ok(ToolChoice::Tool(given.clone()))
        }
        given if given["type"] == "allowed_tools" => Ok(ToolChoice::Tool(given.clone())),
        _ => Err(Refused::of_another_vendor("tool_choice.type")),
    }
}
