//! Fields of a caller's request, read as what they have to be.

use serde_json::{Number, Value, json};

use super::Refused;

pub(super) fn text_of(path: &str, value: &Value) -> Result<String, Refused> {
    let wrong = || Refused::new(path, format!("`{path}` must be a string."));
    value.as_str().map(str::to_owned).ok_or_else(wrong)
}

pub(super) fn list_of<'a>(path: &str, value: &'a Value) -> Result<&'a [Value], Refused> {
    let wrong = || Refused::new(path, format!("`{path}` must be a list."));
    value.as_array().map(Vec::as_slice).ok_or_else(wrong)
}

pub(super) fn flag_of(path: &str, value: &Value) -> Result<bool, Refused> {
    let wrong = || Refused::new(path, format!("`{path}` must be true or false."));
    value.as_bool().ok_or_else(wrong)
}

pub(super) fn count_of(path: &str, value: &Value) -> Result<u64, Refused> {
    let wrong = || Refused::new(path, format!("`{path}` must be a whole number."));
    value.as_u64().ok_or_else(wrong)
}

pub(super) fn number_of(path: &str, value: &Value) -> Result<Number, Refused> {
    let wrong = || Refused::new(path, format!("`{path}` must be a number."));
    value.as_number().cloned().ok_or_else(wrong)
}

/// The arguments of a call in the history, which are JSON text; none are an empty object.
pub(super) fn arguments_of(text: &str) -> Result<Value, Refused> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(arguments)) => Ok(Value::Object(arguments)),
        _ => Err(Refused::new(
            "input",
            "The arguments of a call in the history are not the text of a JSON object.",
        )),
    }
}
