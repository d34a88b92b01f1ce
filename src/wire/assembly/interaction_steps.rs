//! One step of an interaction, growing by deltas. A step can be bare at its start or already carry its first content;
//! deltas append to what is there. Delta types that are not known are skipped, as the vendor asks.

use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// A step under construction.
#[derive(Default)]
pub struct Step {
    fields: Object,
    /// The JSON text of a function call's arguments, joined.
    arguments: String,
}

impl Step {
    /// A step as its `step.start` gives it.
    pub fn started(fields: Object) -> Self {
        Self {
            fields,
            arguments: String::new(),
        }
    }

    /// Adds one delta.
    pub fn take(&mut self, mut delta: Object) {
        let kind = delta
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        self.imply_type(&kind);
        match kind.as_str() {
            "text" => append(self.list("content"), delta),
            "text_annotation_delta" => {
                delta.insert("type".to_owned(), Value::from("text"));
                append(self.list("content"), delta);
            }
            "image" | "audio" | "video" | "document" => {
                self.list("content").push(Value::Object(delta))
            }
            "thought_summary" => {
                if let Some(Value::Object(content)) = delta.remove("content") {
                    append(self.list("summary"), content);
                }
            }
            "arguments_delta" => {
                if let Some(Value::String(part)) = delta.remove("arguments") {
                    self.arguments.push_str(&part);
                }
                merge(&mut self.fields, delta);
            }
            mirror if is_merged(mirror) => merge(&mut self.fields, delta),
            _ => {}
        }
    }

    /// The finished step. Arguments that stop in the middle (an incomplete answer) stay the text that they are. The
    /// events of a function call carry an empty signature, its document none (recorded).
    pub fn into_value(mut self) -> Value {
        if self.fields.get("signature").and_then(Value::as_str) == Some("") {
            self.fields.shift_remove("signature");
        }
        if !self.arguments.is_empty() {
            let parsed = serde_json::from_str(&self.arguments);
            let arguments = parsed.unwrap_or(Value::String(self.arguments));
            self.fields.insert("arguments".to_owned(), arguments);
        }
        Value::Object(self.fields)
    }

    /// A delta whose `step.start` is missing says by its own type what the step is.
    fn imply_type(&mut self, delta_kind: &str) {
        if self.fields.contains_key("type") {
            return;
        }
        let kind = match delta_kind {
            "thought_summary" | "thought_signature" => "thought",
            "arguments_delta" => "function_call",
            mirror if is_merged(mirror) => mirror,
            _ => "model_output",
        };
        self.fields.insert("type".to_owned(), Value::from(kind));
    }

    fn list(&mut self, key: &str) -> &mut Vec<Value> {
        let slot = self.fields.entry(key).or_insert(Value::Array(Vec::new()));
        if !slot.is_array() {
            *slot = Value::Array(Vec::new());
        }
        slot.as_array_mut().expect("it has just been made a list")
    }
}

/// Deltas whose fields are those of their step: `thought_signature`, and the calls and results of the server's tools.
fn is_merged(delta_kind: &str) -> bool {
    delta_kind == "thought_signature"
        || delta_kind.ends_with("_call")
        || delta_kind.ends_with("_result")
}

/// Adds a content part to a list: a text continues the text before it, everything else is a part of its own.
fn append(list: &mut Vec<Value>, mut part: Object) {
    let is_text = part.get("type").and_then(Value::as_str) == Some("text");
    let last_text = list
        .last_mut()
        .and_then(Value::as_object_mut)
        .filter(|last| is_text && last.get("type").and_then(Value::as_str) == Some("text"));
    let Some(last) = last_text else {
        if is_text {
            part.entry("text").or_insert_with(|| Value::from(""));
        }
        list.push(Value::Object(part));
        return;
    };
    if let Some(Value::String(more)) = part.remove("text") {
        match last.get_mut("text") {
            Some(Value::String(text)) => text.push_str(&more),
            _ => {
                last.insert("text".to_owned(), Value::String(more));
            }
        }
    }
    merge(last, part);
}

/// Lists grow, objects are merged, everything else is replaced. The delta's `type` is not the step's.
fn merge(target: &mut Object, delta: Object) {
    for (key, value) in delta {
        if key == "type" {
            continue;
        }
        match (target.get_mut(&key), value) {
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (Some(Value::Object(object)), Value::Object(more)) => merge(object, more),
            (_, value) => {
                target.insert(key, value);
            }
        }
    }
}
