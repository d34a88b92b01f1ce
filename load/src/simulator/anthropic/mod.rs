//! Anthropic: headers, error bodies, and the answer of `count_tokens`.

mod blocks;
pub(super) mod checks;
pub(super) mod messages;
mod turn_checks;

use serde_json::json;

use super::answer::{Answer, Refusal};
use super::ids;
use super::output::Output;
use super::script::Behaviour;

/// The headers of every answer.
pub(super) fn headers() -> String {
    const USUAL: &str = "anthropic-organization-id: 00000000-0000-4000-8000-000000000001\r\n\
        anthropic-ratelimit-requests-limit: 4000\r\nanthropic-ratelimit-requests-remaining: 3999\r\n\
        anthropic-ratelimit-requests-reset: 2026-11-30T12:00:00Z\r\n\
        anthropic-ratelimit-input-tokens-limit: 2000000\r\nanthropic-ratelimit-input-tokens-remaining: 1999000\r\n\
        anthropic-ratelimit-input-tokens-reset: 2026-11-30T12:00:00Z\r\n\
        anthropic-ratelimit-output-tokens-limit: 400000\r\nanthropic-ratelimit-output-tokens-remaining: 399000\r\n\
        anthropic-ratelimit-output-tokens-reset: 2026-11-30T12:00:00Z\r\n";
    format!("request-id: {}\r\n{USUAL}", ids::letters("req_011", 21))
}

/// The error envelope.
pub(super) fn error_body(refusal: &Refusal) -> String {
    let kind = if refusal.kind.is_empty() {
        usual_kind(refusal.status)
    } else {
        &refusal.kind
    };
    let error = json!({"type": kind, "message": refusal.message});
    json!({"type": "error", "error": error, "request_id": ids::letters("req_011", 21)}).to_string()
}

fn usual_kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        409 => "conflict_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        503 | 529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

/// The refusal that a scripted status stands for.
pub(super) fn scripted(status: u16, behaviour: &Behaviour) -> Refusal {
    let usual = match status {
        429 => "This request would exceed your organization's rate limit.",
        503 | 529 => "Overloaded",
        500.. => "Internal server error",
        _ => "The request was refused.",
    };
    let message = behaviour.error_message.as_deref().unwrap_or(usual);
    Refusal::new(status, message).kind(behaviour.error_code.as_deref().unwrap_or_default())
}

/// The failure inside a body.
pub(super) fn fault(behaviour: &Behaviour) -> Refusal {
    let message = behaviour.fault_message.as_deref().unwrap_or("Overloaded");
    Refusal::new(529, message).kind(
        behaviour
            .fault_code
            .as_deref()
            .unwrap_or("overloaded_error"),
    )
}

/// The answer of `count_tokens`.
pub(super) fn counted(output: &Output) -> Answer {
    Answer::document(
        200,
        json!({"input_tokens": output.usage.input})
            .to_string()
            .into_bytes(),
    )
}
