//! A Responses caller on a Gemini and on a Claude model: served over Interactions or Messages, answered as Responses.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::requests::{RESPONSES, data, with};
use crate::rig::{Rig, scripted};

const RACE: &str = "00h-00m-30s";
const GEMINI: &str = "gemini-3.5-flash";
const CLAUDE: &str = "claude-opus-5";

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

fn asked(model: &str, script: &Value, fields: Value) -> Value {
    let body = json!({"model": model, "input": scripted(script), "start_within": "default"});
    with(body, fields)
}

fn any(behaviour: &Value) -> Value {
    json!({ "any": behaviour })
}

fn weather() -> Value {
    json!([{"type": "function", "name": "weather", "parameters":
        {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}])
}

fn events(answer: &Answer) -> Vec<Value> {
    let text = answer.text();
    let all = data(&text);
    all.iter()
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

#[actix_web::test]
async fn a_request_goes_to_the_other_and_its_answer_is_a_response() {
    let rig = Rig::start().await;
    for (model, path, surface, tier) in OTHERS {
        rig.simulator.clear();
        let fields = json!({"user": "u", "max_output_tokens": 500});
        let answer = rig
            .post(RESPONSES, &asked(model, &any(&json!({})), fields))
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
    let raced = asked(CLAUDE, &any(&json!({})), json!({"start_within": RACE}));
    let answer = rig.post(RESPONSES, &raced).await;
    assert_eq!(
        answer.json()["error"]["code"],
        "flex_unsupported_for_anthropic"
    );
    rig.settle().await;
}

#[actix_web::test]
async fn a_race_is_won_by_flex_or_lost_to_standard() {
    let rig = Rig::start().await;
    for streamed in [false, true] {
        for (flex, reason, tiers) in [
            (json!({}), "flex_won", vec!["flex"]),
            (
                json!({"status": 503}),
                "flex_upstream_error",
                vec!["flex", "standard"],
            ),
        ] {
            rig.simulator.clear();
            let script = json!({"flex": flex, "settled": {}});
            let fields = json!({"start_within": RACE, "stream": streamed});
            let answer = rig.post(RESPONSES, &asked(GEMINI, &script, fields)).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            assert_eq!(
                answer.header("x-flexinference-routing-reason"),
                Some(reason)
            );
            let response = if streamed {
                events(&answer).last().unwrap()["response"].clone()
            } else {
                answer.json()
            };
            assert_eq!(response["service_tier"], *tiers.last().unwrap());
            let seen = rig.simulator.seen();
            let told: Vec<_> = seen
                .iter()
                .filter_map(|seen| seen.tier.as_deref())
                .collect();
            assert_eq!(told, tiers);
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn calls_come_back_and_their_results_and_thoughts_go_up() {
    let rig = Rig::start().await;
    for (model, ..) in OTHERS {
        let behaviour = any(&json!({"content": ["reasoning_summary", "parallel_tool_calls"]}));
        let mut history = vec![json!({"role": "user", "content": scripted(&behaviour)})];
        for _ in 0..2 {
            let fields = json!({"tools": weather(), "input": history, "reasoning": {"effort": "low", "summary": "auto"}});
            let answer = rig.post(RESPONSES, &asked(model, &behaviour, fields)).await;
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
            .post(RESPONSES, &asked(model, &any(&behaviour), fields))
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
                .post(RESPONSES, &asked(model, &any(&json!({})), fields))
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

#[actix_web::test]
async fn a_stream_that_breaks_is_never_a_clean_end() {
    let rig = Rig::start().await;
    for (model, ..) in OTHERS {
        for behaviour in [
            json!({"fault": "after_start"}),
            json!({"cut": {"before_terminal": true, "how": "fin"}}),
            json!({"cut": {"before_terminal": true, "how": "rst"}}),
        ] {
            let answer = rig
                .post(
                    RESPONSES,
                    &asked(model, &any(&behaviour), json!({"stream": true})),
                )
                .await;
            let events = events(&answer);
            let last = events.last().unwrap();
            assert_eq!(last["type"], "response.failed", "{behaviour}: {last}");
            assert_eq!(last["sequence_number"], events.len() - 1);
            assert_eq!(last["response"]["id"], events[0]["response"]["id"]);
            let whole = rig
                .post(RESPONSES, &asked(model, &any(&behaviour), json!({})))
                .await;
            assert_ne!(whole.status, 200, "{behaviour}: {}", whole.text());
        }
    }
    rig.settle().await;
}
