//! The permits of a provider key: never more at once than the limit, first come first served, and a bounded line.

use std::time::Duration;

use futures::future::join_all;
use serde_json::json;
use startline_load::simulator::Seen;

use crate::error_shape::{Shape, check_ours};
use crate::requests::{ENDPOINTS, RESPONSES, behaving, with};
use crate::rig::Rig;

const PATIENCE: Duration = Duration::from_secs(10);

/// The most requests that the provider had at one time.
fn most_at_once(seen: &[Seen]) -> usize {
    let mut changes: Vec<(std::time::Instant, i32)> = Vec::new();
    for request in seen {
        changes.push((request.at, 1));
        changes.push((request.finished_at.unwrap(), -1));
    }
    // At the same instant the end comes first.
    changes.sort();
    let mut now = 0;
    let mut most = 0;
    for (_, change) in changes {
        now += change;
        most = most.max(now);
    }
    most as usize
}

#[actix_web::test]
async fn twenty_callers_share_two_permits() {
    let rig = Rig::with(|settings| {
        settings.providers.openai.concurrency = 2;
        settings.providers.gemini.concurrency = 2;
        settings.providers.anthropic.concurrency = 2;
    })
    .await;
    for path in ENDPOINTS {
        for stream in [false, true] {
            let behaviour = json!({"start_delay_ms": 10, "event_delay_ms": 1});
            let body = with(behaving(path, &behaviour), json!({"stream": stream}));
            let answers = join_all((0..20).map(|_| rig.post(path, &body))).await;
            assert!(answers.iter().all(|answer| answer.status == 200), "{path}");
            let seen = rig.simulator.seen();
            assert_eq!(
                (seen.len(), most_at_once(&seen)),
                (20, 2),
                "{path}, stream {stream}"
            );
            rig.simulator.clear();
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn those_who_wait_are_served_in_the_order_in_which_they_came() {
    let rig = Rig::with(|settings| settings.providers.openai.concurrency = 1).await;
    let body = |number: usize, millis: u64| {
        let text = format!("number {number}");
        behaving(RESPONSES, &json!({"text": text, "head_delay_ms": millis})).to_string()
    };
    let mut callers = vec![
        rig.open("POST", RESPONSES, &[], body(0, 300).as_bytes())
            .await,
    ];
    assert!(
        rig.simulator
            .wait_for(|seen| seen.len() == 1, PATIENCE)
            .await
    );
    for number in 1..8 {
        callers.push(
            rig.open("POST", RESPONSES, &[], body(number, 1).as_bytes())
                .await,
        );
        while rig.router.permits() != (1, number) {
            actix_rt::task::yield_now().await;
        }
    }
    for (number, caller) in callers.iter_mut().enumerate() {
        assert!(
            caller
                .answer()
                .await
                .text()
                .contains(&format!("number {number}"))
        );
    }
    let order: Vec<String> = rig
        .simulator
        .seen()
        .iter()
        .map(|seen| String::from_utf8_lossy(&seen.body).into_owned())
        .collect();
    for (number, text) in order.iter().enumerate() {
        assert!(
            text.contains(&format!("number {number}")),
            "place {number}: {text}"
        );
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_wait_that_is_too_long_and_a_line_that_is_full_are_429() {
    let rig = Rig::with(|settings| {
        settings.providers.openai.concurrency = 1;
        settings.pool.max_waiting = 1;
        settings.pool.max_wait = Duration::from_millis(100);
    })
    .await;
    let silent = behaving(RESPONSES, &json!({"silent": "head"})).to_string();
    let holder = rig.open("POST", RESPONSES, &[], silent.as_bytes()).await;
    assert!(
        rig.simulator
            .wait_for(|seen| seen.len() == 1, PATIENCE)
            .await
    );
    let body = with(
        behaving(RESPONSES, &json!({})),
        json!({"retry": {"count": 5}}),
    );
    let mut first = rig
        .open("POST", RESPONSES, &[], body.to_string().as_bytes())
        .await;
    while rig.router.permits() != (1, 1) {
        actix_rt::task::yield_now().await;
    }
    let second = rig.post(RESPONSES, &body).await;
    let message = check_ours(
        "full",
        &second,
        Shape::Openai,
        429,
        "concurrency_limit_exceeded",
    );
    assert!(
        message.contains("Too many requests are already waiting"),
        "{message}"
    );
    let waited = first.answer().await;
    let message = check_ours(
        "waited",
        &waited,
        Shape::Openai,
        429,
        "concurrency_limit_exceeded",
    );
    assert!(message.contains("waited too long"), "{message}");
    // Our own limit is not re-hit.
    assert_eq!(waited.header("x-flexinference-retries"), Some("0"));
    assert_eq!(rig.simulator.seen().len(), 1);
    holder.leave().await;
    assert!(
        rig.simulator
            .wait_for(|seen| seen[0].closed.is_some(), PATIENCE)
            .await
    );
    while rig.router.permits() != (0, 0) {
        actix_rt::task::yield_now().await;
    }
    assert_eq!(rig.post(RESPONSES, &body).await.status, 200);
    rig.settle().await;
}

#[actix_web::test]
async fn a_waiting_caller_who_leaves_gives_up_the_place() {
    let rig = Rig::with(|settings| settings.providers.openai.concurrency = 1).await;
    let silent = behaving(RESPONSES, &json!({"silent": "head"})).to_string();
    let holder = rig.open("POST", RESPONSES, &[], silent.as_bytes()).await;
    assert!(
        rig.simulator
            .wait_for(|seen| seen.len() == 1, PATIENCE)
            .await
    );
    let body = behaving(RESPONSES, &json!({})).to_string();
    let waiting = rig.open("POST", RESPONSES, &[], body.as_bytes()).await;
    while rig.router.permits() != (1, 1) {
        actix_rt::task::yield_now().await;
    }
    waiting.leave().await;
    while rig.router.permits() != (1, 0) {
        actix_rt::task::yield_now().await;
    }
    holder.reset();
    while !rig.is_quiet() {
        actix_rt::task::yield_now().await;
    }
    assert_eq!(rig.simulator.seen().len(), 1);
    rig.settle().await;
}
