//! A Chat caller on an OpenAI model: served over Responses, answered as Chat; as it is, where Responses cannot carry it.

use serde_json::{Value, json};

use crate::requests::{CHAT, behaving, data, with};
use crate::rig::Rig;

fn raced(behaviour: &Value, fields: Value) -> Value {
    let race = json!({"start_within": "00h-00m-30s"});
    with(with(behaving(CHAT, behaviour), race), fields)
}

#[actix_web::test]
async fn both_legs_go_to_responses_and_only_the_flex_leg_is_streamed() {
    let rig = Rig::start().await;
    let behaviour = json!({"flex": {"status": 503}, "settled": {}});
    let script = crate::rig::scripted(&behaviour);
    let body = json!({
        "model": "gpt-5.5", "messages": [{"role": "user", "content": script}], "start_within": "00h-00m-30s",
    });
    let answer = rig.post(CHAT, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.json()["object"], "chat.completion");
    let seen = rig.simulator.seen();
    let told: Vec<_> = seen
        .iter()
        .map(|seen| (seen.path.as_str(), seen.tier.as_deref(), seen.stream))
        .collect();
    let expected = [
        ("/v1/responses", Some("flex"), true),
        ("/v1/responses", Some("default"), false),
    ];
    assert_eq!(told, expected);
    rig.settle().await;
}

#[actix_web::test]
async fn a_tier_word_goes_to_responses_too_unless_the_request_has_something_that_only_chat_has() {
    let rig = Rig::start().await;
    let plain = json!({"start_within": "priority", "seed": null});
    for (fields, path) in [
        (json!({}), "/v1/responses"),
        (
            json!({"n": 1, "stop": [], "logprobs": false}),
            "/v1/responses",
        ),
        (json!({"seed": 1}), CHAT),
        (json!({"frequency_penalty": 0.5}), CHAT),
        (json!({"parallel_tool_calls": "perhaps"}), CHAT),
    ] {
        rig.simulator.clear();
        let body = with(
            with(behaving(CHAT, &json!({})), plain.clone()),
            fields.clone(),
        );
        let answer = rig.post(CHAT, &body).await;
        let seen = rig.simulator.seen();
        assert_eq!(seen[0].path, path, "{fields}");
        assert_eq!(seen[0].tier.as_deref(), Some("priority"));
        if answer.status == 200 {
            assert_eq!(answer.json()["object"], "chat.completion");
        }
        if path == "/v1/responses" {
            assert_eq!(answer.json()["service_tier"], "priority");
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_silent_provider_is_kept_alive_by_comments_though_its_signs_of_life_make_no_chunk() {
    let rig = Rig::with(|settings| {
        settings.timeouts.heartbeat = std::time::Duration::from_millis(50);
    })
    .await;
    let behaviour = json!({"event_delay_ms": 120, "keepalive_ms": 20});
    let answer = rig
        .post(CHAT, &raced(&behaviour, json!({"stream": true})))
        .await;
    let text = answer.text();
    assert!(text.matches(": keep-alive\n\n").count() >= 2, "{text}");
    assert_eq!(data(&text).last(), Some(&"[DONE]"));
    rig.settle().await;
}

#[actix_web::test]
async fn the_usage_chunk_comes_only_when_it_is_asked_for_and_with_the_cost_when_that_is_too() {
    let rig = Rig::start().await;
    let plain = rig
        .post(CHAT, &raced(&json!({}), json!({"stream": true})))
        .await;
    assert!(!plain.text().contains("\"usage\""));
    let asked =
        json!({"stream": true, "stream_options": {"include_usage": true}, "include_cost": true});
    let answer = rig.post(CHAT, &raced(&json!({}), asked)).await;
    let text = answer.text();
    let all = data(&text);
    let [.., usage, done] = all.as_slice() else {
        panic!("{text}")
    };
    assert_eq!(*done, "[DONE]");
    let chunk: Value = serde_json::from_str(usage).unwrap();
    assert_eq!(chunk["choices"], json!([]));
    assert!(
        chunk["usage"]["cost"]["total_micro_usd"].is_u64(),
        "{chunk}"
    );
    assert_eq!(chunk["usage"]["routing"]["tier"], "flex");
    let whole = rig
        .post(CHAT, &raced(&json!({}), json!({"include_cost": true})))
        .await;
    assert_eq!(whole.json()["usage"]["cost"], chunk["usage"]["cost"]);
    rig.settle().await;
}

#[actix_web::test]
async fn what_was_left_out_or_clamped_is_told() {
    let rig = Rig::start().await;
    let messages = json!([{"role": "user", "name": "n", "content": "Hello"}]);
    let fields = json!({"messages": messages, "max_completion_tokens": 3});
    for stream in [false, true] {
        let mut fields = fields.clone();
        fields["stream"] = json!(stream);
        let answer = rig.post(CHAT, &raced(&json!({}), fields)).await;
        assert_eq!(
            answer.header("x-flexinference-dropped"),
            Some("messages[0].name, max_completion_tokens")
        );
    }
    let answer = rig.post(CHAT, &raced(&json!({}), json!({}))).await;
    assert_eq!(answer.header("x-flexinference-dropped"), None);
    rig.settle().await;
}

#[actix_web::test]
async fn an_answer_that_cannot_be_translated_is_a_502() {
    let rig = Rig::start().await;
    for (raw, stream) in [("[]", false), ("{}", false), ("[]", true)] {
        let broken = json!({"flex": {"status": 503}, "settled": {"raw_body": raw}});
        let script = crate::rig::scripted(&broken);
        let body = json!({
            "model": "gpt-5.5", "messages": [{"role": "user", "content": script}],
            "start_within": "00h-00m-30s", "stream": stream,
        });
        let answer = rig.post(CHAT, &body).await;
        assert_eq!(answer.status, 502, "{}", answer.text());
        let block = &answer.json()["error"]["flexinference"];
        assert_eq!(block["code"], "upstream_invalid_response");
    }
    rig.settle().await;
}
