//! The turns of a Messages request as canonical items.

use serde_json::Value;

use crate::translate::conversation::{Item, Output, Part, Role, Summary};
use crate::translate::fields::{list_of, text_of};
use crate::translate::{Dropped, Refused, sealed};

/// Reads the turns in their order.
pub(super) fn read(messages: &[Value], dropped: &mut Dropped) -> Result<Vec<Item>, Refused> {
    let mut reader = Reader {
        items: Vec::with_capacity(messages.len()),
        said: Vec::new(),
        dropped,
    };
    for (number, message) in messages.iter().enumerate() {
        reader.turn(&format!("messages[{number}]"), message)?;
    }
    Ok(reader.items)
}

/// The text of `system`: a string or text blocks.
pub(super) fn system(value: &Value, dropped: &mut Dropped) -> Result<Vec<Part>, Refused> {
    if let Some(text) = value.as_str() {
        return Ok(said(Role::System, text).into_iter().collect());
    }
    let mut parts = Vec::new();
    for (number, block) in list_of("system", value)?.iter().enumerate() {
        note_cache_hint("system", block, dropped);
        let path = format!("system[{number}].text");
        parts.extend(said(Role::System, &text_of(&path, &block["text"])?));
    }
    Ok(parts)
}

/// Text of somebody; empty text says nothing.
fn said(role: Role, text: &str) -> Option<Part> {
    let text = text.to_owned();
    (!text.is_empty()).then_some(match role {
        Role::Assistant => Part::OutputText { text },
        _ => Part::InputText { text },
    })
}

fn note_cache_hint(path: &str, block: &Value, dropped: &mut Dropped) {
    if !block["cache_control"].is_null() {
        dropped.note(format!("{path}.cache_control"));
    }
}

struct Reader<'a> {
    items: Vec<Item>,
    /// Parts of the turn at hand that make no item yet.
    said: Vec<Part>,
    dropped: &'a mut Dropped,
}

impl Reader<'_> {
    fn turn(&mut self, path: &str, message: &Value) -> Result<(), Refused> {
        let role = match message["role"].as_str() {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("system") => Role::System,
            _ => {
                let path = format!("{path}.role");
                let what = format!("`{path}` must be `user`, `assistant` or `system`.");
                return Err(Refused::new(path, what));
            }
        };
        let path = format!("{path}.content");
        if let Some(text) = message["content"].as_str() {
            self.said.extend(said(role, text));
        } else {
            let blocks = list_of(&path, &message["content"])?;
            for (number, block) in blocks.iter().enumerate() {
                note_cache_hint("messages.content", block, self.dropped);
                self.block(role, &format!("{path}[{number}]"), block)?;
            }
        }
        self.end_message(role);
        Ok(())
    }

    /// What has been said so far is a message.
    fn end_message(&mut self, role: Role) {
        let content = std::mem::take(&mut self.said);
        if !content.is_empty() {
            self.items.push(Item::Message { role, content });
        }
    }

    fn item(&mut self, role: Role, item: Item) {
        self.end_message(role);
        self.items.push(item);
    }

    fn block(&mut self, role: Role, path: &str, block: &Value) -> Result<(), Refused> {
        match block["type"].as_str() {
            Some("tool_use") => {
                let signed_id = text_of(&format!("{path}.id"), &block["id"])?;
                let (call_id, seal) = sealed::unsigned(&signed_id);
                if let Some(seal) = seal {
                    self.thoughts(role, "", &Value::from(seal));
                }
                let call = Item::FunctionCall {
                    call_id: call_id.to_owned(),
                    name: text_of(&format!("{path}.name"), &block["name"])?,
                    arguments: match &block["input"] {
                        Value::Null => "{}".to_owned(),
                        input => input.to_string(),
                    },
                };
                self.item(role, call);
            }
            Some("tool_result") => {
                let signed_id = text_of(&format!("{path}.tool_use_id"), &block["tool_use_id"])?;
                let result = Item::FunctionCallOutput {
                    call_id: sealed::unsigned(&signed_id).0.to_owned(),
                    output: self.output(&format!("{path}.content"), &block["content"])?,
                    is_error: block["is_error"] == Value::Bool(true),
                };
                self.item(role, result);
            }
            Some("thinking") => {
                let told = block["thinking"].as_str().unwrap_or_default();
                self.thoughts(role, told, &block["signature"]);
            }
            Some("redacted_thinking") => self.thoughts(role, "", &block["data"]),
            // What the vendor's own tools did has no counterpart; what the model made of it is in its text.
            Some("server_tool_use") => self.dropped.note("messages.content.server_tool_use"),
            Some("web_search_tool_result") => {
                self.dropped.note("messages.content.web_search_tool_result");
            }
            _ => {
                let part = self.part(role, path, block)?;
                self.said.extend(part);
            }
        }
        Ok(())
    }

    /// Thoughts of another vendor's than Claude's; Claude's own mean nothing elsewhere.
    fn thoughts(&mut self, role: Role, told: &str, seal: &Value) {
        let Some(seal) = seal.as_str().filter(|seal| sealed::is_marked(seal)) else {
            return;
        };
        let text = told.to_owned();
        let summary = (!text.is_empty()).then_some(Summary::SummaryText { text });
        let thoughts = Item::Reasoning {
            id: None,
            summary: summary.into_iter().collect(),
            encrypted_content: seal.to_owned(),
        };
        self.item(role, thoughts);
    }

    /// No content is an empty text.
    fn output(&mut self, path: &str, content: &Value) -> Result<Output, Refused> {
        if content.is_null() {
            return Ok(Output::Text(String::new()));
        }
        if let Some(text) = content.as_str() {
            return Ok(Output::Text(text.to_owned()));
        }
        let mut parts = Vec::new();
        for (number, block) in list_of(path, content)?.iter().enumerate() {
            parts.extend(self.part(Role::User, &format!("{path}[{number}]"), block)?);
        }
        Ok(Output::Parts(parts))
    }

    fn part(&mut self, role: Role, path: &str, block: &Value) -> Result<Option<Part>, Refused> {
        match block["type"].as_str() {
            Some("text") => {
                let text = text_of(&format!("{path}.text"), &block["text"])?;
                Ok(said(role, &text))
            }
            Some("image") => Ok(Some(Part::InputImage {
                image_url: image(&format!("{path}.source"), &block["source"])?,
                detail: "auto".to_owned(),
            })),
            Some("document") => self.document(path, block).map(Some),
            _ => {
                let path = format!("{path}.type");
                Err(Refused::of_another_vendor(path))
            }
        }
    }

    fn document(&mut self, path: &str, block: &Value) -> Result<Part, Refused> {
        for name in ["context", "citations"] {
            if !block[name].is_null() {
                self.dropped.note(format!("messages.content.{name}"));
            }
        }
        let source = &block["source"];
        let path = format!("{path}.source");
        let title = block["title"].as_str();
        match source["type"].as_str() {
            Some("base64") => Ok(Part::InputFile {
                file_id: None,
                file_data: Some(data_url(&path, source)?),
                file_url: None,
                filename: title.map(str::to_owned),
            }),
            Some("url") => Ok(Part::InputFile {
                file_id: None,
                file_data: None,
                file_url: Some(text_of(&format!("{path}.url"), &source["url"])?),
                filename: None,
            }),
            Some("text") => {
                let text = text_of(&format!("{path}.data"), &source["data"])?;
                let text = match title {
                    Some(title) => format!("{title}\n\n{text}"),
                    None => text,
                };
                Ok(Part::InputText { text })
            }
            _ => {
                let path = format!("{path}.type");
                let what = format!("`{path}` must be `base64`, `text` or `url` for this model.");
                Err(Refused::new(path, what))
            }
        }
    }
}

fn image(path: &str, source: &Value) -> Result<String, Refused> {
    match source["type"].as_str() {
        Some("base64") => data_url(path, source),
        Some("url") => text_of(&format!("{path}.url"), &source["url"]),
        _ => {
            let path = format!("{path}.type");
            let what = format!("`{path}` must be `base64` or `url` for this model.");
            Err(Refused::new(path, what))
        }
    }
}

fn data_url(path: &str, source: &Value) -> Result<String, Refused> {
    let media_type = text_of(&format!("{path}.media_type"), &source["media_type"])?;
    let data = text_of(&format!("{path}.data"), &source["data"])?;
    Ok(format!("data:{media_type};base64,{data}"))
}
