//! The tools of a Messages request as canonical ones.

use serde_json::{Value, json};

use crate::translate::conversation::{Tool, ToolChoice};
use crate::translate::fields::text_of;
use crate::translate::{Dropped, Refused};

pub(super) fn read(tools: &[Value], dropped: &mut Dropped) -> Result<Vec<Tool>, Refused> {
    let mut read = Vec::with_capacity(tools.len());
    for (number, tool) in tools.iter().enumerate() {
        let path = format!("tools[{number}]");
        if !matches!(tool["type"].as_str(), None | Some("custom")) {
            let path = format!("{path}.type");
            return Err(Refused::of_another_vendor(path));
        }
        if !tool["cache_control"].is_null() {
            dropped.note("tools.cache_control");
        }
        read.push(Tool::Function {
            name: text_of(&format!("{path}.name"), &tool["name"])?,
            description: tool["description"].as_str().map(str::to_owned),
            parameters: match &tool["input_schema"] {
                Value::Null => json!({"type": "object", "properties": {}}),
                schema => schema.clone(),
            },
            strict: tool["strict"] == Value::Bool(true),
        });
    }
    Ok(read)
}

/// Whether and which, and whether several at once.
pub(super) struct Choice {
    pub(super) value: ToolChoice,
    pub(super) parallel: Option<bool>,
}

pub(super) fn choice(choice: &Value) -> Result<Choice, Refused> {
    let mode = |mode: &str| ToolChoice::Mode(mode.to_owned());
    let value = match choice["type"].as_str() {
        Some("auto") => mode("auto"),
        Some("any") => mode("required"),
        Some("none") => mode("none"),
        Some("tool") => {
            let name = text_of("tool_choice.name", &choice["name"])?;
            ToolChoice::Tool(json!({"type": "function", "name": name}))
        }
        _ => {
            let what = "`tool_choice.type` must be `auto`, `any`, `tool` or `none`.";
            return Err(Refused::new("tool_choice.type", what));
        }
    };
    let is_single = choice["disable_parallel_tool_use"] == Value::Bool(true);
    Ok(Choice {
        value,
        parallel: is_single.then_some(false),
    })
}
