//! Every way in which flex can lose a race, or end it, on both surfaces that are raced, streamed and not: who was
//! called, in what order, how often, and what the caller got.

mod causes;
mod row;

use std::time::{Duration, Instant};

use serde_json::json;

use self::causes::{PRELUDE_MAX, causes, false_starts, stalled};
use self::row::{Row, all, rows};
use crate::rig::Rig;

const DEADLINE: Duration = Duration::from_secs(5);

/// How late anything may come here, where many rows run at once on a busy machine: enough to tell a loss that was acted
/// on at once from one that waited for the deadline. How punctual the router is on a quiet machine is measured elsewhere.
const UNPUNCTUAL: Duration = Duration::from_secs(2);

async fn rig() -> Rig {
    Rig::with(|settings| {
        settings.limits.prelude_max = PRELUDE_MAX;
        settings.timeouts.error_body = Duration::from_millis(300);
    })
    .await
}

#[actix_web::test]
async fn flex_that_fails_before_its_start_is_replaced_by_standard_once() {
    let rig = rig().await;
    let mut table = Vec::new();
    for cause in causes().into_iter().chain(false_starts()) {
        let mut flex = cause.flex.clone();
        flex["text"] = json!("FLEX");
        for row in rows(cause.name, cause.only, &flex, &json!({"text": "STANDARD"})) {
            table.push((row, cause.reason));
        }
    }
    eprintln!("{} rows of escalation", table.len());
    all(table
        .iter()
        .map(|(row, reason)| check_escalation(&rig, row, reason)))
    .await;
    rig.settle().await;
}

async fn check_escalation(rig: &Rig, row: &Row, reason: &str) {
    let sent = Instant::now();
    let answer = row.call.answer(rig).await;
    row.check_body(&answer, "STANDARD", "FLEX");
    row.check_headers(&answer, "false", "flex_lost_race", reason);
    let settled_tier = row.endpoint.settled_tier();
    assert_eq!(row.tiers(rig), ["flex", settled_tier], "{}", row.name);
    let seen = rig.simulator.seen_by_id(&row.name);
    let (flex, standard) = (&seen[0], &seen[1]);
    assert!(flex.stream, "{}: flex is always streamed", row.name);
    assert_eq!(standard.stream, row.streamed, "{}", row.name);
    let after = standard.at - sent;
    let due = if reason == "flex_deadline" {
        DEADLINE
    } else {
        Duration::ZERO
    };
    assert!(
        (due..due + UNPUNCTUAL).contains(&after),
        "{}: standard came after {after:?}",
        row.name
    );
}

#[actix_web::test]
async fn an_answer_of_flex_that_says_the_request_is_wrong_is_the_callers() {
    let rig = rig().await;
    let mut table = Vec::new();
    for (status, shown) in [
        (400, 400),
        (401, 403),
        (402, 402),
        (403, 403),
        (404, 404),
        (409, 409),
        (413, 413),
        (422, 422),
    ] {
        let flex = json!({"status": status, "error_message": "No way."});
        for row in rows(&status.to_string(), None, &flex, &json!({})) {
            table.push((row, status, shown, "No way."));
        }
    }
    for row in rows("400, its text never ends", None, &stalled(400), &json!({})) {
        table.push((row, 400, 400, ""));
    }
    eprintln!("{} rows of refusals", table.len());
    let checks = table.iter().map(async |(row, status, shown, message)| {
        let answer = row.call.answer(&rig).await;
        assert_eq!(
            (answer.status, answer.is_whole),
            (*shown, true),
            "{}",
            row.name
        );
        assert_eq!(row.tiers(&rig), ["flex"], "{}", row.name);
        let error = &answer.json()["error"];
        let text = error["message"].as_str().unwrap();
        assert!(text.contains(message), "{}: {text}", row.name);
        let code = match status {
            401 => json!("upstream_auth_failed"),
            _ => json!(null),
        };
        assert_eq!(error["flexinference"]["code"], code, "{}", row.name);
        assert_eq!(error["flexinference"]["status"], *shown, "{}", row.name);
    });
    all(checks).await;
    rig.settle().await;
}

#[actix_web::test]
async fn flex_that_starts_in_time_is_the_only_call() {
    let rig = rig().await;
    let mut table = Vec::new();
    for (name, mut flex) in [
        ("at once", json!({})),
        ("after a while", json!({"start_delay_ms": 2000})),
        (
            "after signs of life",
            json!({"start_delay_ms": 1000, "keepalive_ms": 100}),
        ),
        ("head after a while", json!({"head_delay_ms": 1000})),
        ("byte by byte", json!({"chunk": 1})),
        (
            "among unknown events",
            json!({"unknown_events": true, "comments": true}),
        ),
        ("with no item announced", json!({"no_item_added": true})),
        ("incomplete", json!({"content": "incomplete"})),
        (
            "without its last line end",
            json!({"no_terminal_newline": true}),
        ),
    ] {
        flex["text"] = json!("FLEX");
        table.extend(rows(name, None, &flex, &json!({"text": "STANDARD"})));
    }
    eprintln!("{} rows of races won", table.len());
    let checks = table.iter().map(async |row| {
        let answer = row.call.answer(&rig).await;
        row.check_headers(&answer, "true", "flex_committed", "flex_won");
        assert_eq!(row.tiers(&rig), ["flex"], "{}", row.name);
        row.check_body(&answer, "FLEX", "STANDARD");
    });
    all(checks).await;
    rig.settle().await;
}

#[actix_web::test]
async fn when_both_tiers_fail_the_caller_gets_the_failure_of_standard() {
    let rig = rig().await;
    let mut table = Vec::new();
    for (flex, settled, status, code) in [
        (
            json!({"status": 503}),
            json!({"status": 429}),
            429,
            json!(null),
        ),
        (
            json!({"status": 429}),
            json!({"status": 500}),
            500,
            json!(null),
        ),
        (
            json!({"drop": "rst"}),
            json!({"status": 400}),
            400,
            json!(null),
        ),
        (
            json!({"status": 500}),
            json!({"status": 401}),
            403,
            json!("upstream_auth_failed"),
        ),
        (
            json!({"fault": "before_start"}),
            json!({"drop": "fin"}),
            502,
            json!("upstream_connection_lost"),
        ),
        (
            json!({"cut": {"at": 9}}),
            json!({"status": 204}),
            502,
            json!("upstream_invalid_response"),
        ),
    ] {
        for row in rows(&format!("{flex} {settled}"), None, &flex, &settled) {
            table.push((row, status, code.clone()));
        }
    }
    eprintln!("{} rows of two failures", table.len());
    let checks = table.iter().map(async |(row, status, code)| {
        let answer = row.call.answer(&rig).await;
        assert_eq!(answer.status, *status, "{}", row.name);
        assert_eq!(
            answer.json()["error"]["flexinference"]["code"],
            *code,
            "{}",
            row.name
        );
        assert_eq!(
            row.tiers(&rig),
            ["flex", row.endpoint.settled_tier()],
            "{}",
            row.name
        );
    });
    all(checks).await;
    rig.settle().await;
}
