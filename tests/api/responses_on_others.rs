//! A Responses caller on a Gemini and on a Claude model: served over Interactions or Messages, answered as Responses.

use serde_json::{Value, json};

use crate::other_vendors::{CLAUDE, GEMINI, RACE, any, asked, events, weather};
use crate::requests::RESPONSES;
use crate::rig::{Rig, scripted};

/// Model, path upstream, surface, tier asked for and tier told.
const OTHERS: [(&str, &str, &str, &str); 2] = [
    (
        GEMINI,
        "/v1beta/interactions",
        "gemini.interactions",
        "standard",
    ),
    (
        CLAUDE,
        "/v1/messages",
        "anthropic.messages",
        "standard_only",
    ),
];

#[actix_web::test]
async fn a_request_goes_to_the_other_and_its_answer_is_a_response() {
    let rig = Rig::start().await;
    for (model, path, surface, tier) in OTHERS {
        rig.simulator.clear();
        let fields = json!({"user": "u", "max_output_tokens": 500});
        let answer = rig
            .post(
                RESPONSES,
                &asked(RESPONSES, model, &any(&json!({})), fields),
            )
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let response = answer.json();
        assert_eq!(
            (&response["object"], &response["status"]),
            (&json!("response"), &json!("completed"))
        );
        assert_eq!(response["service_tier"], "standard");
        assert_eq!(response["max_output_tokens"], 500);
        assert!(response["id"].as_str().unwrap().starts_with("resp_"));
        for (name, value) in [
            ("x-flexinference-provider-surface", surface),
            ("x-flexinference-routing-reason", "tier_direct"),
            ("x-flexinference-dropped", "user"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
        assert!(answer.header("x-flexinference-cost").is_some());
        let seen = &rig.simulator.seen()[0];
        assert_eq!(
            (seen.path.as_str(), seen.tier.as_deref()),
            (path, Some(tier))
        );
    }
    let raced = asked(
        RESPONSES,
        CLAUDE,
        &any(&json!({})),
        json!({"start_within": RACE}),
    );
    let answer = rig.post(RESPONSES, &raced).await;
    assert_eq!(
        answer.json()["error"]["code"],
        "flex_unsupported_for_anthropic"
    );
    rig.settle().await;
}

#[actix_web::test]
async fn calls_come_back_and_their_results_and_thoughts_go_up() {
    let rig = Rig::start().await;
    for (model, ..) in OTHERS {
        let behaviour = any(&json!({"content": ["reasoning_summary", "parallel_tool_calls"]}));
        let mut history = vec![json!({"role": "user", "content": scripted(&behaviour)})];
        for _ in 0..2 {
            let fields = json!({"tools": weather(RESPONSES), "input": history, "reasoning": {"effort": "low", "summary": "auto"}});
            let answer = rig
                .post(RESPONSES, &asked(RESPONSES, model, &behaviour, fields))
                .await;
            assert_eq!(answer.status, 200, "{model}: {}", answer.text());
            let output = answer.json()["output"].as_array().unwrap().clone();
            let calls: Vec<&Value> = output
                .iter()
                .filter(|item| item["type"] == "function_call")
                .collect();
            assert_eq!(calls.len(), 2);
            let results: Vec<Value> = calls
                .iter()
                .map(|call| json!({"type": "function_call_output", "call_id": call["call_id"], "output": "Sunny"}))
                .collect();
            history.extend(output);
            history.extend(results);
        }
        let seen = rig.simulator.seen();
        let last = seen.last().unwrap().json().to_string();
        assert!(
            last.contains("\"thought\"") || last.contains("\"thinking\""),
            "{last}"
        );
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_stream_has_every_event_and_its_usage_the_cost() {
    let rig = Rig::start().await;
    for (model, ..) in OTHERS {
        let behaviour = json!({"content": ["reasoning_summary", "web_search"]});
        let fields = json!({"stream": true, "include_cost": true});
        let answer = rig
            .post(
                RESPONSES,
                &asked(RESPONSES, model, &any(&behaviour), fields),
            )
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let events = events(&answer);
        for (number, event) in events.iter().enumerate() {
            assert_eq!(event["sequence_number"], number);
        }
        let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
        assert!(of("response.output_text.delta") > 1);
        assert!(of("response.reasoning_summary_text.delta") > 0);
        assert_eq!(of("response.output_text.annotation.added"), 2);
        let usage = &events.last().unwrap()["response"]["usage"];
        assert!(usage["cost"]["total_micro_usd"].is_u64(), "{usage}");
        assert_eq!(usage["routing"]["tier"], "standard");
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_state_that_is_kept_at_openai_is_refused_and_nothing_goes_up() {
    let rig = Rig::start().await;
    for (model, ..) in OTHERS {
        for (param, fields) in [
            (
                "previous_response_id",
                json!({"previous_response_id": "resp_1"}),
            ),
            ("conversation", json!({"conversation": "conv_1"})),
            ("background", json!({"background": true})),
            ("tools[0].type", json!({"tools": [{"type": "web_search"}]})),
        ] {
            let answer = rig
                .post(
                    RESPONSES,
                    &asked(RESPONSES, model, &any(&json!({})), fields),
                )
                .await;
            assert_eq!(answer.status, 400, "{param}: {}", answer.text());
            let error = &answer.json()["error"];
            assert_eq!(
                (&error["code"], &error["param"]),
                (&json!("unsupported_parameter"), &json!(param))
            );
        }
    }
    assert!(rig.simulator.seen().is_empty());
    rig.settle().await;
}
