//! What a test can ask the simulator to do, as JSON: a [`Script`] holds one or several [`Behaviour`]s for requests that
//! ask for flex and for all others. Every field may be left out; an unknown one is an error.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Behaviours by tier. A list is consumed by successive attempts, the last entry repeats.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Script {
    /// Under which name attempts are counted and recorded; without one, the script's own text.
    pub id: Option<String>,
    /// For requests with `service_tier: "flex"`.
    #[serde(deserialize_with = "one_or_many")]
    pub flex: Vec<Behaviour>,
    /// For all other requests.
    #[serde(deserialize_with = "one_or_many")]
    pub settled: Vec<Behaviour>,
    /// For requests that neither of the two covers.
    #[serde(deserialize_with = "one_or_many")]
    pub any: Vec<Behaviour>,
}

/// How one request is answered. The default is a short text, at once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Behaviour {
    /// Wait before the status line, ms.
    #[serde(skip_serializing_if = "is_zero")]
    pub head_delay_ms: u64,
    /// Wait after the events that only say the request exists, before the first item, ms.
    #[serde(skip_serializing_if = "is_zero")]
    pub start_delay_ms: u64,
    /// Wait before every event after the first item, ms.
    #[serde(skip_serializing_if = "is_zero")]
    pub event_delay_ms: u64,
    /// Stop for ever, connection open.
    pub silent: Option<Silence>,
    /// Send a sign of life this often while waiting, ms; 0 is never.
    #[serde(skip_serializing_if = "is_zero")]
    pub keepalive_ms: u64,

    /// Answer with this status and the vendor's error body.
    pub status: Option<u16>,
    /// The code in that body (the type, for Anthropic).
    pub error_code: Option<String>,
    /// The message in that body.
    pub error_message: Option<String>,
    /// The `retry-after` header, as it is.
    pub retry_after: Option<String>,
    /// The `retry-after-ms` header.
    pub retry_after_ms: Option<u64>,

    /// Fail inside the body, in the vendor's way.
    pub fault: Option<Fault>,
    /// The failure's code (the type, for Anthropic).
    pub fault_code: Option<String>,
    /// The failure's message.
    pub fault_message: Option<String>,
    /// Responses: send only `error`, without `response.failed`.
    pub fault_bare: bool,

    /// Stop in the middle of the body.
    pub cut: Option<Cut>,
    /// Close the connection instead of answering, after `head_delay_ms`.
    pub drop: Option<How>,
    /// Close the connection this long after a whole answer, unannounced, ms.
    pub hang_up_after_ms: Option<u64>,
    /// Announce `connection: close` and close after the answer.
    pub close: bool,
    /// How the body's length is told; streams are chunked, documents have a length.
    pub framing: Option<Framing>,
    /// Write the body in pieces of this many bytes, each a chunk of its own.
    pub chunk: Option<usize>,
    /// Wait between those pieces, ms.
    #[serde(skip_serializing_if = "is_zero")]
    pub trickle_ms: u64,

    /// End the lines of the event stream with CR LF.
    pub crlf: bool,
    /// Begin the event stream with a byte order mark.
    pub bom: bool,
    /// Put SSE comments before and inside the events.
    pub comments: bool,
    /// Spread each event's data over two `data:` lines.
    pub multiline: bool,
    /// Mix in events that no client knows.
    pub unknown_events: bool,
    /// End the stream right after the last byte of its last JSON.
    pub no_terminal_newline: bool,
    /// Messages: a second `message_start` in the middle.
    pub second_message_start: bool,
    /// Interactions: the first text already in `step.start`.
    pub prefilled: bool,
    /// Responses: leave `response.output_item.added` out.
    pub no_item_added: bool,

    /// What the answer holds, in this order; one word or a list.
    #[serde(deserialize_with = "one_or_many")]
    pub content: Vec<Content>,
    /// The text of the answer; `You said: …` without one.
    pub text: Option<String>,
    /// In how many deltas the text is streamed.
    pub deltas: Option<usize>,
    /// Bytes of each delta. With `deltas`, the text is made as long as the two say.
    pub delta_bytes: Option<usize>,
    /// The tier that the answer names as served.
    pub served_tier: Option<String>,
    /// Token counts.
    pub usage: Option<Numbers>,
    /// Messages: the input tokens that `message_delta` tells at the end.
    pub restated_input: Option<u64>,
    /// Leave the token counts out.
    pub no_usage: bool,

    /// Extra headers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Send this body instead.
    pub raw_body: Option<String>,
    /// Send this content type instead.
    pub content_type: Option<String>,
}

/// Where a silence begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    /// Before the status line.
    Head,
    /// After the events that only say the request exists.
    Queued,
    /// After the first item's first event.
    Started,
}

/// Where a failure inside the body comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// As the very first event.
    First,
    /// After the events that only say the request exists.
    BeforeStart,
    /// After the first item and the first delta.
    AfterStart,
}

/// Where and how a body stops.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cut {
    /// After this many bytes of the body; nothing happens if it is shorter.
    pub at: Option<usize>,
    /// Before the terminal event, or before the last byte of a document.
    pub before_terminal: bool,
    /// What happens there.
    pub how: CutHow,
}

/// What happens where a body stops.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutHow {
    /// The connection is closed.
    #[default]
    Fin,
    /// The connection is reset.
    Rst,
    /// Nothing more comes, the connection stays open.
    Stall,
}

/// How a connection is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// In order.
    Fin,
    /// By a reset.
    Rst,
}

/// How a body's length is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// `transfer-encoding: chunked`.
    Chunked,
    /// `content-length`.
    Length,
    /// The end of the connection.
    Close,
}

/// A part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// A message.
    Text,
    /// One function call, its arguments in several deltas.
    ToolCall,
    /// Two function calls.
    ParallelToolCalls,
    /// A function call whose arguments come without a delta.
    DeltaLessToolCall,
    /// A call of a custom tool (OpenAI; elsewhere a function call).
    CustomToolCall,
    /// Reasoning that shows nothing but its signature.
    Reasoning,
    /// Reasoning with a readable summary.
    ReasoningSummary,
    /// The model refuses.
    Refusal,
    /// The answer stops at the token limit.
    Incomplete,
    /// The answer is stopped by the content filter.
    ContentFilter,
    /// A web search, then a message with citations.
    WebSearch,
}

/// Token counts in OpenAI's sense: input holds the cached ones, output holds the reasoning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Numbers {
    /// All input tokens.
    pub input: u64,
    /// Of these, read from the cache.
    pub cached: u64,
    /// Of these, written to the cache.
    pub cache_write: u64,
    /// All output tokens.
    pub output: u64,
    /// Of these, reasoning.
    pub reasoning: u64,
}

impl Script {
    /// The same behaviour for every request.
    pub fn any(behaviour: Behaviour) -> Self {
        Self {
            any: vec![behaviour],
            ..Self::default()
        }
    }

    /// The marker that carries the script in a prompt.
    pub fn marker(&self) -> String {
        format!("[[sim {}]]", self.json())
    }

    /// The script as JSON, without what is left at its default; the value of an `x-sim` header.
    pub fn json(&self) -> String {
        let mut value = serde_json::to_value(self).expect("a script is plain data");
        drop_defaults(&mut value);
        value.to_string()
    }

    /// The behaviours for a request that asks for flex, or for another one.
    pub(super) fn side(&self, flex: bool) -> &[Behaviour] {
        let own = if flex { &self.flex } else { &self.settled };
        if own.is_empty() { &self.any } else { own }
    }
}

fn is_zero(milliseconds: &u64) -> bool {
    *milliseconds == 0
}

fn drop_defaults(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(drop_defaults);
            fields.retain(|_, field| !is_default(field));
        }
        Value::Array(entries) => entries.iter_mut().for_each(drop_defaults),
        _ => {}
    }
}

fn is_default(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Takes a list, or one entry as a list of one.
fn one_or_many<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    use serde::de::Error;
    match Value::deserialize(deserializer)? {
        Value::Array(entries) => entries
            .into_iter()
            .map(|entry| serde_json::from_value(entry).map_err(D::Error::custom))
            .collect(),
        entry => Ok(vec![
            serde_json::from_value(entry).map_err(D::Error::custom)?,
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_survives_its_own_marker() {
        let behaviour = Behaviour {
            silent: Some(Silence::Queued),
            cut: Some(Cut {
                at: Some(0),
                ..Cut::default()
            }),
            content: vec![Content::ToolCall],
            ..Behaviour::default()
        };
        let script = Script {
            id: Some("a".into()),
            flex: vec![behaviour, Behaviour::default()],
            ..Script::default()
        };
        let read: Script = serde_json::from_str(&script.json()).unwrap();
        assert_eq!(read, script);
    }

    #[test]
    fn an_unknown_field_is_named() {
        let error = serde_json::from_str::<Script>(r#"{"flex":{"stauts":429}}"#).unwrap_err();
        assert!(error.to_string().contains("stauts"), "{error}");
    }
}
