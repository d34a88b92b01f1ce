//! Good requests to the four endpoints, with a script for the provider in their prompt.

use std::time::Duration;

use serde_json::{Value, json};
use startline_load::simulator::{Seen, Simulator};

use crate::rig::{Rig, scripted};

pub const RESPONSES: &str = "/v1/responses";
pub const CHAT: &str = "/v1/chat/completions";
pub const INTERACTIONS: &str = "/v1/interactions";
pub const MESSAGES: &str = "/v1/messages";
pub const ENDPOINTS: [&str; 4] = [RESPONSES, CHAT, INTERACTIONS, MESSAGES];
/// Those that can be raced in the provider's own format.
pub const UNTRANSLATED: [&str; 2] = [RESPONSES, INTERACTIONS];
/// Those whose models can be raced.
pub const RACED: [&str; 3] = [RESPONSES, INTERACTIONS, CHAT];

/// A good request for the standard tier, in the provider's own format: only Chat has a `seed`.
pub fn good(path: &str, prompt: &str) -> Value {
    let messages = json!([{"role": "user", "content": prompt}]);
    match path {
        RESPONSES => json!({"model": "gpt-5.5", "input": prompt, "start_within": "default"}),
        CHAT => json!({
            "model": "gpt-5.5", "messages": messages, "start_within": "default", "seed": 7,
        }),
        INTERACTIONS => {
            json!({"model": "gemini-3.5-flash", "input": prompt, "start_within": "default"})
        }
        MESSAGES => json!({
            "model": "claude-opus-5", "max_tokens": 100, "messages": messages, "start_within": "default",
        }),
        other => panic!("{other} is no endpoint"),
    }
}

/// A good request whose provider behaves like this, on every tier.
pub fn behaving(path: &str, behaviour: &Value) -> Value {
    good(path, &scripted(&json!({ "any": behaviour })))
}

/// The same with fields set. With a duration a Chat request has nothing that only Chat has.
pub fn with(mut body: Value, fields: Value) -> Value {
    let Value::Object(fields) = fields else {
        panic!("{fields} is no object")
    };
    for (name, value) in fields {
        body[name] = value;
    }
    let word = body["start_within"].as_str().unwrap_or_default();
    if word.ends_with('s') {
        body.as_object_mut().unwrap().remove("seed");
    }
    body
}

/// The data of each event of a stream.
pub fn data(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect()
}

/// The body that the provider sent to the last request it saw.
pub async fn last_sent(rig: &Rig) -> Vec<u8> {
    sent_by(&rig.simulator).await
}

/// The same of a provider without a rig. It is noted a moment after the caller has got it.
pub async fn sent_by(simulator: &Simulator) -> Vec<u8> {
    let is_noted = |seen: &[Seen]| seen.last().is_some_and(|last| !last.sent_body.is_empty());
    let noted = simulator.wait_for(is_noted, Duration::from_secs(5));
    assert!(noted.await, "the provider has sent nothing");
    simulator.seen().last().unwrap().sent_body.to_vec()
}
