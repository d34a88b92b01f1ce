//! Bad requests: one table, kept in files by subject. Each is refused with its status and code in the envelope of its
//! endpoint, none of them reaches the provider, and the router serves on.

mod bodies;
mod draft;
mod fields;
mod framing;
mod order;
mod parameters;
mod paths;
mod plans;
mod untranslatable;

use draft::{Bad, Draft};
use serde_json::json;
use startline::settings::SecretText;

use crate::client::{Answer, Connection};
use crate::error_shape::{Shape, check_ours};
use crate::rig::Rig;

/// Stands in every prompt; no error may repeat it.
const PROMPT: &str = "canary-prompt-5d2f";

/// A body of one byte more is too large.
const MAX_BODY: usize = 256 * 1024;

async fn rig() -> Rig {
    Rig::with(|settings| {
        settings.server.max_body = MAX_BODY;
        settings.limits.auth_failures_per_minute = 100_000;
    })
    .await
}

#[actix_web::test]
async fn every_bad_request_is_refused_as_the_rules_say_and_none_reaches_the_provider() {
    let table: Vec<Bad> = [
        fields::table(),
        bodies::table(),
        paths::table(),
        plans::table(),
        untranslatable::table(),
        parameters::table(),
        order::table(),
    ]
    .concat();
    assert!(table.len() >= 120, "{} bad requests", table.len());
    println!("{} bad requests", table.len());
    let rig = rig().await;
    for bad in &table {
        refused(&rig, bad).await;
    }
    serves_on(&rig).await;
    rig.settle().await;
}

/// Sends a bad request and checks the whole answer.
async fn refused(rig: &Rig, bad: &Bad) {
    let answer = sent(rig, bad).await;
    if bad.status == 405 {
        let is_read = ["/v1/models", "/errors", "/healthz", "/readyz"]
            .iter()
            .any(|known| bad.path.starts_with(known));
        let allowed = if is_read { "GET, HEAD" } else { "POST" };
        assert_eq!(answer.header("allow"), Some(allowed), "{}", bad.name);
    }
    if bad.method == "HEAD" {
        assert_eq!(answer.status, bad.status, "{}", bad.name);
        return;
    }
    let shape = Shape::of_path(bad.path);
    let message = check_ours(&bad.name, &answer, shape, bad.status, bad.code);
    let name = &bad.name;
    if let Some(param) = bad.param
        && shape == Shape::Openai
    {
        assert_eq!(answer.json()["error"]["param"], param, "{name}: {message}");
    }
    if let Some(part) = bad.says {
        assert!(message.contains(part), "{name}: {message}");
    }
    let text = answer.text();
    assert!(!text.contains(PROMPT), "{name} repeats the prompt: {text}");
    assert!(!text.contains(&rig.key), "{name} repeats the key: {text}");
    assert!(message.len() < 1_500, "{name}: {} bytes", message.len());
    let seen = rig.simulator.seen();
    assert!(seen.is_empty(), "{name} reached the provider");
}

async fn sent(rig: &Rig, bad: &Bad) -> Answer {
    let mut connection = Connection::open(rig.address).await;
    connection.write(&bad.bytes(&rig.key)).await;
    if bad.method == "HEAD" {
        return connection.answer_to_head().await;
    }
    connection.answer().await
}

/// After all that, a good request is served, and it is the first that the provider sees.
async fn serves_on(rig: &Rig) {
    assert!(rig.simulator.seen().is_empty());
    let body = json!({"model": "gpt-5.5", "input": "Hello", "start_within": "default"});
    let answer = rig.post("/v1/responses", &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(rig.simulator.seen().len(), 1);
    let ready = rig.send("GET", "/readyz", &[], b"").await;
    assert_eq!(ready.status, 200);
}

#[actix_web::test]
async fn a_missing_provider_key_is_named_before_anything_is_sent() {
    for (route, path, model, code) in [
        ("openai", "/v1/responses", "gpt-5.5", "no_byok_key"),
        ("openai", "/v1/chat/completions", "gpt-5.5", "no_byok_key"),
        (
            "google",
            "/v1/interactions",
            "gemini-3.5-flash",
            "no_gemini_key",
        ),
        (
            "anthropic",
            "/v1/messages",
            "claude-opus-5",
            "no_anthropic_key",
        ),
    ] {
        let rig = Rig::with(|settings| {
            let none = SecretText::default();
            settings.providers.openai.api_key = none.clone();
            settings.providers.gemini.api_key = none.clone();
            settings.providers.anthropic.api_key = none;
        })
        .await;
        let draft = Draft::of(path).with("model", &format!("\"{model}\""));
        let named = draft.clone().with("provider", &format!("[\"{route}\"]"));
        for body in [draft.json(), named.json()] {
            let answer = rig.send("POST", path, &[], body.as_bytes()).await;
            let message = check_ours(code, &answer, Shape::of_path(path), 400, code);
            assert!(message.contains(route), "{message}");
            assert!(!answer.text().contains(PROMPT));
        }
        assert!(rig.simulator.seen().is_empty());
        rig.settle().await;
    }
}
