//! Canonical items as the steps of an interaction.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::request::TARGET;
use crate::translate::conversation::{Item, Output, Part, Role};
use crate::translate::data_url::{Image, base64_of};
use crate::translate::fields::arguments_of;
use crate::translate::{Dropped, Refused, custom, sealed};

/// What a request says of the conversation.
pub(super) struct History {
    pub(super) system: Vec<String>,
    pub(super) steps: Vec<Value>,
}

/// Writes the items in their order. What the platform and the application say is the system instruction, wherever it
/// was said.
pub(super) fn write(items: &[Item], dropped: &mut Dropped) -> Result<History, Refused> {
    let mut writer = Writer {
        system: Vec::new(),
        steps: Vec::with_capacity(items.len()),
        names: HashMap::new(),
        dropped,
    };
    for item in items {
        writer.item(item)?;
    }
    Ok(History {
        system: writer.system,
        steps: writer.steps,
    })
}

struct Writer<'a> {
    system: Vec<String>,
    steps: Vec<Value>,
    /// What was called, by the id of the call: a result names it again.
    names: HashMap<&'a str, &'a str>,
    dropped: &'a mut Dropped,
}

impl<'a> Writer<'a> {
    fn item(&mut self, item: &'a Item) -> Result<(), Refused> {
        match item {
            Item::Message { role, content } => self.message(*role, content)?,
            Item::Reasoning {
                encrypted_content, ..
            } => {
                if let Some(signature) = sealed::to_gemini(encrypted_content) {
                    self.steps
                        .push(json!({"type": "thought", "signature": signature}));
                }
            }
            Item::FunctionCall {
                call_id,
                name,
                arguments,
            } => self.call(call_id, name, arguments_of(arguments)?),
            Item::CustomToolCall {
                call_id,
                name,
                input,
            } => self.call(call_id, name, custom::wrapped(input)),
            Item::FunctionCallOutput {
                call_id,
                output,
                is_error,
            } => self.result(call_id, output, *is_error)?,
            Item::CustomToolCallOutput { call_id, output } => {
                self.result(call_id, output, false)?;
            }
        }
        Ok(())
    }

    fn message(&mut self, role: Role, content: &[Part]) -> Result<(), Refused> {
        let step = match role {
            Role::System | Role::Developer => return self.instruction(content),
            Role::User => "user_input",
            Role::Assistant => "model_output",
        };
        let content = self.parts(content)?;
        // Empty steps are refused there, and say nothing.
        if !content.is_empty() {
            self.steps.push(json!({"type": step, "content": content}));
        }
        Ok(())
    }

    fn instruction(&mut self, content: &[Part]) -> Result<(), Refused> {
        for part in content {
            let Part::InputText { text } = part else {
                let what = format!("{TARGET} takes nothing but text from a system message.");
                return Err(Refused::new("input", what));
            };
            self.system.push(text.clone());
        }
        Ok(())
    }

    fn call(&mut self, call_id: &'a str, name: &'a str, arguments: Value) {
        self.names.insert(call_id, name);
        let call =
            json!({"type": "function_call", "id": call_id, "name": name, "arguments": arguments});
        self.steps.push(call);
    }

    fn result(&mut self, call_id: &str, output: &Output, is_error: bool) -> Result<(), Refused> {
        let mut step = json!({"type": "function_result", "call_id": call_id});
        if let Some(name) = self.names.get(call_id) {
            step["name"] = json!(name);
        }
        step["result"] = match output {
            Output::Text(text) => json!(text),
            Output::Parts(parts) => Value::Array(self.parts(parts)?),
        };
        if is_error {
            step["is_error"] = json!(true);
        }
        self.steps.push(step);
        Ok(())
    }

    fn parts(&mut self, parts: &[Part]) -> Result<Vec<Value>, Refused> {
        let mut written = Vec::with_capacity(parts.len());
        for part in parts {
            written.extend(self.part(part)?);
        }
        Ok(written)
    }

    /// Empty text says nothing.
    fn part(&mut self, part: &Part) -> Result<Option<Value>, Refused> {
        match part {
            Part::InputText { text }
            | Part::OutputText { text }
            | Part::Refusal { refusal: text } => {
                Ok((!text.is_empty()).then(|| json!({"type": "text", "text": text})))
            }
            Part::InputImage { image_url, detail } => {
                if detail != "auto" {
                    self.dropped.note("image_url.detail");
                }
                Ok(Some(image(Image::read(image_url)?)))
            }
            Part::InputFile {
                file_data: Some(data),
                filename,
                ..
            } => {
                if filename.is_some() {
                    self.dropped.note("file.filename");
                }
                document(data).map(Some)
            }
            Part::InputFile {
                file_url: Some(url),
                ..
            } => Ok(Some(json!({"type": "document", "uri": url}))),
            Part::InputFile { .. } => Err(Refused::new(
                "input",
                format!("{TARGET} does not know files that are kept at OpenAI; send `file_data`."),
            )),
        }
    }
}

fn image(image: Image<'_>) -> Value {
    match image {
        Image::Data { media_type, data } => {
            json!({"type": "image", "mime_type": media_type, "data": data})
        }
        Image::Address(uri) => json!({"type": "image", "uri": uri}),
    }
}

fn document(data: &str) -> Result<Value, Refused> {
    let Some((mime_type, data)) = base64_of(data) else {
        let what = "A file for a Gemini model must be a base64 data URL, as in `data:application/pdf;base64,…`.";
        return Err(Refused::new("input", what));
    };
    Ok(json!({"type": "document", "mime_type": mime_type, "data": data}))
}
