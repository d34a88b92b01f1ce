//! The timeouts towards a provider, and the bounds on waiting for a permit.

use std::time::{Duration, Instant};

use futures::future::{join, join_all};
use serde_json::{Value, json};

use crate::calls::{Call, Endpoint, each};
use crate::client::Answer;
use crate::events::failure_of_ours;
use crate::rig::Rig;

const SHORT: Duration = Duration::from_millis(300);

const RETRIES: &str = "x-flexinference-retries";

fn our_code(answer: &Answer) -> Value {
    answer.json()["error"]["flexinference"]["code"].clone()
}

/// A call that is retried where that is allowed, to a provider that behaves like this.
async fn answer(rig: &Rig, endpoint: Endpoint, streamed: bool, behaviour: Value) -> Answer {
    let script = json!({"id": format!("{endpoint:?} {streamed}"), "settled": behaviour});
    let call = Call::new(endpoint).streamed(streamed).retried(2);
    call.scripted(script).answer(rig).await
}

fn calls(rig: &Rig, endpoint: Endpoint, streamed: bool) -> usize {
    let id = format!("{endpoint:?} {streamed}");
    rig.simulator.seen_by_id(&id).len()
}

#[actix_web::test]
async fn a_provider_without_a_status_line_in_time_is_a_504_and_not_tried_again() {
    for total in [false, true] {
        let rig = Rig::with(|settings| {
            if total {
                settings.timeouts.total = Some(SHORT);
            } else {
                settings.timeouts.response_head = SHORT;
                settings.timeouts.response_head_whole = SHORT;
            }
        })
        .await;
        each(
            &Endpoint::ALL,
            &[false, true],
            async |endpoint, &streamed| {
                let answer = answer(&rig, endpoint, streamed, json!({"silent": "head"})).await;
                assert_eq!(answer.status, 504, "{endpoint:?}");
                assert_eq!(our_code(&answer), "upstream_timeout", "{endpoint:?}");
                assert_eq!(answer.header(RETRIES), Some("0"), "{endpoint:?}");
                assert_eq!(calls(&rig, endpoint, streamed), 1, "{endpoint:?}");
            },
        )
        .await;
        rig.settle().await;
    }
}

#[actix_web::test]
async fn a_whole_answer_may_take_longer_than_the_head_of_a_stream() {
    let rig = Rig::with(|settings| settings.timeouts.response_head = SHORT).await;
    each(
        &Endpoint::ALL,
        &[false, true],
        async |endpoint, &streamed| {
            let answer = answer(&rig, endpoint, streamed, json!({"head_delay_ms": 900})).await;
            let status = if streamed { 504 } else { 200 };
            assert_eq!(answer.status, status, "{endpoint:?} {streamed}");
        },
    )
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn a_stream_that_outlives_the_total_timeout_is_ended_with_a_failure() {
    let rig = Rig::with(|settings| settings.timeouts.total = Some(SHORT)).await;
    each(
        &Endpoint::ALL,
        &[false, true],
        async |endpoint, &streamed| {
            let slow = if streamed {
                json!({"event_delay_ms": 20, "deltas": 100})
            } else {
                json!({"chunk": 10, "trickle_ms": 20})
            };
            let answer = answer(&rig, endpoint, streamed, slow).await;
            let block = if streamed {
                assert_eq!(answer.status, 200);
                failure_of_ours(endpoint, &answer.text())
            } else {
                assert_eq!(answer.status, 502);
                answer.json()["error"]["flexinference"].clone()
            };
            assert_eq!(block["code"], "upstream_stream_failed", "{endpoint:?}");
            assert_eq!(calls(&rig, endpoint, streamed), 1, "{endpoint:?}");
        },
    )
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn a_slow_stream_that_is_never_silent_for_long_comes_whole() {
    let rig = Rig::with(|settings| settings.timeouts.idle = SHORT).await;
    each(
        &Endpoint::ALL,
        &[false, true],
        async |endpoint, &streamed| {
            let slow = json!({"chunk": 200, "trickle_ms": 60});
            let answer = answer(&rig, endpoint, streamed, slow).await;
            assert_eq!(
                (answer.status, answer.is_whole),
                (200, true),
                "{endpoint:?}"
            );
        },
    )
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn flex_has_no_timeout_but_its_deadline() {
    let rig = Rig::with(|settings| {
        settings.timeouts.response_head = SHORT;
        settings.timeouts.idle = SHORT;
        settings.timeouts.total = Some(SHORT);
    })
    .await;
    let rows = [
        json!({"head_delay_ms": 1500}),
        json!({"start_delay_ms": 1500}),
    ];
    let checks = rows.iter().enumerate().map(async |(number, behaviour)| {
        let script = json!({"id": number.to_string(), "flex": behaviour});
        let call = Call::new(Endpoint::RACED[number]).raced();
        let answer = call.scripted(script).answer(&rig).await;
        assert_eq!(answer.status, 200, "{behaviour}: {}", answer.text());
        assert_eq!(answer.header("x-flexinference-flex-applied"), Some("true"));
    });
    join_all(checks).await;
    rig.settle().await;
}

/// A request that holds the only permit for so long.
async fn hold(rig: &Rig, endpoint: Endpoint, millis: u64) -> Answer {
    let script = json!({"id": "holder", "settled": {"head_delay_ms": millis}});
    Call::new(endpoint).scripted(script).answer(rig).await
}

async fn await_holder(rig: &Rig) {
    let called = rig
        .simulator
        .wait_for(|seen| !seen.is_empty(), Duration::from_secs(5));
    assert!(called.await);
}

fn with_one_permit(settings: &mut startline::settings::Settings) {
    settings.providers.openai.concurrency = 1;
    settings.providers.gemini.concurrency = 1;
}

#[actix_web::test]
async fn a_race_that_waits_for_a_permit_past_its_deadline_goes_to_standard_in_its_turn() {
    let rigs = Endpoint::RACED.map(async |endpoint| {
        let rig = Rig::with(with_one_permit).await;
        let waiting = async {
            await_holder(&rig).await;
            let races = [false, true].map(async |streamed| {
                let sent = Instant::now();
                let call = Call::new(endpoint).raced().streamed(streamed);
                let script = json!({"id": streamed.to_string()});
                let answer = call.scripted(script).answer(&rig).await;
                assert_eq!((answer.status, answer.is_whole), (200, true));
                let reason = answer.header("x-flexinference-routing-reason");
                assert_eq!(reason, Some("flex_deadline"), "{endpoint:?}");
                let seen = rig.simulator.seen_by_id(&streamed.to_string());
                assert_eq!(seen.len(), 1);
                assert_eq!(seen[0].tier.as_deref(), Some(endpoint.settled_tier()));
                assert!(seen[0].at - sent >= Duration::from_secs(5));
            });
            join_all(races).await;
        };
        let (holder, ()) = join(hold(&rig, endpoint, 6000), waiting).await;
        assert_eq!(holder.status, 200);
        rig.settle().await;
    });
    join_all(rigs).await;
}

#[actix_web::test]
async fn a_race_that_gets_its_permit_in_time_begins_with_flex() {
    let rig = Rig::with(with_one_permit).await;
    let waiting = async {
        await_holder(&rig).await;
        let call = Call::new(Endpoint::Responses).raced();
        call.scripted(json!({"id": "race"})).answer(&rig).await
    };
    let (holder, race) = join(hold(&rig, Endpoint::Responses, 700), waiting).await;
    assert_eq!((holder.status, race.status), (200, 200));
    assert_eq!(race.header("x-flexinference-flex-applied"), Some("true"));
    let seen = rig.simulator.seen();
    assert_eq!(seen.len(), 2);
    assert!(seen[1].at >= seen[0].answered_at.unwrap());
    rig.settle().await;
}

#[actix_web::test]
async fn who_waits_too_long_for_a_permit_or_finds_the_line_full_is_refused_and_not_tried_again() {
    for full in [false, true] {
        let rig = Rig::with(|settings| {
            with_one_permit(settings);
            settings.pool.max_wait = SHORT;
            if full {
                settings.pool.max_waiting = 0;
            }
        })
        .await;
        let waiting = async {
            await_holder(&rig).await;
            for streamed in [false, true] {
                let call = Call::new(Endpoint::Responses).streamed(streamed).retried(2);
                let answer = call.answer(&rig).await;
                assert_eq!(answer.status, 429);
                assert_eq!(our_code(&answer), "concurrency_limit_exceeded");
                assert_eq!(answer.header(RETRIES), Some("0"));
            }
        };
        let (holder, ()) = join(hold(&rig, Endpoint::Responses, 1500), waiting).await;
        assert_eq!(holder.status, 200);
        assert_eq!(rig.simulator.seen().len(), 1);
        rig.settle().await;
    }
}
