//! The three envelopes, whole: an error of ours, and errors of each vendor seen from each endpoint.

use bytes::Bytes;
use serde_json::{Value, json};
use startline_actors::classify::Verdict;

use super::*;
use crate::vocabulary::Provider;

const PUBLIC_URL: Option<&str> = Some("https://router.example");
const REQUEST_ID: &str = "req_1";

fn body_of(answer: &ErrorAnswer) -> Value {
    serde_json::from_slice(&answer.body).unwrap()
}

fn ours(kind: EnvelopeKind) -> Value {
    let rejection = Rejection::new(Code::InvalidStream, "stream is 1.").with_param("stream");
    let answer = rejection.render(kind, PUBLIC_URL, REQUEST_ID);
    assert_eq!(
        (answer.status, answer.retry_after, answer.allow),
        (400, None, None)
    );
    body_of(&answer)
}

fn theirs(kind: EnvelopeKind, provider: Provider, status: u16, body: Value) -> Value {
    let verdict = if status == 429 || status >= 500 {
        Verdict::Transient
    } else {
        Verdict::Final
    };
    let error = ProviderError::new(provider, status, &Bytes::from(body.to_string()), verdict);
    let answer = error.render(kind, PUBLIC_URL, REQUEST_ID);
    assert_eq!(answer.status, status);
    body_of(&answer)
}

fn block_of_theirs(class: &str, status: u16, provider: &str, code: &str) -> Value {
    json!({
        "code": null, "class": class, "origin": "provider", "status": status, "provider": provider,
        "provider_code": code, "retryable": status == 429 || status >= 500, "doc_url": null,
    })
}

fn openai_429() -> Value {
    json!({ "error": { "message": "Slow down", "type": "requests", "param": "model", "code": "rate_limit_exceeded" } })
}

fn anthropic_529() -> Value {
    json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" }, "request_id": "theirs" })
}

fn gemini_404() -> Value {
    json!({ "error": { "code": "model_not_found", "message": "No such model" } })
}

#[test]
fn an_error_of_ours_in_each_envelope() {
    let message = "stream is 1. stream is true, false or null. Send a boolean, or leave stream out for an answer in \
                   one piece. Example: {\"stream\": true}";
    let url = "https://router.example/errors#invalid_stream";
    let block = json!({
        "code": "invalid_stream", "class": "validation", "origin": "flexinference", "status": 400,
        "provider": null, "provider_code": null, "retryable": false, "doc_url": url,
    });
    let openai = json!({ "error": {
        "message": message, "type": "invalid_request_error", "code": "invalid_stream", "param": "stream",
        "doc_url": url, "flexinference": block,
    }});
    assert_eq!(ours(EnvelopeKind::Openai), openai);
    let anthropic = json!({
        "type": "error",
        "error": { "type": "invalid_request_error", "message": message, "flexinference": block },
        "request_id": "req_1",
    });
    assert_eq!(ours(EnvelopeKind::Anthropic), anthropic);
    let google = json!({ "error": {
        "code": 400, "message": message, "status": "INVALID_ARGUMENT", "flexinference": block,
    }});
    assert_eq!(ours(EnvelopeKind::Google), google);
}

#[test]
fn without_a_public_url_there_is_no_doc_url() {
    let answer = Rejection::new(Code::NotFound, "Nothing is here.").render(
        EnvelopeKind::Openai,
        None,
        REQUEST_ID,
    );
    let body = body_of(&answer);
    assert_eq!(body["error"]["doc_url"], Value::Null);
    assert_eq!(body["error"]["flexinference"]["doc_url"], Value::Null);
}

#[test]
fn the_headers_of_an_answer_come_along() {
    let limited = Rejection::new(Code::RateLimitExceeded, "Too many requests.").with_retry_after(5);
    assert_eq!(
        limited
            .render(EnvelopeKind::Openai, None, REQUEST_ID)
            .retry_after,
        Some(5)
    );
    let method =
        Rejection::new(Code::MethodNotAllowed, "GET is not routed here.").with_allow("POST");
    assert_eq!(
        method.render(EnvelopeKind::Google, None, REQUEST_ID).allow,
        Some("POST")
    );
}

#[test]
fn a_vendors_error_keeps_its_members_in_its_own_envelope() {
    let block = block_of_theirs("quota", 429, "openai", "rate_limit_exceeded");
    let openai = json!({ "error": {
        "message": "Slow down", "type": "requests", "param": "model", "code": "rate_limit_exceeded",
        "doc_url": null, "flexinference": block,
    }});
    assert_eq!(
        theirs(EnvelopeKind::Openai, Provider::Openai, 429, openai_429()),
        openai
    );

    let block = block_of_theirs("upstream", 529, "anthropic", "overloaded_error");
    let anthropic = json!({
        "type": "error",
        "error": { "type": "overloaded_error", "message": "Overloaded", "flexinference": block },
        "request_id": "req_1",
    });
    assert_eq!(
        theirs(
            EnvelopeKind::Anthropic,
            Provider::Anthropic,
            529,
            anthropic_529()
        ),
        anthropic
    );

    let block = block_of_theirs("validation", 404, "gemini", "model_not_found");
    let google = json!({ "error": {
        "code": "model_not_found", "message": "No such model", "status": "NOT_FOUND", "flexinference": block,
    }});
    assert_eq!(
        theirs(EnvelopeKind::Google, Provider::Gemini, 404, gemini_404()),
        google
    );
}

#[test]
fn a_null_code_of_a_vendor_stays_null_in_its_own_envelope() {
    let sent = json!({ "error": { "message": "Oops", "type": "server_error", "param": null, "code": null } });
    let seen = theirs(EnvelopeKind::Openai, Provider::Openai, 500, sent);
    assert_eq!(seen["error"]["type"], "server_error");
    assert_eq!(seen["error"]["code"], Value::Null);
    assert_eq!(
        seen["error"]["flexinference"]["provider_code"],
        "server_error"
    );
}

#[test]
fn googles_classic_envelope_keeps_its_number_and_details() {
    let details =
        json!([{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "31s" }]);
    let sent = json!([{ "error": {
        "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota", "details": details,
    }}]);
    let block = block_of_theirs("quota", 429, "gemini", "RESOURCE_EXHAUSTED");
    let expected = json!({ "error": {
        "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota", "details": details, "flexinference": block,
    }});
    assert_eq!(
        theirs(EnvelopeKind::Google, Provider::Gemini, 429, sent),
        expected
    );
}

#[test]
fn another_vendors_error_takes_the_words_of_its_status() {
    let block = block_of_theirs("upstream", 529, "anthropic", "overloaded_error");
    let openai = json!({ "error": {
        "message": "Overloaded", "type": "flexinference_error", "code": "overloaded_error", "param": null,
        "doc_url": null, "flexinference": block,
    }});
    assert_eq!(
        theirs(
            EnvelopeKind::Openai,
            Provider::Anthropic,
            529,
            anthropic_529()
        ),
        openai
    );

    let block = block_of_theirs("validation", 404, "gemini", "model_not_found");
    let anthropic = json!({
        "type": "error",
        "error": { "type": "not_found_error", "message": "No such model", "flexinference": block },
        "request_id": "req_1",
    });
    assert_eq!(
        theirs(EnvelopeKind::Anthropic, Provider::Gemini, 404, gemini_404()),
        anthropic
    );

    let block = block_of_theirs("quota", 429, "openai", "rate_limit_exceeded");
    let google = json!({ "error": {
        "code": "rate_limit_exceeded", "message": "Slow down", "status": "RESOURCE_EXHAUSTED",
        "flexinference": block,
    }});
    assert_eq!(
        theirs(EnvelopeKind::Google, Provider::Openai, 429, openai_429()),
        google
    );
}

#[test]
fn a_rejected_provider_key_is_a_403_of_ours_with_the_providers_message() {
    let sent = json!({ "error": { "message": "Bad key", "type": "t", "param": null, "code": "invalid_api_key" } });
    let error = ProviderError::new(
        Provider::Openai,
        401,
        &Bytes::from(sent.to_string()),
        Verdict::KeyRejected,
    );
    assert_eq!(error.status(), 403);
    let url = "https://router.example/errors#upstream_auth_failed";
    let block = json!({
        "code": "upstream_auth_failed", "class": "authentication", "origin": "provider", "status": 403,
        "provider": "openai", "provider_code": "invalid_api_key", "retryable": false, "doc_url": url,
    });
    let in_envelope = |kind| {
        let answer = error.render(kind, PUBLIC_URL, REQUEST_ID);
        assert_eq!(answer.status, 403);
        body_of(&answer)
    };
    let openai = json!({ "error": {
        "message": "Bad key", "type": "permission_error", "code": "upstream_auth_failed", "param": null,
        "doc_url": url, "flexinference": block,
    }});
    assert_eq!(in_envelope(EnvelopeKind::Openai), openai);
    let anthropic = json!({
        "type": "error",
        "error": { "type": "permission_error", "message": "Bad key", "flexinference": block },
        "request_id": "req_1",
    });
    assert_eq!(in_envelope(EnvelopeKind::Anthropic), anthropic);
    let google = json!({ "error": {
        "code": 403, "message": "Bad key", "status": "PERMISSION_DENIED", "flexinference": block,
    }});
    assert_eq!(in_envelope(EnvelopeKind::Google), google);
}

#[test]
fn a_page_instead_of_an_error_keeps_its_status_in_every_envelope() {
    let page = Bytes::from_static(b"<html>Bad Gateway</html>");
    let error = ProviderError::new(Provider::Gemini, 502, &page, Verdict::Transient);
    for kind in [
        EnvelopeKind::Openai,
        EnvelopeKind::Anthropic,
        EnvelopeKind::Google,
    ] {
        let body = body_of(&error.render(kind, None, REQUEST_ID));
        assert_eq!(
            body["error"]["message"],
            "gemini answered with status 502 and no readable message."
        );
        assert_eq!(body["error"]["flexinference"]["provider_code"], Value::Null);
    }
    let google = body_of(&error.render(EnvelopeKind::Google, None, REQUEST_ID));
    assert_eq!(
        (&google["error"]["code"], &google["error"]["status"]),
        (&json!(502), &json!("UNAVAILABLE"))
    );
}
