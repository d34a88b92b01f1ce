//! Who is let in: the three headers, good and bad keys, floods of bad ones, rates of good ones, and the default that a
//! key may carry.

use serde_json::{Value, json};
use startline::keys::RouterKey;
use startline::settings::{self, SecretText, Settings};

use crate::client::{Answer, Connection, request};
use crate::error_shape::{Shape, check_ours};
use crate::requests::{CHAT, ENDPOINTS, INTERACTIONS, MESSAGES, RACED, RESPONSES, good, with};
use crate::rig::Rig;

const HEADERS: [&str; 3] = ["authorization", "x-api-key", "x-goog-api-key"];

fn in_header(name: &str, key: &str) -> String {
    if name == "authorization" {
        format!("Bearer {key}")
    } else {
        key.to_owned()
    }
}

fn new_key() -> String {
    RouterKey::generate(&mut rand::rng()).reveal().to_owned()
}

/// A key whose last digit is another.
fn mistyped(key: &str) -> String {
    let (front, last) = key.split_at(key.len() - 1);
    front.to_owned() + if last == "0" { "1" } else { "0" }
}

/// A good request with exactly these headers.
async fn sent(rig: &Rig, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut connection = Connection::open(rig.address).await;
    let body = good(path, "Hello").to_string();
    connection
        .write(&request("POST", path, headers, body.as_bytes()))
        .await;
    connection.answer().await
}

#[actix_web::test]
async fn a_good_key_is_taken_from_each_of_the_three_headers_on_every_endpoint() {
    let rig = Rig::start().await;
    let key = rig.key.clone();
    for path in ENDPOINTS {
        for name in HEADERS {
            let value = in_header(name, &key);
            assert_eq!(
                sent(&rig, path, &[(name, &value)]).await.status,
                200,
                "{path} {name}"
            );
        }
        for headers in [
            [
                ("authorization", "Bearer sk-of-a-vendor"),
                ("x-api-key", &*key),
            ],
            [
                ("x-api-key", "sk-ant-of-a-vendor"),
                ("x-goog-api-key", &*key),
            ],
            [
                ("authorization", "Basic dXNlcjpwYXNz"),
                ("x-goog-api-key", &*key),
            ],
            [
                ("x-goog-api-key", "AIza"),
                ("authorization", &in_header("authorization", &key)),
            ],
            [
                ("authorization", &format!("bearer  {key} ")),
                ("x-api-key", ""),
            ],
        ] {
            assert_eq!(
                sent(&rig, path, &headers).await.status,
                200,
                "{path} {headers:?}"
            );
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_bad_key_is_refused_in_each_header_and_never_repeated() {
    let rig = Rig::with(|settings| settings.limits.auth_failures_per_minute = 100_000).await;
    let (wrong, unknown) = (mistyped(&rig.key), new_key());
    let upper = rig.key.to_uppercase();
    let longer = format!("{}0", rig.key);
    let bad = [
        (&*wrong, "wrong checksum"),
        (&*unknown, "nobody has it"),
        ("sk-proj-canary-key", "not a key of this router"),
        ("flex_live_", "not a key of this router"),
        (&*upper, "not a key of this router"),
        (&*longer, "not a key of this router"),
        (&rig.key[..39], "not a key of this router"),
        (
            "flex_test_0123456789abcdef012345673c8091",
            "not a key of this router",
        ),
    ];
    for path in ENDPOINTS {
        let shape = Shape::of_path(path);
        for name in HEADERS {
            for (key, says) in bad {
                let answer = sent(&rig, path, &[(name, &in_header(name, key))]).await;
                let what = format!("{path} {name} {says}");
                let message = check_ours(&what, &answer, shape, 401, "invalid_api_key");
                assert!(message.contains(says), "{what}: {message}");
                let repeated = answer.text().contains(key) && key != "flex_live_";
                assert!(!repeated, "{what} repeats the key");
            }
        }
        for headers in [
            &[][..],
            &[("authorization", "")],
            &[("authorization", "Bearer")],
            &[("authorization", "Bearer ")],
            &[("authorization", "Basic dXNlcjpwYXNz")],
            &[("x-api-key", "")],
            &[("x-goog-api-key", "  ")],
        ] {
            let answer = sent(&rig, path, headers).await;
            check_ours(
                &format!("{path} {headers:?}"),
                &answer,
                shape,
                401,
                "missing_api_key",
            );
        }
        // A mistyped key of ours is not passed over in favour of another one.
        let both = [("x-api-key", &*wrong), ("x-goog-api-key", &*rig.key)];
        let answer = sent(&rig, path, &both).await;
        check_ours(path, &answer, shape, 401, "invalid_api_key");
    }
    assert!(rig.simulator.seen().is_empty());
    rig.settle().await;
}

#[actix_web::test]
async fn a_flood_of_bad_keys_is_told_to_wait_and_good_keys_of_the_same_address_are_served() {
    let rig = Rig::with(|settings| settings.limits.auth_failures_per_minute = 5).await;
    let bad = new_key();
    let mut statuses = Vec::new();
    for _ in 0..8 {
        let answer = sent(&rig, RESPONSES, &[("x-api-key", &bad)]).await;
        statuses.push(answer.status);
        if answer.status == 429 {
            check_ours("flood", &answer, Shape::Openai, 429, "rate_limit_exceeded");
            assert_eq!(answer.header("retry-after"), Some("60"));
        }
        assert_eq!(
            sent(&rig, RESPONSES, &[("x-api-key", &rig.key)])
                .await
                .status,
            200
        );
    }
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
    let without_a_key = sent(&rig, MESSAGES, &[]).await;
    check_ours(
        "no key",
        &without_a_key,
        Shape::Anthropic,
        429,
        "rate_limit_exceeded",
    );
    rig.settle().await;
}

#[actix_web::test]
async fn an_org_over_its_rate_is_told_to_wait() {
    let rig = Rig::with(|settings| settings.limits.org_requests_per_second = 2).await;
    let mut refused = 0;
    for path in [ENDPOINTS, ENDPOINTS].concat() {
        let answer = sent(&rig, path, &[("x-api-key", &rig.key)]).await;
        if answer.status == 429 {
            refused += 1;
            check_ours(
                path,
                &answer,
                Shape::of_path(path),
                429,
                "rate_limit_exceeded",
            );
            assert_eq!(answer.header("retry-after"), Some("5"));
        }
    }
    assert!(refused >= 1);
    assert_eq!(rig.simulator.seen().len(), 8 - refused);
    rig.settle().await;
}

/// Adds a router key with a default; gives the key.
fn with_default(settings: &mut Settings, start_within: &str) -> String {
    let key = new_key();
    settings.keys.router.push(settings::RouterKey {
        key: Some(SecretText::new(key.as_str())),
        sha256: None,
        label: start_within.to_owned(),
        start_within: Some(start_within.to_owned()),
    });
    key
}

async fn with_key(rig: &Rig, key: &str, path: &str, body: &Value) -> Answer {
    let mut connection = Connection::open(rig.address).await;
    let bytes = request(
        "POST",
        path,
        &[("x-api-key", key)],
        body.to_string().as_bytes(),
    );
    connection.write(&bytes).await;
    connection.answer().await
}

/// Without what only Chat has, too: a key's default may be a duration.
fn without_start_within(path: &str) -> Value {
    let mut body = good(path, "Hello");
    for field in ["start_within", "seed"] {
        body.as_object_mut().unwrap().remove(field);
    }
    body
}

#[actix_web::test]
async fn a_keys_default_stands_in_for_an_absent_start_within_and_a_value_in_the_request_wins() {
    let (mut race, mut priority) = (String::new(), String::new());
    let rig = Rig::with(|settings| {
        race = with_default(settings, "00h-00m-30s");
        priority = with_default(settings, "priority");
    })
    .await;
    for path in RACED {
        let answer = with_key(&rig, &race, path, &without_start_within(path)).await;
        assert_eq!(
            answer.header("x-flexinference-flex-requested"),
            Some("true"),
            "{path}"
        );
        assert_eq!(
            answer.header("x-flexinference-flex-applied"),
            Some("true"),
            "{path}"
        );
        let answer = with_key(&rig, &race, path, &good(path, "Hello")).await;
        assert_eq!(
            answer.header("x-flexinference-flex-requested"),
            Some("false"),
            "{path}"
        );
    }
    for path in ENDPOINTS {
        let answer = with_key(&rig, &priority, path, &without_start_within(path)).await;
        assert_eq!(answer.status, 200, "{path}");
        let tier = rig.simulator.seen().pop().unwrap().tier.unwrap();
        assert_eq!(tier, if path == MESSAGES { "auto" } else { "priority" });
        // The rig's own key has no default.
        let answer = rig.post(path, &without_start_within(path)).await;
        check_ours(
            path,
            &answer,
            Shape::of_path(path),
            400,
            "missing_start_within",
        );
        // A bad value in the request is not saved by the default.
        let null = with(good(path, "Hello"), json!({"start_within": null}));
        let answer = with_key(&rig, &priority, path, &null).await;
        check_ours(
            path,
            &answer,
            Shape::of_path(path),
            400,
            "invalid_start_within",
        );
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_default_that_cannot_apply_is_named_with_its_reason() {
    let (mut race, mut auto, mut priority) = (String::new(), String::new(), String::new());
    let rig = Rig::with(|settings| {
        race = with_default(settings, "00h-00m-30s");
        auto = with_default(settings, "auto");
        priority = with_default(settings, "priority");
    })
    .await;
    for (key, path, fields, reason) in [
        (&race, MESSAGES, json!({}), "Claude has no flex tier"),
        (
            &race,
            RESPONSES,
            json!({"model": "gpt-4.1"}),
            "flex can be raced for",
        ),
        (
            &race,
            RESPONSES,
            json!({"model": "gpt-5.5-2026-04-24"}),
            "flex can be raced for",
        ),
        (
            &race,
            RESPONSES,
            json!({"provider": ["foundry"]}),
            "standard tier only",
        ),
        (&race, CHAT, json!({"n": 2}), "native Chat Completions only"),
        (&auto, INTERACTIONS, json!({}), "no tier `auto`"),
        (
            &priority,
            RESPONSES,
            json!({"provider": ["openai", "foundry"]}),
            "standard tier only",
        ),
    ] {
        let body = with(without_start_within(path), fields);
        let answer = with_key(&rig, key, path, &body).await;
        let what = format!("{path} {reason}");
        let message = check_ours(
            &what,
            &answer,
            Shape::of_path(path),
            400,
            "key_default_not_applicable",
        );
        assert!(message.contains(reason), "{what}: {message}");
        // The same written in the request is the request's own fault.
        let start_within = [
            (&race, "00h-00m-30s"),
            (&auto, "auto"),
            (&priority, "priority"),
        ];
        let (_, word) = start_within
            .iter()
            .find(|(known, _)| *known == key)
            .unwrap();
        let written = rig
            .post(path, &with(body, json!({"start_within": word})))
            .await;
        assert_ne!(
            written.json()["error"]["flexinference"]["code"],
            "key_default_not_applicable"
        );
    }
    // What has nothing to do with the default keeps its own code.
    let body = with(
        without_start_within(MESSAGES),
        json!({"provider": ["openai"]}),
    );
    let answer = with_key(&rig, &race, MESSAGES, &body).await;
    check_ours(
        "mismatch",
        &answer,
        Shape::Anthropic,
        400,
        "provider_model_mismatch",
    );
    assert!(rig.simulator.seen().is_empty());
    rig.settle().await;
}
