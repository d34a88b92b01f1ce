//! A Responses request for another vendor's model.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Shape, items, tools};
use crate::translate::conversation::{Conversation, Format, Item, Part, Reasoning, Role, Text};
use crate::translate::fields::{count_of, flag_of, list_of, number_of, text_of};
use crate::translate::{Dropped, Read, Refused};
use crate::vocabulary::ProviderSurface;

/// Fields that an answer repeats as they were sent.
const ECHOED: [&str; 15] = [
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "prompt_cache_key",
    "reasoning",
    "safety_identifier",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
    "user",
];

/// Fields that change nothing in the meaning of an answer.
const LEFT_OUT: [&str; 8] = [
    "include",
    "metadata",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "safety_identifier",
    "stream_options",
    "user",
];

/// Reads the fields of a Responses request for another vendor's provider, without the router's own.
///
/// # Errors
/// The first field that cannot be carried, or that is not what OpenAI's reference says.
pub fn read(
    fields: &Map<String, Value>,
    provider: ProviderSurface,
) -> Result<Read<Shape>, Refused> {
    let mut reader = Reader {
        keeps_nothing: provider == ProviderSurface::AnthropicMessages,
        conversation: Conversation::default(),
        instructions: None,
        dropped: Dropped::default(),
    };
    for (name, value) in fields {
        if !value.is_null() {
            reader.field(name, value)?;
        }
    }
    let mut conversation = reader.conversation;
    conversation.input.splice(0..0, reader.instructions);
    let echoed = fields
        .iter()
        .filter(|(name, value)| ECHOED.contains(&name.as_str()) && !value.is_null());
    let echoed = echoed.map(|(name, value)| (name.clone(), value.clone()));
    let mut echo: Map<String, Value> = echoed.collect();
    if reader.keeps_nothing {
        echo.insert("store".to_owned(), Value::Bool(false));
    }
    Ok(Read {
        conversation,
        shape: Shape {
            echo: Arc::new(echo),
        },
        dropped: reader.dropped,
    })
}

struct Reader {
    keeps_nothing: bool,
    conversation: Conversation,
    instructions: Option<Item>,
    dropped: Dropped,
}

impl Reader {
    fn field(&mut self, name: &str, value: &Value) -> Result<(), Refused> {
        let conversation = &mut self.conversation;
        match name {
            "model" => conversation.model = text_of(name, value)?,
            "input" => conversation.input = items::read(value, &mut self.dropped)?,
            "instructions" => {
                let text = text_of(name, value)?;
                self.instructions = Some(Item::Message {
                    role: Role::System,
                    content: vec![Part::InputText { text }],
                });
            }
            // The router decides it for each leg.
            "stream" => {}
            "tools" => conversation.tools = tools::read(list_of(name, value)?)?,
            "tool_choice" => conversation.tool_choice = Some(tools::choice(value)?),
            "parallel_tool_calls" => conversation.parallel_tool_calls = Some(flag_of(name, value)?),
            "text" => conversation.text = Some(text(value)?),
            "reasoning" => {
                conversation.reasoning = Some(reasoning(value, &mut self.dropped)?);
            }
            "max_output_tokens" => {
                conversation.max_output_tokens = Some(count_of(name, value)?);
            }
            "temperature" => conversation.temperature = Some(number_of(name, value)?),
            "top_p" => conversation.top_p = Some(number_of(name, value)?),
            "store" if self.keeps_nothing => self.dropped.note(name),
            "store" => conversation.store = Some(flag_of(name, value)?),
            "previous_response_id" | "conversation" => {
                let what = format!(
                    "`{name}` names a state that is kept at OpenAI; a model of another vendor does not know it. \
                     Send the turns so far in `input`."
                );
                return Err(Refused::new(name, what));
            }
            "truncation" if value == "disabled" => {}
            "top_logprobs" if *value == 0 => {}
            "background" if *value == false => {}
            name if LEFT_OUT.contains(&name) => self.dropped.note(name),
            name => return Err(Refused::of_another_vendor(name)),
        }
        Ok(())
    }
}

fn text(value: &Value) -> Result<Text, Refused> {
    let wrong = || Refused::new("text", "`text` must be an object.");
    let mut text = Text::default();
    for (name, value) in value.as_object().ok_or_else(wrong)? {
        match name.as_str() {
            _ if value.is_null() => {}
            "format" => text.format = Some(format(value)?),
            "verbosity" => text.verbosity = Some(value.clone()),
            name => return Err(Refused::of_another_vendor(format!("text.{name}"))),
        }
    }
    Ok(text)
}

fn format(value: &Value) -> Result<Format, Refused> {
    match value["type"].as_str() {
        Some("text") => Ok(Format::Text),
        Some("json_object") => Ok(Format::JsonObject),
        Some("json_schema") => Ok(Format::JsonSchema {
            name: text_of("text.format.name", &value["name"])?,
            description: value["description"].as_str().map(str::to_owned),
            schema: value["schema"].clone(),
            strict: value["strict"] == Value::Bool(true),
        }),
        _ => Err(Refused::new(
            "text.format.type",
            "`text.format.type` must be `text`, `json_object` or `json_schema`.",
        )),
    }
}

fn reasoning(value: &Value, dropped: &mut Dropped) -> Result<Reasoning, Refused> {
    let wrong = || Refused::new("reasoning", "`reasoning` must be an object.");
    let mut reasoning = Reasoning::default();
    for (name, value) in value.as_object().ok_or_else(wrong)? {
        match name.as_str() {
            _ if value.is_null() => {}
            "effort" => reasoning.effort = Some(value.clone()),
            // How long a summary is cannot be asked for elsewhere.
            "summary" | "generate_summary" => {
                reasoning.summary = Some("auto");
                if value != "auto" {
                    dropped.note("reasoning.summary");
                }
            }
            name @ ("context" | "mode") => dropped.note(format!("reasoning.{name}")),
            name => {
                let path = format!("reasoning.{name}");
                return Err(Refused::of_another_vendor(path));
            }
        }
    }
    Ok(reasoning)
}
