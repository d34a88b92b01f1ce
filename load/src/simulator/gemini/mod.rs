//! Gemini: headers and error bodies.

pub(super) mod checks;
pub(super) mod interactions;
mod steps;

use serde_json::json;

use super::answer::Refusal;
use super::script::Behaviour;

const BAD_KEY: &str = "API_KEY_INVALID";

/// The headers of every answer.
pub(super) fn headers() -> String {
    "vary: Origin, X-Origin, Referer\r\nserver: scaffolding on HTTPServer2\r\nx-xss-protection: 0\r\n\
        server-timing: gfet4t7; dur=12\r\n"
        .to_owned()
}

/// The error envelope: a code in words; the classic one, with a number, for a bad key.
pub(super) fn error_body(refusal: &Refusal) -> String {
    let code = refusal
        .code
        .as_deref()
        .unwrap_or(usual_code(refusal.status));
    if code == BAD_KEY {
        let info = json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": BAD_KEY,
            "domain": "googleapis.com", "metadata": {"service": "generativelanguage.googleapis.com"}});
        let error = json!({"code": refusal.status, "message": refusal.message, "status": "INVALID_ARGUMENT",
            "details": [info]});
        return json!({ "error": error }).to_string();
    }
    json!({"error": {"code": code, "message": refusal.message}}).to_string()
}

fn usual_code(status: u16) -> &'static str {
    match status {
        401 => "authentication",
        402 => "payment_required",
        403 => "permission_denied",
        404 => "not_found",
        409 => "aborted",
        429 => "rate_limit_exceeded",
        499 => "cancelled",
        501 => "unimplemented",
        503 => "service_unavailable",
        504 => "deadline_exceeded",
        500.. => "api_error",
        _ => "invalid_request",
    }
}

/// The refusal that a scripted status stands for.
pub(super) fn scripted(status: u16, behaviour: &Behaviour) -> Refusal {
    let usual = match status {
        429 => "You have exceeded the rate limit. Please try again later.",
        503 => "The model is overloaded. Please try again later.",
        500.. => "An internal error has occurred.",
        _ => "The request was refused.",
    };
    let mut refusal = Refusal::new(status, behaviour.error_message.as_deref().unwrap_or(usual));
    refusal.code.clone_from(&behaviour.error_code);
    refusal
}

/// The failure inside a body.
pub(super) fn fault(behaviour: &Behaviour) -> Refusal {
    let message = behaviour
        .fault_message
        .as_deref()
        .unwrap_or("The model is overloaded. Please try again later.");
    Refusal::new(503, message).code(
        behaviour
            .fault_code
            .as_deref()
            .unwrap_or("service_unavailable"),
    )
}
