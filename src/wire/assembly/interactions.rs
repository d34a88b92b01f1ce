//! Gemini Interactions: the terminal event has everything but the steps, and those are rebuilt from their deltas.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::AssemblyError;
use super::interaction_steps::Step;
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

#[derive(Default)]
struct Interaction {
    created: Map<String, Value>,
    completed: Option<Map<String, Value>>,
    steps: BTreeMap<u64, Step>,
}

/// The interaction that the events of `stream` describe.
pub fn assemble(stream: &[u8]) -> Result<Bytes, AssemblyError> {
    let mut interaction = Interaction::default();
    let mut unreadable = false;
    for_each_block(stream, |block| {
        let Some(data) = Event::parse(block).data else {
            return;
        };
        match serde_json::from_slice(&data) {
            Ok(Value::Object(event)) => interaction.take(event),
            _ if data.as_ref() == b"[DONE]" => {}
            _ => unreadable = true,
        }
    });
    if unreadable {
        return Err(AssemblyError::Unreadable);
    }
    interaction.into_answer()
}

impl Interaction {
    fn take(&mut self, mut event: Map<String, Value>) {
        let kind = event.remove("event_type").unwrap_or_default();
        match kind.as_str().unwrap_or_default() {
            "interaction.created" => self.created = taken_object(&mut event, "interaction"),
            "interaction.completed" if self.completed.is_none() => {
                self.completed = Some(taken_object(&mut event, "interaction"));
            }
            "step.start" => {
                let step = Step::started(taken_object(&mut event, "step"));
                self.steps.insert(index_of(&event), step);
            }
            "step.delta" => {
                let delta = taken_object(&mut event, "delta");
                self.steps.entry(index_of(&event)).or_default().take(delta);
            }
            _ => {}
        }
    }

    /// A request that is not stored has the id `""` in the events and none in the document.
    fn into_answer(self) -> Result<Bytes, AssemblyError> {
        let completed = self.completed.ok_or(AssemblyError::NoTerminalEvent)?;
        let mut answer = self.created;
        answer.extend(completed);
        if answer.get("id").and_then(Value::as_str) == Some("") {
            answer.shift_remove("id");
        }
        let steps = self.steps.into_values().map(Step::into_value).collect();
        answer.entry("steps").or_insert(Value::Array(steps));
        serde_json::to_vec(&answer)
            .map(Bytes::from)
            .map_err(|_| AssemblyError::Unreadable)
    }
}

fn taken_object(event: &mut Map<String, Value>, key: &str) -> Map<String, Value> {
    match event.remove(key) {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

fn index_of(event: &Map<String, Value>) -> u64 {
    event
        .get("index")
        .and_then(Value::as_u64)
        .unwrap_or_default()
}
