//! Canonical tools as those of a Messages request.

use serde_json::{Value, json};

use super::request::TARGET;
use crate::translate::conversation::{Conversation, Tool, ToolChoice};
use crate::translate::{Refused, custom};

/// Whether and which tool is called.
#[derive(Default)]
pub(super) struct Choice {
    pub(super) value: Option<Value>,
    /// The names of those that may be called, where not all may.
    pub(super) allowed: Option<Vec<String>>,
}

/// Writes those that may be called.
pub(super) fn write(tools: &[Tool], allowed: Option<&[String]>) -> Result<Vec<Value>, Refused> {
    let is_allowed =
        |tool: &&Tool| allowed.is_none_or(|allowed| allowed.iter().any(|name| name == tool.name()));
    tools.iter().filter(is_allowed).map(tool).collect()
}

fn tool(tool: &Tool) -> Result<Value, Refused> {
    let (name, description, schema, strict) = match tool {
        Tool::Function {
            name,
            description,
            parameters,
            strict,
        } => (name, description, with_type(parameters), *strict),
        Tool::Custom {
            name,
            description,
            format,
        } => {
            custom::check_format(format.as_ref(), TARGET)?;
            (name, description, custom::schema(), false)
        }
    };
    let mut written = json!({"name": name, "input_schema": schema});
    if let Some(description) = description {
        written["description"] = json!(description);
    }
    if strict {
        written["strict"] = json!(true);
    }
    Ok(written)
}

/// A schema without a type is one of an object, which has to be said there.
fn with_type(parameters: &Value) -> Value {
    let mut schema = parameters.clone();
    if let Some(fields) = schema.as_object_mut() {
        fields.entry("type").or_insert_with(|| json!("object"));
    }
    schema
}

pub(super) fn choice(conversation: &Conversation) -> Result<Choice, Refused> {
    let mut choice = match &conversation.tool_choice {
        None => Choice::default(),
        Some(ToolChoice::Mode(mode)) => Choice {
            value: Some(json!({"type": ToolChoice::mode(mode)?})),
            allowed: None,
        },
        Some(ToolChoice::Tool(given)) if given["type"] == "allowed_tools" => {
            let mode = given["mode"].as_str().unwrap_or("auto");
            let names = given["tools"].as_array().into_iter().flatten();
            Choice {
                value: Some(json!({"type": ToolChoice::mode(mode)?})),
                allowed: Some(
                    names
                        .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
                        .collect(),
                ),
            }
        }
        Some(ToolChoice::Tool(given)) => Choice {
            value: Some(json!({"type": "tool", "name": given["name"]})),
            allowed: None,
        },
    };
    if conversation.parallel_tool_calls == Some(false) && !conversation.tools.is_empty() {
        let value = choice.value.get_or_insert_with(|| json!({"type": "auto"}));
        if value["type"] != "none" {
            value["disable_parallel_tool_use"] = json!(true);
        }
    }
    Ok(choice)
}
