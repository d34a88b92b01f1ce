//! Turns a committed answer into the caller's: headers of ours, headers of the provider's, and the body, streamed or in
//! one piece.

use actix_web::HttpResponse;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use bytes::Bytes;
use startline_actors::leg::Side;
use startline_actors::outcome::Course;
use startline_actors::tier_attempt::Answer;

use super::cost;
use super::exchange::Exchange;
use super::generation::Refusal;
use super::intake::Reservation;
use super::streamed::{Passage, StreamedBody};
use super::whole;
use crate::envelope::Envelope;
use crate::errors::{Code, ProviderFault, Rejection};
use crate::plan::answer_headers::{Body, pass_on};
use crate::plan::{Decision, FLEX, native_to};
use crate::router::{InFlight, Router};
use crate::translate::{NoAnswer, Translation};
use crate::vocabulary::{CallerSurface, StartWithin};
use crate::wire::usage::UsageCollector;

const FLEX_REQUESTED: HeaderName = HeaderName::from_static("x-flexinference-flex-requested");
const FLEX_APPLIED: HeaderName = HeaderName::from_static("x-flexinference-flex-applied");
const FLEX_REASON: HeaderName = HeaderName::from_static("x-flexinference-flex-reason");
const PROVIDER_SURFACE: HeaderName = HeaderName::from_static("x-flexinference-provider-surface");
const SERVED_PROVIDER: HeaderName = HeaderName::from_static("x-flexinference-served-provider");
const ROUTING_REASON: HeaderName = HeaderName::from_static("x-flexinference-routing-reason");
const COST: HeaderName = HeaderName::from_static("x-flexinference-cost");
const RETRIES: HeaderName = HeaderName::from_static("x-flexinference-retries");
const DROPPED: HeaderName = HeaderName::from_static("x-flexinference-dropped");
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What the answer must know of the request, whose body is let go when it has been planned.
pub(super) struct Asked {
    pub(super) surface: CallerSurface,
    pub(super) model: String,
    pub(super) start_within: StartWithin,
    pub(super) streams: bool,
    pub(super) include_cost: bool,
    pub(super) retries: bool,
}

impl From<Envelope> for Asked {
    fn from(envelope: Envelope) -> Self {
        Self {
            surface: envelope.surface(),
            model: envelope.model().to_owned(),
            start_within: envelope.start_within(),
            streams: envelope.streams(),
            include_cost: envelope.include_cost(),
            retries: envelope.retry().is_some(),
        }
    }
}

/// A request whose answer has been committed to.
pub(super) struct Served<'a> {
    pub(super) exchange: &'a Exchange,
    pub(super) router: &'a Router,
    pub(super) asked: &'a Asked,
    pub(super) decision: &'a Decision,
    /// Present when the provider speaks another format than the caller.
    pub(super) translation: Option<&'a Translation>,
    pub(super) side: Side,
    pub(super) course: Course,
}

/// Gives the answer. A caller who does not stream gets a status only when the whole body is there.
pub(super) async fn give(
    served: Served<'_>,
    answer: Answer,
    rehits: Option<u32>,
    reservation: Reservation,
    in_flight: InFlight,
) -> Result<HttpResponse, Refusal> {
    if served.asked.streams && (answer.event_stream || served.translation.is_none()) {
        return Ok(served.stream(answer, rehits, reservation, in_flight));
    }
    if served.asked.streams {
        let rejection = served.invalid("It is no event stream, though one was asked for.");
        return Err(Refusal::with_rehits(rejection, rehits));
    }
    let decision = served.decision;
    let response_max = served.router.settings.limits.response_max;
    let collected = whole::collect(
        answer.body,
        served.side,
        decision.surface,
        decision.provider,
        response_max,
    )
    .await
    .map_err(|rejection| Refusal::with_rehits(rejection, rehits))?;
    served
        .whole(answer.headers, collected, rehits)
        .map_err(|rejection| Refusal::with_rehits(rejection, rehits))
}

impl Served<'_> {
    fn stream(
        &self,
        answer: Answer,
        rehits: Option<u32>,
        reservation: Reservation,
        in_flight: InFlight,
    ) -> HttpResponse {
        let mut headers = answer.headers;
        if self.translation.is_some() {
            pass_on(&mut headers, Body::Changed);
            headers.insert(
                CONTENT_TYPE,
                HeaderValue::from_static("text/event-stream; charset=utf-8"),
            );
        } else {
            pass_on(&mut headers, Body::Unchanged);
        }
        // The body is written as it comes, in chunks.
        headers.remove(CONTENT_LENGTH);
        if answer.event_stream {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            headers.insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
        }
        self.add_own(&mut headers, rehits);
        let passage = self.passage(answer.event_stream, in_flight);
        let body = StreamedBody::new(answer.body, passage, reservation);
        let mut response = HttpResponse::Ok().body(body);
        *response.headers_mut() = headers;
        response
    }

    fn whole(
        &self,
        mut headers: HeaderMap,
        collected: Bytes,
        rehits: Option<u32>,
    ) -> Result<HttpResponse, Rejection> {
        let (body, cost) = self.account(collected)?;
        if self.side == Side::Flex || self.asked.include_cost || self.translation.is_some() {
            pass_on(&mut headers, Body::Changed);
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        } else {
            pass_on(&mut headers, Body::Unchanged);
        }
        if let Some(micro_usd) = cost {
            headers.insert(COST, micro_usd.into());
        }
        self.add_own(&mut headers, rehits);
        let mut response = HttpResponse::Ok().body(body);
        *response.headers_mut() = headers;
        Ok(response)
    }

    fn add_own(&self, headers: &mut HeaderMap, rehits: Option<u32>) {
        self.exchange.sign(headers);
        let mut add = |name, value| headers.insert(name, HeaderValue::from_static(value));
        add(FLEX_REQUESTED, word(self.flex_was_requested()));
        add(FLEX_APPLIED, word(self.side == Side::Flex));
        add(FLEX_REASON, self.flex_reason());
        add(PROVIDER_SURFACE, self.decision.surface.word());
        add(SERVED_PROVIDER, self.served_route());
        add(ROUTING_REASON, self.routing_reason());
        if let Some(rehits) = rehits {
            headers.insert(RETRIES, rehits.into());
        }
        let dropped = self
            .translation
            .and_then(|translation| translation.dropped.header());
        if let Some(dropped) = dropped.and_then(|paths| HeaderValue::from_str(&paths).ok()) {
            headers.insert(DROPPED, dropped);
        }
    }

    fn tier_asked(&self) -> &'static str {
        match self.side {
            Side::Flex => FLEX,
            Side::Settled => self.decision.tiers.settled,
        }
    }

    fn flex_was_requested(&self) -> bool {
        matches!(self.asked.start_within, StartWithin::Within(_))
    }

    fn flex_reason(&self) -> &'static str {
        match (self.flex_was_requested(), self.side) {
            (false, _) => "not_requested",
            (true, Side::Flex) => "flex_committed",
            (true, Side::Settled) => "flex_lost_race",
        }
    }

    fn routing_reason(&self) -> &'static str {
        match (self.side, self.course.loss) {
            (Side::Flex, _) => "flex_won",
            _ if self.course.route > 0 => "chain_advanced",
            (Side::Settled, Some(loss)) => loss.word(),
            (Side::Settled, None) => "tier_direct",
        }
    }

    fn served_route(&self) -> &'static str {
        self.decision.routes[self.course.route].name()
    }

    fn passage(&self, event_stream: bool, in_flight: InFlight) -> Passage {
        let cost = self.asked.include_cost.then(|| cost::StreamCost {
            pricing: self.pricing(),
            routing: self.routing(),
            collector: UsageCollector::new(self.decision.surface),
            written: match self.translation {
                Some(_) => native_to(self.asked.surface),
                None => self.decision.surface,
            },
        });
        Passage {
            surface: self.asked.surface,
            provider: self.decision.provider,
            heartbeat: self.router.settings.timeouts.heartbeat,
            public_url: self.router.public_url().map(str::to_owned),
            event_stream,
            translator: self
                .translation
                .map(|translation| translation.stream(self.tier_asked())),
            cost,
            _in_flight: in_flight,
        }
    }

    /// The cost of a whole answer, and the answer with the cost in it when the caller wants it there.
    ///
    /// # Errors
    /// 502 for a document that is no answer, where it has to be translated.
    fn account(&self, body: Bytes) -> Result<(Bytes, Option<u64>), Rejection> {
        let pricing = self.pricing();
        let measured = pricing.measure(&body);
        let micro_usd = measured
            .as_ref()
            .and_then(|measured| pricing.micro_usd(measured));
        let body = match self.translation {
            Some(translation) => translation
                .answer(&body)
                .map_err(|reason| self.no_answer(reason))?,
            None => body,
        };
        if !self.asked.include_cost {
            return Ok((body, micro_usd));
        }
        let members = cost::members(micro_usd, &self.routing(), measured.as_ref());
        Ok((
            cost::extend_answer(&body, &members).unwrap_or(body),
            micro_usd,
        ))
    }

    fn no_answer(&self, reason: NoAnswer) -> Rejection {
        let provider = self.decision.provider;
        match reason {
            NoAnswer::Unreadable => self.invalid("It is not the object that its format asks for."),
            NoAnswer::Failed(fault) => ProviderFault { provider, fault }.rejection(),
        }
    }

    fn invalid(&self, why: &str) -> Rejection {
        let provider = self.decision.provider;
        let what = format!(
            "The answer of {} cannot be translated. {why}",
            provider.word()
        );
        Rejection::new(Code::UpstreamInvalidResponse, what).with_provider(provider)
    }

    fn pricing(&self) -> cost::Pricing {
        cost::Pricing {
            catalogue: self.router.catalogue.current(),
            model: self.asked.model.clone(),
            surface: self.decision.surface,
        }
    }

    fn routing(&self) -> cost::Routing {
        cost::Routing {
            provider: self.served_route(),
            requested_provider: self.decision.routes[0].name(),
            reason: self.routing_reason(),
            fallback_attempts: self.course.route,
        }
    }
}

fn word(truth: bool) -> &'static str {
    if truth { "true" } else { "false" }
}
