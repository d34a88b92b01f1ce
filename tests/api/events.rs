//! Reads an event stream as strictly as a test must: what its events are, and how it ended.

use serde_json::{Value, json};

use crate::calls::Endpoint;

/// One event: its name, and its data, null where that is no JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub name: Option<String>,
    pub text: String,
    pub data: Value,
}

/// The events of a stream. Panics when one is no whole event: an unfinished one must never be passed on.
pub fn events(stream: &str) -> Vec<Event> {
    let blocks = stream.split("\n\n").filter(|block| !block.is_empty());
    blocks.filter_map(event).collect()
}

fn event(block: &str) -> Option<Event> {
    let value = |field: &str| {
        block
            .lines()
            .find_map(|line| line.strip_prefix(field)?.strip_prefix(": "))
    };
    let text = value("data")?.to_owned();
    let data = serde_json::from_str(&text).unwrap_or_default();
    assert!(
        text == "[DONE]" || data != Value::Null,
        "not whole: {block}"
    );
    Some(Event {
        name: value("event").map(str::to_owned),
        data,
        text,
    })
}

/// How a stream ended, told by its own events.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    Complete,
    /// With a failure; the event that says so.
    Failed(Value),
    /// Without a last word.
    Open,
}

/// How a stream of this endpoint ended. Panics when anything follows its last word, or when an event before that lacks
/// its blank line.
pub fn ending(endpoint: Endpoint, stream: &str) -> Ending {
    let mut events = events(stream);
    if endpoint == Endpoint::Interactions
        && events.last().is_some_and(|event| event.text == "[DONE]")
    {
        events.pop();
    }
    let Some(last) = events.pop() else {
        return Ending::Open;
    };
    let closed = stream.ends_with("\n\n") || last_word(endpoint, &last) == Ending::Complete;
    assert!(closed, "stops inside an event: {stream}");
    for before in &events {
        // OpenAI says a failure twice: `error`, then `response.failed`.
        let repeated = endpoint == Endpoint::Responses && before.data["type"] == "error";
        assert!(
            repeated || last_word(endpoint, before) == Ending::Open,
            "something follows {before:?}: {last:?}"
        );
    }
    last_word(endpoint, &last)
}

fn last_word(endpoint: Endpoint, event: &Event) -> Ending {
    let data = &event.data;
    let kind = match endpoint {
        Endpoint::Interactions => data["event_type"].as_str(),
        _ => data["type"].as_str(),
    };
    let failed = || Ending::Failed(data.clone());
    match (endpoint, kind) {
        (Endpoint::Chat, _) if event.text == "[DONE]" => Ending::Complete,
        (Endpoint::Chat, _) if data["error"].is_object() => failed(),
        (Endpoint::Responses, Some("response.completed" | "response.incomplete")) => {
            Ending::Complete
        }
        (Endpoint::Responses, Some("response.failed" | "error")) => failed(),
        (Endpoint::Interactions, Some("interaction.completed")) => {
            match data["interaction"]["status"].as_str() {
                Some("failed" | "cancelled") => failed(),
                _ => Ending::Complete,
            }
        }
        (Endpoint::Messages, Some("message_stop")) => Ending::Complete,
        (Endpoint::Interactions | Endpoint::Messages, Some("error")) => failed(),
        _ => Ending::Open,
    }
}

/// Checks that a stream ends with a failure of ours in the format of the endpoint, and gives its `flexinference` block.
pub fn failure_of_ours(endpoint: Endpoint, stream: &str) -> Value {
    let Ending::Failed(failure) = ending(endpoint, stream) else {
        panic!("{endpoint:?} does not end with a failure: {stream}");
    };
    let events = events(stream);
    let name = events.last().unwrap().name.as_deref();
    let error = match endpoint {
        Endpoint::Responses => {
            assert_eq!(name, Some("response.failed"));
            assert_eq!(failure["type"], "response.failed");
            assert_eq!(failure["sequence_number"], events.len() - 1);
            assert_eq!(failure["response"]["status"], "failed");
            let id = &events[0].data["response"]["id"];
            assert!(id.is_string() && failure["response"]["id"] == *id);
            &failure["response"]["error"]
        }
        Endpoint::Chat => {
            assert_eq!(name, None);
            &failure["error"]
        }
        Endpoint::Messages => {
            assert_eq!(name, Some("error"));
            assert_eq!(failure["error"]["type"], "api_error");
            &failure["error"]
        }
        Endpoint::Interactions => {
            assert_eq!(name, Some("error"));
            assert_eq!(failure["error"]["code"], "upstream_stream_failed");
            assert_eq!(failure["error"]["status"], "UNAVAILABLE");
            &failure["error"]
        }
    };
    assert!(error["message"].is_string(), "{error}");
    let block = error["flexinference"].clone();
    assert_eq!(block["status"], 502);
    assert_ne!(block, json!(null));
    block
}
