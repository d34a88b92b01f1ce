//! The endpoints that are read: models, error codes, health; and the operations' own address.

use std::net::TcpListener;

use serde_json::{Value, json};
use startline::errors::catalogue;

use crate::client::{Answer, Connection, request};
use crate::error_shape::{Shape, check_ours};
use crate::requests::{RESPONSES, good};
use crate::rig::Rig;

async fn get(rig: &Rig, path: &str) -> Answer {
    rig.send("GET", path, &[], b"").await
}

/// Without a key.
async fn bare(address: std::net::SocketAddr, method: &str, path: &str) -> Answer {
    let mut connection = Connection::open(address).await;
    connection.write(&request(method, path, &[], b"")).await;
    if method == "HEAD" {
        connection.answer_to_head().await
    } else {
        connection.answer().await
    }
}

#[actix_web::test]
async fn the_models_are_listed_as_openai_lists_them_with_a_block_of_ours() {
    let rig = Rig::start().await;
    for path in ["/v1/models", "/v1/models/", "/v1/models?limit=2"] {
        let answer = get(&rig, path).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let list = answer.json();
        assert_eq!(list["object"], "list");
        let models = list["data"].as_array().unwrap();
        let file: toml::Table = include_str!("../../config/models.toml").parse().unwrap();
        let listed: Vec<&str> = models
            .iter()
            .map(|model| model["id"].as_str().unwrap())
            .collect();
        let entries = file["model"].as_array().unwrap();
        let known: Vec<&str> = entries
            .iter()
            .map(|model| model["id"].as_str().unwrap())
            .collect();
        assert_eq!(listed, known);
        for model in models {
            assert_eq!(model["object"], "model");
            assert!(
                model["created"].is_i64() && model["owned_by"].is_string(),
                "{model}"
            );
            assert!(model["flexinference"]["flex_race"].is_boolean(), "{model}");
        }
    }
    rig.settle().await;
}

#[actix_web::test]
async fn a_model_is_shown_by_its_alias_and_no_other_name() {
    let rig = Rig::start().await;
    for (id, tiers, route) in [
        (
            "gpt-5.5",
            json!(["default", "priority", "auto", "flex"]),
            "openai",
        ),
        ("gpt-4.1", json!(["default", "priority", "auto"]), "openai"),
        (
            "gemini-3.5-flash",
            json!(["default", "priority", "flex"]),
            "google",
        ),
        (
            "claude-opus-5",
            json!(["default", "priority", "auto"]),
            "anthropic",
        ),
    ] {
        let answer = get(&rig, &format!("/v1/models/{id}")).await;
        assert_eq!(answer.status, 200, "{id}");
        let model = answer.json();
        assert_eq!(model["id"], id);
        let block = &model["flexinference"];
        assert_eq!(
            (&block["tiers"], &block["providers"]),
            (&tiers, &json!([route])),
            "{id}"
        );
        let races = tiers.as_array().unwrap().contains(&Value::from("flex"));
        assert_eq!(block["flex_race"], races);
    }
    for id in [
        "gpt-5.5-2026-04-24",
        "gpt-99",
        "GPT-5.5",
        "gpt-5.5%20",
        "%00",
        "..",
        "claude-opus-5-20260101",
        "%ff",
    ] {
        let answer = get(&rig, &format!("/v1/models/{id}")).await;
        if id == ".." {
            assert_eq!(answer.status, 404);
            continue;
        }
        check_ours(id, &answer, Shape::Openai, 404, "model_not_found");
    }
    rig.settle().await;
}

#[actix_web::test]
async fn the_models_need_a_key_and_the_rest_does_not() {
    let rig = Rig::start().await;
    for path in ["/v1/models", "/v1/models/gpt-5.5", "/v1/models/unknown"] {
        let answer = bare(rig.address, "GET", path).await;
        check_ours(path, &answer, Shape::Openai, 401, "missing_api_key");
    }
    for path in [
        "/errors",
        "/errors/",
        "/healthz",
        "/readyz",
        "/healthz?verbose",
    ] {
        for method in ["GET", "HEAD"] {
            let answer = bare(rig.address, method, path).await;
            assert_eq!(answer.status, 200, "{method} {path}");
        }
    }
    let head = bare(rig.address, "HEAD", "/v1/models").await;
    assert_eq!(head.status, 401);
    rig.settle().await;
}

#[actix_web::test]
async fn every_code_stands_on_the_page_of_the_errors_with_its_anchor() {
    let rig = Rig::with(|settings| {
        let url = startline::settings::BaseUrl::parse("https://router.example.com/").unwrap();
        settings.server.public_url = Some(url);
    })
    .await;
    let page = bare(rig.address, "GET", "/errors").await;
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let html = page.text();
    for row in catalogue::rows() {
        assert!(
            html.contains(&format!("id=\"{}\"", row.word)),
            "{}",
            row.word
        );
    }
    // With a public URL an error says where on that page it stands.
    let answer = rig.send("POST", RESPONSES, &[], b"{}").await;
    let error = &answer.json()["error"];
    let url = "https://router.example.com/errors#missing_model";
    assert_eq!(error["doc_url"], url);
    assert_eq!(error["flexinference"]["doc_url"], url);
    rig.settle().await;
}

#[actix_web::test]
async fn a_draining_router_is_alive_and_not_ready_and_takes_nothing_new() {
    let rig = Rig::start().await;
    assert_eq!(bare(rig.address, "GET", "/readyz").await.status, 200);
    rig.router.drain();
    for method in ["GET", "HEAD"] {
        assert_eq!(bare(rig.address, method, "/readyz").await.status, 503);
        assert_eq!(bare(rig.address, method, "/healthz").await.status, 200);
    }
    for path in crate::requests::ENDPOINTS {
        let answer = rig.post(path, &good(path, "Hello")).await;
        check_ours(path, &answer, Shape::of_path(path), 503, "shutting_down");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    let models = get(&rig, "/v1/models").await;
    check_ours("models", &models, Shape::Openai, 503, "shutting_down");
    assert!(rig.simulator.seen().is_empty());
    rig.settle().await;
}

#[actix_web::test]
async fn the_operations_endpoints_can_have_an_address_of_their_own() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let operations = free.local_addr().unwrap();
    drop(free);
    let rig = Rig::with(|settings| settings.server.operations_listen = Some(operations)).await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(bare(operations, "GET", path).await.status, 200, "{path}");
        assert_eq!(bare(operations, "HEAD", path).await.status, 200, "{path}");
        let elsewhere = bare(rig.address, "GET", path).await;
        check_ours(path, &elsewhere, Shape::Openai, 404, "not_found");
    }
    for path in [RESPONSES, "/v1/models", "/errors"] {
        let answer = bare(operations, "GET", path).await;
        check_ours(path, &answer, Shape::Openai, 404, "not_found");
    }
    assert_eq!(
        rig.post(RESPONSES, &good(RESPONSES, "Hello")).await.status,
        200
    );
    rig.router.drain();
    assert_eq!(bare(operations, "GET", "/readyz").await.status, 503);
    rig.settle().await;
}
