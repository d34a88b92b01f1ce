//! What a provider says about a failure, in any of the shapes that the three vendors use: an object under `error`, the
//! same flat, a list of one, or a sentence.

use serde_json::Value;
use startline_actors::error::Fault;

/// Reads the error in a JSON document: `{"error":{…}}`, `[{"error":{…}}]`, `{"code":…,"message":…}`.
pub fn from_document(document: &Value) -> Fault {
    let body = error_document(document);
    from_error(
        body.get("error")
            .filter(|error| !error.is_null())
            .unwrap_or(body),
    )
}

/// Unwraps the one-element list that some of Google's endpoints put around an error.
pub fn error_document(document: &Value) -> &Value {
    match document {
        Value::Array(list) => list.first().unwrap_or(document),
        _ => document,
    }
}

/// Reads an error object, or an error that is only a sentence.
pub fn from_error(error: &Value) -> Fault {
    if let Some(sentence) = error.as_str() {
        return Fault {
            message: sentence.to_owned(),
            code: None,
        };
    }
    Fault {
        message: word(error, "message")
            .unwrap_or("the provider gave no message")
            .to_owned(),
        code: code(error),
    }
}

/// The code if it is a word, else Google's status word, else the code as a number, else the type.
fn code(error: &Value) -> Option<String> {
    if let Some(text) = word(error, "code").or_else(|| word(error, "status")) {
        return Some(text.to_owned());
    }
    match error.get("code") {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => word(error, "type").map(str::to_owned),
    }
}

fn word<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str().filter(|text| !text.is_empty())
}
