//! Each endpoint once: the request reaches its provider in the right tier, the answer comes back.

use serde_json::json;

use crate::rig::Rig;

#[actix_web::test]
async fn every_endpoint_reaches_its_provider() {
    let rig = Rig::start().await;
    let messages = json!([{"role": "user", "content": "Hello"}]);
    for (path, body, tier, surface) in [
        (
            "/v1/responses",
            json!({"model": "gpt-5.5", "input": "Hello", "start_within": "default"}),
            "default",
            "openai.responses",
        ),
        (
            "/v1/chat/completions",
            json!({"model": "gpt-5.5", "messages": messages, "start_within": "priority"}),
            "priority",
            "openai.responses",
        ),
        (
            "/v1/chat/completions",
            json!({"model": "gpt-5.5", "messages": messages, "start_within": "default", "seed": 7}),
            "default",
            "openai.chat",
        ),
        (
            "/v1/interactions",
            json!({"model": "gemini-3.5-flash", "input": "Hello", "start_within": "default"}),
            "standard",
            "gemini.interactions",
        ),
        (
            "/v1beta/interactions",
            json!({"model": "models/gemini-3.5-flash", "input": "Hello", "start_within": "00h-00m-05s"}),
            "flex",
            "gemini.interactions",
        ),
        (
            "/v1/messages",
            json!({"model": "claude-opus-5", "max_tokens": 9, "messages": messages, "start_within": "default"}),
            "standard_only",
            "anthropic.messages",
        ),
    ] {
        let answer = rig.post(path, &body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert!(
            answer.text().contains("You said: Hello"),
            "{}",
            answer.text()
        );
        assert_eq!(
            answer.header("x-flexinference-provider-surface"),
            Some(surface)
        );
        let seen = rig.simulator.seen();
        assert_eq!(seen.last().unwrap().tier.as_deref(), Some(tier), "{path}");
    }
    rig.settle().await;
}
