//! Nothing of a key, a prompt or an answer is logged, not even at the level at which every library says all it knows.

use serde_json::{Value, json};
use startline_load::simulator::{Options, Simulator};

use crate::client::{Connection, request};
use crate::process::{Serving, new_key, serve};
use crate::requests::{ENDPOINTS, RACED, behaving, good, with};

const CANARY: &str = "canary7e51";

/// Requests with the canary wherever a caller or a provider can put text.
fn requests(path: &str) -> Vec<Vec<u8>> {
    let text = format!("{CANARY} answer");
    let mut behaviours = vec![
        json!({"text": text}),
        json!({"text": text, "content": ["reasoning_summary", "text", "tool_call"]}),
        json!({"status": 400, "error_message": text, "error_code": CANARY}),
        json!({"status": 429, "error_message": text}),
        json!({"status": 503, "raw_body": text}),
        json!({"fault": "after_start", "fault_message": text, "fault_code": CANARY}),
        json!({"fault": "before_start", "fault_message": text}),
        json!({"text": text, "cut": {"before_terminal": true}}),
        json!({"text": text, "headers": {"x-secret": CANARY, "set-cookie": CANARY}}),
        json!({"raw_body": format!("{CANARY} is no JSON")}),
        json!({"drop": "rst"}),
    ];
    let mut found = Vec::new();
    for behaviour in behaviours.drain(..) {
        let mut body = behaving(path, &behaviour);
        if let Some(prompt) = body.get_mut("input") {
            *prompt = Value::from(format!("{CANARY} {}", prompt.as_str().unwrap()));
        }
        for stream in [false, true] {
            let fields = json!({"stream": stream, "include_cost": stream});
            let asked = with(body.clone(), fields);
            found.push(asked.to_string().into_bytes());
            if RACED.contains(&path) {
                let raced = with(asked, json!({"start_within": "00h-00m-30s"}));
                found.push(raced.to_string().into_bytes());
            }
        }
    }
    for (name, value) in [
        ("retry", json!({"count": CANARY})),
        ("start_within", json!(CANARY)),
        ("provider", json!([CANARY])),
        ("stream", json!(CANARY)),
        ("metadata", json!({"a": CANARY})),
    ] {
        let mut bad = good(path, CANARY);
        bad[name] = value;
        found.push(bad.to_string().into_bytes());
    }
    found.push(format!("{{\"{CANARY}\": ").into_bytes());
    found
}

#[actix_web::test]
async fn neither_keys_nor_prompts_nor_answers_reach_the_log() {
    for format in ["text", "json"] {
        let simulator = Simulator::start(Options::default()).unwrap();
        let key = new_key();
        let mut command = serve(&simulator, &key);
        for name in ["OPENAI", "GEMINI", "ANTHROPIC"] {
            let secret = format!("key-{CANARY}-{name}");
            command.env(format!("STARTLINE__PROVIDERS__{name}__API_KEY"), secret);
        }
        command.env("STARTLINE__LOG__FILTER", "trace");
        command.env("STARTLINE__LOG__FORMAT", format);
        let mut serving = Serving::start(&mut command, &key).await;
        let unknown = new_key();
        let mut sent = 0;
        for path in ENDPOINTS {
            for body in requests(path) {
                for (name, secret) in [("x-api-key", &key), ("x-goog-api-key", &unknown)] {
                    let headers = [
                        (name, secret.as_str()),
                        ("cookie", CANARY),
                        ("x-stainless", CANARY),
                    ];
                    let query = format!("{path}?key={CANARY}");
                    let mut connection = Connection::open(serving.address).await;
                    connection
                        .write(&request("POST", &query, &headers, &body))
                        .await;
                    connection.answer().await;
                    sent += 1;
                }
            }
        }
        serving.signal("TERM");
        assert_eq!(serving.end().await.code(), Some(0));
        let everything = serving.log() + &serving.printed();
        assert!(simulator.seen().len() > sent / 3, "the provider was asked");
        assert!(
            everything.matches("request answered").count() >= sent,
            "and the log is on"
        );
        for secret in [CANARY, &key, &unknown] {
            let found = everything.lines().find(|line| line.contains(secret));
            assert_eq!(found, None, "{format}");
        }
    }
}
