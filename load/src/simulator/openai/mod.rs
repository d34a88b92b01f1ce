//! What the two surfaces of OpenAI share: headers, error bodies, tiers.

pub(super) mod chat;
pub(super) mod chat_checks;
pub(super) mod checks;
pub(super) mod item_checks;
mod response_items;
mod response_object;
pub(super) mod responses;

use serde_json::json;

use super::answer::Refusal;
use super::asked::Asked;
use super::ids;
use super::script::Behaviour;

/// The headers of every answer.
pub(super) fn headers() -> String {
    const USUAL: &str = "openai-processing-ms: 12\r\nopenai-version: 2020-10-01\r\n\
        x-ratelimit-limit-requests: 10000\r\nx-ratelimit-limit-tokens: 2000000\r\n\
        x-ratelimit-remaining-requests: 9999\r\nx-ratelimit-remaining-tokens: 1999000\r\n\
        x-ratelimit-reset-requests: 6ms\r\nx-ratelimit-reset-tokens: 30ms\r\n";
    format!("x-request-id: {}\r\n{USUAL}", ids::hex32("req_"))
}

/// The error envelope.
pub(super) fn error_body(refusal: &Refusal) -> String {
    let kind = if refusal.kind.is_empty() {
        usual_kind(refusal.status)
    } else {
        &refusal.kind
    };
    let error = json!({"message": refusal.message, "type": kind, "param": refusal.param, "code": refusal.code});
    json!({ "error": error }).to_string()
}

fn usual_kind(status: u16) -> &'static str {
    match status {
        429 => "rate_limit_error",
        503 => "service_unavailable_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

/// The refusal that a scripted status stands for.
pub(super) fn scripted(status: u16, asked: &Asked, behaviour: &Behaviour) -> Refusal {
    let model = asked.model();
    let usual = match status {
        401 => Refusal::new(status, "Incorrect API key provided.").code("invalid_api_key"),
        404 => Refusal::new(status, format!("The model `{model}` does not exist."))
            .code("model_not_found"),
        408 => Refusal::new(status, "Request timed out."),
        429 if asked.tier() == Some("flex") => Refusal::new(
            status,
            "Resource unavailable: there is no flex capacity at the moment.",
        )
        .code("resource_unavailable"),
        429 => {
            let message = format!(
                "Rate limit reached for {model} on requests per min (RPM). Please try again in 120ms."
            );
            Refusal::new(status, message)
                .kind("requests")
                .code("rate_limit_exceeded")
        }
        503 => Refusal::new(
            status,
            "The engine is currently overloaded, please try again later.",
        )
        .code("server_is_overloaded"),
        500.. => Refusal::new(
            status,
            "The server had an error while processing your request.",
        ),
        _ => Refusal::new(status, "The request was refused."),
    };
    named(
        usual,
        behaviour.error_code.as_deref(),
        behaviour.error_message.as_deref(),
    )
}

/// The failure inside a body.
pub(super) fn fault(behaviour: &Behaviour) -> Refusal {
    let usual = Refusal::new(
        503,
        "Our servers are currently overloaded. Please try again later.",
    )
    .kind("service_unavailable_error")
    .code("server_is_overloaded");
    named(
        usual,
        behaviour.fault_code.as_deref(),
        behaviour.fault_message.as_deref(),
    )
}

fn named(mut refusal: Refusal, code: Option<&str>, message: Option<&str>) -> Refusal {
    if let Some(code) = code {
        refusal.code = Some(code.to_owned());
        refusal.kind = match code {
            "insufficient_quota" | "credit_balance_exhausted" => "insufficient_quota",
            "rate_limit_exceeded" | "slow_down" => "rate_limit_error",
            "server_error" => "server_error",
            _ => &refusal.kind,
        }
        .to_owned();
    }
    if let Some(message) = message {
        refusal.message = message.to_owned();
    }
    refusal
}

/// The tier before the answer and the tier served. `auto`, asked for or left out, is `auto` until the end.
pub(super) fn tiers<'a>(asked: &'a Asked, behaviour: &'a Behaviour) -> (&'a str, &'a str) {
    let early = match asked.tier() {
        None => "auto",
        Some("fast") => "priority",
        Some(tier) => tier,
    };
    let usual = if early == "auto" { "default" } else { early };
    (early, behaviour.served_tier.as_deref().unwrap_or(usual))
}

/// Whether the model is of this generation of GPT, or a later one.
pub(super) fn is_gpt_since(model: &str, major: u32, minor: u32) -> bool {
    let Some(version) = model.strip_prefix("gpt-") else {
        return false;
    };
    let number = version.split('-').next().unwrap_or_default();
    let (own_major, own_minor) = number.split_once('.').unwrap_or((number, "0"));
    match (own_major.parse::<u32>(), own_minor.parse::<u32>()) {
        (Ok(own_major), Ok(own_minor)) => (own_major, own_minor) >= (major, minor),
        _ => false,
    }
}
