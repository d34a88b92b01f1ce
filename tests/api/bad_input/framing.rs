//! Bodies that come too slowly, break off, or are framed wrongly, and the last sizes that are still good.

use std::time::{Duration, Instant};

use serde_json::json;

use super::bodies::{in_chunks, nested_json, of_size};
use super::draft::{CHAT, Draft, ENDPOINTS, RESPONSES};
use super::{MAX_BODY, rig, serves_on};
use crate::client::{Connection, request};
use crate::error_shape::{Shape, check_ours};
use crate::requests::{behaving, with};
use crate::rig::Rig;

#[actix_web::test]
async fn the_largest_and_the_deepest_body_pass() {
    let rig = rig().await;
    let whole = of_size(RESPONSES, MAX_BODY);
    let answer = rig.send("POST", RESPONSES, &[], &whole).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let chunked = [("transfer-encoding", "chunked")];
    let framed = in_chunks(&of_size(CHAT, MAX_BODY), 10_000);
    let answer = rig.send("POST", CHAT, &chunked, &framed).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let identity = [("content-encoding", "Identity")];
    let plain = Draft::of(RESPONSES).json();
    let answer = rig
        .send("POST", RESPONSES, &identity, plain.as_bytes())
        .await;
    assert_eq!(answer.status, 200);
    rig.simulator.clear();
    // The simulator's own parser stops at 127 levels; what counts is that the body went upstream.
    let deepest = nested_json(128);
    rig.send("POST", RESPONSES, &[], deepest.as_bytes()).await;
    let seen = rig.simulator.seen();
    assert_eq!(seen.len(), 1);
    let arrays = "[".repeat(127) + &"]".repeat(127);
    assert!(String::from_utf8_lossy(&seen[0].body).contains(&arrays));
    rig.settle().await;
}

#[actix_web::test]
async fn a_body_that_comes_too_slowly_is_a_408_of_its_endpoint() {
    let patience = Duration::from_millis(150);
    let rig = Rig::with(|settings| settings.server.body_timeout = patience).await;
    for path in ENDPOINTS {
        let body = Draft::of(path).json();
        let started = Instant::now();
        let mut connection = Connection::open(rig.address).await;
        let bytes = request(
            "POST",
            path,
            &[("authorization", &bearer(&rig))],
            body.as_bytes(),
        );
        connection.write(&bytes[..bytes.len() - 10]).await;
        let answer = connection.answer().await;
        check_ours(
            "too slow",
            &answer,
            Shape::of_path(path),
            408,
            "request_timeout",
        );
        assert!(answer.at.duration_since(started) >= patience);
    }
    assert!(rig.simulator.seen().is_empty());
    rig.settle().await;
}

#[actix_web::test]
async fn a_trickle_does_not_extend_the_time_for_a_body() {
    let rig = Rig::with(|settings| settings.server.body_timeout = Duration::from_millis(150)).await;
    let mut connection = Connection::open(rig.address).await;
    let headers = [
        ("authorization", bearer(&rig)),
        ("transfer-encoding", "chunked".to_owned()),
    ];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    connection
        .write(&request("POST", RESPONSES, &headers, b""))
        .await;
    let trickling = async {
        // More pieces than fit into the time, each well within it.
        for _ in 0..100 {
            connection.write(b"1\r\n \r\n").await;
            actix_rt::time::sleep(Duration::from_millis(20)).await;
            if connection.has_answer().await {
                break;
            }
        }
        connection.answer().await
    };
    let answer = trickling.await;
    check_ours("a trickle", &answer, Shape::Openai, 408, "request_timeout");
    assert!(rig.simulator.seen().is_empty());
    rig.settle().await;
}

#[actix_web::test]
async fn a_body_that_breaks_off_leaves_nothing_behind() {
    let rig = rig().await;
    let body = Draft::of(RESPONSES).json();
    let whole = request(
        "POST",
        RESPONSES,
        &[("authorization", &bearer(&rig))],
        body.as_bytes(),
    );
    let chunked = [
        ("authorization", bearer(&rig)),
        ("transfer-encoding", "chunked".into()),
    ];
    let chunked = chunked
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let framed = request("POST", RESPONSES, &chunked, &in_chunks(body.as_bytes(), 20));
    for bytes in [whole, framed] {
        for missing in [1, 2, 30] {
            for reset in [false, true] {
                let mut connection = Connection::open(rig.address).await;
                connection.write(&bytes[..bytes.len() - missing]).await;
                if reset {
                    connection.reset();
                } else {
                    connection.half_close().await;
                }
            }
        }
    }
    serves_on(&rig).await;
    rig.settle().await;
}

/// A caller who is still sending reads the refusal before the connection goes.
#[actix_web::test]
async fn the_refusal_of_a_body_far_over_the_limit_reaches_a_caller_who_is_still_sending() {
    let rig = rig().await;
    let body = vec![b'x'; 32 * MAX_BODY];
    for path in ENDPOINTS {
        let answer = rig.send("POST", path, &[], &body).await;
        check_ours(
            "far over",
            &answer,
            Shape::of_path(path),
            413,
            "request_too_large",
        );
        let chunked = [("transfer-encoding", "chunked")];
        let answer = rig
            .send("POST", path, &chunked, &in_chunks(&body, 100_000))
            .await;
        check_ours(
            "far over, in chunks",
            &answer,
            Shape::of_path(path),
            413,
            "request_too_large",
        );
    }
    serves_on(&rig).await;
    rig.settle().await;
}

#[actix_web::test]
async fn bodies_that_do_not_fit_beside_each_other_are_told_to_come_back() {
    let rig = Rig::with(|settings| {
        settings.server.max_body = MAX_BODY;
        settings.server.bodies_in_flight = MAX_BODY;
    })
    .await;
    let silent = behaving(RESPONSES, &json!({"silent": "head"}));
    let large = with(silent, json!({"user": "x".repeat(MAX_BODY / 2)})).to_string();
    let holder = rig.open("POST", RESPONSES, &[], large.as_bytes()).await;
    let arrived = rig
        .simulator
        .wait_for(|seen| seen.len() == 1, Duration::from_secs(5));
    assert!(arrived.await);
    for path in ENDPOINTS {
        let answer = rig
            .send("POST", path, &[], &of_size(path, MAX_BODY / 2))
            .await;
        check_ours("no room", &answer, Shape::of_path(path), 503, "server_busy");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    let small = rig
        .send(
            "POST",
            RESPONSES,
            &[],
            Draft::of(RESPONSES).json().as_bytes(),
        )
        .await;
    assert_eq!(small.status, 200);
    holder.reset();
    rig.settle().await;
}

#[actix_web::test]
async fn wrong_chunks_are_refused() {
    let rig = rig().await;
    let body = Draft::of(RESPONSES).json();
    let size = body.len();
    for framed in [
        format!("zz\r\n{body}\r\n0\r\n\r\n"),
        format!("{size:x}\r\n{body}xx0\r\n\r\n"),
        format!("-5\r\n{body}\r\n0\r\n\r\n"),
        format!("fffffffffffffffff\r\n{body}\r\n0\r\n\r\n"),
        format!("\r\n{body}\r\n0\r\n\r\n"),
    ] {
        let headers = [("transfer-encoding", "chunked")];
        let answer = rig
            .send("POST", RESPONSES, &headers, framed.as_bytes())
            .await;
        check_ours(&framed, &answer, Shape::Openai, 400, "invalid_json");
    }
    serves_on(&rig).await;
    rig.settle().await;
}

/// Two readings of where a request ends are how one is smuggled past a proxy; a head like that is no request.
#[actix_web::test]
async fn a_head_that_can_be_read_in_two_ways_is_refused() {
    let rig = rig().await;
    let body = Draft::of(RESPONSES).json();
    let (bearer, length) = (bearer(&rig), body.len());
    let chunks = String::from_utf8(in_chunks(body.as_bytes(), 100)).unwrap();
    let head = format!("POST {RESPONSES} HTTP/1.1\r\nhost: x\r\nauthorization: {bearer}\r\n");
    for (framing, sent) in [
        (
            format!("content-length: {length}\r\ntransfer-encoding: chunked"),
            &chunks,
        ),
        (
            format!("transfer-encoding: chunked\r\ncontent-length: {length}"),
            &chunks,
        ),
        (
            format!("content-length: {length}\r\ncontent-length: 5"),
            &body,
        ),
        (format!("content-length: +{length}"), &body),
        ("content-length: -1".to_owned(), &body),
        ("content-length: 99999999999999999999999".to_owned(), &body),
        (format!("content-length: {length}, 5"), &body),
        ("transfer-encoding: chunked, identity".to_owned(), &chunks),
        ("transfer-encoding: gzip".to_owned(), &chunks),
        (
            "transfer-encoding: chunked\r\ntransfer-encoding: chunked".to_owned(),
            &chunks,
        ),
        (format!("content-length : {length}"), &body),
        (format!("x: y\r\n z\r\ncontent-length: {length}"), &body),
    ] {
        let mut connection = Connection::open(rig.address).await;
        connection
            .write(format!("{head}{framing}\r\n\r\n{sent}").as_bytes())
            .await;
        let answer = connection.answer().await;
        assert!(
            (400..500).contains(&answer.status),
            "{framing}: {}",
            answer.status
        );
        assert!(rig.simulator.seen().is_empty(), "{framing}");
    }
    serves_on(&rig).await;
    rig.settle().await;
}

#[actix_web::test]
async fn what_is_no_http_is_refused_and_the_router_serves_on() {
    let rig = rig().await;
    let many: String = (0..2_000)
        .map(|number| format!("h{number}: v\r\n"))
        .collect();
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"GET /healthz HTTP/9.9\r\n\r\n".to_vec(),
        b"GET  HTTP/1.1\r\n\r\n".to_vec(),
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nbad header\r\n\r\n".to_vec(),
        format!("GET /healthz HTTP/1.1\r\n{many}\r\n").into_bytes(),
        format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(1 << 20)).into_bytes(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
    ] {
        let mut connection = Connection::open(rig.address).await;
        connection.write(&bytes).await;
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
        let received = connection.until_closed().await;
        let text = String::from_utf8_lossy(&received);
        assert!(
            text.is_empty() || text.starts_with("HTTP/1.1 4"),
            "{shown:?}: {text:?}"
        );
    }
    serves_on(&rig).await;
    rig.settle().await;
}

#[actix_web::test]
async fn a_head_that_never_ends_does_not_hold_its_connection() {
    let rig = Rig::with(|settings| settings.server.head_timeout = Duration::from_secs(1)).await;
    let mut connection = Connection::open(rig.address).await;
    let started = Instant::now();
    connection
        .write(b"POST /v1/responses HTTP/1.1\r\nhost: x\r\nx: ")
        .await;
    let received = connection.until_closed().await;
    assert!(
        started.elapsed() < Duration::from_secs(4),
        "long before the usual 5 s"
    );
    let text = String::from_utf8_lossy(&received);
    assert!(
        text.is_empty() || text.starts_with("HTTP/1.1 408"),
        "{text:?}"
    );
    serves_on(&rig).await;
    rig.settle().await;
}

fn bearer(rig: &Rig) -> String {
    format!("Bearer {}", rig.key)
}
