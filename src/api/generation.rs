//! The course of a generation, the same for all endpoints: let the caller in, read and check, plan, race, answer.

use std::future::{Ready, ready};
use std::net::SocketAddr;

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::ErrorInternalServerError;
use actix_web::http::header::{HeaderMap, HeaderName};
use actix_web::{FromRequest, HttpMessage, HttpRequest, HttpResponse, web};
use startline_actors::error::Failure;
use startline_actors::http_actor::Begin;
use startline_actors::leg::RacePlan;
use startline_actors::outcome::{Outcome, Refused};
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
use crate::plan::{self, Decision, Planned, Work};
use crate::router::Router;
use crate::translate::Translation;
use crate::vocabulary::{CallerSurface, Provider};
use crate::worker::Worker;

const RETRIES: HeaderName = HeaderName::from_static("x-flexinference-retries");

/// The `start_within` of a request that needs none.
const NOT_RACED: &str = "default";

/// The headers of a request, taken out of it: the framework would hold them until the answer, which may take long.
struct TakenHeaders(HeaderMap);

/// Takes the headers of a request out, for [`Call`].
pub(super) fn take_headers(request: &mut ServiceRequest) {
    let headers = std::mem::take(request.headers_mut());
    request.extensions_mut().insert(TakenHeaders(headers));
}

/// A request to an endpoint that generates, as it arrives.
pub(super) struct Call {
    arrival: Arrival,
    router: web::Data<Router>,
    worker: web::Data<Worker>,
}

/// What is needed of a request until it has been planned.
struct Arrival {
    headers: HeaderMap,
    peer: Option<SocketAddr>,
    payload: web::Payload,
}

impl FromRequest for Call {
    type Error = actix_web::Error;
    type Future = Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let parts = (
            request.extensions_mut().remove(),
            web::Payload::from_request(request, payload).into_inner(),
            web::Data::from_request(request, payload).into_inner(),
            web::Data::from_request(request, payload).into_inner(),
        );
        ready(match parts {
            (Some(TakenHeaders(headers)), Ok(payload), Ok(router), Ok(worker)) => Ok(Self {
                arrival: Arrival {
                    headers,
                    peer: request.peer_addr(),
                    payload,
                },
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
            arrival,
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
            router,
            worker,
        };
        generation.run(arrival).instrument(span).await
    }
}

struct Generation {
    work: Work,
    surface: CallerSurface,
    exchange: Exchange,
    router: web::Data<Router>,
    worker: web::Data<Worker>,
}

/// A request that may be raced.
struct Prepared {
    race: RacePlan,
    decision: Decision,
    translation: Option<Translation>,
    asked: Asked,
    reservation: Reservation,
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
    async fn run(self, arrival: Arrival) -> HttpResponse {
        let started = Instant::now();
        let response = match self.serve(arrival).await {
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

    async fn serve(&self, arrival: Arrival) -> Result<HttpResponse, Refusal> {
        let in_flight = self.router.begin_request();
        let Prepared {
            race,
            decision,
            translation,
            asked,
            reservation,
        } = Box::pin(self.prepare(arrival)).await?;
        let outcome = self
            .race(race)
            .await
            .map_err(|rejection| Refusal::with_rehits(rejection, asked.retries.then_some(0)))?;
        match outcome {
            Outcome::Committed(committed) => {
                let served = Served {
                    exchange: &self.exchange,
                    router: &self.router,
                    asked: &asked,
                    decision: &decision,
                    translation: translation.as_ref(),
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

    /// Reads, checks and plans. What the race and the answer do not need is let go here: a race may take long.
    async fn prepare(&self, arrival: Arrival) -> Result<Prepared, Refusal> {
        let Arrival {
            headers,
            peer,
            payload,
        } = arrival;
        let holder = self.exchange.admit(&headers, peer, &self.router)?;
        let (envelope, reservation) = self.read(&headers, payload, &holder).await?;
        let planned = plan::plan(self.work, &envelope, &holder, &headers, &self.router);
        let Planned {
            race,
            decision,
            translation,
        } = planned.map_err(|rejection| {
            // From here on every answer to a request with `retry` says how often it was re-hit.
            let rehits = envelope.retry().map(|_| 0);
            Refusal::with_rehits(of_key_default(rejection, &envelope), rehits)
        })?;
        self.describe(&envelope, &holder);
        Ok(Prepared {
            race,
            decision,
            translation,
            asked: Asked::from(envelope),
            reservation,
        })
    }

    async fn read(
        &self,
        headers: &HeaderMap,
        payload: web::Payload,
        holder: &KeyHolder,
    ) -> Result<(Envelope, Reservation), Rejection> {
        let server = &self.router.settings.server;
        let bounds = IntakeBounds {
            max_body: server.max_body,
            body_timeout: server.body_timeout,
        };
        let (body, reservation) = read_body(headers, payload, bounds, &self.router.bodies).await?;
        let default = match self.work {
            Work::Generate => holder.default_start_within.as_deref(),
            Work::CountTokens => Some(NOT_RACED),
        };
        let envelope = Envelope::parse(body, self.surface, default)?;
        Ok((envelope, reservation))
    }

    async fn race(&self, plan: RacePlan) -> Result<Outcome, Rejection> {
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
        tracing::record_all!(
            Span::current(),
            key = &*holder.key_id,
            model = envelope.model(),
            start_within = ?envelope.start_within(),
        );
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
