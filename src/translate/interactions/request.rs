//! A canonical request as an interaction.

use serde_json::{Map, Number, Value, json};

use super::{steps, tools};
use crate::catalogue::{Effort, Model};
use crate::translate::conversation::{Conversation, Format};
use crate::translate::effort::{self, Level};
use crate::translate::{Dropped, Refused, sampling};

pub(super) const TARGET: &str = "The Interactions API";

/// Writes the fields of a request, but for the tier and whether it is streamed. `model` is what the catalogue knows.
/// Fields are named as they are in the canonical request.
///
/// # Errors
/// The first field that cannot be carried.
pub fn write(
    conversation: &Conversation,
    model: Option<&Model>,
    dropped: &mut Dropped,
) -> Result<Map<String, Value>, Refused> {
    let mut writer = Writer {
        body: Map::new(),
        config: Map::new(),
        model,
        dropped,
    };
    writer.put("model", json!(conversation.model));
    let history = steps::write(&conversation.input, writer.dropped)?;
    if !history.system.is_empty() {
        writer.put("system_instruction", json!(history.system.join("\n\n")));
    }
    writer.put("input", Value::Array(history.steps));
    writer.put("store", json!(conversation.store));
    writer.tools(conversation)?;
    writer.text(conversation)?;
    writer.config(conversation)?;
    if !writer.config.is_empty() {
        let config = std::mem::take(&mut writer.config);
        writer.put("generation_config", Value::Object(config));
    }
    Ok(writer.body)
}

struct Writer<'a> {
    body: Map<String, Value>,
    config: Map<String, Value>,
    model: Option<&'a Model>,
    dropped: &'a mut Dropped,
}

impl Writer<'_> {
    fn put(&mut self, name: &str, value: Value) {
        if !value.is_null() {
            self.body.insert(name.to_owned(), value);
        }
    }

    fn configure(&mut self, name: &str, value: Value) {
        if !value.is_null() {
            self.config.insert(name.to_owned(), value);
        }
    }

    fn tools(&mut self, conversation: &Conversation) -> Result<(), Refused> {
        if conversation.parallel_tool_calls == Some(false) {
            return Err(Refused::no_counterpart("parallel_tool_calls", TARGET));
        }
        if conversation.tools.is_empty() {
            return Ok(());
        }
        let tools = tools::write(&conversation.tools, self.dropped)?;
        self.put("tools", Value::Array(tools));
        if let Some(choice) = &conversation.tool_choice {
            self.configure("tool_choice", tools::choice(choice)?);
        }
        Ok(())
    }

    fn text(&mut self, conversation: &Conversation) -> Result<(), Refused> {
        let Some(text) = &conversation.text else {
            return Ok(());
        };
        if text.verbosity.is_some() {
            self.dropped.note("text.verbosity");
        }
        let mut format = json!({"type": "text", "mime_type": "application/json"});
        match &text.format {
            None | Some(Format::Text) => return Ok(()),
            Some(Format::JsonObject) => {}
            // It always binds there.
            Some(Format::JsonSchema { schema, .. }) => format["schema"] = schema.clone(),
        }
        self.put("response_format", format);
        Ok(())
    }

    fn config(&mut self, conversation: &Conversation) -> Result<(), Refused> {
        self.configure("max_output_tokens", json!(conversation.max_output_tokens));
        self.sampling("temperature", conversation.temperature.as_ref())?;
        self.sampling("top_p", conversation.top_p.as_ref())?;
        self.configure("seed", json!(conversation.seed));
        if !conversation.stop.is_empty() {
            self.configure("stop_sequences", json!(conversation.stop));
        }
        let reasoning = conversation.reasoning.as_ref();
        if reasoning.is_some_and(|reasoning| reasoning.summary.is_some()) {
            self.configure("thinking_summaries", json!("auto"));
        }
        if let Some(effort) = reasoning.and_then(|reasoning| reasoning.effort.as_ref()) {
            let Level { nearest, .. } = effort::level(effort, self.model, self.dropped)?;
            if nearest.is_none() {
                self.dropped.note("reasoning.effort");
            }
            // Thinking cannot be turned off there.
            let level = nearest.filter(|level| *level != Effort::None);
            self.configure("thinking_level", json!(level));
        }
        Ok(())
    }

    fn sampling(&mut self, name: &str, value: Option<&Number>) -> Result<(), Refused> {
        let Some(value) = value else { return Ok(()) };
        if sampling::is_sent(name, value, self.model)? {
            self.configure(name, Value::Number(value.clone()));
        }
        Ok(())
    }
}
