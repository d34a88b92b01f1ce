//! A Messages caller on an OpenAI and on a Gemini model: served over Responses or Interactions, raced where a duration
//! is given, answered as Messages.

use serde_json::{Value, json};

use crate::other_vendors::{GEMINI, OPENAI, RACE, any, asked, events, weather};
use crate::requests::{MESSAGES, with};
use crate::rig::{Rig, scripted};

/// Model, path upstream, surface and standard tier.
const OTHERS: [(&str, &str, &str, &str); 2] = [
    (OPENAI, "/v1/responses", "openai.responses", "default"),
    (
        GEMINI,
        "/v1beta/interactions",
        "gemini.interactions",
        "standard",
    ),
];

#[actix_web::test]
async fn a_request_goes_to_the_other_and_its_answer_is_a_message() {
    let rig = Rig::start().await;
    for (model, path, surface, standard) in OTHERS {
        for (word, tier) in [("default", standard), ("priority", "priority")] {
            rig.simulator.clear();
            let fields = json!({"start_within": word, "metadata": {"user_id": "u"}});
            let answer = rig
                .post(MESSAGES, &asked(MESSAGES, model, &any(&json!({})), fields))
                .await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            let message = answer.json();
            assert_eq!(message["type"], "message");
            assert_eq!(message["usage"]["service_tier"], tier);
            assert_eq!(message["stop_reason"], "end_turn");
            assert_eq!(message["content"][0]["type"], "text");
            assert!(message["id"].as_str().unwrap().starts_with("msg_"));
            for (name, value) in [
                ("x-flexinference-provider-surface", surface),
                ("x-flexinference-routing-reason", "tier_direct"),
                ("x-flexinference-dropped", "metadata"),
            ] {
                assert_eq!(answer.header(name), Some(value));
            }
            assert!(answer.header("x-flexinference-cost").is_some());
            let seen = &rig.simulator.seen()[0];
            assert_eq!(seen.path, path);
            assert_eq!(seen.tier.as_deref(), Some(tier));
            assert_eq!(seen.json()["store"], false);
            assert_eq!(seen.header("anthropic-version"), None);
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn calls_come_back_and_their_results_and_thoughts_go_up() {
    let rig = Rig::start().await;
    for (model, ..) in OTHERS {
        for thinking in [json!(null), json!({"type": "adaptive"})] {
            let behaviour = any(&json!({"content": ["reasoning_summary", "parallel_tool_calls"]}));
            let mut history = Vec::new();
            for _ in 0..2 {
                let mut messages = vec![json!({"role": "user", "content": scripted(&behaviour)})];
                messages.extend(history.clone());
                let mut fields = json!({"tools": weather(MESSAGES), "messages": messages});
                if !thinking.is_null() {
                    fields["thinking"] = thinking.clone();
                }
                let answer = rig
                    .post(MESSAGES, &asked(MESSAGES, model, &behaviour, fields))
                    .await;
                assert_eq!(answer.status, 200, "{model}: {}", answer.text());
                let message = answer.json();
                assert_eq!(message["stop_reason"], "tool_use");
                let content = message["content"].as_array().unwrap();
                let of = |kind: &str| content.iter().filter(|block| block["type"] == kind).count();
                assert_eq!(of("tool_use"), 2);
                assert_eq!(of("thinking") > 0, !thinking.is_null(), "{content:?}");
                let results: Vec<Value> = content
                    .iter()
                    .filter(|block| block["type"] == "tool_use")
                    .map(|call| json!({"type": "tool_result", "tool_use_id": call["id"], "content": "Sunny"}))
                    .collect();
                history.push(json!({"role": "assistant", "content": content}));
                history.push(json!({"role": "user", "content": results}));
            }
            let seen = rig.simulator.seen();
            let last = seen.last().unwrap().json();
            let kinds: Vec<&str> = last["input"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|item| item["type"].as_str())
                .collect();
            let replays = kinds.contains(&"reasoning") || kinds.contains(&"thought");
            // Gemini asks for its thoughts, shown or not; OpenAI seals them only where they are asked for.
            assert_eq!(
                replays,
                model.starts_with("gemini") || !thinking.is_null(),
                "{kinds:?}"
            );
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_stream_comes_event_by_event_and_its_usage_with_the_cost() {
    let rig = Rig::start().await;
    for (model, _, _, standard) in OTHERS {
        let behaviour = json!({"content": ["reasoning_summary", "web_search"]});
        let fields =
            json!({"stream": true, "include_cost": true, "thinking": {"type": "adaptive"}});
        let answer = rig
            .post(MESSAGES, &asked(MESSAGES, model, &any(&behaviour), fields))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let events = events(&answer);
        let of = |kind: &str| {
            events
                .iter()
                .filter(|event| event["delta"]["type"] == kind)
                .count()
        };
        assert!(of("text_delta") > 1 && of("thinking_delta") > 0);
        assert_eq!(of("citations_delta"), 2);
        let usage = &events[events.len() - 2]["usage"];
        assert!(usage["input_tokens"].as_u64() > Some(0));
        assert!(usage["cost"]["total_micro_usd"].is_u64(), "{usage}");
        assert_eq!(usage["routing"]["tier"], standard);
    }
    rig.settle().await;
}

#[actix_web::test]
async fn what_the_other_cannot_be_told_is_refused_and_nothing_goes_up() {
    let rig = Rig::start().await;
    for (model, param, fields) in [
        (OPENAI, "stop_sequences", json!({"stop_sequences": ["x"]})),
        (OPENAI, "top_k", json!({"top_k": 3})),
        (GEMINI, "top_k", json!({"top_k": 3})),
        (
            GEMINI,
            "tool_choice.disable_parallel_tool_use",
            json!({"tools": weather(MESSAGES), "tool_choice": {"type": "auto", "disable_parallel_tool_use": true}}),
        ),
        (
            OPENAI,
            "thinking.type",
            json!({"thinking": {"type": "deep"}}),
        ),
    ] {
        for start_within in ["default", RACE] {
            let fields = with(fields.clone(), json!({"start_within": start_within}));
            let answer = rig
                .post(MESSAGES, &asked(MESSAGES, model, &any(&json!({})), fields))
                .await;
            assert_eq!(answer.status, 400, "{param}: {}", answer.text());
            let body = answer.json();
            assert_eq!(body["error"]["type"], "invalid_request_error");
            assert_eq!(
                body["error"]["flexinference"]["code"],
                "unsupported_parameter"
            );
            let message = body["error"]["message"].as_str().unwrap();
            assert!(message.contains(param), "{message}");
        }
    }
    assert!(rig.simulator.seen().is_empty());
    rig.settle().await;
}

#[actix_web::test]
async fn an_error_of_the_provider_comes_in_the_callers_envelope() {
    let rig = Rig::start().await;
    for (model, ..) in OTHERS {
        let body = asked(MESSAGES, model, &any(&json!({"status": 429})), json!({}));
        let answer = rig.post(MESSAGES, &body).await;
        assert_eq!(answer.status, 429);
        assert_eq!(answer.json()["type"], "error");
        let error = &answer.json()["error"];
        assert_eq!(error["type"], "rate_limit_error");
        assert_eq!(error["flexinference"]["origin"], "provider");
    }
    rig.settle().await;
}
