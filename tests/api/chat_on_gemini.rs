//! A Chat caller on a Gemini model: served over Interactions, raced where a duration is given, answered as Chat.

use serde_json::{Value, json};

use crate::other_vendors::{GEMINI, RACE, any, asked, weather};
use crate::requests::{CHAT, data};
use crate::rig::{Rig, scripted};

#[actix_web::test]
async fn a_request_goes_to_interactions_and_its_answer_is_a_completion() {
    let rig = Rig::start().await;
    for (word, tier) in [("default", "standard"), ("priority", "priority")] {
        rig.simulator.clear();
        let fields = json!({"start_within": word, "user": "u"});
        let answer = rig
            .post(CHAT, &asked(CHAT, GEMINI, &any(&json!({})), fields))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json()["object"], "chat.completion");
        assert_eq!(answer.json()["service_tier"], tier);
        assert_eq!(answer.json()["choices"][0]["finish_reason"], "stop");
        for (name, value) in [
            ("x-flexinference-provider-surface", "gemini.interactions"),
            ("x-flexinference-served-provider", "google"),
            ("x-flexinference-routing-reason", "tier_direct"),
            ("x-flexinference-dropped", "user"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
        assert!(answer.header("x-flexinference-cost").is_some());
        let seen = &rig.simulator.seen()[0];
        assert_eq!(seen.path, "/v1beta/interactions");
        assert_eq!(seen.tier.as_deref(), Some(tier));
        assert_eq!(seen.json()["store"], false);
        assert!(seen.json().get("start_within").is_none());
    }
    let answer = rig
        .post(
            CHAT,
            &asked(
                CHAT,
                GEMINI,
                &any(&json!({})),
                json!({"start_within": "auto"}),
            ),
        )
        .await;
    assert_eq!(
        answer.json()["error"]["code"],
        "auto_unsupported_for_gemini"
    );
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
        .post(CHAT, &asked(CHAT, GEMINI, &any(&behaviour), fields))
        .await;
    let text = answer.text();
    assert_eq!(answer.status, 200, "{text}");
    let mut all = data(&text);
    assert_eq!(all.pop(), Some("[DONE]"));
    let chunks: Vec<Value> = all
        .iter()
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    let citations: Vec<&Value> = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["annotations"].as_array())
        .flatten()
        .collect();
    assert_eq!(citations.len(), 2);
    let said: String = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str())
        .collect();
    for citation in citations {
        let end = citation["url_citation"]["end_index"].as_u64().unwrap() as usize;
        assert!(end > 0 && end <= said.chars().count(), "{citation}");
    }
    let usage = &chunks.last().unwrap()["usage"];
    assert!(usage["completion_tokens_details"]["reasoning_tokens"].as_u64() > Some(0));
    assert!(usage["cost"]["total_micro_usd"].is_u64(), "{usage}");
    assert_eq!(usage["routing"]["tier"], "standard");
    rig.settle().await;
}

#[actix_web::test]
async fn a_call_comes_back_with_the_seal_that_gemini_asks_for() {
    let rig = Rig::start().await;
    // Models from Gemini 3 on refuse a call of the turn whose thoughts come back without their signature.
    let behaviour = any(&json!({"content": ["parallel_tool_calls"]}));
    let mut history = Vec::new();
    for _ in 0..3 {
        let mut messages = vec![json!({"role": "user", "content": scripted(&behaviour)})];
        messages.extend(history.clone());
        let fields = json!({"tools": weather(CHAT), "messages": messages});
        let answer = rig
            .post(CHAT, &asked(CHAT, GEMINI, &behaviour, fields))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let choice = &answer.json()["choices"][0];
        assert_eq!(choice["finish_reason"], "tool_calls");
        let calls = choice["message"]["tool_calls"].as_array().unwrap();
        assert_eq!(calls.len(), 2);
        history.push(choice["message"].clone());
        for call in calls {
            history.push(json!({"role": "tool", "tool_call_id": call["id"], "content": "Sunny"}));
        }
    }
    let mut ids: Vec<&Value> = history.iter().map(|said| &said["tool_call_id"]).collect();
    ids.retain(|id| !id.is_null());
    ids.sort_by_key(|id| id.to_string());
    ids.dedup();
    assert_eq!(ids.len(), 6, "no two calls have one id");
    // Without the seals the vendor refuses.
    let text = Value::Array(history).to_string();
    let bare = unsealed(&text);
    let mut messages = vec![json!({"role": "user", "content": scripted(&any(&json!({})))})];
    messages.extend(serde_json::from_str::<Vec<Value>>(&bare).unwrap());
    let fields = json!({"tools": weather(CHAT), "messages": messages});
    let answer = rig
        .post(CHAT, &asked(CHAT, GEMINI, &any(&json!({})), fields))
        .await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    rig.settle().await;
}

/// The text of a history without what rides in the ids of its calls.
fn unsealed(history: &str) -> String {
    let mut pieces = history.split("~gemini:");
    let mut bare = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let end = piece.find('"').unwrap();
        bare.push_str(&piece[end..]);
    }
    bare
}

#[actix_web::test]
async fn what_gemini_cannot_be_told_is_refused_and_nothing_goes_up() {
    let rig = Rig::start().await;
    for (param, fields) in [
        ("n", json!({"n": 2})),
        ("logit_bias", json!({"logit_bias": {"1": 1}})),
        (
            "parallel_tool_calls",
            json!({"tools": weather(CHAT), "parallel_tool_calls": false}),
        ),
    ] {
        let answer = rig
            .post(CHAT, &asked(CHAT, GEMINI, &any(&json!({})), fields))
            .await;
        assert_eq!(answer.status, 400, "{param}: {}", answer.text());
        let error = &answer.json()["error"];
        assert_eq!(error["code"], "unsupported_parameter");
        assert_eq!(error["param"], param);
    }
    let fields = json!({"start_within": RACE, "stop": "x"});
    let answer = rig
        .post(CHAT, &asked(CHAT, GEMINI, &any(&json!({})), fields))
        .await;
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert_eq!(
        answer.json()["error"]["code"],
        "flex_unsupported_chat_params"
    );
    assert!(rig.simulator.seen().is_empty());
    rig.settle().await;
}

#[actix_web::test]
async fn an_error_of_gemini_comes_in_the_callers_envelope() {
    let rig = Rig::start().await;
    let answer = rig
        .post(
            CHAT,
            &asked(CHAT, GEMINI, &any(&json!({"status": 429})), json!({})),
        )
        .await;
    assert_eq!(answer.status, 429);
    let error = &answer.json()["error"];
    assert_eq!(error["code"], "rate_limit_exceeded");
    assert_eq!(error["flexinference"]["origin"], "provider");
    assert_eq!(error["flexinference"]["provider"], "gemini");
    rig.settle().await;
}
