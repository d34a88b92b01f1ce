//! The settled tier before its commit: what is tried again, after which wait, and what never is.

use std::time::{Duration, Instant, SystemTime};

use futures::future::join_all;
use serde_json::{Value, json};

use crate::calls::{Call, Endpoint, each};
use crate::client::Answer;
use crate::rig::{MACHINE, Rig};

const RETRIES: &str = "x-flexinference-retries";

/// How late a re-hit may come on a busy machine.
const UNPUNCTUAL: Duration = Duration::from_millis(400);

fn called(rig: &Rig, id: &str) -> usize {
    rig.simulator.seen_by_id(id).len()
}

fn our_code(answer: &Answer) -> Value {
    answer.json()["error"]["flexinference"]["code"].clone()
}

#[actix_web::test]
async fn what_may_succeed_later_is_tried_again_and_counted() {
    let rig = Rig::start().await;
    each(
        &Endpoint::ALL,
        &[429, 500, 501, 502, 503, 504, 529],
        async |endpoint, status| {
            for streamed in [false, true] {
                let id = format!("{endpoint:?} {status} {streamed}");
                let failing = json!({"status": status, "retry_after_ms": 5});
                let script = json!({"id": id, "settled": [failing, failing, {"text": "THIRD"}]});
                let call = Call::new(endpoint).streamed(streamed).retried(2);
                let answer = call.scripted(script).answer(&rig).await;
                assert_eq!((answer.status, answer.is_whole), (200, true), "{id}");
                assert!(answer.text().contains("THIRD"), "{id}");
                assert_eq!(answer.header(RETRIES), Some("2"), "{id}");
                assert_eq!(called(&rig, &id), 3, "{id}");
            }
        },
    )
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn nothing_is_tried_again_unasked() {
    let rig = Rig::start().await;
    each(
        &Endpoint::ALL,
        &[429, 500, 503],
        async |endpoint, status| {
            let id = format!("{endpoint:?} {status}");
            let script =
                json!({"id": id, "settled": [{"status": status, "retry_after_ms": 7}, {}]});
            let answer = Call::new(endpoint).scripted(script).answer(&rig).await;
            assert_eq!(answer.status, *status, "{id}");
            assert_eq!(answer.header(RETRIES), None, "{id}");
            assert_eq!(answer.header("retry-after-ms"), Some("7"), "{id}");
            assert_eq!(called(&rig, &id), 1, "{id}");
        },
    )
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn the_last_failure_is_shown_when_the_budget_is_spent() {
    let rig = Rig::start().await;
    each(
        &Endpoint::ALL,
        &[(1, 503), (3, 429), (5, 500)],
        async |endpoint, (count, status)| {
            let id = format!("{endpoint:?} {count}");
            let failing = json!({"status": status, "retry_after_ms": 5, "error_message": "No."});
            let script = json!({"id": id, "settled": failing});
            let call = Call::new(endpoint).retried(*count);
            let answer = call.scripted(script).answer(&rig).await;
            assert_eq!(answer.status, *status, "{id}");
            assert_eq!(answer.json()["error"]["message"], "No.", "{id}");
            assert_eq!(
                answer.header(RETRIES),
                Some(count.to_string().as_str()),
                "{id}"
            );
            assert_eq!(called(&rig, &id), *count as usize + 1, "{id}");
        },
    )
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn what_waiting_cannot_help_is_never_tried_again() {
    let rig = Rig::start().await;
    let mut rows: Vec<(Value, u16, Value)> = [400, 402, 403, 404, 408, 409, 413, 422]
        .map(|status| (json!({"status": status}), status, json!(null)))
        .into();
    rows.extend([
        (json!({"status": 401}), 403, json!("upstream_auth_failed")),
        (
            json!({"drop": "fin"}),
            502,
            json!("upstream_connection_lost"),
        ),
        (
            json!({"drop": "rst"}),
            502,
            json!("upstream_connection_lost"),
        ),
        (
            json!({"status": 204}),
            502,
            json!("upstream_invalid_response"),
        ),
        (
            json!({"status": 302}),
            502,
            json!("upstream_invalid_response"),
        ),
        (
            json!({"cut": {"at": 30}}),
            502,
            json!("upstream_stream_failed"),
        ),
    ]);
    each(
        &Endpoint::ALL,
        &rows,
        async |endpoint, (behaviour, status, code)| {
            let id = format!("{endpoint:?} {behaviour}");
            let script = json!({"id": id, "settled": [behaviour, {}]});
            let call = Call::new(endpoint).retried(3);
            let answer = call.scripted(script).answer(&rig).await;
            assert_eq!(answer.status, *status, "{id}: {}", answer.text());
            assert_eq!(our_code(&answer), *code, "{id}");
            assert_eq!(answer.header(RETRIES), Some("0"), "{id}");
            assert_eq!(called(&rig, &id), 1, "{id}");
        },
    )
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn a_429_that_speaks_of_money_is_never_tried_again() {
    let rig = Rig::start().await;
    for (endpoint, code, message) in [
        (
            Endpoint::Responses,
            "insufficient_quota",
            "You exceeded your current quota.",
        ),
        (
            Endpoint::Chat,
            "insufficient_quota",
            "You exceeded your current quota.",
        ),
        (
            Endpoint::Interactions,
            "quota_exceeded",
            "The daily quota is used up.",
        ),
        (
            Endpoint::Messages,
            "rate_limit_error",
            "You have reached your spend limit.",
        ),
    ] {
        let id = format!("{endpoint:?}");
        let spent = json!({"status": 429, "error_code": code, "error_message": message});
        let script = json!({"id": id, "settled": [spent, {}]});
        let call = Call::new(endpoint).retried(2);
        let answer = call.scripted(script).answer(&rig).await;
        assert_eq!(answer.status, 429, "{id}");
        assert_eq!(answer.json()["error"]["message"], message, "{id}");
        assert_eq!(answer.header(RETRIES), Some("0"), "{id}");
        assert_eq!(called(&rig, &id), 1, "{id}");
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_connection_that_never_opened_is_tried_again() {
    let rig = Rig::start().await;
    rig.simulator.refuse_connections(true).await;
    each(&Endpoint::ALL, &[None, Some(1)], async |endpoint, count| {
        let mut call = Call::new(endpoint);
        if let Some(count) = count {
            call = call.retried(*count);
        }
        let sent = Instant::now();
        let answer = call.answer(&rig).await;
        assert_eq!(answer.status, 502, "{endpoint:?}");
        assert_eq!(our_code(&answer), "upstream_unavailable", "{endpoint:?}");
        let retries = count.map(|count| count.to_string());
        assert_eq!(answer.header(RETRIES), retries.as_deref(), "{endpoint:?}");
        let has_waited = answer.at - sent >= Duration::from_millis(500);
        assert_eq!(has_waited, count.is_some(), "{endpoint:?}");
    })
    .await;
    for endpoint in Endpoint::RACED {
        let answer = Call::new(endpoint).raced().answer(&rig).await;
        assert_eq!(our_code(&answer), "upstream_unavailable", "{endpoint:?}");
    }
    assert!(rig.simulator.seen().is_empty());
    rig.settle().await;
}

#[actix_web::test]
async fn a_provider_that_comes_back_during_the_wait_serves_the_re_hit() {
    let rig = Rig::start().await;
    rig.simulator.refuse_connections(true).await;
    let call = Call::new(Endpoint::Responses).raced().retried(5);
    let answering = call.answer(&rig);
    let coming_back = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        rig.simulator.refuse_connections(false).await;
    };
    let (answer, ()) = futures::future::join(answering, coming_back).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let reason = answer.header("x-flexinference-routing-reason");
    assert_eq!(reason, Some("flex_not_started"));
    let retries: u32 = answer.header(RETRIES).unwrap().parse().unwrap();
    assert!(retries >= 1);
    let tiers: Vec<_> = rig
        .simulator
        .seen()
        .into_iter()
        .map(|seen| seen.tier)
        .collect();
    assert_eq!(tiers, [Some("default".to_owned())]);
    rig.settle().await;
}

#[actix_web::test]
async fn after_a_lost_race_only_standard_is_tried_again() {
    let rig = Rig::start().await;
    for endpoint in Endpoint::RACED {
        for streamed in [false, true] {
            let id = format!("{endpoint:?} {streamed}");
            let failing = json!({"status": 503, "retry_after_ms": 5});
            let script = json!({"id": id, "flex": {"status": 429, "retry_after": "30"},
                "settled": [failing, failing, {"text": "THIRD"}]});
            let call = Call::new(endpoint).raced().streamed(streamed).retried(2);
            let answer = call.scripted(script).answer(&rig).await;
            assert_eq!((answer.status, answer.is_whole), (200, true), "{id}");
            assert!(answer.text().contains("THIRD"), "{id}");
            assert_eq!(answer.header(RETRIES), Some("2"), "{id}");
            let reason = answer.header("x-flexinference-routing-reason");
            assert_eq!(reason, Some("flex_capacity"), "{id}");
            let seen = rig.simulator.seen_by_id(&id);
            let tiers: Vec<&str> = seen
                .iter()
                .map(|seen| seen.tier.as_deref().unwrap())
                .collect();
            let settled = endpoint.settled_tier();
            assert_eq!(tiers, ["flex", settled, settled, settled], "{id}");
        }
    }
    rig.settle().await;
}

/// The waits that the provider's journal shows between the failures and the re-hits after them.
fn waits(rig: &Rig, id: &str) -> Vec<Duration> {
    let seen = rig.simulator.seen_by_id(id);
    let pairs = seen.windows(2);
    pairs
        .map(|pair| pair[1].at - pair[0].answered_at.unwrap())
        .collect()
}

#[actix_web::test]
async fn a_re_hit_comes_when_the_provider_or_the_schedule_says() {
    let _machine = MACHINE.lock().await;
    let rig = Rig::start().await;
    let past = httpdate::fmt_http_date(SystemTime::now() - Duration::from_secs(60));
    let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3));
    let exact = |backoff| json!({"count": 3, "backoff": backoff, "jitter": false});
    let jittered = json!({"count": 2});
    let rows = [
        (
            json!({"retry_after": "0.05"}),
            exact("exponential"),
            vec![(50, 50); 3],
        ),
        (
            json!({"retry_after": "0"}),
            exact("exponential"),
            vec![(0, 0); 3],
        ),
        (
            json!({"retry_after_ms": 30}),
            exact("linear"),
            vec![(30, 30); 3],
        ),
        (
            json!({"retry_after_ms": 40, "retry_after": "9"}),
            jittered.clone(),
            vec![(40, 40); 2],
        ),
        (
            json!({"retry_after": past}),
            exact("exponential"),
            vec![(0, 0); 3],
        ),
        (
            json!({"retry_after": soon}),
            json!({"count": 1}),
            vec![(1500, 3000)],
        ),
        (
            json!({}),
            exact("exponential"),
            vec![(500, 500), (1000, 1000), (2000, 2000)],
        ),
        (
            json!({}),
            exact("linear"),
            vec![(500, 500), (1000, 1000), (1500, 1500)],
        ),
        (
            json!({"retry_after": "soon"}),
            exact("linear"),
            vec![(500, 500), (1000, 1000), (1500, 1500)],
        ),
        (json!({}), jittered, vec![(375, 500), (750, 1000)]),
    ];
    let checks = rows
        .iter()
        .enumerate()
        .map(async |(number, (hint, retry, expected))| {
            let id = number.to_string();
            let mut behaviour = hint.clone();
            behaviour["status"] = json!(503);
            let call = Call::new(Endpoint::ALL[number % 4]).field("retry", retry.clone());
            let script = json!({"id": id, "settled": behaviour});
            let answer = call.scripted(script).answer(&rig).await;
            assert_eq!(answer.status, 503);
            let waits = waits(&rig, &id);
            assert_eq!(waits.len(), expected.len(), "{hint} {retry}");
            for (wait, (earliest, latest)) in waits.iter().zip(expected) {
                let limits =
                    Duration::from_millis(*earliest)..Duration::from_millis(*latest) + UNPUNCTUAL;
                assert!(limits.contains(wait), "{hint} {retry}: {waits:?}");
            }
        });
    join_all(checks).await;
    rig.settle().await;
}
