//! A provider's error keeps its status and its message and gets the envelope of the endpoint; a rejected provider key
//! is a 403 of the router's.

use serde_json::{Value, json};
use startline::settings::SecretText;

use crate::error_shape::{Shape, check_envelope, check_provider_key};
use crate::requests::{
    CHAT, ENDPOINTS, INTERACTIONS, MESSAGES, RACED, RESPONSES, behaving, good, last_sent, with,
};
use crate::rig::Rig;

const STATUSES: [u16; 11] = [400, 402, 403, 404, 409, 413, 422, 429, 500, 503, 529];

fn provider(path: &str) -> &'static str {
    match path {
        INTERACTIONS => "gemini",
        MESSAGES => "anthropic",
        _ => "openai",
    }
}

/// What the block says about a status.
fn class(status: u16) -> &'static str {
    match status {
        402 => "billing",
        403 => "permission",
        429 => "quota",
        500.. => "upstream",
        _ => "validation",
    }
}

#[actix_web::test]
async fn status_and_message_are_the_providers_and_the_envelope_the_endpoints() {
    let rig = Rig::start().await;
    for path in ENDPOINTS {
        for status in STATUSES {
            for stream in [false, true] {
                let said = format!("It says: no. [{status}] \"ünd\" \\ so on");
                let behaviour =
                    json!({"status": status, "error_message": said, "error_code": "some_code"});
                let body = with(behaving(path, &behaviour), json!({"stream": stream}));
                let answer = rig.post(path, &body).await;
                let what = format!("{path} {status}");
                let shape = Shape::of_path(path);
                let (error, message) = check_envelope(&what, &answer, shape, status);
                assert_eq!(message, said, "{what}");
                let sent: Value = serde_json::from_slice(&last_sent(&rig).await).unwrap();
                for (name, value) in sent["error"].as_object().unwrap() {
                    assert_eq!(error[name], *value, "{what}: {name}");
                }
                if shape == Shape::Google {
                    assert_eq!(error["status"], shape.word(status), "{what}");
                }
                let block = &error["flexinference"];
                let expected = json!({
                    "code": null, "class": class(status), "origin": "provider", "status": status,
                    "provider": provider(path), "provider_code": "some_code",
                    "retryable": block["retryable"], "doc_url": null,
                });
                assert_eq!(*block, expected, "{what}");
                let passes = status == 429 || status >= 500;
                assert_eq!(block["retryable"], passes, "{what}");
                rig.simulator.clear();
            }
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_body_that_is_no_error_object_loses_neither_status_nor_text() {
    let rig = Rig::start().await;
    for path in ENDPOINTS {
        for (raw, said) in [
            ("upstream connect error", Some("upstream connect error")),
            ("{\"message\":\"from a gateway\"}", Some("from a gateway")),
            (
                "{\"detail\":\"from a framework\"}",
                Some("from a framework"),
            ),
            ("{\"error\":\"a word\"}", Some("a word")),
            (
                "[{\"error\":{\"code\":5,\"message\":\"wrapped\",\"status\":\"X\"}}]",
                Some("wrapped"),
            ),
            ("<html><body>502</body></html>", None),
            ("", None),
            ("\u{1}\u{2}", None),
        ] {
            for status in [400, 502] {
                let behaviour =
                    json!({"status": status, "raw_body": raw, "content_type": "text/plain"});
                let answer = rig.post(path, &behaving(path, &behaviour)).await;
                let what = format!("{path} {status} {raw:?}");
                let (_, message) = check_envelope(&what, &answer, Shape::of_path(path), status);
                match said {
                    Some(said) => assert_eq!(message, said, "{what}"),
                    None => assert!(message.contains(&status.to_string()), "{what}: {message}"),
                }
            }
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_race_returns_the_callers_own_error_as_it_is() {
    let rig = Rig::start().await;
    for path in RACED {
        for status in [400, 403, 404, 413, 422] {
            for stream in [false, true] {
                let behaviour = json!({"status": status, "error_message": "your own"});
                let raced = json!({"start_within": "00h-00m-30s", "stream": stream});
                let answer = rig
                    .post(path, &with(behaving(path, &behaviour), raced))
                    .await;
                let what = format!("{path} {status}, stream {stream}");
                let (_, message) = check_envelope(&what, &answer, Shape::of_path(path), status);
                assert_eq!(message, "your own");
                assert_eq!(rig.simulator.seen().len(), 1, "{what}: standard was sent");
                rig.simulator.clear();
            }
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn what_the_vendor_refuses_is_told_in_its_own_words() {
    let rig = Rig::start().await;
    for (path, fields, part) in [
        (
            RESPONSES,
            json!({"bogus": 1}),
            "Unknown parameter: 'bogus'.",
        ),
        (
            RESPONSES,
            json!({"max_output_tokens": 1}),
            "integer below minimum",
        ),
        (CHAT, json!({"messages": []}), "empty array"),
        (INTERACTIONS, json!({"bogus": 1}), "bogus"),
        (MESSAGES, json!({"bogus": 1}), "bogus"),
    ] {
        let answer = rig.post(path, &with(good(path, "Hello"), fields)).await;
        let (error, message) = check_envelope(path, &answer, Shape::of_path(path), 400);
        assert!(message.contains(part), "{path}: {message}");
        assert_eq!(error["flexinference"]["class"], "validation");
        let sent: Value = serde_json::from_slice(&last_sent(&rig).await).unwrap();
        if Shape::of_path(path) == Shape::Openai {
            assert_eq!(error["param"], sent["error"]["param"], "{path}");
            assert_eq!(error["type"], sent["error"]["type"], "{path}");
        }
        rig.simulator.clear();
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_rejected_provider_key_is_a_403_and_ends_a_race() {
    let rig = Rig::with(|settings| {
        let providers = &mut settings.providers;
        for provider in [
            &mut providers.openai,
            &mut providers.gemini,
            &mut providers.anthropic,
        ] {
            provider.api_key = SecretText::new("key-canary-rejected");
        }
    })
    .await;
    for path in ENDPOINTS {
        for (stream, start_within) in [
            (false, "default"),
            (true, "priority"),
            (false, "race"),
            (true, "race"),
        ] {
            if start_within == "race" && !RACED.contains(&path) {
                continue;
            }
            let start_within = if start_within == "race" {
                "00h-00m-30s"
            } else {
                start_within
            };
            let fields =
                json!({"stream": stream, "start_within": start_within, "retry": {"count": 5}});
            let answer = rig.post(path, &with(good(path, "Hello"), fields)).await;
            let what = format!("{path} {start_within}");
            let sent: Value = serde_json::from_slice(&last_sent(&rig).await).unwrap();
            let said = sent["error"]["message"].as_str().unwrap();
            check_provider_key(&what, &answer, Shape::of_path(path), provider(path), said);
            assert_eq!(
                rig.simulator.seen().len(),
                1,
                "{what}: a rejected key is not tried again"
            );
            assert_eq!(
                answer.header("x-flexinference-retries"),
                Some("0"),
                "{what}"
            );
            assert!(!answer.text().contains("canary"), "{what}");
            rig.simulator.clear();
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_used_up_quota_is_told_as_it_is_and_not_tried_again() {
    let rig = Rig::with(|settings| {
        let providers = &mut settings.providers;
        for provider in [
            &mut providers.openai,
            &mut providers.gemini,
            &mut providers.anthropic,
        ] {
            provider.api_key = SecretText::new("key-exhausted");
        }
    })
    .await;
    for (path, status, class) in [
        (RESPONSES, 429, "billing"),
        (CHAT, 429, "billing"),
        (INTERACTIONS, 429, "billing"),
        // Anthropic says it in the text of its most general error only.
        (MESSAGES, 400, "validation"),
    ] {
        let body = with(good(path, "Hello"), json!({"retry": {"count": 3}}));
        let answer = rig.post(path, &body).await;
        let (error, _) = check_envelope(path, &answer, Shape::of_path(path), status);
        assert_eq!(error["flexinference"]["class"], class, "{path}: {error}");
        assert_eq!(rig.simulator.seen().len(), 1, "{path}");
        rig.simulator.clear();
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_provider_that_cannot_be_reached_is_a_502_of_the_endpoint() {
    let rig = Rig::start().await;
    rig.simulator.refuse_connections(true).await;
    for path in ENDPOINTS {
        for stream in [false, true] {
            let body = with(good(path, "Hello"), json!({"stream": stream}));
            let answer = rig.post(path, &body).await;
            let (error, message) = check_envelope(path, &answer, Shape::of_path(path), 502);
            let block = &error["flexinference"];
            assert_eq!(block["code"], "upstream_unavailable", "{path}");
            assert_eq!(
                (&block["class"], &block["origin"]),
                (&json!("upstream"), &json!("provider"))
            );
            assert_eq!(block["provider"], provider(path));
            assert!(!message.contains("127.0.0.1"), "{message}");
        }
    }
    rig.simulator.refuse_connections(false).await;
    assert_eq!(
        rig.post(RESPONSES, &good(RESPONSES, "Hello")).await.status,
        200
    );
    rig.settle().await;
}
