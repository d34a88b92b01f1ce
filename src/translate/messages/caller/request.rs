//! A Messages request as a canonical one.

use serde_json::{Map, Value};

use super::{Shape, blocks, tools};
use crate::translate::conversation::{Conversation, Format, Item, Reasoning, Role};
use crate::translate::fields::{count_of, list_of, number_of, text_of};
use crate::translate::{Dropped, Read, Refused};
use crate::vocabulary::ProviderSurface;

/// Budgets from which a model thinks more than little, and much, tokens.
const MEDIUM_BUDGET: u64 = 4_096;
const HIGH_BUDGET: u64 = 16_384;

/// Reads the fields of a Messages request for a provider, without the router's own.
///
/// # Errors
/// The first field that cannot be carried, or that is not what Anthropic's reference says.
pub fn read(
    fields: &Map<String, Value>,
    provider: ProviderSurface,
) -> Result<Read<Shape>, Refused> {
    let mut reader = Reader {
        provider,
        is_openai: provider == ProviderSurface::OpenaiResponses,
        conversation: Conversation {
            // Anthropic keeps nothing.
            store: Some(false),
            ..Conversation::default()
        },
        system: Vec::new(),
        shape: Shape::default(),
        thinks_not: false,
        dropped: Dropped::default(),
    };
    for (name, value) in fields {
        if !value.is_null() {
            reader.field(name, value)?;
        }
    }
    Ok(reader.finish())
}

struct Reader {
    provider: ProviderSurface,
    is_openai: bool,
    conversation: Conversation,
    system: Vec<Item>,
    shape: Shape,
    /// Thinking is turned off, whatever effort is given.
    thinks_not: bool,
    dropped: Dropped,
}

impl Reader {
    fn field(&mut self, name: &str, value: &Value) -> Result<(), Refused> {
        let conversation = &mut self.conversation;
        match name {
            "model" => conversation.model = text_of(name, value)?,
            "messages" => {
                conversation.input = blocks::read(list_of(name, value)?, &mut self.dropped)?;
            }
            "system" => self.system(value)?,
            // The router decides it for each leg.
            "stream" => {}
            "max_tokens" => {
                let cap = count_of(name, value)?;
                conversation.cap_output(cap, self.provider, name, &mut self.dropped);
            }
            "tools" => {
                conversation.tools = tools::read(list_of(name, value)?, &mut self.dropped)?;
            }
            "tool_choice" => {
                let choice = tools::choice(value)?;
                conversation.tool_choice = Some(choice.value);
                conversation.parallel_tool_calls = choice.parallel;
            }
            "temperature" => conversation.temperature = Some(number_of(name, value)?),
            "top_p" => conversation.top_p = Some(number_of(name, value)?),
            "stop_sequences" => self.stops(list_of(name, value)?)?,
            "thinking" => self.thinking(value)?,
            "output_config" => self.output_config(value)?,
            "metadata" | "cache_control" => self.dropped.note(name),
            name => {
                return Err(Refused::towards(self.provider, name));
            }
        }
        Ok(())
    }

    fn system(&mut self, value: &Value) -> Result<(), Refused> {
        let content = blocks::system(value, &mut self.dropped)?;
        if !content.is_empty() {
            let role = Role::System;
            self.system = vec![Item::Message { role, content }];
        }
        Ok(())
    }

    fn stops(&mut self, stops: &[Value]) -> Result<(), Refused> {
        if self.is_openai && !stops.is_empty() {
            return Err(Refused::towards(self.provider, "stop_sequences"));
        }
        let texts = stops.iter().map(|stop| text_of("stop_sequences[]", stop));
        self.conversation.stop = texts.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn reasoning(&mut self) -> &mut Reasoning {
        self.conversation.reasoning.get_or_insert_default()
    }

    /// A budget is no level: the nearest is asked for, unless the caller names one.
    fn thinking(&mut self, thinking: &Value) -> Result<(), Refused> {
        let is_shown = thinking["display"] != "omitted";
        match thinking["type"].as_str() {
            Some("adaptive") => {}
            Some("enabled") => {
                let path = "thinking.budget_tokens";
                let effort = match count_of(path, &thinking["budget_tokens"])? {
                    HIGH_BUDGET.. => "high",
                    MEDIUM_BUDGET.. => "medium",
                    _ => "low",
                };
                self.dropped.note(path);
                let given = &mut self.reasoning().effort;
                given.get_or_insert_with(|| Value::from(effort));
            }
            Some("disabled") => {
                self.thinks_not = true;
                return Ok(());
            }
            _ => {
                let what = "`thinking.type` must be `adaptive`, `enabled` or `disabled`.";
                return Err(Refused::new("thinking.type", what));
            }
        }
        self.shape.shows_thoughts = true;
        if is_shown {
            self.reasoning().summary = Some("auto");
        }
        // Without what is in the seal, the thoughts could not go back in the next turn.
        if self.is_openai {
            self.conversation.include = vec!["reasoning.encrypted_content"];
        }
        Ok(())
    }

    fn output_config(&mut self, config: &Value) -> Result<(), Refused> {
        let wrong = || Refused::new("output_config", "`output_config` must be an object.");
        for (name, value) in config.as_object().ok_or_else(wrong)? {
            match (&**name, &value["type"]) {
                (_, _) if value.is_null() => {}
                ("effort", _) => self.reasoning().effort = Some(value.clone()),
                ("format", kind) if kind == "json_schema" => {
                    let format = Format::unnamed(value["schema"].clone());
                    self.conversation.text.get_or_insert_default().format = Some(format);
                }
                ("format", _) => {
                    let what = "`output_config.format.type` must be `json_schema`.";
                    return Err(Refused::new("output_config.format.type", what));
                }
                (name, _) => {
                    let path = format!("output_config.{name}");
                    return Err(Refused::of_another_vendor(path));
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Read<Shape> {
        if self.thinks_not {
            self.reasoning().effort = Some(Value::from("none"));
        }
        self.conversation.input.splice(0..0, self.system);
        Read {
            conversation: self.conversation,
            shape: self.shape,
            dropped: self.dropped,
        }
    }
}
