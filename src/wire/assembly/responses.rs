//! OpenAI Responses: the terminal event carries the whole answer, taken over byte for byte.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::AssemblyError;
use crate::wire::event::Event;
use crate::wire::quick::type_at_an_end;
use crate::wire::sse::for_each_block;

#[derive(Deserialize)]
struct Lifecycle<'a> {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

/// The raw bytes of the terminal event's `response`.
pub fn assemble(stream: &[u8]) -> Result<Bytes, AssemblyError> {
    let mut answer = None;
    for_each_block(stream, |block| {
        let Some(data) = Event::parse(block).data else {
            return;
        };
        if answer.is_none() {
            answer = terminal_response(&data);
        }
    });
    answer.ok_or(AssemblyError::NoTerminalEvent)
}

fn terminal_response(data: &[u8]) -> Option<Bytes> {
    if type_at_an_end(data, "type").is_some_and(|kind| !is_terminal(kind)) {
        return None;
    }
    let event: Lifecycle<'_> = serde_json::from_slice(data).ok()?;
    if !is_terminal(event.kind?.as_bytes()) {
        return None;
    }
    Some(Bytes::copy_from_slice(event.response?.get().as_bytes()))
}

fn is_terminal(kind: &[u8]) -> bool {
    matches!(
        kind,
        b"response.completed" | b"response.incomplete" | b"response.failed"
    )
}
