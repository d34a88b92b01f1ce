//! One HTTP call to a provider.

use std::rc::Rc;
use std::time::SystemTime;

use actix::{
    Actor, ActorContext, ActorFutureExt, AsyncContext, Context, Handler, Message, Recipient,
    WrapFuture,
};
use actix_http::HttpMessage;
use awc::ClientResponse;
use awc::http::header::HeaderMap;
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, Span};

use crate::backoff;
use crate::body::{BodyEnd, BodyReceiver};
use crate::call::call;
use crate::classify;
use crate::error::{Failure, NotStarted, Refusal};
use crate::http_actor::Surroundings;
use crate::incoming::{Incoming, Patience, Payload, Step};
use crate::leg::{Leg, Progress, Side};
use crate::live::Counted;
use crate::notes::Notes;
use crate::permit::Permit;
use crate::race::AttemptNumber;
use crate::relay::{Opening, Outlet, pass_on};

/// Asks the attempt to close its connection.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Cancel;

/// What an attempt tells its supervisor.
#[derive(Message)]
#[rtype(result = "()")]
pub enum Report {
    /// It has an answer that may be given: the start proof of flex, or status 200 of the settled tier.
    Started(AttemptNumber, Answer),
    /// Flex answered with the caller's own error; the text follows with the end.
    Refusing(AttemptNumber),
    /// It is over. Always the last report, also after a panic.
    Ended(AttemptNumber, AttemptEnd),
}

/// An answer, as far as it is known when an attempt starts.
#[derive(Debug)]
pub struct Answer {
    /// The provider's headers; its status is 200.
    pub headers: HeaderMap,
    /// Whether the body is an event stream.
    pub event_stream: bool,
    /// The body, from its first byte.
    pub body: BodyReceiver,
}

/// How an attempt ended.
#[derive(Debug)]
pub enum AttemptEnd {
    /// Without an answer.
    Failed(Failure),
    /// Its body is over.
    Body(BodyEnd),
    /// It was cancelled, or the caller left while its body was passed on.
    Cancelled,
    /// It panicked.
    Died,
}

impl AttemptEnd {
    /// For the log, which must not hold what a provider said.
    fn word(&self) -> &'static str {
        match self {
            Self::Failed(_) => "failed",
            Self::Body(BodyEnd::Complete) => "complete",
            Self::Body(BodyEnd::Failed { .. }) => "failed inside",
            Self::Body(BodyEnd::Broken(_)) => "broken",
            Self::Cancelled => "cancelled",
            Self::Died => "died",
        }
    }
}

/// One attempt, on the worker of its request.
///
/// Owns the permit and the connection. Receives [`Cancel`]; sends [`Report`]s to its supervisor and the body into a
/// bounded channel. Stops when the body is over, when it has failed, when it is cancelled, and when the other end of
/// the channel is dropped; every way of stopping closes the connection unless its body was read to the end.
pub struct TierAttempt {
    work: Option<Work>,
    span: Span,
}

/// What an attempt is to do.
pub(crate) struct Order {
    pub number: AttemptNumber,
    pub side: Side,
    pub leg: Leg,
    pub prelude_max: usize,
    pub permit: Rc<Permit>,
    pub supervisor: Recipient<Report>,
}

impl TierAttempt {
    pub(crate) fn new(order: Order, surroundings: Rc<Surroundings>) -> Self {
        let span = tracing::debug_span!("attempt", number = order.number, side = ?order.side, route = %order.leg.route);
        let last_words = LastWords {
            number: order.number,
            _permit: order.permit,
            supervisor: order.supervisor,
            end: None,
            _counted: surroundings.live.attempt(),
        };
        let work = Work {
            side: order.side,
            leg: order.leg,
            prelude_max: order.prelude_max,
            surroundings,
            notes: Rc::default(),
            last_words,
        };
        Self {
            work: Some(work),
            span,
        }
    }
}

impl Actor for TierAttempt {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        let Some(work) = self.work.take() else { return };
        let notes = Rc::clone(&work.notes);
        let run = notes.of(work.run()).instrument(self.span.clone());
        context.spawn(run.into_actor(self).map(|(), _, context| context.stop()));
    }
}

impl Handler<Cancel> for TierAttempt {
    type Result = ();

    fn handle(&mut self, Cancel: Cancel, context: &mut Self::Context) {
        context.stop();
    }
}

/// Reports the end of an attempt and gives the permit back, whichever way it comes.
struct LastWords {
    number: AttemptNumber,
    _permit: Rc<Permit>,
    supervisor: Recipient<Report>,
    end: Option<AttemptEnd>,
    _counted: Counted,
}

impl Drop for LastWords {
    fn drop(&mut self) {
        let end = match self.end.take() {
            Some(end) => end,
            None if std::thread::panicking() => AttemptEnd::Died,
            None => AttemptEnd::Cancelled,
        };
        self.supervisor.do_send(Report::Ended(self.number, end));
    }
}

struct Work {
    side: Side,
    leg: Leg,
    prelude_max: usize,
    surroundings: Rc<Surroundings>,
    notes: Rc<Notes>,
    last_words: LastWords,
}

impl Work {
    async fn run(mut self) {
        let end = match self.answer().await {
            Ok(end) => end,
            Err(failure) => AttemptEnd::Failed(failure),
        };
        tracing::debug!(end = end.word(), "attempt ended");
        self.last_words.end = Some(end);
    }

    async fn answer(&mut self) -> Result<AttemptEnd, Failure> {
        let surroundings = Rc::clone(&self.surroundings);
        let timeouts = &surroundings.timeouts;
        let total = timeouts.total.map(|total| Instant::now() + total);
        // In a box of its own: connecting takes more room than reading, and reading may take long.
        let response = Box::pin(self.head(total)).await?;
        // An answer may take long; the request is not needed any more.
        self.leg.request.body = Bytes::new();
        let status = response.status().as_u16();
        let (mut headers, payload) = take_apart(response);
        if status != 200 {
            return Err(self.refusal(status, headers, payload, total).await);
        }
        let patience = match self.side {
            Side::Flex => Patience::ENDLESS,
            Side::Settled => Patience {
                idle: Some(timeouts.idle),
                total,
            },
        };
        let notes = Rc::clone(&self.notes);
        let mut incoming = Incoming::new(
            &headers,
            payload,
            self.leg.dialect,
            &self.surroundings.bounds,
            notes,
            patience,
        );
        let mut opening = Opening::default();
        if self.side == Side::Flex {
            // The wait may be long, and a list takes a fifth of a map's room.
            let kept: Vec<_> = headers.into_iter().collect();
            opening = self.await_start(&mut incoming).await?;
            headers = kept.into_iter().collect();
            // The clocks of its body start with its start proof.
            let total = timeouts.total.map(|total| Instant::now() + total);
            incoming.limit(Patience {
                idle: Some(timeouts.idle),
                total,
            });
        }
        let event_stream = incoming.is_event_stream();
        let (relay, body) = mpsc::channel(self.surroundings.bounds.body_channel);
        self.report(Report::Started(
            self.last_words.number,
            Answer {
                headers,
                event_stream,
                body,
            },
        ));
        // In a box of its own: it takes more room than waiting for the start.
        Ok(Box::pin(pass_on(
            opening,
            incoming,
            Outlet::new(relay, timeouts.idle),
        ))
        .await)
    }

    /// Sends the request and waits for the status line.
    async fn head(&self, total: Option<Instant>) -> Result<ClientResponse, Failure> {
        let Some(limit) = self.head_limit() else {
            return self.call().await;
        };
        let deadline = Instant::now() + limit;
        let (deadline, limit) = match (total, self.surroundings.timeouts.total) {
            (Some(total), Some(total_limit)) if total < deadline => (total, total_limit),
            _ => (deadline, limit),
        };
        match timeout_at(deadline, self.call()).await {
            Ok(answer) => answer,
            Err(_) => Err(Failure::TimedOut(limit)),
        }
    }

    /// A flex leg has its deadline only.
    fn head_limit(&self) -> Option<std::time::Duration> {
        let timeouts = &self.surroundings.timeouts;
        match (self.side, self.leg.streams) {
            (Side::Flex, _) => None,
            (Side::Settled, true) => Some(timeouts.response_head),
            (Side::Settled, false) => Some(timeouts.response_head_whole),
        }
    }

    async fn call(&self) -> Result<ClientResponse, Failure> {
        call(&self.surroundings.client, &self.leg.request, &self.notes).await
    }

    async fn refusal(
        &self,
        status: u16,
        headers: HeaderMap,
        mut payload: Payload,
        total: Option<Instant>,
    ) -> Failure {
        if !(400..=599).contains(&status) {
            return Failure::Invalid("its status is neither 200 nor an error");
        }
        let retry_after = backoff::retry_after(&headers, SystemTime::now());
        let body = if self.side == Side::Flex && classify::is_flex_loss(status) {
            // The race goes on at once; nobody will read the text.
            Bytes::new()
        } else {
            if self.side == Side::Flex {
                self.report(Report::Refusing(self.last_words.number));
            }
            self.error_body(&mut payload, total).await
        };
        let verdict = self.leg.dialect.judge(status, &body);
        Failure::Refused(Box::new(Refusal {
            status,
            headers,
            body,
            verdict,
            retry_after,
        }))
    }

    /// As much of an error's text as comes: its status already says the most.
    async fn error_body(&self, payload: &mut Payload, total: Option<Instant>) -> Bytes {
        let longest = Instant::now() + self.surroundings.timeouts.error_body;
        let deadline = total.map_or(longest, |total| total.min(longest));
        let mut body = BytesMut::new();
        while let Ok(Some(Ok(bytes))) = timeout_at(deadline, payload.next()).await {
            let room = self.surroundings.bounds.error_body - body.len();
            body.extend_from_slice(&bytes[..bytes.len().min(room)]);
            if bytes.len() >= room {
                break;
            }
        }
        body.freeze()
    }

    /// Keeps the prelude until the start proof.
    async fn await_start(&self, incoming: &mut Incoming) -> Result<Opening, Failure> {
        if !incoming.is_event_stream() {
            return Err(Failure::NotStarted(NotStarted::NotAStream));
        }
        let mut prelude = Vec::new();
        loop {
            match incoming.step().await {
                Step::Read(reading) => {
                    prelude.push(reading.whole);
                    match reading.progress {
                        Progress::Started => return Ok(Opening { prelude, end: None }),
                        Progress::Refused(fault) => {
                            return Err(Failure::NotStarted(NotStarted::Fault(fault)));
                        }
                        Progress::Queued | Progress::Oversized => {}
                    }
                    if incoming.received() > self.prelude_max as u64 {
                        return Err(Failure::NotStarted(NotStarted::Oversized(self.prelude_max)));
                    }
                }
                // The last event of a stream may be its only proof.
                Step::Over(rest, BodyEnd::Complete) => {
                    prelude.push(rest);
                    return Ok(Opening {
                        prelude,
                        end: Some(BodyEnd::Complete),
                    });
                }
                Step::Over(_, BodyEnd::Failed { fault, .. }) => {
                    return Err(Failure::NotStarted(NotStarted::Fault(fault)));
                }
                Step::Over(_, BodyEnd::Broken(_)) => {
                    return Err(Failure::NotStarted(NotStarted::Ended));
                }
            }
        }
    }

    fn report(&self, report: Report) {
        self.last_words.supervisor.do_send(report);
    }
}

/// The headers and the body of an answer; the rest of its head is not kept.
fn take_apart(response: ClientResponse) -> (HeaderMap, Payload) {
    let mut headers = HeaderMap::new();
    let mut rest = response.map_body(|head, body| {
        headers = std::mem::take(&mut head.headers);
        body
    });
    (headers, rest.take_payload())
}
