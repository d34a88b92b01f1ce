//! A canonical request as a Messages request, written for version 2023-06-01.

use serde_json::{Map, Number, Value, json};

use super::{tools, turns};
use crate::catalogue::{Effort, Model};
use crate::translate::conversation::{Conversation, Format, Reasoning};
use crate::translate::effort::{self, Level};
use crate::translate::{Dropped, Refused, sampling};

pub(super) const TARGET: &str = "The Messages API";

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
        model,
        dropped,
    };
    writer.put("model", json!(conversation.model));
    writer.put("max_tokens", json!(writer.max_tokens(conversation)?));
    let turns = turns::write(&conversation.input, writer.dropped)?;
    if !turns.system.is_empty() {
        writer.put("system", Value::Array(turns.system));
    }
    writer.put("messages", Value::Array(turns.messages));
    writer.tools(conversation)?;
    if !conversation.stop.is_empty() {
        writer.put("stop_sequences", json!(conversation.stop));
    }
    writer.sampling("temperature", conversation.temperature.as_ref())?;
    writer.sampling("top_p", conversation.top_p.as_ref())?;
    writer.output_config(conversation)?;
    Ok(writer.body)
}

struct Writer<'a> {
    body: Map<String, Value>,
    model: Option<&'a Model>,
    dropped: &'a mut Dropped,
}

impl Writer<'_> {
    fn put(&mut self, name: &str, value: Value) {
        self.body.insert(name.to_owned(), value);
    }

    /// Required here, so what a caller leaves out is the model's maximum.
    fn max_tokens(&self, conversation: &Conversation) -> Result<u64, Refused> {
        let of_model = self.model.and_then(|model| model.max_output_tokens);
        let cap = conversation.max_output_tokens;
        cap.or(of_model.map(u64::from)).ok_or_else(|| {
            let what = format!(
                "{TARGET} needs an output cap, and the catalogue does not know the most that this model can give."
            );
            Refused::new("max_output_tokens", what)
        })
    }

    fn tools(&mut self, conversation: &Conversation) -> Result<(), Refused> {
        let choice = tools::choice(conversation)?;
        let tools = tools::write(&conversation.tools, choice.allowed.as_deref())?;
        // A choice without tools is refused there.
        if tools.is_empty() {
            return Ok(());
        }
        self.put("tools", Value::Array(tools));
        if let Some(choice) = choice.value {
            self.put("tool_choice", choice);
        }
        Ok(())
    }

    fn sampling(&mut self, name: &str, value: Option<&Number>) -> Result<(), Refused> {
        let Some(value) = value else { return Ok(()) };
        if !sampling::is_sent(name, value, self.model)? {
            return Ok(());
        }
        let number = value.as_f64().unwrap_or(f64::NAN);
        if !(0.0..=1.0).contains(&number) {
            let what = format!("`{name}` must be from 0 to 1 for a Claude model.");
            return Err(Refused::new(name, what));
        }
        self.put(name, Value::Number(value.clone()));
        Ok(())
    }

    fn output_config(&mut self, conversation: &Conversation) -> Result<(), Refused> {
        let mut config = Map::new();
        let reasoning = conversation.reasoning.as_ref();
        if let Some(effort) = reasoning.and_then(|reasoning| reasoning.effort.as_ref()) {
            self.effort(effort, &mut config)?;
        }
        let thinks = |reasoning: &Reasoning| {
            reasoning.summary.is_some() && reasoning.effort.as_ref() != Some(&json!("none"))
        };
        if reasoning.is_some_and(thinks) {
            self.summary();
        }
        let text = conversation.text.as_ref();
        if text.is_some_and(|text| text.verbosity.is_some()) {
            self.dropped.note("text.verbosity");
        }
        match text.and_then(|text| text.format.as_ref()) {
            None | Some(Format::Text) => {}
            Some(Format::JsonObject) => {
                let what = format!(
                    "{TARGET} has no counterpart for JSON without a schema; give a `json_schema`."
                );
                return Err(Refused::new("text.format", what));
            }
            Some(Format::JsonSchema { schema, .. }) => {
                config.insert(
                    "format".to_owned(),
                    json!({"type": "json_schema", "schema": schema}),
                );
            }
        }
        if !config.is_empty() {
            self.put("output_config", Value::Object(config));
        }
        Ok(())
    }

    /// Newer models keep their thoughts to themselves unless they are asked.
    fn summary(&mut self) {
        if self.model.is_some_and(|model| model.efforts.is_some()) {
            let thinking = json!({"type": "adaptive", "display": "summarized"});
            self.put("thinking", thinking);
        } else {
            self.dropped.note("reasoning.summary");
        }
    }

    /// A model whose levels are not known thinks by a budget, and would want its thoughts back in the next turn, which a
    /// caller of another format does not have.
    fn effort(&mut self, given: &Value, config: &mut Map<String, Value>) -> Result<(), Refused> {
        let Level { asked, nearest } = effort::level(given, self.model, self.dropped)?;
        let Some(nearest) = nearest else {
            self.dropped.note("reasoning.effort");
            return Ok(());
        };
        config.insert("effort".to_owned(), json!(nearest));
        if asked != Effort::None {
            self.put("thinking", json!({"type": "adaptive"}));
        }
        Ok(())
    }
}
