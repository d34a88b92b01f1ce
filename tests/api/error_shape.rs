//! The whole form of an error, checked member by member: status, headers, the envelope of the endpoint, the
//! `flexinference` block, and a message with rule, way out and example.

use serde_json::{Value, json};
use startline::errors::catalogue;

use crate::client::Answer;

/// The envelope that a path's errors come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Openai,
    Anthropic,
    Google,
}

impl Shape {
    pub fn of_path(path: &str) -> Self {
        if path.starts_with("/v1/messages") {
            return Self::Anthropic;
        }
        if path.starts_with("/v1/interactions") || path.starts_with("/v1beta/") {
            return Self::Google;
        }
        Self::Openai
    }

    /// What a status is called in this envelope, after the table of the specification.
    pub fn word(self, status: u16) -> &'static str {
        let [openai, anthropic, google] = match status {
            401 => [
                "authentication_error",
                "authentication_error",
                "UNAUTHENTICATED",
            ],
            402 => ["billing_error", "billing_error", "FAILED_PRECONDITION"],
            403 => ["permission_error", "permission_error", "PERMISSION_DENIED"],
            404 => ["invalid_request_error", "not_found_error", "NOT_FOUND"],
            413 => [
                "invalid_request_error",
                "request_too_large",
                "INVALID_ARGUMENT",
            ],
            429 => ["rate_limit_error", "rate_limit_error", "RESOURCE_EXHAUSTED"],
            502 | 503 => ["flexinference_error", "api_error", "UNAVAILABLE"],
            504 => ["flexinference_error", "timeout_error", "DEADLINE_EXCEEDED"],
            529 => ["flexinference_error", "overloaded_error", "UNAVAILABLE"],
            500.. => ["flexinference_error", "api_error", "INTERNAL"],
            _ => [
                "invalid_request_error",
                "invalid_request_error",
                "INVALID_ARGUMENT",
            ],
        };
        match self {
            Self::Openai => openai,
            Self::Anthropic => anthropic,
            Self::Google => google,
        }
    }
}

/// Checks an error of the router's own. Gives its message.
pub fn check_ours(what: &str, answer: &Answer, shape: Shape, status: u16, code: &str) -> String {
    let (error, message) = check_envelope(what, answer, shape, status);
    let block = &error["flexinference"];
    assert_eq!(block["code"], code, "{what}: {block}");
    assert_eq!(
        block["doc_url"],
        Value::Null,
        "{what}: no public URL is set"
    );
    assert_eq!(block["status"], status, "{what}: {block}");
    match shape {
        Shape::Openai => assert_eq!(error["code"], code, "{what}"),
        Shape::Google => assert_eq!(error["code"], status, "{what}"),
        Shape::Anthropic => {}
    }
    match shape {
        Shape::Google => assert_eq!(error["status"], shape.word(status), "{what}"),
        _ => assert_eq!(error["type"], shape.word(status), "{what}"),
    }
    let row = catalogue::rows()
        .find(|row| row.word == code)
        .unwrap_or_else(|| panic!("{what}: {code} is not in the catalogue"));
    assert_eq!(row.status, status, "{what}");
    assert_eq!(block["class"], row.class.word(), "{what}");
    assert_eq!(block["retryable"], row.retryable, "{what}");
    let has_rule = message.contains(row.rule) && message.contains(row.fix);
    assert!(has_rule, "{what}: no rule in {message:?}");
    let end = format!("Example: {}", row.example);
    assert!(message.ends_with(&end), "{what}: no example in {message:?}");
    let specific = message.len() - row.rule.len() - row.fix.len() - end.len();
    assert!(
        specific > 10,
        "{what}: {message:?} does not say what was wrong"
    );
    assert!(!message.contains(".."), "{what}: {message:?}");
    message
}

/// Checks what every error has, a provider's too. Gives the `error` object and the message.
pub fn check_envelope(what: &str, answer: &Answer, shape: Shape, status: u16) -> (Value, String) {
    assert_eq!(answer.status, status, "{what}: {}", answer.text());
    assert!(answer.is_whole, "{what}: cut");
    assert_eq!(
        answer.header("content-type"),
        Some("application/json"),
        "{what}"
    );
    let length = answer.body.len().to_string();
    assert_eq!(
        answer.header("content-length"),
        Some(length.as_str()),
        "{what}"
    );
    let request_id = answer.header("x-request-id").unwrap_or_default();
    let is_id = request_id.len() == 36 && request_id.starts_with("req_");
    assert!(is_id, "{what}: x-request-id is {request_id:?}");
    let body = answer.json();
    let error = body["error"].clone();
    let (top, members): (&[&str], &[&str]) = match shape {
        Shape::Openai => (
            &["error"],
            &[
                "code",
                "doc_url",
                "flexinference",
                "message",
                "param",
                "type",
            ],
        ),
        Shape::Anthropic => (
            &["error", "request_id", "type"],
            &["flexinference", "message", "type"],
        ),
        Shape::Google => (&["error"], &["code", "flexinference", "message", "status"]),
    };
    assert_eq!(names(&body), top, "{what}: {body}");
    let of_the_provider = error["flexinference"]["code"].is_null();
    if !of_the_provider {
        assert_eq!(names(&error), members, "{what}: {error}");
    }
    if shape == Shape::Anthropic {
        assert_eq!(body["type"], "error", "{what}");
        assert_eq!(body["request_id"], request_id, "{what}");
        assert_eq!(answer.header("request-id"), Some(request_id), "{what}");
    } else {
        assert_eq!(answer.header("request-id"), None, "{what}");
    }
    let block = [
        "class",
        "code",
        "doc_url",
        "origin",
        "provider",
        "provider_code",
        "retryable",
        "status",
    ];
    assert_eq!(names(&error["flexinference"]), block, "{what}: {error}");
    let origins = [json!("flexinference"), json!("provider")];
    assert!(
        origins.contains(&error["flexinference"]["origin"]),
        "{what}"
    );
    let message = error["message"].as_str().unwrap_or_default().to_owned();
    assert!(!message.is_empty(), "{what}: no message");
    (error, message)
}

fn names(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object
        .as_object()
        .map(|members| members.keys().map(String::as_str).collect())
        .unwrap_or_default();
    names.sort_unstable();
    names
}

/// Checks the 403 for a provider key that the provider has rejected: ours by its code, the provider's by its message.
pub fn check_provider_key(what: &str, answer: &Answer, shape: Shape, provider: &str, said: &str) {
    let (error, message) = check_envelope(what, answer, shape, 403);
    assert_eq!(message, said, "{what}");
    let block = &error["flexinference"];
    assert_eq!(block["code"], "upstream_auth_failed", "{what}");
    assert_eq!(block["class"], "authentication", "{what}");
    assert_eq!(block["origin"], "provider", "{what}");
    assert_eq!(block["provider"], provider, "{what}");
    assert_eq!(block["retryable"], false, "{what}");
    match shape {
        Shape::Openai => assert_eq!(error["code"], "upstream_auth_failed", "{what}"),
        Shape::Google => assert_eq!(error["code"], 403, "{what}"),
        Shape::Anthropic => {}
    }
    let word = if shape == Shape::Google {
        &error["status"]
    } else {
        &error["type"]
    };
    assert_eq!(*word, shape.word(403), "{what}");
}
