//! Failures after the commit are shown, in the caller's own format, and nothing is tried again: inside a stream, inside
//! an answer in one piece, of the settled tier and of flex.

use std::time::Duration;

use serde_json::{Value, json};

use crate::calls::{Call, Endpoint, each};
use crate::client::Answer;
use crate::events::{Ending, ending, events, failure_of_ours};
use crate::rig::Rig;

/// Lower than any pause of these tests that is meant to be waited for.
const IDLE: Duration = Duration::from_millis(400);

/// A provider that breaks after it has started: by a cut, by a reset, by silence.
fn breaks() -> [Value; 5] {
    [
        json!({"cut": {"before_terminal": true}}),
        json!({"cut": {"before_terminal": true, "how": "rst"}, "event_delay_ms": 5}),
        json!({"cut": {"before_terminal": true}, "framing": "length"}),
        json!({"cut": {"before_terminal": true, "how": "stall"}}),
        json!({"silent": "started"}),
    ]
}

async fn impatient_rig() -> Rig {
    Rig::with(|settings| settings.timeouts.idle = IDLE).await
}

/// The tiers that were asked for under this id.
fn tiers(rig: &Rig, id: &str) -> Vec<String> {
    let seen = rig.simulator.seen_by_id(id);
    seen.into_iter().map(|seen| seen.tier.unwrap()).collect()
}

/// The answer is a 502 in one piece, of a stream or document that broke.
fn check_502(answer: &Answer, id: &str) {
    assert_eq!((answer.status, answer.is_whole), (502, true), "{id}");
    let block = &answer.json()["error"]["flexinference"];
    assert_eq!(block["code"], "upstream_stream_failed", "{id}");
    assert_eq!(block["status"], 502, "{id}");
    assert_eq!(answer.header("x-flexinference-retries"), Some("0"), "{id}");
}

/// The answer is a stream that began well and ends with a failure of ours.
fn check_failure_event(answer: &Answer, endpoint: Endpoint, id: &str) {
    assert_eq!((answer.status, answer.is_whole), (200, true), "{id}");
    assert_eq!(
        answer.header("content-type"),
        Some("text/event-stream; charset=utf-8")
    );
    let text = answer.text();
    let block = failure_of_ours(endpoint, &text);
    assert_eq!(block["code"], "upstream_stream_failed", "{id}");
    assert_eq!(block["origin"], "provider", "{id}");
    assert!(!text.contains("[DONE]"), "{id}: {text}");
}

#[actix_web::test]
async fn a_stream_that_breaks_ends_with_a_failure_event() {
    let rig = impatient_rig().await;
    each(&Endpoint::ALL, &breaks(), async |endpoint, behaviour| {
        let id = format!("{endpoint:?} {behaviour}");
        let script = json!({"id": id, "settled": behaviour});
        let call = Call::new(endpoint).streamed(true).retried(2);
        let answer = call.scripted(script).answer(&rig).await;
        check_failure_event(&answer, endpoint, &id);
        assert_eq!(answer.header("x-flexinference-retries"), Some("0"), "{id}");
        assert_eq!(tiers(&rig, &id), [endpoint.settled_tier()], "{id}");
    })
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn a_stream_of_flex_that_breaks_ends_with_a_failure_event() {
    let rig = impatient_rig().await;
    each(&Endpoint::RACED, &breaks(), async |endpoint, behaviour| {
        let id = format!("{endpoint:?} {behaviour}");
        let script = json!({"id": id, "flex": behaviour, "settled": {"text": "STANDARD"}});
        let call = Call::new(endpoint).raced().streamed(true).retried(2);
        let answer = call.scripted(script).answer(&rig).await;
        check_failure_event(&answer, endpoint, &id);
        assert_eq!(
            answer.header("x-flexinference-flex-applied"),
            Some("true"),
            "{id}"
        );
        assert_eq!(tiers(&rig, &id), ["flex"], "{id}");
    })
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn an_answer_of_flex_that_breaks_while_it_is_put_together_is_a_502() {
    let rig = impatient_rig().await;
    let mut rows = breaks().to_vec();
    rows.push(json!({"fault": "after_start"}));
    each(&Endpoint::RACED, &rows, async |endpoint, behaviour| {
        let id = format!("{endpoint:?} {behaviour}");
        let script = json!({"id": id, "flex": behaviour, "settled": {"text": "STANDARD"}});
        let call = Call::new(endpoint).raced().retried(2);
        let answer = call.scripted(script).answer(&rig).await;
        check_502(&answer, &id);
        assert_eq!(tiers(&rig, &id), ["flex"], "{id}");
    })
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn an_answer_in_one_piece_that_breaks_is_a_502() {
    let rig = impatient_rig().await;
    let cut = |how: &str, framing: &str| json!({"cut": {"before_terminal": true, "how": how}, "framing": framing});
    let mut rows = Vec::new();
    for how in ["fin", "rst", "stall"] {
        rows.extend(["length", "chunked", "close"].map(|framing| cut(how, framing)));
    }
    each(&Endpoint::ALL, &rows, async |endpoint, behaviour| {
        let id = format!("{endpoint:?} {behaviour}");
        let script = json!({"id": id, "settled": [behaviour, {}]});
        let call = Call::new(endpoint).retried(2);
        let answer = call.scripted(script).answer(&rig).await;
        check_502(&answer, &id);
        assert_eq!(tiers(&rig, &id), [endpoint.settled_tier()], "{id}");
    })
    .await;
    rig.settle().await;
}

#[actix_web::test]
async fn what_a_provider_says_of_its_own_failure_in_a_stream_is_passed_on_unchanged() {
    let rig = Rig::start().await;
    for endpoint in Endpoint::ALL {
        for fault in ["before_start", "after_start"] {
            let id = format!("{endpoint:?} {fault}");
            let behaviour = json!({"fault": fault, "fault_message": "Too busy."});
            let script = json!({"id": id, "settled": [behaviour, {}]});
            let call = Call::new(endpoint).streamed(true).retried(2);
            let answer = call.scripted(script).answer(&rig).await;
            assert_eq!((answer.status, answer.is_whole), (200, true), "{id}");
            let text = answer.text();
            assert!(
                matches!(ending(endpoint, &text), Ending::Failed(_)),
                "{id}: {text}"
            );
            assert_eq!(rig.simulator.seen_by_id(&id).len(), 1, "{id}");
            assert_eq!(text, rig.last_sent_body().await, "{id}");
            assert_eq!(answer.header("x-flexinference-retries"), Some("0"), "{id}");
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_failure_that_openai_tells_only_by_an_error_is_completed_by_a_failed_response() {
    let rig = Rig::start().await;
    for raced in [false, true] {
        let id = format!("raced: {raced}");
        let fault = json!({"fault": "after_start", "fault_bare": true, "fault_message": "Too busy.",
            "fault_code": "slow_down"});
        let script = json!({"id": id, "any": fault});
        let mut call = Call::new(Endpoint::Responses).streamed(true);
        if raced {
            call = call.raced();
        }
        let answer = call.scripted(script).answer(&rig).await;
        let text = answer.text();
        assert_eq!(rig.simulator.seen_by_id(&id).len(), 1, "{id}");
        let theirs = rig.last_sent_body().await;
        assert!(
            text.starts_with(&theirs) && text.len() > theirs.len(),
            "{id}: {text}"
        );
        let block = failure_of_ours(Endpoint::Responses, &text);
        assert_eq!(
            (&block["code"], &block["provider_code"]),
            (&json!(null), &json!("slow_down"))
        );
        let last = events(&text).pop().unwrap();
        assert_eq!(
            last.data["response"]["error"]["message"], "Too busy.",
            "{id}"
        );
        assert_eq!(last.data["response"]["error"]["code"], "slow_down", "{id}");
    }
    rig.settle().await;
}

#[actix_web::test]
async fn an_error_in_place_of_a_stream_is_shown_and_not_tried_again() {
    let rig = Rig::start().await;
    let document = json!({"error": {"message": "Too busy.", "code": "busy"}}).to_string();
    for endpoint in Endpoint::ALL {
        let id = format!("{endpoint:?}");
        let behaviour = json!({"raw_body": document, "content_type": "text/event-stream"});
        let script = json!({"id": id, "settled": [behaviour, {}]});
        let call = Call::new(endpoint).streamed(true).retried(2);
        let answer = call.scripted(script).answer(&rig).await;
        assert_eq!(answer.status, 200, "{id}");
        let text = answer.text();
        assert!(text.contains("Too busy."), "{id}: {text}");
        assert_eq!(rig.simulator.seen_by_id(&id).len(), 1, "{id}");
        let clean = answer.is_whole && ending(endpoint, &text) == Ending::Complete;
        assert!(!clean, "{id}: {text}");
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_document_that_breaks_in_place_of_a_stream_is_cut_for_the_caller_too() {
    let rig = Rig::start().await;
    let document = json!({"id": "x", "output": []}).to_string();
    let rows = ["fin", "rst"].map(|how| {
        // What is on its way when a connection is reset is lost; so the reset comes after a pause.
        json!({"raw_body": document, "cut": {"at": 9, "how": how}, "chunk": 3, "trickle_ms": 100})
    });
    each(&Endpoint::ALL, &rows, async |endpoint, behaviour| {
        let id = format!("{endpoint:?} {behaviour}");
        let script = json!({"id": id, "settled": [behaviour, {}]});
        let call = Call::new(endpoint).streamed(true).retried(2);
        let answer = call.scripted(script).answer(&rig).await;
        assert_eq!((answer.status, answer.is_whole), (200, false), "{id}");
        assert_eq!(rig.simulator.seen_by_id(&id).len(), 1, "{id}");
    })
    .await;
    rig.settle().await;
}
