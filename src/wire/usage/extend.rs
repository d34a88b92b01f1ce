//! Adds members to the usage object of an answer, in place: every other byte stays as the provider wrote it.

use std::borrow::Cow;

use bytes::{BufMut, Bytes, BytesMut};
use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::vocabulary::ProviderSurface;
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

#[derive(Deserialize)]
struct WithUsage<'a> {
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Holder<'a> {
    #[serde(borrow, alias = "interaction")]
    response: Option<WithUsage<'a>>,
}

/// A whole answer with `members` (JSON text without braces) in its usage. `None` when it has no usage object.
pub fn answer(document: &[u8], members: &str) -> Option<Bytes> {
    let usage = serde_json::from_slice::<WithUsage<'_>>(document)
        .ok()?
        .usage?;
    insert(document, usage.get(), members)
}

/// Whether these events may hold the frame that carries the usage.
pub fn may_hold_a_usage_frame(surface: ProviderSurface, events: &[u8]) -> bool {
    frame_marks(surface)
        .iter()
        .any(|mark| memmem::find(events, mark.as_bytes()).is_some())
}

/// Whole events with `members` in the usage of the frame that carries it; the others as they are.
pub fn events(surface: ProviderSurface, events: &[u8], members: &str) -> Bytes {
    let mut extended = BytesMut::with_capacity(events.len() + members.len());
    let mut copied = 0;
    for_each_block(events, |block| {
        // JSON that is spread over several data lines is not a part of the block and stays as it is.
        let Some(Cow::Borrowed(data)) = Event::parse(block).data else {
            return;
        };
        let Some(frame) = frame(surface, data, members) else {
            return;
        };
        let at = offset_in(events, data);
        extended.put_slice(&events[copied..at]);
        extended.put_slice(&frame);
        copied = at + data.len();
    });
    extended.put_slice(&events[copied..]);
    extended.freeze()
}

/// Where `part` begins, which is a part of `whole`.
fn offset_in(whole: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr() - whole.as_ptr().addr()
}

/// What the event that carries the usage says of itself.
fn frame_marks(surface: ProviderSurface) -> &'static [&'static str] {
    match surface {
        ProviderSurface::OpenaiResponses => &["response.completed", "response.incomplete"],
        ProviderSurface::OpenaiChat => &["\"usage\""],
        ProviderSurface::GeminiInteractions => &["interaction.completed"],
        ProviderSurface::AnthropicMessages => &["message_delta"],
    }
}

fn frame(surface: ProviderSurface, data: &[u8], members: &str) -> Option<Bytes> {
    if !may_hold_a_usage_frame(surface, data) {
        return None;
    }
    let usage = match surface {
        ProviderSurface::OpenaiResponses | ProviderSurface::GeminiInteractions => {
            serde_json::from_slice::<Holder<'_>>(data)
                .ok()?
                .response?
                .usage?
        }
        ProviderSurface::OpenaiChat | ProviderSurface::AnthropicMessages => {
            serde_json::from_slice::<WithUsage<'_>>(data).ok()?.usage?
        }
    };
    insert(data, usage.get(), members)
}

/// `usage` is a part of `document`.
fn insert(document: &[u8], usage: &str, members: &str) -> Option<Bytes> {
    let inside = usage.strip_prefix('{')?.strip_suffix('}')?;
    let end = offset_in(document, usage.as_bytes()) + usage.len() - 1;
    let mut extended = BytesMut::with_capacity(document.len() + members.len() + 1);
    extended.put_slice(document.get(..end)?);
    if !inside.trim_ascii().is_empty() {
        extended.put_u8(b',');
    }
    extended.put_slice(members.as_bytes());
    extended.put_slice(document.get(end..)?);
    Some(extended.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMBERS: &str = r#""cost":{"total_micro_usd":7}"#;

    #[test]
    fn the_usage_of_a_whole_answer_grows_and_nothing_else_changes() {
        let document = br#"{ "a": 1.0, "usage": {"input_tokens": 3 }, "z":"}" }"#;
        let expected =
            br#"{ "a": 1.0, "usage": {"input_tokens": 3 ,"cost":{"total_micro_usd":7}}, "z":"}" }"#;
        assert_eq!(answer(document, MEMBERS).unwrap(), &expected[..]);
        assert_eq!(
            answer(br#"{"usage":{}}"#, MEMBERS).unwrap(),
            &br#"{"usage":{"cost":{"total_micro_usd":7}}}"#[..]
        );
        for without in [
            &br#"{"usage":null}"#[..],
            br#"{"a":1}"#,
            br#"{"usage":3}"#,
            b"no json",
        ] {
            assert_eq!(answer(without, MEMBERS), None);
        }
    }

    #[test]
    fn only_the_usage_frame_of_a_stream_changes() {
        let stream = b"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"usage\":{}}\n\n\
            event: response.completed\r\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"total_tokens\":1}}}\r\n\r\n";
        let extended = events(ProviderSurface::OpenaiResponses, stream, MEMBERS);
        let text = std::str::from_utf8(&extended).unwrap();
        assert!(
            text.contains("{\"total_tokens\":1,\"cost\":{\"total_micro_usd\":7}}}}\r\n\r\n"),
            "{text}"
        );
        assert!(text.starts_with("event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"usage\":{}}\n\n"));
    }

    #[test]
    fn every_surface_has_its_usage_frame() {
        for (surface, data) in [
            (
                ProviderSurface::OpenaiChat,
                r#"{"choices":[],"usage":{"total_tokens":1}}"#,
            ),
            (
                ProviderSurface::GeminiInteractions,
                r#"{"event_type":"interaction.completed","interaction":{"usage":{"total_tokens":1}}}"#,
            ),
            (
                ProviderSurface::AnthropicMessages,
                r#"{"type":"message_delta","usage":{"output_tokens":1}}"#,
            ),
        ] {
            let stream = format!("data: {data}\n\n");
            let extended = events(surface, stream.as_bytes(), MEMBERS);
            assert!(
                memmem::find(&extended, b"1,\"cost\":{").is_some(),
                "{surface:?}"
            );
        }
        let chunk = b"data: {\"choices\":[{}],\"usage\":null}\n\n";
        assert_eq!(
            events(ProviderSurface::OpenaiChat, chunk, MEMBERS),
            &chunk[..]
        );
    }
}
