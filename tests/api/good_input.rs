//! The other side of the bad requests: what looks odd and is legal is served, and goes upstream as it was written.

use serde_json::{Value, json};

use crate::requests::{CHAT, ENDPOINTS, INTERACTIONS, MESSAGES, RACED, RESPONSES, good, with};
use crate::rig::Rig;

#[actix_web::test]
async fn the_edges_of_every_field_are_served() {
    let rig = Rig::start().await;
    for path in ENDPOINTS {
        for fields in [
            json!({"stream": null}),
            json!({"stream": false, "include_cost": false}),
            json!({"retry": {"count": 1}}),
            json!({"retry": {"count": 5, "backoff": "linear", "jitter": false}}),
        ] {
            let answer = rig
                .post(path, &with(good(path, "Hello"), fields.clone()))
                .await;
            assert_eq!(answer.status, 200, "{path} {fields}: {}", answer.text());
            assert_eq!(
                answer.header("content-type"),
                Some("application/json"),
                "{path} {fields}"
            );
        }
        let direct = match path {
            INTERACTIONS => "google",
            MESSAGES => "anthropic",
            _ => "openai",
        };
        let chain = with(good(path, "Hello"), json!({"provider": [direct]}));
        assert_eq!(rig.post(path, &chain).await.status, 200, "{path}");
    }
    for path in RACED {
        for duration in ["00h-00m-05s", "00h-10m-00s", "00h-00m-90s", "00h-09m-60s"] {
            let body = with(good(path, "Hello"), json!({"start_within": duration}));
            let answer = rig.post(path, &body).await;
            assert_eq!(answer.status, 200, "{path} {duration}: {}", answer.text());
            assert_eq!(answer.header("x-flexinference-flex-applied"), Some("true"));
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn our_fields_are_known_when_their_names_are_escaped_and_no_provider_sees_them() {
    let rig = Rig::start().await;
    let body = r#"{"m\u006fdel":"gpt-5.5","input":"Hi","start\u005fwithin":"priority","r\u0065try":{"c\u006funt":1},
        "pr\u006fvider":["open\u0061i"],"include\u005fcost":false,"str\u0065am":false}"#;
    let answer = rig.send("POST", RESPONSES, &[], body.as_bytes()).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("x-flexinference-retries"), Some("0"));
    let upstream = rig.simulator.seen().pop().unwrap().json();
    let expected =
        json!({"model": "gpt-5.5", "input": "Hi", "stream": false, "service_tier": "priority"});
    assert_eq!(upstream, expected);
    rig.settle().await;
}

#[actix_web::test]
async fn what_is_not_ours_to_judge_goes_to_the_provider() {
    let rig = Rig::start().await;
    for (path, fields) in [
        (RESPONSES, json!({"input": null})),
        (RESPONSES, json!({"background": false})),
        (INTERACTIONS, json!({"background": null})),
        (RESPONSES, json!({"input": 5})),
        (RESPONSES, json!({"temperature": "hot"})),
        (RESPONSES, json!({"max_output_tokens": -1})),
        (RESPONSES, json!({"tools": {"a": 1}})),
        (CHAT, json!({"messages": []})),
        (CHAT, json!({"messages": [null, 1]})),
        (INTERACTIONS, json!({"input": {}})),
        (MESSAGES, json!({"messages": [[[]]]})),
        (MESSAGES, json!({"max_tokens": null})),
        (MESSAGES, json!({"some_new_field": true})),
    ] {
        rig.post(path, &with(good(path, "Hello"), fields.clone()))
            .await;
        let seen = rig.simulator.seen();
        assert_eq!(seen.len(), 1, "{path} {fields} did not go upstream");
        for (name, value) in fields.as_object().unwrap() {
            assert_eq!(seen[0].json()[name], *value, "{path} {name}");
        }
        rig.simulator.clear();
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_request_without_input_is_served_where_the_provider_has_it_already() {
    let rig = Rig::start().await;
    for (path, fields) in [
        (RESPONSES, json!({"previous_response_id": "resp_1"})),
        (RESPONSES, json!({"conversation": "conv_1"})),
        (RESPONSES, json!({"prompt": {"id": "pmpt_1"}})),
        (INTERACTIONS, json!({"continuation_token": "t"})),
    ] {
        let mut body = with(good(path, "Hello"), fields.clone());
        body.as_object_mut().unwrap().remove("input");
        rig.post(path, &body).await;
        let seen = rig.simulator.seen();
        assert_eq!(seen.len(), 1, "{path} {fields}");
        assert_eq!(seen[0].json().get("input"), None::<&Value>);
        rig.simulator.clear();
    }
    rig.settle().await;
}

#[actix_web::test]
async fn chats_native_parameters_are_served_on_the_tier_words() {
    let rig = Rig::start().await;
    let body = br#"{"model":"gpt-4.1","messages":[{"role":"user","content":"Hi"}],"start_within":"default","n":1,
        "seed":5,"logit_bias":{"50256":-100},"presence_penalty":0.10,"top_logprobs":2,"logprobs":true}"#;
    let answer = rig.send("POST", CHAT, &[], body).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let upstream = rig.simulator.seen().pop().unwrap();
    let text = String::from_utf8_lossy(&upstream.body).into_owned();
    assert!(
        text.contains(r#""seed":5,"logit_bias":{"50256":-100},"presence_penalty":0.10"#),
        "{text}"
    );
    assert_eq!(upstream.tier.as_deref(), Some("default"));
    rig.settle().await;
}
