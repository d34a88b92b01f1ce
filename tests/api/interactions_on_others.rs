//! An Interactions caller on an OpenAI and on a Claude model: served over Responses or Messages, answered as Gemini
//! answers.

use serde_json::{Value, json};

use crate::other_vendors::{CLAUDE, OPENAI, RACE, any, asked, events, weather};
use crate::requests::INTERACTIONS;
use crate::rig::{Rig, scripted};

/// Model, path upstream, surface, tier asked for and tier told.
const OTHERS: [(&str, &str, &str, &str, &str); 2] = [
    (
        OPENAI,
        "/v1/responses",
        "openai.responses",
        "default",
        "default",
    ),
    (
        CLAUDE,
        "/v1/messages",
        "anthropic.messages",
        "standard_only",
        "standard",
    ),
];

#[actix_web::test]
async fn a_request_goes_to_the_other_and_its_answer_is_an_interaction() {
    let rig = Rig::start().await;
    for (model, path, surface, tier, told) in OTHERS {
        rig.simulator.clear();
        let fields = json!({"labels": {"a": "b"}});
        let answer = rig
            .post(
                INTERACTIONS,
                &asked(INTERACTIONS, model, &any(&json!({})), fields),
            )
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let interaction = answer.json();
        assert_eq!(interaction["object"], "interaction");
        assert_eq!(interaction["status"], "completed");
        assert_eq!(interaction["service_tier"], told);
        assert!(interaction["created"].as_str().unwrap().ends_with('Z'));
        for (name, value) in [
            ("x-flexinference-provider-surface", surface),
            ("x-flexinference-dropped", "labels"),
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
        INTERACTIONS,
        CLAUDE,
        &any(&json!({})),
        json!({"start_within": RACE}),
    );
    let answer = rig.post(INTERACTIONS, &raced).await;
    let code = &answer.json()["error"]["flexinference"]["code"];
    assert_eq!(code, "flex_unsupported_for_anthropic");
    rig.settle().await;
}

#[actix_web::test]
async fn calls_come_back_and_their_results_and_thoughts_go_up() {
    let rig = Rig::start().await;
    for (model, ..) in OTHERS {
        let behaviour = any(&json!({"content": ["reasoning_summary", "parallel_tool_calls"]}));
        let mut history = vec![json!({"type": "user_input", "content": scripted(&behaviour)})];
        for _ in 0..2 {
            let config = json!({"thinking_level": "low", "thinking_summaries": "auto"});
            let fields = json!({"tools": weather(INTERACTIONS), "input": history, "generation_config": config});
            let answer = rig
                .post(
                    INTERACTIONS,
                    &asked(INTERACTIONS, model, &behaviour, fields),
                )
                .await;
            assert_eq!(answer.status, 200, "{model}: {}", answer.text());
            assert_eq!(answer.json()["status"], "requires_action");
            let steps = answer.json()["steps"].as_array().unwrap().clone();
            let calls = steps.iter().filter(|step| step["type"] == "function_call");
            let results: Vec<Value> = calls
                .map(|call| json!({"type": "function_result", "call_id": call["id"], "name": call["name"], "result": "Sunny"}))
                .collect();
            assert_eq!(results.len(), 2);
            assert!(steps.iter().any(|step| step["type"] == "thought"));
            history.extend(steps);
            history.extend(results);
        }
        let seen = rig.simulator.seen();
        let last = seen.last().unwrap().json().to_string();
        assert!(
            last.contains("\"reasoning\",") || last.contains("\"thinking\""),
            "{last}"
        );
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_stream_comes_event_by_event_and_its_usage_with_the_cost() {
    let rig = Rig::start().await;
    for (model, _, _, _, tier) in OTHERS {
        let behaviour = json!({"content": ["reasoning_summary", "web_search"]});
        let fields = json!({"stream": true, "include_cost": true});
        let answer = rig
            .post(
                INTERACTIONS,
                &asked(INTERACTIONS, model, &any(&behaviour), fields),
            )
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(answer.text().ends_with("event: done\ndata: [DONE]\n\n"));
        let events = events(&answer);
        let of = |kind: &str| {
            events
                .iter()
                .filter(|event| event["delta"]["type"] == kind)
                .count()
        };
        assert!(of("text") > 1 && of("thought_summary") > 0);
        assert_eq!(of("text_annotation_delta"), 2);
        let usage = &events.last().unwrap()["interaction"]["usage"];
        assert!(usage["cost"]["total_micro_usd"].is_u64(), "{usage}");
        assert_eq!(usage["routing"]["tier"], tier);
    }
    rig.settle().await;
}
