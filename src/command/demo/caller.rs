//! The caller's side of one request: sends it to the router and keeps everything that comes back.

use std::time::{Duration, Instant};

use awc::http::header::HeaderMap;
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use serde_json::{Value, json};

use super::scene::{Key, Scene};
use super::stage::Stage;
use crate::keys::RouterKey;
use crate::vocabulary::CallerSurface;

/// Longer than `start_within` and any scripted wait together.
const PATIENCE: Duration = Duration::from_secs(20);

/// An answer, whole.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// From sending until the first byte of the body.
    pub(super) start: Duration,
}

/// A client that waits as long as the demo says and not as long as its own default.
pub(super) fn client() -> awc::Client {
    awc::Client::builder().disable_timeout().finish()
}

/// Sends a scene's request. The error says why there is no answer.
pub(super) async fn send(
    client: &awc::Client,
    stage: &Stage,
    scene: &Scene,
    id: &str,
) -> Result<Answer, String> {
    let key = match scene.key {
        Key::Good => stage.key().to_owned(),
        Key::NeverIssued => RouterKey::generate(&mut rand::rng()).reveal().to_owned(),
    };
    let url = format!("http://{}{}", stage.address(), path(scene.surface));
    let request = client
        .post(url)
        .bearer_auth(key)
        .content_type("application/json");
    let exchange = exchange(request, body(scene, id).to_string());
    match tokio::time::timeout(PATIENCE, exchange).await {
        Ok(outcome) => outcome,
        Err(_) => Err(format!("nothing whole within {PATIENCE:?}")),
    }
}

async fn exchange(request: awc::ClientRequest, body: String) -> Result<Answer, String> {
    let sent = Instant::now();
    let mut response = request
        .send_body(body)
        .await
        .map_err(|error| error.to_string())?;
    let mut whole = BytesMut::new();
    let mut start = None;
    while let Some(piece) = response.next().await {
        start.get_or_insert_with(|| sent.elapsed());
        whole.extend_from_slice(&piece.map_err(|error| error.to_string())?);
    }
    Ok(Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: whole.freeze(),
        start: start.unwrap_or_else(|| sent.elapsed()),
    })
}

fn path(surface: CallerSurface) -> &'static str {
    match surface {
        CallerSurface::Responses => "/v1/responses",
        CallerSurface::Chat => "/v1/chat/completions",
        CallerSurface::Interactions => "/v1/interactions",
        CallerSurface::Messages => "/v1/messages",
    }
}

/// What the SDK of the surface would send, with what the simulated provider shall do inside the prompt.
fn body(scene: &Scene, id: &str) -> Value {
    let script = startline_load::simulator::Script {
        id: Some(id.to_owned()),
        ..scene.script.clone()
    };
    let prompt = format!("Hello {}", script.marker());
    let mut body = json!({ "model": scene.model, "stream": scene.streams });
    match scene.surface {
        CallerSurface::Responses | CallerSurface::Interactions => body["input"] = json!(prompt),
        CallerSurface::Chat | CallerSurface::Messages => {
            body["messages"] = json!([{"role": "user", "content": prompt}]);
        }
    }
    match scene.surface {
        CallerSurface::Messages => body["max_tokens"] = json!(1000),
        // Without it a Chat stream does not tell its usage.
        CallerSurface::Chat if scene.streams => {
            body["stream_options"] = json!({"include_usage": true});
        }
        _ => {}
    }
    if let Some(start_within) = scene.start_within {
        body["start_within"] = json!(start_within);
    }
    if let Some(count) = scene.retries {
        body["retry"] = json!({"count": count, "backoff": "linear"});
    }
    body
}
