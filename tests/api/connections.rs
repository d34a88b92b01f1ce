//! HTTP on the caller's side: kept connections, two requests in one write, chunks, `Expect`, slashes and queries.

use serde_json::json;

use crate::client::{Connection, request};
use crate::requests::{ENDPOINTS, MESSAGES, RESPONSES, behaving, good, with};
use crate::rig::Rig;

fn bytes(rig: &Rig, path: &str, more: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let bearer = format!("Bearer {}", rig.key);
    let headers = [&[("authorization", bearer.as_str())], more].concat();
    request("POST", path, &headers, body)
}

#[actix_web::test]
async fn a_connection_is_kept_for_answers_of_every_kind() {
    let rig = Rig::start().await;
    let mut connection = Connection::open(rig.address).await;
    for path in ENDPOINTS {
        for (fields, status) in [
            (json!({}), 200),
            (json!({"stream": true}), 200),
            (json!({"start_within": "x"}), 400),
            (json!({"stream": true, "retry": 1}), 400),
        ] {
            let body = with(good(path, "Hello"), fields).to_string();
            connection
                .write(&bytes(&rig, path, &[], body.as_bytes()))
                .await;
            let answer = connection.answer().await;
            assert_eq!(answer.status, status, "{path}: {}", answer.text());
            assert!(answer.is_whole);
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn two_requests_in_one_write_are_answered_in_their_order() {
    let rig = Rig::start().await;
    for stream in [false, true] {
        let first = with(
            behaving(
                RESPONSES,
                &json!({"text": "the first", "event_delay_ms": 20}),
            ),
            json!({"stream": stream}),
        );
        let second = with(
            behaving(MESSAGES, &json!({"text": "the second"})),
            json!({"stream": stream}),
        );
        let both = [
            bytes(&rig, RESPONSES, &[], first.to_string().as_bytes()),
            bytes(&rig, MESSAGES, &[], second.to_string().as_bytes()),
        ]
        .concat();
        let mut connection = Connection::open(rig.address).await;
        connection.write(&both).await;
        let (answer, next) = (connection.answer().await, connection.answer().await);
        assert!(answer.text().contains("first") && next.text().contains("second"));
        assert_eq!(
            (
                answer.header("request-id"),
                next.header("request-id").is_some()
            ),
            (None, true)
        );
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_body_in_chunks_is_put_together() {
    let rig = Rig::start().await;
    for path in ENDPOINTS {
        let body = good(path, "Grüße in Stücken").to_string();
        let mut connection = Connection::open(rig.address).await;
        let head = bytes(&rig, path, &[("transfer-encoding", "chunked")], b"");
        connection.write(&head).await;
        for piece in body.as_bytes().chunks(1) {
            connection
                .write(&[b"1;ext=1\r\n", piece, b"\r\n"].concat())
                .await;
        }
        connection.write(b"0\r\n\r\n").await;
        let answer = connection.answer().await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let upstream = rig.simulator.seen().pop().unwrap();
        assert!(String::from_utf8_lossy(&upstream.body).contains("Grüße in Stücken"));
        let length = upstream.body.len().to_string();
        assert_eq!(upstream.header("content-length"), Some(&*length));
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_caller_who_asks_first_is_told_to_go_on() {
    let rig = Rig::start().await;
    let body = good(RESPONSES, "Hello").to_string();
    let whole = bytes(
        &rig,
        RESPONSES,
        &[("expect", "100-continue")],
        body.as_bytes(),
    );
    let mut connection = Connection::open(rig.address).await;
    connection.write(&whole[..whole.len() - body.len()]).await;
    connection.read_until("HTTP/1.1 100 Continue\r\n\r\n").await;
    assert!(rig.simulator.seen().is_empty());
    connection.write(body.as_bytes()).await;
    let answer = connection.answer().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    rig.settle().await;
}

#[actix_web::test]
async fn a_caller_who_asks_first_with_a_bad_key_gets_the_refusal() {
    let rig = Rig::start().await;
    let headers = [
        ("expect", "100-continue"),
        ("x-api-key", "sk-other"),
        ("content-length", "1000"),
    ];
    let mut connection = Connection::open(rig.address).await;
    connection
        .write(&request("POST", RESPONSES, &headers, b""))
        .await;
    let answer = connection.answer().await;
    assert_eq!(answer.status, 401, "{}", answer.text());
    rig.settle().await;
}

#[actix_web::test]
async fn a_slash_at_the_end_and_a_query_change_nothing() {
    let rig = Rig::start().await;
    for path in [
        ENDPOINTS.to_vec(),
        vec!["/v1beta/interactions", "/v1/messages/count_tokens"],
    ]
    .concat()
    {
        let shape_of = match path {
            "/v1beta/interactions" => "/v1/interactions",
            "/v1/messages/count_tokens" => MESSAGES,
            other => other,
        };
        let mut body = good(shape_of, "Hello");
        if path.ends_with("count_tokens") {
            let fields = body.as_object_mut().unwrap();
            fields.remove("start_within");
            fields.remove("max_tokens");
        }
        for ending in ["", "/", "?key=AIza-of-theirs", "/?beta=true&x=%00", "?"] {
            let answer = rig.post(&format!("{path}{ending}"), &body).await;
            assert_eq!(answer.status, 200, "{path}{ending}: {}", answer.text());
            let upstream = rig.simulator.seen().pop().unwrap().path;
            assert!(
                !upstream.contains('?') && !upstream.ends_with('/'),
                "{upstream}"
            );
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_content_type_decides_nothing_and_accept_does_not_stream() {
    let rig = Rig::start().await;
    for path in ENDPOINTS {
        let body = good(path, "Hello").to_string();
        for headers in [
            [
                ("content-type", "text/plain"),
                ("accept", "text/event-stream"),
            ],
            [
                ("content-type", "application/x-www-form-urlencoded"),
                ("accept", "*/*"),
            ],
            [
                ("content-type", "application/json; charset=utf-8"),
                ("accept", "application/json"),
            ],
        ] {
            let mut connection = Connection::open(rig.address).await;
            connection
                .write(&bytes(&rig, path, &headers, body.as_bytes()))
                .await;
            let answer = connection.answer().await;
            assert_eq!(answer.status, 200, "{path} {headers:?}: {}", answer.text());
            assert_eq!(answer.header("content-type"), Some("application/json"));
        }
    }
    rig.settle().await;
}
