//! The caller leaves, by FIN and by RST, at every kind of moment: the provider's connection is closed at once, no
//! further attempt follows, nothing is left of the request, and nothing more is sent to the caller.

mod situations;

use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::json;
use startline_load::simulator::Seen;

use self::situations::{Moment, Situation, situations};
use crate::calls::{Call, Endpoint};
use crate::client::{self, Connection};
use crate::rig::{MACHINE, Rig};

/// The longest time between the caller's leaving and the end of the provider's connection.
const AT_ONCE: Duration = Duration::from_millis(50);

/// Longer than anything takes to happen that should happen at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// Callers that leave a situation in the same moment, by FIN and by RST each.
const CALLERS: usize = 8;

/// Past the deadline of a race, and past the wait before a re-hit.
const PAST_EVERYTHING: Duration = Duration::from_millis(5_300);

/// A caller who has left.
struct Left {
    id: String,
    at: Instant,
    /// The socket of one who left by FIN.
    open: Option<Connection>,
}

#[derive(Debug, Clone, Copy)]
enum How {
    Fin,
    Rst,
}

async fn leave(mut connection: Connection, id: String, how: How) -> Left {
    let at = Instant::now();
    let open = match how {
        How::Fin => {
            connection.half_close().await;
            Some(connection)
        }
        How::Rst => {
            connection.reset();
            None
        }
    };
    Left { id, at, open }
}

#[actix_web::test]
async fn the_providers_connection_is_closed_at_once_whenever_the_caller_leaves() {
    let _machine = MACHINE.lock().await;
    let rig = Rig::start().await;
    let mut times = Vec::new();
    let mut expected = Vec::new();
    for situation in situations() {
        let left = leave_together(&rig, &situation).await;
        for caller in left {
            times.push(closing_time(&rig, &situation, &caller).await);
            expected.push((caller.id.clone(), situation.calls()));
            check_that_nothing_follows(&situation, caller).await;
        }
    }
    let last = Instant::now();
    report(&mut times);
    tokio::time::sleep_until((last + PAST_EVERYTHING).into()).await;
    for (id, calls) in expected {
        assert_eq!(rig.simulator.seen_by_id(&id).len(), calls, "{id}");
    }
    rig.settle().await;
}

/// Opens the calls of a situation, waits until each is at its moment, and leaves them all.
async fn leave_together(rig: &Rig, situation: &Situation) -> Vec<Left> {
    let callers = (0..2 * CALLERS).map(async |number| {
        let id = format!("{} {number}", situation.name);
        let mut connection = situation.call(&id).open(rig).await;
        match situation.moment {
            Moment::Received(text) => connection.read_until(text).await,
            Moment::Called(calls) => await_calls(rig, &id, calls, |_| true).await,
            Moment::Answered(calls) => {
                await_calls(rig, &id, calls, |seen| seen.answered_at.is_some()).await;
            }
        }
        (connection, id)
    });
    let mut left = Vec::new();
    for (number, (connection, id)) in join_all(callers).await.into_iter().enumerate() {
        let how = if number % 2 == 0 { How::Fin } else { How::Rst };
        left.push(leave(connection, id, how).await);
    }
    left
}

/// Waits until the provider has been called so often, and the last call is in this state.
async fn await_calls(rig: &Rig, id: &str, calls: usize, state: impl Fn(&Seen) -> bool) {
    let is_there = |seen: &[Seen]| {
        let mut own = seen.iter().filter(|seen| seen.id.as_deref() == Some(id));
        own.nth(calls - 1).is_some_and(&state)
    };
    assert!(
        rig.simulator.wait_for(is_there, PATIENCE).await,
        "{id}: not called {calls} times: {:?}",
        rig.simulator.seen_by_id(id)
    );
}

async fn closing_time(rig: &Rig, situation: &Situation, caller: &Left) -> Duration {
    let calls = situation.calls();
    await_calls(rig, &caller.id, calls, |seen| seen.closed.is_some()).await;
    let seen = rig.simulator.seen_by_id(&caller.id).pop().unwrap();
    let closed = seen.closed.unwrap();
    assert!(closed.by_other_side_before_end, "{}", caller.id);
    closed.at.saturating_duration_since(caller.at)
}

/// The router closes its side too, without an answer, or without an end of the one that had begun.
async fn check_that_nothing_follows(situation: &Situation, caller: Left) {
    let Some(mut connection) = caller.open else {
        return;
    };
    let rest = connection.until_closed().await;
    let text = String::from_utf8_lossy(&rest);
    match situation.moment {
        Moment::Received(_) => assert!(!text.ends_with("0\r\n\r\n"), "{}: {text}", caller.id),
        _ => assert_eq!(text, "", "{}", caller.id),
    }
}

fn report(times: &mut [Duration]) {
    times.sort_unstable();
    let count = times.len();
    let in_time = times.iter().filter(|time| **time <= AT_ONCE).count();
    eprintln!(
        "closed within {AT_ONCE:?}: {in_time} of {count}; p50 {:?}, p99 {:?}, max {:?}",
        times[count / 2],
        times[count * 99 / 100],
        times[count - 1],
    );
    assert!(count >= 200, "only {count}");
    assert_eq!(in_time, count, "{times:?}");
}

#[actix_web::test]
async fn a_caller_who_leaves_during_the_wait_before_a_re_hit_ends_the_retries() {
    let _machine = MACHINE.lock().await;
    let rig = Rig::start().await;
    let callers = (0..2 * CALLERS).map(async |number| {
        let (id, endpoint) = (number.to_string(), Endpoint::ALL[number % 4]);
        let script = json!({"id": id, "settled": {"status": 503}});
        let call = Call::new(endpoint).retried(5).streamed(number % 3 == 0);
        let connection = call.scripted(script).open(&rig).await;
        await_calls(&rig, &id, 1, |seen| seen.finished_at.is_some()).await;
        (connection, id)
    });
    let connections = join_all(callers).await;
    // The attempts are over, the races are not: all of them wait.
    await_router(&rig, |rig| rig.router.live.attempts() == 0).await;
    assert_eq!(rig.router.live.races(), connections.len());
    let mut left = Vec::new();
    for (number, (connection, id)) in connections.into_iter().enumerate() {
        let how = if number % 2 == 0 { How::Fin } else { How::Rst };
        left.push(leave(connection, id, how).await);
    }
    let first = left[0].at;
    await_router(&rig, |rig| rig.router.live.races() == 0).await;
    assert!(first.elapsed() <= AT_ONCE, "{:?}", first.elapsed());
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(rig.simulator.seen().len(), left.len());
    rig.settle().await;
}

#[actix_web::test]
async fn a_caller_who_leaves_the_line_for_a_permit_is_never_served() {
    let _machine = MACHINE.lock().await;
    let rig = Rig::with(|settings| settings.providers.openai.concurrency = 1).await;
    let silent = json!({"id": "holder", "settled": {"silent": "head"}});
    let holder = Call::new(Endpoint::Responses).scripted(silent);
    let holder = holder.open(&rig).await;
    await_calls(&rig, "holder", 1, |_| true).await;
    let mut waiting = Vec::new();
    for number in 0..2 * CALLERS {
        let mut call = Call::new(Endpoint::Responses).streamed(number % 3 == 0);
        if number % 4 < 2 {
            call = call.raced();
        }
        let id = format!("waits {number}");
        let call = call.scripted(json!({"id": id}));
        waiting.push((call.open(&rig).await, id));
    }
    let everybody = waiting.len();
    await_router(&rig, |rig| rig.router.permits() == (1, everybody)).await;
    let first = Instant::now();
    for (number, (connection, id)) in waiting.into_iter().enumerate() {
        let how = if number % 2 == 0 { How::Fin } else { How::Rst };
        leave(connection, id, how).await;
    }
    await_router(&rig, |rig| rig.router.permits() == (1, 0)).await;
    assert!(first.elapsed() <= AT_ONCE, "{:?}", first.elapsed());
    holder.reset();
    let answer = Call::new(Endpoint::Responses).answer(&rig).await;
    assert_eq!(answer.status, 200);
    assert_eq!(rig.simulator.seen().len(), 2);
    rig.settle().await;
}

#[actix_web::test]
async fn a_caller_who_leaves_in_the_middle_of_its_own_request_is_forgotten() {
    let rig = Rig::start().await;
    for how in [How::Fin, How::Rst] {
        let body = Call::new(Endpoint::Responses).raced().body();
        let whole = client::request(
            "POST",
            "/v1/responses",
            &[("x-api-key", rig.key.as_str())],
            &body,
        );
        let mut connection = Connection::open(rig.address).await;
        connection.write(&whole[..whole.len() - 5]).await;
        await_router(&rig, |rig| rig.router.in_flight() == 1).await;
        leave(connection, String::new(), how).await;
        await_router(&rig, |rig| rig.router.in_flight() == 0).await;
    }
    assert_eq!(rig.simulator.seen().len(), 0);
    rig.settle().await;
}

/// A client that closes with unread bytes sends a RST. (A FIN that comes behind bytes nobody reads, from a socket that
/// stays open, is not told from a slow reader: the HTTP server waits until its bytes are taken.)
#[actix_web::test]
async fn a_caller_who_stops_reading_and_then_leaves_is_noticed() {
    let _machine = MACHINE.lock().await;
    let rig = Rig::start().await;
    let script = json!({"id": "unread", "settled": {"deltas": 150, "delta_bytes": 100_000}});
    let call = Call::new(Endpoint::Responses).streamed(true);
    let mut connection = call.scripted(script).open(&rig).await;
    connection.read_until("output_item.added").await;
    // Fifteen megabytes fill every buffer on the way; nobody tells when.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(rig.simulator.open_requests(), 1);
    let left = leave(connection, "unread".to_owned(), How::Rst).await;
    await_calls(&rig, &left.id, 1, |seen| seen.closed.is_some()).await;
    let closed = rig.simulator.seen()[0].closed.unwrap();
    assert!(closed.by_other_side_before_end);
    let time = closed.at.saturating_duration_since(left.at);
    assert!(time <= AT_ONCE, "{time:?}");
    rig.settle().await;
}

#[actix_web::test]
async fn callers_who_leave_at_any_moment_leave_nothing_behind() {
    let _machine = MACHINE.lock().await;
    let rig = Rig::with(|settings| settings.providers.openai.concurrency = 20).await;
    let behaviours = [
        json!({"any": {"event_delay_ms": 2}}),
        json!({"flex": {"status": 503}, "settled": {"head_delay_ms": 5, "event_delay_ms": 2}}),
        json!({"any": [{"status": 429, "retry_after_ms": 3}, {"event_delay_ms": 2}]}),
        json!({"any": {"fault": "after_start", "start_delay_ms": 5}}),
        json!({"any": {"cut": {"at": 200, "how": "rst"}, "chunk": 50, "trickle_ms": 2}}),
    ];
    let callers = (0..300).map(async |number: usize| {
        // All at once would measure how long the machine takes for them.
        tokio::time::sleep(Duration::from_millis(number as u64)).await;
        let mut script = behaviours[number % behaviours.len()].clone();
        script["id"] = json!(number.to_string());
        let mut call = Call::new(Endpoint::RACED[number % 2]).retried(2);
        if !number.is_multiple_of(3) {
            call = call.raced();
        }
        let call = call.streamed(number % 4 > 1).scripted(script);
        let connection = call.open(&rig).await;
        let stay = Duration::from_micros(200 * number as u64);
        tokio::time::sleep(stay).await;
        let how = if number % 7 < 3 { How::Fin } else { How::Rst };
        leave(connection, number.to_string(), how).await
    });
    let left = join_all(callers).await;
    await_router(&rig, |rig| rig.is_quiet()).await;
    let calls = rig.simulator.seen().len();
    for caller in left {
        for seen in rig.simulator.seen_by_id(&caller.id) {
            let after = seen.at.saturating_duration_since(caller.at);
            assert!(
                after <= AT_ONCE,
                "{}: called {after:?} after it had left",
                caller.id
            );
        }
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(rig.simulator.seen().len(), calls);
    rig.settle().await;
}

/// Waits for a state of the router that nobody announces.
async fn await_router(rig: &Rig, state: impl Fn(&Rig) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !state(rig) {
        assert!(
            Instant::now() < deadline,
            "the router does not come to this state"
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
