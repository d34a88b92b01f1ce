//! A request for an interaction as a canonical one.

use serde_json::{Map, Value};

use super::{steps, tools};
use crate::translate::conversation::{Conversation, Format, Item, Part, Reasoning, Role};
use crate::translate::fields::{count_of, flag_of, list_of, number_of, text_of};
use crate::translate::{Dropped, Read, Refused};
use crate::vocabulary::ProviderSurface;

/// Reads the fields of a request for another vendor's provider, without the router's own.
///
/// # Errors
/// The first field that cannot be carried, or that is not what Google's reference says.
pub fn read(fields: &Map<String, Value>, provider: ProviderSurface) -> Result<Read<()>, Refused> {
    let mut reader = Reader {
        provider,
        conversation: Conversation::default(),
        system: None,
        dropped: Dropped::default(),
    };
    for (name, value) in fields {
        if !value.is_null() {
            reader.field(name, value)?;
        }
    }
    reader.conversation.input.splice(0..0, reader.system);
    Ok(Read {
        conversation: reader.conversation,
        shape: (),
        dropped: reader.dropped,
    })
}

struct Reader {
    provider: ProviderSurface,
    conversation: Conversation,
    system: Option<Item>,
    dropped: Dropped,
}

impl Reader {
    fn is_openai(&self) -> bool {
        self.provider == ProviderSurface::OpenaiResponses
    }

    fn field(&mut self, name: &str, value: &Value) -> Result<(), Refused> {
        let keeps_nothing = self.provider == ProviderSurface::AnthropicMessages;
        match name {
            "model" => self.conversation.model = text_of(name, value)?,
            "input" => self.conversation.input = steps::read(value, &mut self.dropped)?,
            "system_instruction" => self.system = Some(system(value)?),
            // The router decides it for each leg.
            "stream" => {}
            "tools" => self.conversation.tools = tools::read(list_of(name, value)?)?,
            "response_format" => {
                self.conversation.text.get_or_insert_default().format = Some(format(value)?);
            }
            "generation_config" => {
                let wrong = || Refused::new(name, "`generation_config` must be an object.");
                for (name, value) in value.as_object().ok_or_else(wrong)? {
                    if !value.is_null() {
                        self.config(name, value)?;
                    }
                }
            }
            "store" if keeps_nothing => self.dropped.note(name),
            "store" => self.conversation.store = Some(flag_of(name, value)?),
            "previous_interaction_id" => {
                let what = "`previous_interaction_id` names a state that is kept at Google; a model of another vendor \
                    does not know it. Send the steps so far in `input`.";
                return Err(Refused::new(name, what));
            }
            "background" if *value == false => {}
            "labels" => self.dropped.note(name),
            name => return Err(Refused::of_another_vendor(name)),
        }
        Ok(())
    }

    fn config(&mut self, name: &str, value: &Value) -> Result<(), Refused> {
        let path = format!("generation_config.{name}");
        let is_openai = self.is_openai();
        let conversation = &mut self.conversation;
        match name {
            "max_output_tokens" => {
                let cap = count_of(&path, value)?;
                conversation.cap_output(cap, self.provider, &path, &mut self.dropped);
            }
            "temperature" => conversation.temperature = Some(number_of(&path, value)?),
            "top_p" => conversation.top_p = Some(number_of(&path, value)?),
            "stop_sequences" if !is_openai => {
                let texts = list_of(&path, value)?.iter();
                let texts = texts.map(|stop| text_of(&format!("{path}[]"), stop));
                conversation.stop = texts.collect::<Result<_, _>>()?;
            }
            "stop_sequences" if value.as_array().is_some_and(Vec::is_empty) => {}
            "tool_choice" => {
                conversation.tool_choice = Some(tools::choice(value, &mut self.dropped)?);
            }
            "thinking_level" => self.thinking().effort = Some(value.clone()),
            "thinking_summaries" if value == "auto" => self.thinking().summary = Some("auto"),
            "thinking_summaries" if value == "none" => {}
            _ => return Err(Refused::of_another_vendor(path)),
        }
        Ok(())
    }

    /// Who speaks of thinking may give the thoughts back, and then needs what is in their seal.
    fn thinking(&mut self) -> &mut Reasoning {
        if self.is_openai() {
            self.conversation.include = vec!["reasoning.encrypted_content"];
        }
        self.conversation.reasoning.get_or_insert_default()
    }
}

/// A text, or contents that are texts.
fn system(value: &Value) -> Result<Item, Refused> {
    const NAME: &str = "system_instruction";
    let mut content = Vec::new();
    if let Some(text) = value.as_str() {
        let text = text.to_owned();
        content.push(Part::InputText { text });
    } else {
        for part in list_of(NAME, value)? {
            let text = text_of("system_instruction[].text", &part["text"])?;
            content.push(Part::InputText { text });
        }
    }
    Ok(Item::Message {
        role: Role::System,
        content,
    })
}

/// One entry, a list of one, or a bare schema.
fn format(value: &Value) -> Result<Format, Refused> {
    const NAME: &str = "response_format";
    let entry = match value.as_array().map(Vec::as_slice) {
        None => value,
        Some([entry]) => entry,
        Some(_) => {
            let what = "`response_format` must have one entry for a model of another vendor.";
            return Err(Refused::new(NAME, what));
        }
    };
    let schema = match (entry["type"].as_str(), entry["mime_type"].as_str()) {
        (Some("text"), Some("application/json")) => entry["schema"].clone(),
        (Some("text"), None | Some("text/plain")) => return Ok(Format::Text),
        (Some("text" | "image" | "audio" | "video"), _) => {
            return Err(Refused::of_another_vendor("response_format.type"));
        }
        _ => entry.clone(),
    };
    if schema.is_null() {
        return Ok(Format::JsonObject);
    }
    Ok(Format::unnamed(schema))
}
