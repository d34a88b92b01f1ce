//! The comment that a silent stream gets: between two events only, once the answer has begun, and in no other body.

use std::time::Duration;

use serde_json::json;

use crate::requests::{ENDPOINTS, UNTRANSLATED, behaving, last_sent, with};
use crate::rig::Rig;

const COMMENT: &str = ": keep-alive\n\n";
const HEARTBEAT: Duration = Duration::from_millis(30);

async fn rig() -> Rig {
    Rig::with(|settings| settings.timeouts.heartbeat = HEARTBEAT).await
}

/// Takes the comments out and gives how many there were; each must stand where an event has ended.
fn without_comments(text: &str) -> (String, usize) {
    let mut rest = text;
    let mut kept = String::new();
    let mut count = 0;
    while let Some(at) = rest.find(COMMENT) {
        kept.push_str(&rest[..at]);
        let between = kept.is_empty() || kept.ends_with("\n\n") || kept.ends_with("\r\n\r\n");
        assert!(between, "a comment inside an event: {kept}");
        rest = &rest[at + COMMENT.len()..];
        count += 1;
    }
    (kept + rest, count)
}

#[actix_web::test]
async fn a_silent_stream_gets_comments_between_its_events() {
    let rig = rig().await;
    for path in ENDPOINTS {
        for behaviour in [
            json!({"event_delay_ms": 80, "deltas": 3}),
            json!({"event_delay_ms": 80, "deltas": 3, "crlf": true}),
            // Every event comes in pieces, with a longer silence inside it than between two.
            json!({"chunk": 300, "trickle_ms": 40, "deltas": 1, "no_usage": true}),
            json!({"start_delay_ms": 100}),
        ] {
            let body = with(behaving(path, &behaviour), json!({"stream": true}));
            let answer = rig.post(path, &body).await;
            assert!(answer.is_whole);
            let (events, comments) = without_comments(&answer.text());
            let what = format!("{path} {behaviour}");
            assert!(comments >= 1, "{what}: no comment");
            let sent = String::from_utf8(last_sent(&rig).await).unwrap();
            assert_eq!(events, sent, "{what}");
            rig.simulator.clear();
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_busy_stream_gets_none() {
    let rig = Rig::with(|settings| settings.timeouts.heartbeat = Duration::from_secs(2)).await;
    for path in ENDPOINTS {
        let behaviour = json!({"event_delay_ms": 5, "deltas": 20});
        let body = with(behaving(path, &behaviour), json!({"stream": true}));
        let answer = rig.post(path, &body).await;
        assert!(!answer.text().contains(COMMENT), "{path}");
    }
    rig.settle().await;
}

#[actix_web::test]
async fn nothing_is_sent_before_flex_has_started() {
    let rig = rig().await;
    for path in UNTRANSLATED {
        let raced = json!({"stream": true, "start_within": "00h-00m-30s"});
        let behaviour = json!({"start_delay_ms": 150});
        let answer = rig
            .post(path, &with(behaving(path, &behaviour), raced))
            .await;
        let sent = String::from_utf8(last_sent(&rig).await).unwrap();
        let (events, _) = without_comments(&answer.text());
        assert_eq!(events, sent, "{path}");
        assert!(!answer.text().starts_with(COMMENT), "{path}");
        // The queue is silent for five heartbeats; the caller has got nothing of it.
        let prelude = answer
            .text()
            .find("output_item.added")
            .or(answer.text().find("step.start"));
        let before_start = &answer.text()[..prelude.unwrap()];
        assert!(!before_start.contains(COMMENT), "{path}: {before_start}");
        rig.simulator.clear();
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_whole_answer_and_an_error_get_none() {
    let rig = rig().await;
    for path in ENDPOINTS {
        let slow = rig
            .post(path, &behaving(path, &json!({"head_delay_ms": 120})))
            .await;
        assert_eq!(slow.body, last_sent(&rig).await, "{path}");
        let failing = json!({"head_delay_ms": 120, "status": 500});
        let body = with(behaving(path, &failing), json!({"stream": true}));
        let failed = rig.post(path, &body).await;
        assert_eq!(failed.status, 500);
        assert!(!failed.text().contains(COMMENT), "{path}");
        rig.simulator.clear();
    }
    rig.settle().await;
}
