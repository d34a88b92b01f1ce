//! The last frame of a stream that broke after it had begun, in the caller's format. The status stays 200 and nothing
//! follows, so the vendor's SDK must be able to read the failure from this frame.

use bytes::Bytes;
use serde_json::{Value, json};

use super::event::Event;
use super::sse::for_each_block;
use crate::errors::FailureText;
use crate::vocabulary::CallerSurface;

/// What the caller has been sent so far: its beginning, and its last whole events. They may overlap or be the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct Relayed<'a> {
    /// The first bytes: at least the events up to the start.
    pub first: &'a [u8],
    /// The last bytes: at least one whole event; it may begin inside another.
    pub last: &'a [u8],
}

/// The frame that ends a broken stream. It has to be written between two events.
pub fn failure_frame(surface: CallerSurface, failure: &FailureText, relayed: Relayed<'_>) -> Bytes {
    match surface {
        CallerSurface::Responses => {
            named_frame("response.failed", &responses_event(failure, relayed))
        }
        CallerSurface::Chat => Bytes::from(format!("data: {}\n\n", chat_chunk(failure))),
        CallerSurface::Messages => named_frame("error", &messages_event(failure)),
        CallerSurface::Interactions => named_frame("error", &interactions_event(failure)),
    }
}

fn named_frame(name: &str, data: &Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

/// The same response as the lifecycle events before it: an SDK stops when the id changes.
fn responses_event(failure: &FailureText, relayed: Relayed<'_>) -> Value {
    let mut seen = Lifecycle::default();
    for part in [relayed.first, relayed.last] {
        for_each_block(part, |block| seen.take(block));
    }
    let mut response = seen.response.unwrap_or_else(unknown_response);
    response["status"] = json!("failed");
    response["error"] = json!({
        "code": failure.code,
        "message": failure.message,
        "flexinference": failure.block,
    });
    json!({
        "type": "response.failed",
        "sequence_number": seen.next_sequence_number,
        "response": response,
    })
}

#[derive(Default)]
struct Lifecycle {
    response: Option<Value>,
    next_sequence_number: u64,
}

impl Lifecycle {
    fn take(&mut self, block: &[u8]) {
        let Some(data) = Event::parse(block).data else {
            return;
        };
        let Ok(mut event) = serde_json::from_slice::<Value>(&data) else {
            return;
        };
        if let Some(number) = event["sequence_number"].as_u64() {
            self.next_sequence_number = self.next_sequence_number.max(number.saturating_add(1));
        }
        if event["response"].is_object() {
            self.response = Some(event["response"].take());
        }
    }
}

/// Every field that the schema requires, for a stream that broke before its first event.
fn unknown_response() -> Value {
    json!({
        "id": "resp_unknown", "object": "response", "created_at": 0, "status": "failed", "error": null,
        "incomplete_details": null, "instructions": null, "metadata": {}, "model": "", "output": [],
        "parallel_tool_calls": true, "temperature": null, "tool_choice": "auto", "tools": [], "top_p": null,
        "usage": null,
    })
}

fn chat_chunk(failure: &FailureText) -> Value {
    json!({"error": {
        "message": failure.message,
        "type": failure.openai_type,
        "code": failure.code,
        "param": null,
        "flexinference": failure.block,
    }})
}

fn messages_event(failure: &FailureText) -> Value {
    json!({"type": "error", "error": {
        "type": failure.anthropic_type,
        "message": failure.message,
        "flexinference": failure.block,
    }})
}

/// The code is a word here, unlike in the envelope of an error answer: Google's SDK gives an event with a number as its
/// code to the program as an untyped object (seen with google-genai 3.6.1).
fn interactions_event(failure: &FailureText) -> Value {
    json!({"event_type": "error", "error": {
        "code": failure.code,
        "message": failure.message,
        "status": failure.google_status,
        "flexinference": failure.block,
    }})
}
