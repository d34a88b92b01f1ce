//! The messages of a Chat request as canonical items.

use serde_json::Value;

use crate::translate::conversation::{Item, Output, Part, Role};
use crate::translate::fields::{list_of, text_of};
use crate::translate::{Dropped, Refused, sealed};

/// Reads them in their order.
pub(super) fn read(messages: &[Value], dropped: &mut Dropped) -> Result<Vec<Item>, Refused> {
    let mut reader = Reader {
        items: Vec::with_capacity(messages.len()),
        custom_calls: Vec::new(),
        legacy_calls: 0,
        dropped,
    };
    for (number, message) in messages.iter().enumerate() {
        reader.message(&format!("messages[{number}]"), message)?;
    }
    Ok(reader.items)
}

struct Reader<'a> {
    items: Vec<Item>,
    /// Ids of calls to custom tools: their results are items of another type.
    custom_calls: Vec<String>,
    /// Calls in the form that was there before tools, which had no ids.
    legacy_calls: usize,
    dropped: &'a mut Dropped,
}

impl Reader<'_> {
    fn message(&mut self, path: &str, message: &Value) -> Result<(), Refused> {
        if !message["name"].is_null() && message["role"] != "function" {
            self.dropped.note(format!("{path}.name"));
        }
        match message["role"].as_str() {
            Some("system") => self.said(Role::System, path, message),
            Some("developer") => self.said(Role::Developer, path, message),
            Some("user") => self.said(Role::User, path, message),
            Some("assistant") => self.assistant(path, message),
            Some("tool") => self.tool_result(path, message),
            Some("function") => self.function_result(path, message),
            _ => Err(Refused::new(
                format!("{path}.role"),
                format!(
                    "`{path}.role` must be `system`, `developer`, `user`, `assistant`, `tool` or `function`."
                ),
            )),
        }
    }

    fn said(&mut self, role: Role, path: &str, message: &Value) -> Result<(), Refused> {
        let content = parts(role, &format!("{path}.content"), &message["content"])?;
        self.items.push(Item::Message { role, content });
        Ok(())
    }

    fn assistant(&mut self, path: &str, message: &Value) -> Result<(), Refused> {
        let mut content = match &message["content"] {
            Value::Null => Vec::new(),
            given => parts(Role::Assistant, &format!("{path}.content"), given)?,
        };
        if let Some(refusal) = message["refusal"].as_str() {
            content.push(Part::Refusal {
                refusal: refusal.to_owned(),
            });
        }
        if !content.is_empty() {
            self.items.push(Item::Message {
                role: Role::Assistant,
                content,
            });
        }
        if !message["tool_calls"].is_null() {
            let path = format!("{path}.tool_calls");
            for (number, call) in list_of(&path, &message["tool_calls"])?.iter().enumerate() {
                self.call(&format!("{path}[{number}]"), call)?;
            }
        }
        let call = &message["function_call"];
        if !call.is_null() {
            self.legacy_calls += 1;
            self.items.push(Item::FunctionCall {
                call_id: legacy_id(self.legacy_calls),
                name: text_of(&format!("{path}.function_call.name"), &call["name"])?,
                arguments: text_of(
                    &format!("{path}.function_call.arguments"),
                    &call["arguments"],
                )?,
            });
        }
        Ok(())
    }

    fn call(&mut self, path: &str, call: &Value) -> Result<(), Refused> {
        let signed_id = text_of(&format!("{path}.id"), &call["id"])?;
        let (call_id, seal) = sealed::unsigned(&signed_id);
        let call_id = call_id.to_owned();
        if let Some(seal) = seal {
            self.items.push(Item::Reasoning {
                id: None,
                summary: Vec::new(),
                encrypted_content: seal.to_owned(),
            });
        }
        match call["type"].as_str() {
            Some("function") | None => {
                let function = &call["function"];
                let arguments = format!("{path}.function.arguments");
                self.items.push(Item::FunctionCall {
                    call_id,
                    name: text_of(&format!("{path}.function.name"), &function["name"])?,
                    arguments: text_of(&arguments, &function["arguments"])?,
                });
            }
            Some("custom") => {
                let custom = &call["custom"];
                self.custom_calls.push(call_id.clone());
                self.items.push(Item::CustomToolCall {
                    call_id,
                    name: text_of(&format!("{path}.custom.name"), &custom["name"])?,
                    input: text_of(&format!("{path}.custom.input"), &custom["input"])?,
                });
            }
            Some(_) => {
                let path = format!("{path}.type");
                let what = format!("`{path}` must be `function` or `custom`.");
                return Err(Refused::new(path, what));
            }
        }
        Ok(())
    }

    fn tool_result(&mut self, path: &str, message: &Value) -> Result<(), Refused> {
        let signed_id = text_of(&format!("{path}.tool_call_id"), &message["tool_call_id"])?;
        let call_id = sealed::unsigned(&signed_id).0.to_owned();
        let output = output(&format!("{path}.content"), &message["content"])?;
        self.items.push(if self.custom_calls.contains(&call_id) {
            Item::CustomToolCallOutput { call_id, output }
        } else {
            Item::FunctionCallOutput {
                call_id,
                output,
                is_error: false,
            }
        });
        Ok(())
    }

    fn function_result(&mut self, path: &str, message: &Value) -> Result<(), Refused> {
        self.items.push(Item::FunctionCallOutput {
            call_id: legacy_id(self.legacy_calls),
            output: match &message["content"] {
                Value::Null => Output::Text(String::new()),
                given => output(&format!("{path}.content"), given)?,
            },
            is_error: false,
        });
        Ok(())
    }
}

/// The same in every request that repeats the history: a prompt cache stays warm.
fn legacy_id(number: usize) -> String {
    format!("call_function_{number}")
}

fn output(path: &str, content: &Value) -> Result<Output, Refused> {
    match content {
        Value::String(text) => Ok(Output::Text(text.clone())),
        given => Ok(Output::Parts(parts(Role::User, path, given)?)),
    }
}

fn parts(role: Role, path: &str, content: &Value) -> Result<Vec<Part>, Refused> {
    if let Some(text) = content.as_str() {
        // An assistant's empty text says nothing, and no vendor takes it back.
        if text.is_empty() && role == Role::Assistant {
            return Ok(Vec::new());
        }
        return Ok(vec![text_part(role, text)]);
    }
    let mut parts = Vec::new();
    let Some(list) = content.as_array() else {
        let what = format!("`{path}` must be a string or a list of parts.");
        return Err(Refused::new(path, what));
    };
    for (number, part) in list.iter().enumerate() {
        parts.push(read_part(role, &format!("{path}[{number}]"), part)?);
    }
    Ok(parts)
}

fn text_part(role: Role, text: &str) -> Part {
    let text = text.to_owned();
    if role == Role::Assistant {
        Part::OutputText { text }
    } else {
        Part::InputText { text }
    }
}

fn read_part(role: Role, path: &str, part: &Value) -> Result<Part, Refused> {
    match part["type"].as_str() {
        Some("text") => Ok(text_part(
            role,
            &text_of(&format!("{path}.text"), &part["text"])?,
        )),
        Some("refusal") => Ok(Part::Refusal {
            refusal: text_of(&format!("{path}.refusal"), &part["refusal"])?,
        }),
        Some("image_url") => {
            let image = &part["image_url"];
            Ok(Part::InputImage {
                image_url: text_of(&format!("{path}.image_url.url"), &image["url"])?,
                detail: image["detail"].as_str().unwrap_or("auto").to_owned(),
            })
        }
        Some("file") => {
            let file = &part["file"];
            let text = |name: &str| file[name].as_str().map(str::to_owned);
            Ok(Part::InputFile {
                file_id: text("file_id"),
                file_data: text("file_data"),
                file_url: None,
                filename: text("filename"),
            })
        }
        _ => {
            let path = format!("{path}.type");
            let what = format!("`{path}` must be `text`, `image_url`, `file` or `refusal`.");
            Err(Refused::new(path, what))
        }
    }
}
