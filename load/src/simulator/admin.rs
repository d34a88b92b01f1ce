//! The simulator's own addresses under `/sim/`, for scripts that are not written in Rust.

use serde_json::{Value, json};

use super::answer::Answer;
use super::http::Request;
use super::rules::Rule;
use super::server::State;

/// Answers a request to the simulator itself.
pub(super) async fn answer(state: &State, request: &Request) -> Answer {
    match (request.method.as_str(), request.path()) {
        ("GET", "/sim/seen") => {
            let seen: Vec<Value> = state
                .journal
                .seen()
                .iter()
                .map(|seen| seen.describe(state.started))
                .collect();
            document(200, &json!(seen))
        }
        ("DELETE", "/sim/seen") => {
            state.journal.clear();
            state.rules.forget_attempts();
            document(200, &json!({}))
        }
        ("POST", "/sim/rules") => add_rules(state, &request.body),
        ("DELETE", "/sim/rules") => {
            state.rules.clear();
            document(200, &json!({}))
        }
        ("GET", "/sim/open") => {
            let (requests, connections) = (
                state.journal.open_requests(),
                state.journal.open_connections(),
            );
            document(
                200,
                &json!({"requests": requests, "connections": connections}),
            )
        }
        ("POST", "/sim/refuse") => {
            let refuse = serde_json::from_slice::<Value>(&request.body)
                .ok()
                .and_then(|body| body["refuse"].as_bool());
            let refuse = refuse.unwrap_or(true);
            state.refuse(refuse).await;
            document(200, &json!({ "refuse": refuse }))
        }
        _ => document(404, &json!({"error": "the simulator has no such address"})),
    }
}

/// Takes one rule, or a list of them.
fn add_rules(state: &State, body: &[u8]) -> Answer {
    let rules = match serde_json::from_slice::<Value>(body) {
        Ok(Value::Array(rules)) => rules,
        Ok(rule) => vec![rule],
        Err(error) => return document(400, &json!({"error": error.to_string()})),
    };
    let mut read = Vec::with_capacity(rules.len());
    for rule in rules {
        match serde_json::from_value::<Rule>(rule) {
            Ok(rule) => read.push(rule),
            Err(error) => return document(400, &json!({"error": error.to_string()})),
        }
    }
    let count = read.len();
    read.into_iter().for_each(|rule| state.rules.add(rule));
    document(200, &json!({ "added": count }))
}

fn document(status: u16, body: &Value) -> Answer {
    Answer::document(status, body.to_string().into_bytes())
}
