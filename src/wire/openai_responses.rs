//! OpenAI Responses: which events prove a start, and how a stream ends. Recorded facts: `response.created` and
//! `response.in_progress` come at once, whether or not there is capacity (a flex answer was seen to wait 24 s after
//! them), and a refusal can follow them inside the same stream. There is no `[DONE]`.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use startline_actors::error::Fault;

use super::quick::type_at_an_end;
use super::reader::Sign;
use super::{SurfaceDialect, fault, openai_errors};

/// The dialect of `openai.responses`.
pub static OPENAI_RESPONSES: SurfaceDialect = SurfaceDialect {
    sense,
    judge: openai_errors::judge,
};

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: Option<String>,
    output_index: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct FailedEvent {
    response: FailedResponse,
}

#[derive(Deserialize)]
struct FailedResponse {
    error: Option<Value>,
}

fn sense(data: &[u8], started: bool) -> Sign {
    if started && type_at_an_end(data, "type").is_some_and(|kind| !is_last_word(kind)) {
        return Sign::Nothing;
    }
    let Ok(head) = serde_json::from_slice::<Head>(data) else {
        return Sign::Nothing;
    };
    match head.kind.as_deref() {
        Some("response.completed" | "response.incomplete") => Sign::Done { starts: true },
        Some("response.failed") => Sign::Fault {
            fault: fault_of_failed(data),
            terminal: true,
        },
        Some("error") => Sign::Fault {
            fault: fault_of_error(data),
            terminal: false,
        },
        _ if head.output_index.is_some() => Sign::Start,
        _ => Sign::Nothing,
    }
}

fn is_last_word(kind: &[u8]) -> bool {
    matches!(
        kind,
        b"response.completed" | b"response.incomplete" | b"response.failed" | b"error"
    )
}

fn fault_of_failed(data: &[u8]) -> Fault {
    let event = serde_json::from_slice::<FailedEvent>(data).ok();
    match event.and_then(|failed| failed.response.error) {
        Some(error) => fault::from_error(&error),
        None => fault::from_error(&Value::Null),
    }
}

/// The wire nests the error, the schema documents it flat; the flat form's `type` is the event's own.
fn fault_of_error(data: &[u8]) -> Fault {
    let mut event: Value = serde_json::from_slice(data).unwrap_or_default();
    if let Some(fields) = event.as_object_mut() {
        fields.remove("type");
    }
    fault::from_document(&event)
}
