//! A Chat request as a canonical one.

use serde_json::{Map, Value};

use super::{Shape, messages, tools};
use crate::translate::conversation::{Conversation, Format, Reasoning, Text};
use crate::translate::fields::{count_of, flag_of, list_of, number_of, text_of};
use crate::translate::{Dropped, Read, Refused};
use crate::vocabulary::ProviderSurface;

/// Fields that Responses has under the same name with the same meaning; elsewhere nothing is lost without them.
const COMMON: [&str; 6] = [
    "metadata",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "safety_identifier",
    "user",
];

/// Reads the fields of a Chat request for a provider, without the router's own and without those that only Chat has in
/// their neutral values.
///
/// # Errors
/// The first field that cannot be carried, or that is not what OpenAI's reference says.
pub fn read(
    fields: &Map<String, Value>,
    provider: ProviderSurface,
) -> Result<Read<Shape>, Refused> {
    let mut reader = Reader {
        is_openai: provider == ProviderSurface::OpenaiResponses,
        provider,
        conversation: Conversation::default(),
        shape: Shape::default(),
        dropped: Dropped::default(),
        output_cap: None,
    };
    for (name, value) in fields {
        if !value.is_null() {
            reader.field(name, value)?;
        }
    }
    reader.finish()
}

struct Reader {
    is_openai: bool,
    provider: ProviderSurface,
    conversation: Conversation,
    shape: Shape,
    dropped: Dropped,
    output_cap: Option<(&'static str, u64)>,
}

impl Reader {
    fn field(&mut self, name: &str, value: &Value) -> Result<(), Refused> {
        let conversation = &mut self.conversation;
        match name {
            "model" => conversation.model = text_of(name, value)?,
            "messages" => {
                conversation.input = messages::read(list_of(name, value)?, &mut self.dropped)?;
            }
            // The router decides it for each leg.
            "stream" => {}
            "stream_options" => self.stream_options(value)?,
            "tools" => conversation
                .tools
                .extend(tools::read(list_of(name, value)?)?),
            "functions" => {
                self.shape.legacy_functions = true;
                conversation
                    .tools
                    .extend(tools::read_functions(list_of(name, value)?)?);
            }
            "tool_choice" => conversation.tool_choice = Some(tools::choice(value)?),
            "function_call" => conversation.tool_choice = Some(tools::legacy_choice(value)?),
            "parallel_tool_calls" => conversation.parallel_tool_calls = Some(flag_of(name, value)?),
            "response_format" => self.text().format = Some(format(value)?),
            "verbosity" => self.text().verbosity = Some(value.clone()),
            "reasoning_effort" => {
                conversation.reasoning = Some(Reasoning {
                    effort: Some(value.clone()),
                    summary: None,
                });
            }
            "max_completion_tokens" => {
                self.output_cap = Some(("max_completion_tokens", count_of(name, value)?));
            }
            // The older name; the newer one wins.
            "max_tokens" => {
                let cap = ("max_tokens", count_of(name, value)?);
                self.output_cap.get_or_insert(cap);
            }
            "temperature" => conversation.temperature = Some(number_of(name, value)?),
            "top_p" => conversation.top_p = Some(number_of(name, value)?),
            "stop" if !self.is_openai => conversation.stop = stops_of(value)?,
            "seed" if self.provider == ProviderSurface::GeminiInteractions => {
                conversation.seed = Some(number_of(name, value)?);
            }
            "store" => {
                conversation.store = Some(flag_of(name, value)?);
                if self.provider == ProviderSurface::AnthropicMessages {
                    self.dropped.note(name);
                }
            }
            "moderation" if self.is_openai => self.common(name, value),
            name if COMMON.contains(&name) => self.common(name, value),
            name => {
                return Err(Refused::towards(self.provider, name));
            }
        }
        Ok(())
    }

    fn common(&mut self, name: &str, value: &Value) {
        self.conversation
            .common
            .insert(name.to_owned(), value.clone());
        self.only_openai(name);
    }

    fn only_openai(&mut self, name: &str) {
        if !self.is_openai {
            self.dropped.note(name);
        }
    }

    fn text(&mut self) -> &mut Text {
        self.conversation.text.get_or_insert_default()
    }

    /// `include_usage` is about the form of the answer; the rest goes upstream.
    fn stream_options(&mut self, value: &Value) -> Result<(), Refused> {
        let Some(options) = value.as_object() else {
            return Err(Refused::new(
                "stream_options",
                "`stream_options` must be an object.",
            ));
        };
        let mut rest = options.clone();
        if let Some(include) = rest.remove("include_usage") {
            self.shape.usage_chunk = include == Value::Bool(true);
        }
        if !rest.is_empty() {
            self.common("stream_options", &Value::Object(rest));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Read<Shape>, Refused> {
        if let Some((name, cap)) = self.output_cap {
            self.conversation
                .cap_output(cap, self.provider, name, &mut self.dropped);
        }
        // Chat keeps nothing unless it is asked to; Responses keeps everything unless it is told not to.
        self.conversation.store.get_or_insert(false);
        let format = self
            .conversation
            .text
            .as_ref()
            .and_then(|text| text.format.as_ref());
        self.shape.structured = format.is_some_and(Format::is_structured);
        Ok(Read {
            conversation: self.conversation,
            shape: self.shape,
            dropped: self.dropped,
        })
    }
}

/// One text, or several.
fn stops_of(value: &Value) -> Result<Vec<String>, Refused> {
    match value {
        Value::String(stop) => Ok(vec![stop.clone()]),
        several => list_of("stop", several)?
            .iter()
            .map(|stop| text_of("stop[]", stop))
            .collect(),
    }
}

fn format(value: &Value) -> Result<Format, Refused> {
    match value["type"].as_str() {
        Some("text") => Ok(Format::Text),
        Some("json_object") => Ok(Format::JsonObject),
        Some("json_schema") => {
            let schema = &value["json_schema"];
            Ok(Format::JsonSchema {
                name: text_of("response_format.json_schema.name", &schema["name"])?,
                description: schema["description"].as_str().map(str::to_owned),
                schema: match &schema["schema"] {
                    Value::Null => Value::Object(Map::new()),
                    given => given.clone(),
                },
                strict: schema["strict"] == Value::Bool(true),
            })
        }
        _ => Err(Refused::new(
            "response_format.type",
            "`response_format.type` must be `text`, `json_object` or `json_schema`.",
        )),
    }
}
