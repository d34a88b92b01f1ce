//! The ways in which flex can lose a race.

use serde_json::{Value, json};

use crate::calls::Endpoint;

/// More than any prelude of these tests but the one that is too large, bytes.
pub const PRELUDE_MAX: usize = 16 * 1024;

/// What flex does, and the word for its loss.
pub struct Cause {
    pub name: &'static str,
    pub flex: Value,
    pub reason: &'static str,
    pub only: Option<Endpoint>,
}

fn cause(name: &'static str, flex: Value, reason: &'static str) -> Cause {
    Cause {
        name,
        flex,
        reason,
        only: None,
    }
}

/// What the provider's status, or its silence, says.
pub fn causes() -> Vec<Cause> {
    const CAPACITY: &str = "flex_capacity";
    const ERROR: &str = "flex_upstream_error";
    const LATE: &str = "flex_deadline";
    vec![
        cause("429", json!({"status": 429}), CAPACITY),
        cause(
            "429 with a wait",
            json!({"status": 429, "retry_after": "30"}),
            CAPACITY,
        ),
        cause("408", json!({"status": 408}), ERROR),
        cause("500", json!({"status": 500}), ERROR),
        cause("502", json!({"status": 502}), ERROR),
        cause("503", json!({"status": 503, "retry_after": "30"}), ERROR),
        cause("504", json!({"status": 504}), ERROR),
        cause("529", json!({"status": 529}), ERROR),
        cause("503, its text never ends", stalled(503), ERROR),
        cause("silent before the head", json!({"silent": "head"}), LATE),
        cause("silent in the queue", json!({"silent": "queued"}), LATE),
        cause(
            "alive in the queue",
            json!({"silent": "queued", "keepalive_ms": 200}),
            LATE,
        ),
        cause("starts too late", json!({"start_delay_ms": 6000}), LATE),
        cause("head too late", json!({"head_delay_ms": 6000}), LATE),
        cause(
            "stalls inside its first event",
            json!({"cut": {"at": 20, "how": "stall"}}),
            LATE,
        ),
    ]
}

/// An error whose text never ends.
pub fn stalled(status: u16) -> Value {
    json!({"status": status, "cut": {"at": 10, "how": "stall"}})
}

/// Failures before the start that are none of the provider's error statuses.
pub fn false_starts() -> Vec<Cause> {
    let document = json!({"error": {"message": "Overloaded.", "code": "busy"}}).to_string();
    let too_much = ": waiting\n\n".repeat(PRELUDE_MAX / 10);
    let rows = [
        ("closed before the head", json!({"drop": "fin"})),
        ("reset before the head", json!({"drop": "rst"})),
        ("no content", json!({"status": 204})),
        ("fails in the queue", json!({"fault": "before_start"})),
        (
            "fails in the queue, told once",
            json!({"fault": "before_start", "fault_bare": true}),
        ),
        ("no body", json!({"cut": {"at": 0}})),
        ("closed in the queue", json!({"cut": {"at": 150}})),
        (
            "reset in the queue",
            json!({"cut": {"at": 150, "how": "rst"}}),
        ),
        (
            "closed in the queue, without a length",
            json!({"cut": {"at": 150}, "framing": "close"}),
        ),
        ("no event stream", json!({"raw_body": "{\"id\": \"x\"}"})),
        ("an error as a document", json!({"raw_body": document})),
        (
            "a page",
            json!({"raw_body": "<html></html>", "content_type": "text/html"}),
        ),
        ("an error in place of events", event_stream(&document)),
        ("an empty stream", event_stream("")),
        ("too much before the start", event_stream(&too_much)),
    ];
    let not_started = |(name, flex)| cause(name, flex, "flex_not_started");
    let mut causes: Vec<Cause> = rows.into_iter().map(not_started).collect();
    causes.extend(told_in_one_format());
    causes
}

/// Failures that a surface tells in its own words.
fn told_in_one_format() -> Vec<Cause> {
    let created = r#"{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress"}}"#;
    let of_responses = |name, event: &str| Cause {
        name,
        flex: event_stream(&format!("data: {created}\n\ndata: {event}\n\n")),
        reason: "flex_not_started",
        only: Some(Endpoint::Responses),
    };
    let of_interactions = |name, event: &str| Cause {
        name,
        flex: event_stream(&format!("data: {event}\n\n")),
        reason: "flex_not_started",
        only: Some(Endpoint::Interactions),
    };
    let completed = |status: &str| {
        json!({"event_type": "interaction.completed", "interaction": {"id": "v1_1", "status": status}}).to_string()
    };
    vec![
        of_responses(
            "a flat error",
            r#"{"type":"error","sequence_number":1,"code":"busy","message":"Overloaded."}"#,
        ),
        of_responses(
            "a nested error",
            r#"{"type":"error","error":{"type":"t","code":"busy","message":"Overloaded."}}"#,
        ),
        of_responses(
            "a failed response",
            r#"{"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{"code":"busy","message":"m"}}}"#,
        ),
        of_responses(
            "nothing more",
            r#"{"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1"}}"#,
        ),
        of_interactions(
            "an error event",
            r#"{"event_type":"error","error":{"code":"busy","message":"Overloaded."}}"#,
        ),
        of_interactions("a failed interaction", &completed("failed")),
        of_interactions("a cancelled interaction", &completed("cancelled")),
        of_interactions(
            "nothing more",
            r#"{"event_type":"interaction.status_update","status":"in_progress"}"#,
        ),
    ]
}

fn event_stream(body: &str) -> Value {
    json!({"raw_body": body, "content_type": "text/event-stream"})
}
