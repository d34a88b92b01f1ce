//! A Chat caller on a Claude model: served over Messages, answered as Chat.

use serde_json::{Value, json};

use crate::other_vendors::{CLAUDE, RACE, any, asked, weather};
use crate::requests::{CHAT, data};
use crate::rig::Rig;

#[actix_web::test]
async fn a_request_goes_to_messages_in_a_version_of_ours_and_its_answer_is_a_completion() {
    let rig = Rig::start().await;
    for (word, tier) in [
        ("default", "standard_only"),
        ("priority", "auto"),
        ("auto", "auto"),
    ] {
        rig.simulator.clear();
        let body = asked(
            CHAT,
            CLAUDE,
            &any(&json!({})),
            json!({"start_within": word, "user": "u"}),
        );
        let answer = rig.post(CHAT, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["object"], "chat.completion");
        assert_eq!(answer.json()["service_tier"], "standard");
        assert_eq!(answer.json()["choices"][0]["finish_reason"], "stop");
        for (name, value) in [
            ("x-flexinference-provider-surface", "anthropic.messages"),
            ("x-flexinference-served-provider", "anthropic"),
            ("x-flexinference-routing-reason", "tier_direct"),
            ("x-flexinference-dropped", "user"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
        assert!(answer.header("x-flexinference-cost").is_some());
        let seen = &rig.simulator.seen()[0];
        assert_eq!(seen.path, "/v1/messages");
        assert_eq!(seen.tier.as_deref(), Some(tier));
        assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
        assert_eq!(seen.json()["max_tokens"], 128_000);
        assert!(seen.json().get("start_within").is_none());
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_stream_comes_chunk_by_chunk_and_its_usage_with_the_cost() {
    let rig = Rig::start().await;
    let behaviour = json!({"content": ["reasoning_summary", "web_search"]});
    let fields = json!({
        "stream": true, "stream_options": {"include_usage": true}, "include_cost": true,
    });
    let answer = rig
        .post(CHAT, &asked(CHAT, CLAUDE, &any(&behaviour), fields))
        .await;
    let text = answer.text();
    assert_eq!(answer.status, 200, "{text}");
    let mut all = data(&text);
    assert_eq!(all.pop(), Some("[DONE]"));
    let chunks: Vec<Value> = all
        .iter()
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    let annotations: usize = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["annotations"].as_array())
        .map(Vec::len)
        .sum();
    assert_eq!(annotations, 2);
    let usage = &chunks.last().unwrap()["usage"];
    assert!(usage["total_tokens"].as_u64() > Some(0));
    assert!(usage["cost"]["total_micro_usd"].is_u64(), "{usage}");
    assert_eq!(usage["routing"]["tier"], "standard");
    rig.settle().await;
}

#[actix_web::test]
async fn calls_come_back_and_their_results_go_up() {
    let rig = Rig::start().await;
    let behaviour = json!({"content": ["parallel_tool_calls"]});
    let first = rig
        .post(
            CHAT,
            &asked(
                CHAT,
                CLAUDE,
                &any(&behaviour),
                json!({"tools": weather(CHAT)}),
            ),
        )
        .await;
    let choice = &first.json()["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    let calls = choice["message"]["tool_calls"].as_array().unwrap().clone();
    assert_eq!(calls.len(), 2);
    let result =
        |call: &Value| json!({"role": "tool", "tool_call_id": call["id"], "content": "Sunny"});
    let messages = json!([
        {"role": "user", "content": "What is the weather?"}, choice["message"], result(&calls[0]), result(&calls[1]),
    ]);
    let fields = json!({"tools": weather(CHAT), "messages": messages});
    let second = rig
        .post(CHAT, &asked(CHAT, CLAUDE, &any(&json!({})), fields))
        .await;
    assert_eq!(second.status, 200, "{}", second.text());
    rig.settle().await;
}

#[actix_web::test]
async fn what_claude_cannot_be_told_is_refused_and_nothing_goes_up() {
    let rig = Rig::start().await;
    for (param, fields) in [
        ("seed", json!({"seed": 1})),
        ("n", json!({"n": 2})),
        ("temperature", json!({"temperature": 0.5})),
        (
            "response_format",
            json!({"response_format": {"type": "json_object"}}),
        ),
        (
            "max_completion_tokens",
            json!({"model": "claude-unheard-of"}),
        ),
    ] {
        let answer = rig
            .post(CHAT, &asked(CHAT, CLAUDE, &any(&json!({})), fields))
            .await;
        assert_eq!(answer.status, 400, "{param}: {}", answer.text());
        let error = &answer.json()["error"];
        assert_eq!(error["code"], "unsupported_parameter");
        assert_eq!(error["param"], param);
    }
    let raced = asked(
        CHAT,
        CLAUDE,
        &any(&json!({})),
        json!({"start_within": RACE}),
    );
    let answer = rig.post(CHAT, &raced).await;
    assert_eq!(
        answer.json()["error"]["code"],
        "flex_unsupported_for_anthropic"
    );
    assert!(rig.simulator.seen().is_empty());
    rig.settle().await;
}

#[actix_web::test]
async fn an_error_of_anthropic_comes_in_the_callers_envelope() {
    let rig = Rig::start().await;
    let answer = rig
        .post(
            CHAT,
            &asked(CHAT, CLAUDE, &any(&json!({"status": 529})), json!({})),
        )
        .await;
    assert_eq!(answer.status, 529);
    let error = &answer.json()["error"];
    assert_eq!(error["type"], "flexinference_error");
    assert_eq!(error["code"], "overloaded_error");
    assert_eq!(error["param"], Value::Null);
    let block = &error["flexinference"];
    assert_eq!(block["origin"], "provider");
    assert_eq!(block["provider"], "anthropic");
    rig.settle().await;
}
