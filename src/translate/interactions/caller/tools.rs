//! The tools of an interaction as canonical ones.

use serde_json::{Value, json};

use crate::translate::conversation::{Tool, ToolChoice};
use crate::translate::fields::{list_of, text_of};
use crate::translate::{Dropped, Refused};

const CHOICE: &str = "generation_config.tool_choice";

pub(super) fn read(tools: &[Value]) -> Result<Vec<Tool>, Refused> {
    let mut read = Vec::with_capacity(tools.len());
    for (number, tool) in tools.iter().enumerate() {
        let path = format!("tools[{number}]");
        if tool["type"] != "function" {
            let path = format!("{path}.type");
            return Err(Refused::of_another_vendor(path));
        }
        read.push(Tool::Function {
            name: text_of(&format!("{path}.name"), &tool["name"])?,
            description: tool["description"].as_str().map(str::to_owned),
            parameters: match &tool["parameters"] {
                Value::Null => json!({"type": "object", "properties": {}}),
                given => given.clone(),
            },
            strict: false,
        });
    }
    Ok(read)
}

pub(super) fn choice(choice: &Value, dropped: &mut Dropped) -> Result<ToolChoice, Refused> {
    if let Some(mode) = choice.as_str() {
        return Ok(ToolChoice::Mode(mode_of(mode, dropped)?.to_owned()));
    }
    let allowed = &choice["allowed_tools"];
    let mode = mode_of(allowed["mode"].as_str().unwrap_or("auto"), dropped)?;
    let mut tools = Vec::new();
    for name in list_of(&format!("{CHOICE}.allowed_tools.tools"), &allowed["tools"])? {
        let name = text_of(&format!("{CHOICE}.allowed_tools.tools[]"), name)?;
        tools.push(json!({"type": "function", "name": name}));
    }
    Ok(ToolChoice::Tool(match (mode, tools.as_slice()) {
        ("required", [one]) => one.clone(),
        _ => json!({"type": "allowed_tools", "mode": mode, "tools": tools}),
    }))
}

/// `validated` is `auto` with arguments that are sure to fit their schema, which cannot be asked for elsewhere.
fn mode_of(mode: &str, dropped: &mut Dropped) -> Result<&'static str, Refused> {
    match mode {
        "auto" => Ok("auto"),
        "none" => Ok("none"),
        "any" => Ok("required"),
        "validated" => {
            dropped.note(CHOICE);
            Ok("auto")
        }
        _ => {
            let what = format!(
                "`{CHOICE}` must be `auto`, `any`, `none`, `validated` or a list of tools."
            );
            Err(Refused::new(CHOICE, what))
        }
    }
}
