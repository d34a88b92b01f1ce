//! From a request to its answer: who serves the path, whether the vendor would refuse it, what the script says.

use std::time::Instant;

use serde_json::Value;

use super::admin;
use super::answer::{Answer, Refusal};
use super::asked::{Asked, Surface};
use super::http::Request;
use super::journal::Seen;
use super::output::Output;
use super::rules::{Chosen, Question};
use super::script::{Behaviour, Silence};
use super::server::State;
use super::vendor;

/// An answer with the behaviour that decides how it is played.
pub(super) struct Reply {
    pub(super) answer: Answer,
    pub(super) behaviour: Behaviour,
    /// Its place in the journal.
    pub(super) serial: Option<u64>,
}

/// When a request came, and on which connection.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) at: Instant,
    pub(super) connection: u64,
}

/// Answers a request, and records it.
pub(super) async fn to(state: &State, request: Request, arrival: Arrival) -> Reply {
    if request.path().starts_with("/sim/") {
        let answer = admin::answer(state, &request).await;
        return Reply {
            answer,
            behaviour: Behaviour::default(),
            serial: None,
        };
    }
    let surface = Surface::of_path(request.path());
    let parsed: Option<Value> = serde_json::from_slice(&request.body).ok();
    let length = request.body.len();
    let asked = Asked {
        surface: surface.unwrap_or(Surface::Responses),
        body: parsed.unwrap_or(Value::Null),
        length,
    };
    let (mut chosen, refusal) = match refusal(state, &request, surface, &asked) {
        Ok(chosen) => (chosen.unwrap_or_default(), None),
        Err(refusal) => (Chosen::default(), Some(refusal)),
    };
    let answer = match &refusal {
        Some(refusal) => vendor::refusal(asked.surface, refusal),
        None => scripted(&asked, &mut chosen.behaviour),
    };
    let serial = state.journal.records().then(|| {
        state.journal.add(Seen {
            serial: 0,
            at: arrival.at,
            surface: surface.map_or("none", Surface::word),
            path: request.target,
            headers: request.headers,
            body: request.body,
            model: asked.model().to_owned(),
            tier: asked.tier().map(str::to_owned),
            stream: asked.stream(),
            id: chosen.id,
            connection: arrival.connection,
            status_sent: None,
            answered_at: None,
            finished_at: None,
            closed: None,
            sent_body: bytes::Bytes::new(),
        })
    });
    Reply {
        answer,
        behaviour: chosen.behaviour,
        serial,
    }
}

/// The behaviour for this request, or why the vendor refuses it.
fn refusal(
    state: &State,
    request: &Request,
    surface: Option<Surface>,
    asked: &Asked,
) -> Result<Option<Chosen>, Refusal> {
    if surface.is_none() {
        let message = format!("Invalid URL ({} {})", request.method, request.path());
        return Err(Refusal::new(404, message));
    }
    if request.method != "POST" {
        return Err(Refusal::new(
            405,
            format!("{} is not allowed here.", request.method),
        ));
    }
    vendor::check_key(asked.surface, request)?;
    if !asked.body.is_object() {
        return Err(vendor::not_json(asked.surface));
    }
    vendor::check(asked, request)?;
    let question = Question {
        header: request.header("x-sim"),
        raw: &request.body,
        body: &asked.body,
        model: asked.model(),
        tier: asked.tier(),
    };
    state
        .rules
        .choose(&question)
        .map_err(|message| Refusal::new(400, message))
}

/// The answer that the behaviour asks for.
fn scripted(asked: &Asked, behaviour: &mut Behaviour) -> Answer {
    let mut answer = match (&behaviour.status, &behaviour.raw_body) {
        (status, Some(body)) => Answer::document(status.unwrap_or(200), body.clone().into_bytes()),
        (Some(status), None) if *status < 300 => Answer::document(*status, Vec::new()),
        (Some(status), None) => vendor::scripted_status(*status, asked, behaviour),
        (None, None) => {
            let output = Output::of(asked, behaviour);
            if !asked.stream() {
                wait_before_the_head(behaviour, &output);
            }
            vendor::answer(asked, behaviour, &output)
        }
    };
    if answer.headers.is_empty() {
        answer.headers = vendor::headers(asked.surface);
    }
    if let Some(seconds) = &behaviour.retry_after {
        answer
            .headers
            .push_str(&format!("retry-after: {seconds}\r\n"));
    }
    if let Some(milliseconds) = behaviour.retry_after_ms {
        answer
            .headers
            .push_str(&format!("retry-after-ms: {milliseconds}\r\n"));
    }
    if let Some(content_type) = &behaviour.content_type {
        answer.content_type.clone_from(content_type);
    }
    answer
}

/// A document exists when the model has finished: all its waits come before the status line.
fn wait_before_the_head(behaviour: &mut Behaviour, output: &Output) {
    behaviour.head_delay_ms +=
        behaviour.start_delay_ms + behaviour.event_delay_ms * output.deltas() as u64;
    if behaviour.silent.is_some() {
        behaviour.silent = Some(Silence::Head);
    }
}
