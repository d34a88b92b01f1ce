//! Signals: SIGTERM lets what runs finish, a second one and SIGINT cut it, SIGHUP reads the catalogue again.

use std::time::Duration;

use serde_json::{Value, json};
use startline_load::simulator::{Options, Simulator};

use crate::client::{Answer, Connection, request};
use crate::error_shape::{Shape, check_ours};
use crate::process::{Scratch, Serving, new_key, serve};
use crate::requests::{RESPONSES, behaving, good, with};

const PATIENCE: Duration = Duration::from_secs(10);

fn simulator() -> Simulator {
    Simulator::start(Options::default()).unwrap()
}

async fn start(simulator: &Simulator) -> Serving {
    let key = new_key();
    Serving::start(&mut serve(simulator, &key), &key).await
}

fn bytes(serving: &Serving, method: &str, path: &str, body: &str) -> Vec<u8> {
    let bearer = format!("Bearer {}", serving.key);
    request(method, path, &[("authorization", &bearer)], body.as_bytes())
}

async fn send(serving: &Serving, method: &str, path: &str, body: &str) -> Answer {
    let mut connection = Connection::open(serving.address).await;
    connection.write(&bytes(serving, method, path, body)).await;
    connection.answer().await
}

/// A stream that has begun; its first events have come.
async fn begun(serving: &Serving, behaviour: &Value) -> Connection {
    let body = with(behaving(RESPONSES, behaviour), json!({"stream": true})).to_string();
    let mut connection = Connection::open(serving.address).await;
    connection
        .write(&bytes(serving, "POST", RESPONSES, &body))
        .await;
    connection.read_until("response.output_item.added").await;
    connection
}

/// Comes back when nobody listens any more.
async fn refused(serving: &Serving) {
    let knocking = async {
        while tokio::net::TcpStream::connect(serving.address)
            .await
            .is_ok()
        {
            tokio::task::yield_now().await;
        }
    };
    let stopped = tokio::time::timeout(PATIENCE, knocking).await;
    assert!(stopped.is_ok(), "new connections are still accepted");
}

#[actix_web::test]
async fn sigterm_lets_a_stream_finish_and_takes_nothing_new() {
    let simulator = simulator();
    let mut serving = start(&simulator).await;
    let mut idle = Connection::open(serving.address).await;
    idle.write(&bytes(&serving, "GET", "/readyz", "")).await;
    assert_eq!(idle.answer().await.status, 200);
    let mut stream = begun(&serving, &json!({"event_delay_ms": 50, "deltas": 20})).await;
    serving.signal("TERM");
    serving.logged("running requests may finish").await;
    refused(&serving).await;
    // A connection that was open before may ask, and is told; or it is closed.
    idle.write(&bytes(
        &serving,
        "POST",
        RESPONSES,
        &good(RESPONSES, "x").to_string(),
    ))
    .await;
    if idle.has_answer_or_end().await {
        let answer = idle.answer().await;
        check_ours("draining", &answer, Shape::Openai, 503, "shutting_down");
    }
    let answer = stream.answer().await;
    assert!(answer.is_whole, "the stream was cut");
    assert!(answer.text().contains("event: response.completed"));
    assert_eq!(answer.body, simulator.seen()[0].sent_body);
    assert_eq!(serving.end().await.code(), Some(0));
    assert_eq!(simulator.seen().len(), 1);
}

#[actix_web::test]
async fn sigterm_lets_a_race_and_a_whole_answer_finish() {
    let simulator = simulator();
    let mut serving = start(&simulator).await;
    let mut callers = Vec::new();
    for fields in [
        json!({}),
        json!({"start_within": "00h-00m-30s"}),
        json!({"start_within": "00h-00m-30s", "stream": true}),
    ] {
        let behaviour = json!({"start_delay_ms": 400});
        let body = with(behaving(RESPONSES, &behaviour), fields).to_string();
        let mut connection = Connection::open(serving.address).await;
        connection
            .write(&bytes(&serving, "POST", RESPONSES, &body))
            .await;
        callers.push(connection);
    }
    assert!(simulator.wait_for(|seen| seen.len() == 3, PATIENCE).await);
    serving.signal("TERM");
    for caller in &mut callers {
        let answer = caller.answer().await;
        assert_eq!(answer.status, 200);
        assert!(answer.is_whole && answer.text().contains("completed"));
    }
    assert_eq!(serving.end().await.code(), Some(0));
}

#[actix_web::test]
async fn with_nothing_to_finish_sigterm_ends_at_once_though_connections_are_open() {
    let simulator = simulator();
    let mut serving = start(&simulator).await;
    let mut idle = Connection::open(serving.address).await;
    idle.write(&bytes(&serving, "GET", "/v1/models", "")).await;
    assert_eq!(idle.answer().await.status, 200);
    let never_asked = Connection::open(serving.address).await;
    let before = std::time::Instant::now();
    serving.signal("TERM");
    assert_eq!(serving.end().await.code(), Some(0));
    assert!(before.elapsed() < Duration::from_secs(2));
    drop(never_asked);
}

#[actix_web::test]
async fn a_second_signal_cuts_what_runs() {
    let simulator = simulator();
    for second in ["TERM", "INT"] {
        let mut serving = start(&simulator).await;
        let mut stream = begun(&serving, &json!({"silent": "started"})).await;
        serving.signal("TERM");
        serving.logged("running requests may finish").await;
        serving.signal(second);
        assert_eq!(serving.end().await.code(), Some(0));
        assert!(!stream.answer().await.is_whole);
        assert!(serving.log().contains("second signal"));
    }
}

#[actix_web::test]
async fn sigint_cuts_at_once() {
    let simulator = simulator();
    let mut serving = start(&simulator).await;
    let mut stream = begun(&serving, &json!({"silent": "started"})).await;
    serving.signal("INT");
    assert_eq!(serving.end().await.code(), Some(0));
    assert!(!stream.answer().await.is_whole);
    // The provider is not left waiting for a caller who is gone.
    let closed = simulator
        .wait_for(|seen| seen[0].closed.is_some(), PATIENCE)
        .await;
    assert!(closed);
}

#[actix_web::test]
async fn a_drain_that_takes_too_long_ends() {
    let simulator = simulator();
    let key = new_key();
    let mut command = serve(&simulator, &key);
    command.env("STARTLINE__SERVER__SHUTDOWN_TIMEOUT", "1s");
    let mut serving = Serving::start(&mut command, &key).await;
    let mut stream = begun(&serving, &json!({"silent": "started"})).await;
    serving.signal("TERM");
    assert_eq!(serving.end().await.code(), Some(0));
    assert!(!stream.answer().await.is_whole);
}

fn catalogue(id: &str) -> String {
    format!(
        "checked_on = \"2026-11-30\"\n[sources]\nhere = \"a test\"\n[[model]]\nid = \"{id}\"\nowner = \"openai\"\n\
         provider = \"openai\"\nflex = true\nchecked_on = \"2026-11-30\"\nsource = \"here\"\n"
    )
}

#[actix_web::test]
async fn sighup_reads_the_catalogue_again_and_a_broken_one_leaves_the_old() {
    let (simulator, scratch) = (simulator(), Scratch::new());
    let file = scratch.file("models.toml", &catalogue("model-one"));
    let key = new_key();
    let mut command = serve(&simulator, &key);
    command.env("STARTLINE__CATALOGUE__PATH", &file);
    let mut serving = Serving::start(&mut command, &key).await;
    assert_eq!(listed(&serving).await, ["model-one"]);
    let stream = begun(&serving, &json!({"silent": "started"})).await;
    scratch.file("models.toml", &catalogue("model-two"));
    serving.signal("HUP");
    serving.logged("catalogue read again").await;
    assert_eq!(listed(&serving).await, ["model-two"]);
    // It decides at once: what could not be raced before can be now.
    let raced = with(
        good(RESPONSES, "x"),
        json!({"model": "model-two", "start_within": "00h-00m-30s"}),
    );
    assert_eq!(
        send(&serving, "POST", RESPONSES, &raced.to_string())
            .await
            .status,
        200
    );
    scratch.file("models.toml", "id = ");
    serving.signal("HUP");
    serving.logged("the old one stays").await;
    assert_eq!(listed(&serving).await, ["model-two"]);
    std::fs::remove_file(&file).unwrap();
    serving.signal("HUP");
    assert_eq!(send(&serving, "GET", "/readyz", "").await.status, 200);
    assert_eq!(listed(&serving).await, ["model-two"]);
    // The reload has touched no running request.
    stream.leave().await;
    serving.signal("TERM");
    assert_eq!(serving.end().await.code(), Some(0));
}

async fn listed(serving: &Serving) -> Vec<String> {
    let list = send(serving, "GET", "/v1/models", "").await.json();
    let models = list["data"].as_array().unwrap();
    models
        .iter()
        .map(|model| model["id"].as_str().unwrap().to_owned())
        .collect()
}
