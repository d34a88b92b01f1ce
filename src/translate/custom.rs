//! Tools that take free text, towards vendors whose tools all take an object: the text is the one field of it.

use serde_json::{Value, json};

use super::Refused;

/// The field that carries the text.
const INPUT: &str = "input";

/// The schema of the object.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {INPUT: {"type": "string"}},
        "required": [INPUT],
        "additionalProperties": false,
    })
}

/// The object around a text.
pub(super) fn wrapped(text: &str) -> Value {
    json!({ INPUT: text })
}

/// The text of an object; of any other object its JSON.
pub(super) fn unwrapped(object: &Value) -> String {
    match &object[INPUT] {
        Value::String(text) => text.clone(),
        _ => object.to_string(),
    }
}

/// The text of an object that came as JSON text, which may be broken.
pub(super) fn unwrapped_text(arguments: String) -> String {
    match serde_json::from_str(&arguments) {
        Ok(Value::String(text)) => text,
        Ok(object) => unwrapped(&object),
        Err(_) => arguments,
    }
}

/// A grammar cannot be asked of an object's field.
pub(super) fn check_format(format: Option<&Value>, target: &str) -> Result<(), Refused> {
    if format.is_none_or(|format| format["type"] == "text") {
        return Ok(());
    }
    let what = format!("{target} has no counterpart for the grammar of a custom tool.");
    Err(Refused::new("tools", what))
}
