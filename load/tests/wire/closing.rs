//! The other side closes: it is noticed at once, told apart from a reset, and nothing stays open.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use startline_load::simulator::{Behaviour, How, Script, Seen, Silence, Simulator};

use crate::client::{parse, post, request, send, surfaces, usual_headers};

const PATIENCE: Duration = Duration::from_secs(5);

fn silent(simulator: &Simulator, silence: Silence) -> TcpStream {
    let (path, body) = &surfaces(true)[0];
    let script = Script::any(Behaviour {
        silent: Some(silence),
        ..Behaviour::default()
    });
    send(
        simulator,
        path,
        &format!("{}x-sim: {}\r\n", usual_headers(path), script.json()),
        &body.to_string(),
    )
}

/// Reads what there is until nothing comes for a moment, so that a close is one in order.
fn drain(stream: &mut TcpStream) {
    stream
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    while stream.read(&mut [0; 4096]).is_ok_and(|count| count > 0) {}
}

/// Closes a silent connection this way, and tells how late the simulator noticed.
async fn lateness(how: How, silence: Silence) -> Duration {
    let simulator = Simulator::start_default();
    let mut stream = silent(&simulator, silence);
    drain(&mut stream);
    assert!(simulator.wait_for(|seen| seen.len() == 1, PATIENCE).await);
    let open = (simulator.open_requests(), simulator.open_connections());
    assert_eq!(open, (1, 1));
    if how == How::Rst {
        let twin = tokio::net::TcpStream::from_std(nonblocking(&stream)).unwrap();
        twin.set_zero_linger().unwrap();
    }
    let closed_at = Instant::now();
    drop(stream);
    let is_closed = |seen: &[Seen]| seen[0].closed.is_some();
    assert!(simulator.wait_for(is_closed, PATIENCE).await);
    let closed = simulator.seen()[0].closed.unwrap();
    assert_eq!(closed.how, how, "{silence:?}");
    assert!(closed.by_other_side_before_end);
    nothing_stays_open(&simulator).await;
    closed.at.duration_since(closed_at)
}

#[tokio::test]
async fn a_close_is_noticed_within_ten_milliseconds_while_nothing_is_said() {
    for how in [How::Fin, How::Rst] {
        for silence in [Silence::Head, Silence::Queued, Silence::Started] {
            // A busy machine may delay one of them, not all.
            let mut best = Duration::MAX;
            for _ in 0..3 {
                best = best.min(lateness(how, silence).await);
            }
            assert!(
                best < Duration::from_millis(10),
                "{how:?} {silence:?} {best:?}"
            );
        }
    }
}

fn nonblocking(stream: &TcpStream) -> TcpStream {
    let twin = stream.try_clone().unwrap();
    twin.set_nonblocking(true).unwrap();
    twin
}

async fn nothing_stays_open(simulator: &Simulator) {
    let until = Instant::now() + PATIENCE;
    while simulator.open_connections() + simulator.open_requests() > 0 {
        assert!(Instant::now() < until, "something stays open");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_close_after_the_end_is_not_one_before_it() {
    let simulator = Simulator::start_default();
    let (path, body) = &surfaces(false)[0];
    let mut stream = send(&simulator, path, usual_headers(path), &body.to_string());
    drain(&mut stream);
    drop(stream);
    assert!(
        simulator
            .wait_for(|seen| seen[0].closed.is_some(), PATIENCE)
            .await
    );
    assert!(!simulator.seen()[0].closed.unwrap().by_other_side_before_end);
}

/// Reads one answer that has a length.
fn read_one(stream: &mut TcpStream) -> crate::client::Answer {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "closed too early");
        bytes.extend_from_slice(&buffer[..count]);
        let answer = parse(&bytes);
        if answer.status != 0 && answer.whole {
            return answer;
        }
    }
}

#[test]
fn a_connection_is_used_again_and_can_hang_up_unannounced() {
    let simulator = Simulator::start_default();
    let (path, body) = &surfaces(false)[1];
    let mut stream = send(&simulator, path, usual_headers(path), &body.to_string());
    assert_eq!(read_one(&mut stream).status, 200);
    let hang_up = Script::any(Behaviour {
        hang_up_after_ms: Some(30),
        ..Behaviour::default()
    });
    let headers = format!("{}x-sim: {}\r\n", usual_headers(path), hang_up.json());
    stream
        .write_all(request(path, &headers, &body.to_string()).as_bytes())
        .unwrap();
    let answer = read_one(&mut stream);
    assert_eq!(answer.header("connection"), None);
    let answered = Instant::now();
    assert_eq!(stream.read(&mut [0; 16]).unwrap(), 0);
    assert!(
        answered.elapsed() >= Duration::from_millis(25),
        "{:?}",
        answered.elapsed()
    );
    let seen = simulator.seen();
    assert_eq!(seen[0].connection, seen[1].connection);
    assert!(seen[0].closed.is_none() && !seen[1].closed.unwrap().by_other_side_before_end);
}

#[tokio::test]
async fn connections_can_be_refused_for_a_while() {
    let simulator = Simulator::start_default();
    simulator.refuse_connections(true).await;
    let refused = TcpStream::connect(simulator.address()).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    simulator.refuse_connections(false).await;
    let (path, body) = &surfaces(false)[0];
    assert_eq!(post(&simulator, path, body).status, 200);
}

#[test]
fn the_port_is_free_again_after_the_simulator_is_dropped() {
    let simulator = Simulator::start_default();
    let address = simulator.address();
    drop(simulator);
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(address).is_ok() {
        assert!(Instant::now() < until, "it still listens");
    }
}

/// A request to the simulator itself.
fn admin(simulator: &Simulator, method: &str, path: &str, body: &str) -> Value {
    let mut stream = TcpStream::connect(simulator.address()).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: sim\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    read_one(&mut stream).json()
}

#[test]
fn scripts_steer_the_simulator_over_http() {
    let simulator = Simulator::start_default();
    let rule = r#"{"tier":"flex","times":1,"script":{"id":"r","flex":{"status":503}}}"#;
    assert_eq!(
        admin(&simulator, "POST", "/sim/rules", rule),
        json!({"added": 1})
    );
    let body = json!({"model": "gpt-5.2", "input": "x", "service_tier": "flex"});
    assert_eq!(post(&simulator, "/v1/responses", &body).status, 503);
    assert_eq!(post(&simulator, "/v1/responses", &body).status, 200);
    let seen = admin(&simulator, "GET", "/sim/seen", "");
    assert_eq!(
        (&seen[0]["id"], &seen[0]["status_sent"], &seen[1]["tier"]),
        (&json!("r"), &json!(503), &json!("flex"))
    );
    assert!(seen[0]["answered_at"].as_u64() >= seen[0]["at"].as_u64());
    assert_eq!(admin(&simulator, "GET", "/sim/open", "")["requests"], 0);
    admin(&simulator, "DELETE", "/sim/seen", "");
    assert_eq!(admin(&simulator, "GET", "/sim/seen", ""), json!([]));
    assert!(
        admin(&simulator, "POST", "/sim/rules", r#"{"modle":"x"}"#)["error"]
            .as_str()
            .unwrap()
            .contains("modle")
    );
}
