//! Canonical tools as those of an interaction.

use serde_json::{Value, json};

use super::request::TARGET;
use crate::translate::conversation::{Tool, ToolChoice};
use crate::translate::{Dropped, Refused, custom};

pub(super) fn write(tools: &[Tool], dropped: &mut Dropped) -> Result<Vec<Value>, Refused> {
    tools.iter().map(|tool| write_one(tool, dropped)).collect()
}

fn write_one(tool: &Tool, dropped: &mut Dropped) -> Result<Value, Refused> {
    let (name, description, parameters) = match tool {
        Tool::Function {
            name,
            description,
            parameters,
            strict,
        } => {
            if *strict {
                dropped.note("tools.strict");
            }
            (name, description, parameters.clone())
        }
        Tool::Custom {
            name,
            description,
            format,
        } => {
            custom::check_format(format.as_ref(), TARGET)?;
            (name, description, custom::schema())
        }
    };
    let mut written = json!({"type": "function", "name": name, "parameters": parameters});
    if let Some(description) = description {
        written["description"] = json!(description);
    }
    Ok(written)
}

/// One tool is a list of one that must be called from.
pub(super) fn choice(choice: &ToolChoice) -> Result<Value, Refused> {
    let (mode, names): (&str, Vec<&Value>) = match choice {
        ToolChoice::Mode(mode) => return Ok(json!(ToolChoice::mode(mode)?)),
        ToolChoice::Tool(given) if given["type"] == "allowed_tools" => {
            let tools = given["tools"].as_array().into_iter().flatten();
            let mode = given["mode"].as_str().unwrap_or("auto");
            (
                ToolChoice::mode(mode)?,
                tools.map(|tool| &tool["name"]).collect(),
            )
        }
        ToolChoice::Tool(given) => ("any", vec![&given["name"]]),
    };
    Ok(json!({"allowed_tools": {"mode": mode, "tools": names}}))
}
