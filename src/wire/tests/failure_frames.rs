//! The last frame of a broken stream.

use serde_json::{Value, json};

use super::fixtures::fixture;
use super::replay::run;
use crate::errors::FailureText;
use crate::vocabulary::{CallerSurface, ProviderSurface};
use crate::wire::event::Event;
use crate::wire::failure_frame::{Relayed, failure_frame};
use startline_actors::leg::Ending;

fn failure() -> FailureText {
    FailureText {
        code: "upstream_stream_failed".into(),
        message: "the stream \"broke\"\nhere".into(),
        openai_type: "flexinference_error",
        anthropic_type: "api_error",
        google_status: "UNAVAILABLE",
        block: json!({"code": "upstream_stream_failed", "status": 502}),
    }
}

fn frame(surface: CallerSurface, relayed: Relayed<'_>) -> (Option<String>, Value, Vec<u8>) {
    let bytes = failure_frame(surface, &failure(), relayed);
    assert!(bytes.ends_with(b"\n\n"));
    let event = Event::parse(&bytes);
    let name = event
        .name
        .map(|name| String::from_utf8(name.to_vec()).expect("text"));
    let data = serde_json::from_slice(&event.data.expect("data")).expect("JSON");
    (name, data, bytes.to_vec())
}

#[test]
fn a_responses_frame_continues_the_same_response() {
    let stream = fixture("responses_text");
    let text = String::from_utf8(stream.body).expect("text");
    let events: Vec<&str> = text.split_inclusive("\n\n").collect();
    let relayed = events[..6].concat();
    let tail = &relayed[relayed.len() - 900..];
    let (name, data, bytes) = frame(
        CallerSurface::Responses,
        Relayed {
            first: events[..3].concat().as_bytes(),
            last: tail.as_bytes(),
        },
    );
    let created: Value =
        serde_json::from_slice(&Event::parse(events[0].as_bytes()).data.expect("data"))
            .expect("JSON");
    assert_eq!(name.as_deref(), Some("response.failed"));
    assert_eq!(
        (&data["type"], &data["sequence_number"]),
        (&json!("response.failed"), &json!(6))
    );
    let mut expected = created["response"].clone();
    expected["status"] = json!("failed");
    expected["error"] = json!({
        "code": "upstream_stream_failed", "message": "the stream \"broke\"\nhere", "flexinference": failure().block,
    });
    assert_eq!(data["response"], expected);
    let broken = [relayed.as_bytes(), &bytes].concat();
    let ending = run(ProviderSurface::OpenaiResponses, [broken.as_slice()]).ending;
    assert!(matches!(ending, Ending::Failed { terminal: true, .. }));
}

#[test]
fn a_responses_frame_before_any_event_is_still_a_whole_response() {
    let (_, data, _) = frame(CallerSurface::Responses, Relayed::default());
    assert_eq!(data["sequence_number"], 0);
    let required = [
        "id",
        "object",
        "created_at",
        "error",
        "incomplete_details",
        "instructions",
        "metadata",
        "model",
        "output",
        "parallel_tool_calls",
        "temperature",
        "tool_choice",
        "tools",
        "top_p",
        "status",
    ];
    for field in required {
        assert!(data["response"].get(field).is_some(), "{field}");
    }
}

#[test]
fn a_chat_frame_nests_its_error_and_has_no_name() {
    let (name, data, bytes) = frame(CallerSurface::Chat, Relayed::default());
    assert_eq!(name, None);
    let error = json!({
        "message": failure().message, "type": "flexinference_error", "code": "upstream_stream_failed", "param": null,
        "flexinference": failure().block,
    });
    assert_eq!(data, json!({"error": error}));
    assert!(!String::from_utf8(bytes).expect("text").contains("[DONE]"));
}

#[test]
fn messages_and_interactions_frames_are_error_events() {
    let (name, data, _) = frame(CallerSurface::Messages, Relayed::default());
    assert_eq!(name.as_deref(), Some("error"));
    let error = json!({"type": "api_error", "message": failure().message, "flexinference": failure().block});
    assert_eq!(data, json!({"type": "error", "error": error}));

    let (name, data, _) = frame(CallerSurface::Interactions, Relayed::default());
    assert_eq!(name.as_deref(), Some("error"));
    let error = json!({
        "code": "upstream_stream_failed", "message": failure().message, "status": "UNAVAILABLE", "flexinference": failure().block,
    });
    assert_eq!(data, json!({"event_type": "error", "error": error}));
}
