//! The headers of an answer: what the router says, what of the provider's passes, what of the caller's goes upstream.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::Answer;
use crate::requests::{
    CHAT, ENDPOINTS, INTERACTIONS, MESSAGES, RACED, RESPONSES, behaving, good, with,
};
use crate::rig::{Rig, scripted};

/// Requested, applied, flex reason, routing reason.
type Told = [&'static str; 4];

fn assert_told(what: &str, answer: &Answer, path: &str, told: Told) {
    let (surface, route) = match path {
        RESPONSES => ("openai.responses", "openai"),
        CHAT if told[0] == "true" => ("openai.responses", "openai"),
        CHAT => ("openai.chat", "openai"),
        INTERACTIONS => ("gemini.interactions", "google"),
        _ => ("anthropic.messages", "anthropic"),
    };
    let [requested, applied, flex_reason, routing_reason] = told;
    for (name, value) in [
        ("flex-requested", requested),
        ("flex-applied", applied),
        ("flex-reason", flex_reason),
        ("routing-reason", routing_reason),
        ("provider-surface", surface),
        ("served-provider", route),
    ] {
        let name = format!("x-flexinference-{name}");
        assert_eq!(answer.header(&name), Some(value), "{what}: {name}");
    }
}

#[actix_web::test]
async fn every_200_says_how_it_was_served() {
    let rig = Rig::start().await;
    let direct = ["false", "false", "not_requested", "tier_direct"];
    let won = ["true", "true", "flex_committed", "flex_won"];
    for stream in [false, true] {
        for path in ENDPOINTS {
            for word in ["default", "priority"] {
                let fields = json!({"stream": stream, "start_within": word});
                let answer = rig.post(path, &with(good(path, "Hello"), fields)).await;
                assert_told(&format!("{path} {word}"), &answer, path, direct);
            }
        }
        for path in RACED {
            let fields = json!({"stream": stream, "start_within": "00h-00m-30s"});
            let answer = rig
                .post(path, &with(good(path, "Hello"), fields.clone()))
                .await;
            assert_told(&format!("{path}, won"), &answer, path, won);
            for (flex, reason) in [
                (json!({"status": 429}), "flex_capacity"),
                (json!({"status": 500}), "flex_upstream_error"),
                (json!({"status": 503}), "flex_upstream_error"),
                (json!({"status": 408}), "flex_upstream_error"),
                (json!({"fault": "before_start"}), "flex_not_started"),
                (json!({"drop": "rst"}), "flex_not_started"),
                (json!({"raw_body": "{}"}), "flex_not_started"),
            ] {
                let prompt = scripted(&json!({"flex": flex}));
                let answer = rig
                    .post(path, &with(good(path, &prompt), fields.clone()))
                    .await;
                let lost = ["true", "false", "flex_lost_race", reason];
                assert_told(&format!("{path} {flex}"), &answer, path, lost);
            }
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn the_providers_request_id_stands_beside_ours() {
    let rig = Rig::start().await;
    for path in ENDPOINTS {
        for status in [None, Some(400), Some(503)] {
            let id = format!("upstream-{}", path.len());
            let name = if path == MESSAGES {
                "request-id"
            } else {
                "x-request-id"
            };
            let behaviour = json!({"status": status, "headers": {name: id}});
            let answer = rig.post(path, &behaving(path, &behaviour)).await;
            let ours = answer.header("x-request-id").unwrap();
            assert!(ours.starts_with("req_") && ours.len() == 36, "{ours}");
            let theirs = answer
                .header("x-flexinference-upstream-request-id")
                .unwrap();
            // OpenAI and Anthropic give one of their own, too; whichever counts, it is the provider's.
            assert_ne!(theirs, ours);
            if path == INTERACTIONS {
                assert_eq!(theirs, id);
            }
            let under_anthropics_name = (path == MESSAGES).then_some(ours);
            assert_eq!(answer.header("request-id"), under_anthropics_name, "{path}");
            let count = answer
                .headers
                .iter()
                .filter(|(name, _)| name == "x-request-id")
                .count();
            assert_eq!(count, 1, "{path}");
        }
    }
    rig.settle().await;
}

/// Headers of a provider that speak of the request.
const PASSING: [(&str, &str); 10] = [
    ("x-ratelimit-marker", "10"),
    ("retry-after", "3"),
    ("retry-after-ms", "2500"),
    ("x-should-retry", "false"),
    ("openai-marker", "m"),
    ("anthropic-marker", "m"),
    ("x-gemini-marker", "m"),
    ("x-some-header", "kept"),
    ("warning", "199 - \"old\""),
    ("openai-organization", "org-1"),
];

/// Those that speak of the connection to the provider, or that are ours to set.
const STAYING: [(&str, &str); 14] = [
    ("set-cookie", "session=secret"),
    ("server", "provider"),
    ("via", "1.1 provider"),
    ("alt-svc", "h3=\":443\""),
    ("cf-ray", "1"),
    ("strict-transport-security", "max-age=1"),
    ("keep-alive", "timeout=4"),
    ("proxy-authenticate", "Basic"),
    ("www-authenticate", "Bearer"),
    ("x-powered-by", "provider"),
    ("access-control-allow-origin", "*"),
    ("x-flexinference-flex-applied", "forged"),
    ("x-flexinference-cost", "999999"),
    ("x-flexinference-forged", "forged"),
];

#[actix_web::test]
async fn what_speaks_of_the_request_passes_and_what_speaks_of_the_connection_stays() {
    let rig = Rig::start().await;
    let mut headers = json!({});
    for (name, value) in PASSING.iter().chain(&STAYING) {
        headers[*name] = Value::from(*value);
    }
    for path in ENDPOINTS {
        for (stream, status) in [
            (false, None),
            (true, None),
            (false, Some(400)),
            (true, Some(529)),
        ] {
            let behaviour = json!({"headers": headers, "status": status, "no_usage": true});
            let body = with(behaving(path, &behaviour), json!({"stream": stream}));
            let answer = rig.post(path, &body).await;
            let what = format!("{path}, stream {stream}, {status:?}");
            for (name, value) in PASSING {
                assert_eq!(answer.header(name), Some(value), "{what}: {name}");
            }
            for (name, value) in STAYING {
                assert_ne!(answer.header(name), Some(value), "{what}: {name}");
            }
            assert_eq!(answer.header("x-flexinference-forged"), None, "{what}");
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn an_event_stream_is_not_to_be_buffered_or_cached() {
    let rig = Rig::start().await;
    for path in ENDPOINTS {
        for (behaviour, stream) in [
            (json!({}), true),
            (json!({"framing": "length"}), true),
            (
                json!({"headers": {"cache-control": "public", "x-accel-buffering": "yes"}}),
                true,
            ),
            (json!({}), false),
            (json!({"status": 400}), true),
        ] {
            let body = with(behaving(path, &behaviour), json!({"stream": stream}));
            let answer = rig.post(path, &body).await;
            let what = format!("{path} {behaviour}, stream {stream}");
            let streams = stream && answer.status == 200;
            assert_eq!(
                answer.header("x-accel-buffering"),
                streams.then_some("no"),
                "{what}"
            );
            let all = |name: &str| {
                answer
                    .headers
                    .iter()
                    .filter(|(known, _)| known == name)
                    .count()
            };
            assert_eq!(all("content-type"), 1, "{what}");
            if streams {
                assert_eq!(answer.header("cache-control"), Some("no-cache"), "{what}");
                assert_eq!(all("cache-control"), 1, "{what}");
                let kind = answer.header("content-type").unwrap();
                assert!(kind.starts_with("text/event-stream"), "{what}: {kind}");
                assert_eq!(
                    answer.header("transfer-encoding"),
                    Some("chunked"),
                    "{what}"
                );
                assert_eq!(answer.header("content-length"), None, "{what}");
            } else {
                assert_eq!(
                    answer.header("content-type"),
                    Some("application/json"),
                    "{what}"
                );
                assert_eq!(answer.header("transfer-encoding"), None, "{what}");
                let length = answer.body.len().to_string();
                assert_eq!(answer.header("content-length"), Some(&*length), "{what}");
            }
            assert!(answer.is_whole, "{what}");
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn retries_are_told_when_they_were_asked_for_on_errors_too() {
    let rig = Rig::start().await;
    let quick = |status: u16| json!({"status": status, "retry_after_ms": 1});
    for path in ENDPOINTS {
        for (settled, retry, status, told) in [
            (json!([{}]), Value::Null, 200, None),
            (json!([{}]), json!({"count": 2}), 200, Some("0")),
            (json!([quick(503), {}]), json!({"count": 2}), 200, Some("1")),
            (json!([quick(429)]), json!({"count": 2}), 429, Some("2")),
            (json!([quick(503)]), Value::Null, 503, None),
            (json!([quick(400)]), json!({"count": 5}), 400, Some("0")),
        ] {
            let prompt = scripted(&json!({"settled": settled}));
            let mut body = good(path, &prompt);
            if !retry.is_null() {
                body["retry"] = retry;
            }
            let answer = rig.post(path, &body).await;
            let what = format!("{path} {settled}");
            assert_eq!(answer.status, status, "{what}");
            assert_eq!(answer.header("x-flexinference-retries"), told, "{what}");
            rig.simulator.clear();
        }
        let unserved = with(
            good(path, "Hello"),
            json!({"retry": {"count": 2}, "background": true}),
        );
        let refused = rig.post(path, &unserved).await;
        assert_eq!(refused.status, 400, "{path}");
        assert_eq!(refused.header("x-flexinference-retries"), Some("0"));
        // Where `retry` itself cannot be read, nothing is told.
        let bad = with(good(path, "Hello"), json!({"retry": {"count": 9}}));
        assert_eq!(
            rig.post(path, &bad).await.header("x-flexinference-retries"),
            None
        );
    }
    rig.settle().await;
}

/// What a client, a proxy and a curious caller may send.
const SENT: [(&str, &str); 18] = [
    ("accept", "application/xml"),
    ("accept-encoding", "gzip, br"),
    ("anthropic-beta", "beta-1"),
    ("anthropic-version", "2026-10-21"),
    ("cookie", "session=secret"),
    ("forwarded", "for=10.0.0.1"),
    ("idempotency-key", "idem-1"),
    ("openai-beta", "assistants=v2"),
    ("openai-organization", "org-caller"),
    ("openai-project", "proj-caller"),
    ("origin", "https://example.com"),
    ("referer", "https://example.com/page"),
    (
        "traceparent",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ),
    ("tracestate", "a=b"),
    ("user-agent", "caller/1"),
    ("x-forwarded-for", "10.0.0.1"),
    ("x-sim", "{\"any\":{\"status\":500}}"),
    ("x-stainless-retry-count", "1"),
];

#[actix_web::test]
async fn of_the_callers_headers_only_the_listed_ones_go_upstream() {
    let rig = Rig::start().await;
    for path in ENDPOINTS {
        let mut sent = SENT.to_vec();
        let key = rig.key.clone();
        sent.extend([("x-api-key", &*key), ("x-goog-api-key", &*key)]);
        let answer = rig
            .send(
                "POST",
                path,
                &sent,
                good(path, "Hello").to_string().as_bytes(),
            )
            .await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let seen = rig.simulator.seen().pop().unwrap();
        let own: &[&str] = match path {
            MESSAGES => &["x-api-key", "anthropic-version", "anthropic-beta"],
            INTERACTIONS => &["x-goog-api-key"],
            _ => &["authorization", "openai-beta"],
        };
        // awc adds the date, and that it takes no compressed answer.
        let common = [
            "accept",
            "accept-encoding",
            "content-length",
            "content-type",
            "date",
            "host",
            "traceparent",
            "user-agent",
        ];
        let expected: BTreeSet<&str> = common.iter().chain(own).copied().collect();
        let names: BTreeSet<&str> = seen.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected, "{path}");
        assert_eq!(
            seen.headers.len(),
            expected.len(),
            "{path}: no header twice"
        );
        assert!(seen.header("user-agent").unwrap().starts_with("startline/"));
        assert_eq!(seen.header("accept"), Some("application/json"));
        assert_eq!(seen.header("accept-encoding"), Some("identity"));
        assert_eq!(seen.header("traceparent"), Some(SENT[12].1));
        let (name, value) = match path {
            MESSAGES => ("x-api-key", "sk-ant-simulated"),
            INTERACTIONS => ("x-goog-api-key", "AIza-simulated"),
            _ => ("authorization", "Bearer sk-simulated"),
        };
        assert_eq!(seen.header(name), Some(value));
        let everything = format!("{:?} {}", seen.headers, String::from_utf8_lossy(&seen.body));
        assert!(
            !everything.contains(&rig.key),
            "{path}: the router key went upstream"
        );
    }
    rig.settle().await;
}

#[actix_web::test]
async fn the_callers_anthropic_version_passes_and_an_absent_one_is_filled_in() {
    let rig = Rig::start().await;
    let body = good(MESSAGES, "Hello").to_string();
    for (sent, upstream) in [(None, "2023-06-01"), (Some("2026-10-21"), "2026-10-21")] {
        let headers: Vec<(&str, &str)> = sent
            .map(|version| ("anthropic-version", version))
            .into_iter()
            .collect();
        let answer = rig.send("POST", MESSAGES, &headers, body.as_bytes()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let seen = rig.simulator.seen().pop().unwrap();
        assert_eq!(seen.header("anthropic-version"), Some(upstream));
    }
    // An unknown one is the vendor's to refuse.
    let headers = [("anthropic-version", "1999-01-01")];
    let answer = rig.send("POST", MESSAGES, &headers, body.as_bytes()).await;
    assert_eq!(answer.status, 400);
    assert_eq!(
        answer.json()["error"]["flexinference"]["origin"],
        "provider"
    );
    rig.settle().await;
}

#[actix_web::test]
async fn the_body_that_goes_upstream_is_the_callers_without_our_fields() {
    let rig = Rig::start().await;
    let body = br#"{"z":1.50,"model" : "models/gemini-3.5-flash", "input":"H\u00e9llo \ud83d\ude00","retry":{"count":1},
        "start_within":"00h-00m-30s","labels":{"b":1,"a":[1e2, -0.0]},"include_cost":false,"provider":["google"]}"#;
    rig.send("POST", INTERACTIONS, &[], body).await;
    let seen = rig.simulator.seen().pop().unwrap();
    let upstream = String::from_utf8_lossy(&seen.body).into_owned();
    let expected = r#"{"z":1.50,"model":"gemini-3.5-flash","input":"H\u00e9llo \ud83d\ude00","labels":{"b":1,"a":[1e2, -0.0]},"service_tier":"flex","stream":true}"#;
    assert_eq!(upstream, expected);
    rig.settle().await;
}
