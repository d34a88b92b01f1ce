//! Usage, from answers and from streams.

use std::fs;

use serde_json::{Value, json};

use super::fixtures::fixture;
use super::recordings::captures;
use crate::vocabulary::ProviderSurface::{
    self, AnthropicMessages, GeminiInteractions, OpenaiChat, OpenaiResponses,
};
use crate::wire::usage::{Measured, Usage, UsageCollector, from_answer};

fn collected(surface: ProviderSurface, pieces: &[&[u8]]) -> Option<Measured> {
    let mut collector = UsageCollector::new(surface);
    for piece in pieces {
        collector.read(piece);
    }
    collector.measured()
}

fn of_fixture(name: &str) -> Measured {
    let stream = fixture(name);
    collected(stream.surface, &[&stream.body]).expect("usage")
}

#[test]
fn a_responses_stream_is_measured_by_its_terminal_event() {
    let measured = of_fixture("responses_text");
    let usage = Usage {
        input: 42,
        cached: 8,
        output: 30,
        reasoning: 20,
        ..Usage::default()
    };
    assert_eq!(measured.usage, usage);
    assert_eq!(measured.served_tier.as_deref(), Some("flex"));
    assert_eq!(measured.model.as_deref(), Some("gpt-5.6-sol"));
}

#[test]
fn a_chat_stream_is_measured_by_its_usage_chunk() {
    let measured = of_fixture("chat_text");
    let usage = Usage {
        input: 16,
        cached: 4,
        output: 9,
        reasoning: 5,
        ..Usage::default()
    };
    assert_eq!(measured.usage, usage);
    assert_eq!(measured.served_tier.as_deref(), Some("default"));
}

#[test]
fn gemini_thoughts_count_as_output_and_tool_tokens_as_input() {
    let measured = of_fixture("interactions_text");
    let usage = Usage {
        input: 15,
        cached: 4,
        cache_write: 0,
        tool_use: 5,
        output: 45,
        reasoning: 25,
    };
    assert_eq!(measured.usage, usage);
    assert_eq!(measured.usage.input + measured.usage.output, 60);
    assert_eq!(measured.served_tier.as_deref(), Some("flex"));
}

#[test]
fn anthropic_figures_are_overwritten_field_by_field_and_never_added() {
    let measured = of_fixture("messages_text");
    let usage = Usage {
        input: 28,
        cached: 5,
        cache_write: 3,
        tool_use: 0,
        output: 30,
        reasoning: 7,
    };
    assert_eq!(measured.usage, usage);
    assert_eq!(measured.served_tier.as_deref(), Some("standard"));
    assert_eq!(measured.model.as_deref(), Some("claude-opus-5"));
}

#[test]
fn it_does_not_matter_how_the_events_are_handed_over() {
    for name in [
        "responses_crlf",
        "chat_text",
        "interactions_crlf",
        "messages_crlf",
        "responses_no_last_blank_line",
    ] {
        let stream = fixture(name);
        let text = String::from_utf8(stream.body.clone()).expect("text");
        let border = if name.ends_with("crlf") {
            "\r\n\r\n"
        } else {
            "\n\n"
        };
        let events: Vec<&[u8]> = text.split_inclusive(border).map(str::as_bytes).collect();
        assert!(events.len() > 4, "{name}");
        assert_eq!(
            collected(stream.surface, &events),
            Some(of_fixture(name)),
            "{name}"
        );
    }
}

#[test]
fn missing_or_null_usage_is_not_zero_usage() {
    for surface in [
        OpenaiResponses,
        OpenaiChat,
        GeminiInteractions,
        AnthropicMessages,
    ] {
        for body in [
            "{}",
            r#"{"usage":null,"model":"m"}"#,
            r#"{"usage":7}"#,
            "[]",
            "",
            "{",
        ] {
            assert_eq!(from_answer(surface, body.as_bytes()), None, "{body}");
        }
    }
    for name in [
        "responses_created_then_error",
        "chat_without_done",
        "interactions_error_before_the_start",
    ] {
        let stream = fixture(name);
        assert_eq!(collected(stream.surface, &[&stream.body]), None, "{name}");
    }
}

#[test]
fn missing_figures_are_zero_and_huge_ones_do_not_overflow() {
    let sparse = json!({"usage": {"total_input_tokens": u64::MAX, "total_tool_use_tokens": 2, "total_cached_tokens": null}});
    let measured = from_answer(GeminiInteractions, sparse.to_string().as_bytes()).expect("usage");
    let usage = Usage {
        input: u64::MAX,
        tool_use: 2,
        ..Usage::default()
    };
    assert_eq!(
        measured,
        Measured {
            usage,
            served_tier: None,
            model: None
        }
    );
}

#[test]
fn a_message_usage_that_is_no_object_is_replaced() {
    let stream = b"data: {\"type\":\"message_start\",\"message\":{\"usage\":3}}\n\n\
        data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":4}}\n\n";
    let measured = collected(AnthropicMessages, &[stream]).expect("usage");
    assert_eq!(measured.usage.output, 4);
}

#[test]
fn recorded_answers_and_streams_are_measured() {
    let Some(folder) = captures() else {
        return;
    };
    let rows = [
        ("openai-responses/phase.1.json", OpenaiResponses),
        ("openai-chat/text.json", OpenaiChat),
        ("gemini-interactions/basic.json", GeminiInteractions),
        (
            "anthropic-messages/claude-opus-5-reasoning-high.1.json",
            AnthropicMessages,
        ),
    ];
    for (file, surface) in rows {
        let json = fs::read(folder.join(file)).expect("an answer");
        let measured = from_answer(surface, &json).expect("usage");
        let reported: Value = serde_json::from_slice(&json).expect("JSON");
        assert!(
            measured.usage.input > 0 && measured.usage.output > 0,
            "{file}"
        );
        if let Some(total) = reported["usage"]["total_tokens"].as_u64() {
            assert_eq!(
                measured.usage.input + measured.usage.output,
                total,
                "{file}"
            );
        }
    }
    let restated = fs::read_to_string(
        folder.join("anthropic-messages/message-delta-input-tokens.events.jsonl"),
    );
    let stream: String = restated
        .expect("events")
        .lines()
        .map(|json| format!("data: {json}\n\n"))
        .collect();
    let measured = collected(AnthropicMessages, &[stream.as_bytes()]).expect("usage");
    assert_eq!((measured.usage.input, measured.usage.output), (61, 2));
}
