//! The course of a generation, the same for all endpoints: let the caller in, read and check, plan, race, answer.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::error::ErrorInternalServerError;
use actix_web::http::header::{HeaderMap, HeaderName};
use actix_web::{FromRequest, HttpRequest, HttpResponse, web};
use startline_actors::error::Failure;
use startline_actors::http_actor::Begin;
use startline_actors::race_supervisor::{Outcome, Refused};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::{Instrument, Span, field};

use super::answer::{self, Asked, Served};
use super::exchange::Exchange;
use super::intake::{IntakeBounds, Reservation, read_body};
use crate::envelope::Envelope;
use crate::errors::{AnyError, Code, Rejection, from_failure};
use crate::keys::KeyHolder;
use crate::plan::answer_headers::{Body, pass_on};
use crate::plan::{self, Planned, Work};
use crate::router::Router;
use crate::vocabulary::{CallerSurface, Provider};
use crate::worker::Worker;

const RETRIES: HeaderName = HeaderName::from_static("x-flexinference-retries");

/// The `start_within` of a request that needs none.
const NOT_RACED: &str = "default";

/// A request to an endpoint that generates, as it arrives.
pub(super) struct Call {
    request: HttpRequest,
    payload: web::Payload,
    router: web::Data<Router>,
    worker: web::Data<Worker>,
}

impl FromRequest for Call {
    type Error = actix_web::Error;
    type Future = Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let parts = (
            web::Payload::from_request(request, payload).into_inner(),
            web::Data::from_request(request, payload).into_inner(),
            web::Data::from_request(request, payload).into_inner(),
        );
        ready(match parts {
            (Ok(payload), Ok(router), Ok(worker)) => Ok(Self {
                request: request.clone(),
                payload,
                router,
                worker,
            }),
            _ => Err(ErrorInternalServerError("the service is not put together")),
        })
    }
}

impl Call {
    /// Answers it.
    pub(super) async fn answer(self, work: Work, surface: CallerSurface) -> HttpResponse {
        let Self {
            request,
            payload,
            router,
            worker,
        } = self;
        let exchange = Exchange::new(surface.into());
        let span = tracing::info_span!(
            "request",
            id = exchange.id(),
            ?surface,
            key = field::Empty,
            model = field::Empty,
            start_within = field::Empty,
        );
        let generation = Generation {
            work,
            surface,
            exchange,
            request,
            router,
            worker,
        };
        generation.run(payload).instrument(span).await
    }
}

struct Generation {
    work: Work,
    surface: CallerSurface,
    exchange: Exchange,
    request: HttpRequest,
    router: web::Data<Router>,
    worker: web::Data<Worker>,
}

/// A request that is not answered with a 200.
pub(super) struct Refusal {
    error: AnyError,
    /// Re-hits run, where the caller asked for retries.
    rehits: Option<u32>,
    /// What the provider's answer said beside its body.
    headers: HeaderMap,
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Self {
            error: rejection.into(),
            rehits: None,
            headers: HeaderMap::new(),
        }
    }
}

impl Refusal {
    /// A refusal that tells the re-hits run.
    pub(super) fn with_rehits(rejection: Rejection, rehits: Option<u32>) -> Self {
        Self {
            rehits,
            ..rejection.into()
        }
    }
}

impl Generation {
    async fn run(self, payload: web::Payload) -> HttpResponse {
        let started = Instant::now();
        let response = match self.serve(payload).await {
            Ok(response) => response,
            Err(refusal) => self.refuse(refusal),
        };
        let status = response.status().as_u16();
        tracing::info!(
            status,
            millis = started.elapsed().as_millis() as u64,
            "request answered"
        );
        response
    }

    async fn serve(&self, payload: web::Payload) -> Result<HttpResponse, Refusal> {
        let in_flight = self.router.begin_request();
        let holder = self.exchange.admit(&self.request, &self.router)?;
        let (envelope, reservation) = self.read(payload, &holder).await?;
        // From here on every answer to a request with `retry` says how often it was re-hit.
        let none_yet = envelope.retry().map(|_| 0);
        let planned = plan::plan(
            self.work,
            &envelope,
            &holder,
            self.request.headers(),
            &self.router,
        )
        .map_err(|rejection| {
            Refusal::with_rehits(of_key_default(rejection, &envelope), none_yet)
        })?;
        self.describe(&envelope, &holder);
        let Planned { race, decision, .. } = planned;
        let asked = Asked::from(envelope);
        let outcome = self.race(race).await;
        match outcome.map_err(|rejection| Refusal::with_rehits(rejection, none_yet))? {
            Outcome::Committed(committed) => {
                let served = Served {
                    exchange: &self.exchange,
                    router: &self.router,
                    asked: &asked,
                    decision: &decision,
                    side: committed.side,
                    course: committed.course,
                };
                let rehits = asked.retries.then_some(committed.course.rehits);
                answer::give(served, committed.answer, rehits, reservation, in_flight).await
            }
            Outcome::Refused(refused) => {
                let rehits = asked.retries.then_some(refused.course.rehits);
                Err(refusal_of(refused, decision.provider, rehits))
            }
        }
    }

    async fn read(
        &self,
        payload: web::Payload,
        holder: &KeyHolder,
    ) -> Result<(Envelope, Reservation), Rejection> {
        let server = &self.router.settings.server;
        let bounds = IntakeBounds {
            max_body: server.max_body,
            body_timeout: server.body_timeout,
        };
        let (body, reservation) =
            read_body(self.request.headers(), payload, bounds, &self.router.bodies).await?;
        let default = match self.work {
            Work::Generate => holder.default_start_within.as_deref(),
            Work::CountTokens => Some(NOT_RACED),
        };
        let envelope = Envelope::parse(body, self.surface, default)?;
        Ok((envelope, reservation))
    }

    async fn race(&self, plan: startline_actors::leg::RacePlan) -> Result<Outcome, Rejection> {
        let (reply, outcome) = oneshot::channel();
        let begin = Begin {
            plan,
            checked_at: Instant::now(),
            reply,
            span: Span::current(),
        };
        self.worker.http.do_send(begin);
        outcome
            .await
            .map_err(|_| Rejection::new(Code::InternalError, "The race of this request has died."))
    }

    fn describe(&self, envelope: &Envelope, holder: &KeyHolder) {
        let span = Span::current();
        span.record("key", &*holder.key_id);
        span.record("model", envelope.model());
        span.record("start_within", field::debug(envelope.start_within()));
    }

    fn refuse(&self, refusal: Refusal) -> HttpResponse {
        let mut response = self
            .exchange
            .refuse(&refusal.error, self.router.public_url());
        for (name, value) in &refusal.headers {
            response.answer.append_header((name.clone(), value.clone()));
        }
        if let Some(rehits) = refusal.rehits {
            response.answer.insert_header((RETRIES, rehits));
        }
        response.finish()
    }
}

fn of_key_default(rejection: Rejection, envelope: &Envelope) -> Rejection {
    if envelope.start_within_came_from_key() && plan::is_about_start_within(rejection.code()) {
        return rejection.because_of_key_default();
    }
    rejection
}

fn refusal_of(refused: Refused, provider: Provider, rehits: Option<u32>) -> Refusal {
    tracing::info!(failure = %refused.failure, "request not served");
    let error = from_failure(&refused.failure, provider);
    let mut headers = match refused.failure {
        Failure::Refused(refusal) => refusal.headers,
        _ => HeaderMap::new(),
    };
    pass_on(&mut headers, Body::Changed);
    Refusal {
        error,
        rehits,
        headers,
    }
}
