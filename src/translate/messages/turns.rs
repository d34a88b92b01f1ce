//! Canonical items as the turns of a Messages request.

use serde_json::{Value, json};

use super::request::TARGET;
use crate::translate::conversation::{Item, Output, Part, Role, Summary};
use crate::translate::data_url::{Image, base64_of};
use crate::translate::fields::arguments_of;
use crate::translate::{Dropped, Refused, custom, sealed};

const USER: &str = "user";
const ASSISTANT: &str = "assistant";

/// What a request says of the conversation.
#[derive(Default)]
pub(super) struct Turns {
    pub(super) system: Vec<Value>,
    pub(super) messages: Vec<Value>,
}

/// Writes the items in their order; turns of one side that follow each other are one. What the platform and the
/// application say stands before all turns, wherever it was said.
pub(super) fn write(items: &[Item], dropped: &mut Dropped) -> Result<Turns, Refused> {
    let mut writer = Writer {
        system: Vec::new(),
        turns: Vec::new(),
        dropped,
    };
    for item in items {
        writer.item(item)?;
    }
    let turns = writer.turns.into_iter();
    Ok(Turns {
        system: writer.system,
        messages: turns
            .map(|(role, content)| json!({"role": role, "content": content}))
            .collect(),
    })
}

struct Writer<'a> {
    system: Vec<Value>,
    turns: Vec<(&'static str, Vec<Value>)>,
    dropped: &'a mut Dropped,
}

impl Writer<'_> {
    fn item(&mut self, item: &Item) -> Result<(), Refused> {
        match item {
            Item::Message { role, content } => return self.message(*role, content),
            Item::Reasoning {
                summary,
                encrypted_content,
                ..
            } => {
                if let Some(block) = thoughts(summary, encrypted_content) {
                    self.turn(ASSISTANT).push(block);
                }
            }
            Item::FunctionCall {
                call_id,
                name,
                arguments,
            } => {
                let input = arguments_of(arguments)?;
                let call = json!({"type": "tool_use", "id": call_id, "name": name, "input": input});
                self.turn(ASSISTANT).push(call);
            }
            Item::CustomToolCall {
                call_id,
                name,
                input,
            } => {
                let input = custom::wrapped(input);
                let call = json!({"type": "tool_use", "id": call_id, "name": name, "input": input});
                self.turn(ASSISTANT).push(call);
            }
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
        let mut blocks = Vec::with_capacity(content.len());
        for part in content {
            blocks.extend(self.block(part)?);
        }
        match role {
            Role::System | Role::Developer => {
                if blocks.iter().any(|block| block["type"] != "text") {
                    let what = format!("{TARGET} takes nothing but text from a system message.");
                    return Err(Refused::new("input", what));
                }
                self.system.extend(blocks);
            }
            // Empty turns are refused there, and say nothing.
            _ if blocks.is_empty() => {}
            Role::User => self.turn(USER).extend(blocks),
            Role::Assistant => self.turn(ASSISTANT).extend(blocks),
        }
        Ok(())
    }

    /// The last turn, if it is this side's, or a new one.
    fn turn(&mut self, role: &'static str) -> &mut Vec<Value> {
        if self.turns.last().is_none_or(|(last, _)| *last != role) {
            self.turns.push((role, Vec::new()));
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last].1
    }

    /// Results come first in their turn.
    fn result(&mut self, call_id: &str, output: &Output, is_error: bool) -> Result<(), Refused> {
        let content = match output {
            Output::Text(text) => json!(text),
            Output::Parts(parts) => {
                let mut blocks = Vec::with_capacity(parts.len());
                for part in parts {
                    blocks.extend(self.block(part)?);
                }
                Value::Array(blocks)
            }
        };
        let mut result = json!({"type": "tool_result", "tool_use_id": call_id, "content": content});
        if is_error {
            result["is_error"] = json!(true);
        }
        let turn = self.turn(USER);
        let place = turn
            .iter()
            .take_while(|block| block["type"] == "tool_result")
            .count();
        turn.insert(place, result);
        Ok(())
    }

    /// Empty text is refused there, and says nothing.
    fn block(&mut self, part: &Part) -> Result<Option<Value>, Refused> {
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
                Ok(Some(
                    json!({"type": "image", "source": image(Image::read(image_url)?)}),
                ))
            }
            Part::InputFile {
                file_data: Some(data),
                filename,
                ..
            } => {
                let mut document = json!({"type": "document", "source": document(data)?});
                if let Some(name) = filename {
                    document["title"] = json!(name);
                }
                Ok(Some(document))
            }
            Part::InputFile {
                file_url: Some(url),
                ..
            } => {
                let source = json!({"type": "url", "url": url});
                Ok(Some(json!({"type": "document", "source": source})))
            }
            Part::InputFile { .. } => Err(Refused::new(
                "input",
                format!("{TARGET} does not know files that are kept at OpenAI; send `file_data`."),
            )),
        }
    }
}

/// Claude's own thoughts, as they came.
fn thoughts(summary: &[Summary], seal: &str) -> Option<Value> {
    if let Some(data) = sealed::to_redacted(seal) {
        return Some(json!({"type": "redacted_thinking", "data": data}));
    }
    let signature = sealed::to_anthropic(seal)?;
    let texts = summary.iter().map(|Summary::SummaryText { text }| &**text);
    let thinking = texts.collect::<String>();
    Some(json!({"type": "thinking", "thinking": thinking, "signature": signature}))
}

fn image(image: Image<'_>) -> Value {
    match image {
        Image::Data { media_type, data } => {
            json!({"type": "base64", "media_type": media_type, "data": data})
        }
        Image::Address(url) => json!({"type": "url", "url": url}),
    }
}

fn document(data: &str) -> Result<Value, Refused> {
    match base64_of(data) {
        Some((media_type @ "application/pdf", data)) => {
            Ok(json!({"type": "base64", "media_type": media_type, "data": data}))
        }
        _ => Err(Refused::new(
            "input",
            "A file for a Claude model must be a PDF in a data URL, as in `data:application/pdf;base64,…`.",
        )),
    }
}
