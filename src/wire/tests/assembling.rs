//! Non-streamed answers put together from streams.

use std::fs;

use serde_json::{Value, json};

use super::fixtures::fixture;
use super::recordings::captures;
use crate::vocabulary::ProviderSurface;
use crate::wire::assembly::{AssemblyError, assemble};
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

fn assembled(name: &str) -> Value {
    let stream = fixture(name);
    serde_json::from_slice(&assemble(stream.surface, &stream.body).expect("an answer"))
        .expect("JSON")
}

#[test]
fn a_response_is_taken_over_byte_for_byte() {
    for name in [
        "responses_text",
        "responses_crlf",
        "responses_no_last_blank_line",
        "responses_event_line_lies",
    ] {
        let stream = fixture(name);
        let answer = assemble(stream.surface, &stream.body).expect("an answer");
        let text = String::from_utf8(stream.body).expect("text");
        let terminal = text
            .lines()
            .rfind(|line| line.contains("\"response.completed\""))
            .expect("a terminal event");
        assert!(
            terminal.contains(std::str::from_utf8(&answer).expect("text")),
            "{name}"
        );
        let object: Value = serde_json::from_slice(&answer).expect("JSON");
        assert_eq!(object["status"], "completed", "{name}");
        assert_eq!(object["output"][0]["type"], "message", "{name}");
    }
}

#[test]
fn an_interaction_gets_its_steps_back() {
    let answer = assembled("interactions_text");
    assert_eq!(
        answer["steps"],
        json!([
            {"type": "thought", "signature": "c2lnbmF0dXJlLW9uZQ=="},
            {"type": "model_output", "content": [{"type": "text", "text": "Madrid, Barcelona \"and\" València."}]},
        ])
    );
    assert_eq!(answer["status"], "completed");
    assert_eq!(answer["service_tier"], "flex");
    assert_eq!(answer["usage"]["total_thought_tokens"], 25);
    assert_eq!(answer["created"], "2026-11-30T10:00:00Z");
}

#[test]
fn what_a_step_starts_with_is_kept_and_continued() {
    assert_eq!(
        assembled("interactions_prefilled_start")["steps"],
        json!([
            {"type": "thought", "signature": "c2lnbmF0dXJlLW9uZQ==",
             "summary": [{"type": "text", "text": "Thinking of ports."}]},
            {"type": "model_output", "content": [{"type": "text", "text": "First words and the rest."}]},
        ])
    );
}

#[test]
fn arguments_become_an_object_with_and_without_deltas() {
    let answer = assembled("interactions_function_calls");
    assert_eq!(answer["steps"][0]["arguments"], json!({"city": "Oslo"}));
    assert_eq!(answer["steps"][1]["arguments"], json!({"zone": "CET"}));
    assert_eq!(answer["steps"][0].get("signature"), None);
    assert_eq!(answer["status"], "requires_action");
}

#[test]
fn tool_calls_results_citations_and_images_are_merged_into_their_steps() {
    assert_eq!(
        assembled("interactions_search")["steps"],
        json!([
            {"type": "google_search_call", "id": "s1", "arguments": {"queries": ["ports of Spain"]}, "signature": "c2ln"},
            {"type": "google_search_result", "call_id": "s1", "result": [{"search_suggestions": "<b>ports</b>"}],
             "is_error": false},
            {"type": "model_output", "content": [
                {"type": "text", "text": "Vigo is one.", "annotations": [
                    {"type": "url_citation", "start_index": 0, "end_index": 4, "url": "https://ports.example/vigo",
                     "title": "ports.example"}]},
                {"type": "image", "mime_type": "image/png", "data": "iVBORw0KGgo="},
                {"type": "text", "text": "A map."},
            ]},
        ])
    );
}

#[test]
fn an_interaction_that_is_not_stored_has_no_id() {
    let answer = assembled("interactions_not_stored");
    assert!(answer.get("id").is_none(), "{answer}");
    assert_eq!(answer["object"], "interaction");
}

#[test]
fn arguments_cut_in_the_middle_stay_text() {
    let stream = "data: {\"index\":0,\"delta\":{\"type\":\"arguments_delta\",\"arguments\":\"{\\\"a\\\":\"},\"event_type\":\
                  \"step.delta\"}\n\ndata: {\"interaction\":{\"status\":\"incomplete\"},\"event_type\":\"interaction.completed\"}\n\n";
    let answer =
        assemble(ProviderSurface::GeminiInteractions, stream.as_bytes()).expect("an answer");
    let object: Value = serde_json::from_slice(&answer).expect("JSON");
    assert_eq!(
        object["steps"],
        json!([{"type": "function_call", "arguments": "{\"a\":"}])
    );
}

#[test]
fn a_stream_without_its_terminal_event_is_no_answer() {
    let cut = fixture("responses_ends_in_the_queue");
    assert_eq!(
        assemble(cut.surface, &cut.body),
        Err(AssemblyError::NoTerminalEvent)
    );
    let gemini = ProviderSurface::GeminiInteractions;
    assert_eq!(assemble(gemini, b""), Err(AssemblyError::NoTerminalEvent));
    assert_eq!(
        assemble(gemini, b"data: {\"event_type\"\n\n"),
        Err(AssemblyError::Unreadable)
    );
    assert_eq!(
        assemble(ProviderSurface::OpenaiChat, b""),
        Err(AssemblyError::NotRaced)
    );
}

/// A value with every leaf replaced by the name of its type, and equal neighbours in a list folded.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, field)| (key.clone(), shape(field)))
            .collect(),
        Value::Array(list) => {
            let mut shapes: Vec<Value> = list.iter().map(shape).collect();
            shapes.dedup();
            Value::Array(shapes)
        }
        Value::String(_) => json!("string"),
        Value::Number(_) => json!("number"),
        other => other.clone(),
    }
}

#[test]
fn assembled_interactions_have_the_shape_of_their_recorded_sisters() {
    let Some(folder) = captures().map(|folder| folder.join("gemini-interactions")) else {
        return;
    };
    for name in [
        "basic",
        "multi-turn-stateless-turn1",
        "multi-turn-stateless-turn2",
        "tool-call-step1",
        "tool-call-step2",
    ] {
        let events =
            fs::read_to_string(folder.join(format!("{name}.events.jsonl"))).expect("the events");
        let stream: String = events
            .lines()
            .map(|json| format!("data: {json}\n\n"))
            .collect();
        let answer =
            assemble(ProviderSurface::GeminiInteractions, stream.as_bytes()).expect("an answer");
        let sister = fs::read(folder.join(format!("{name}.json"))).expect("the sister");
        let [ours, recorded] = [answer.as_ref(), &sister]
            .map(|json| serde_json::from_slice::<Value>(json).expect("JSON"));
        assert_eq!(shape(&ours), shape(&recorded), "{name}");
    }
}

#[test]
fn recorded_responses_are_their_terminal_event() {
    let Some(folder) = captures().map(|folder| folder.join("openai-responses")) else {
        return;
    };
    let stream = fs::read(folder.join("flex-queued-24s.sse")).expect("the stream");
    let answer = assemble(ProviderSurface::OpenaiResponses, &stream).expect("an answer");
    let mut last = Value::Null;
    for_each_block(&stream, |block| {
        if let Some(data) = Event::parse(block).data {
            last = serde_json::from_slice(&data).expect("JSON");
        }
    });
    assert_eq!(
        serde_json::from_slice::<Value>(&answer).expect("JSON"),
        last["response"]
    );
}
