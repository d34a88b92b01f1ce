//! The body of a streamed answer: the provider's events as they come, a comment when it is silent for long, and the
//! failure frame when it breaks.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use bytes::Bytes;
use startline_actors::body::{BodyEnd, BodyReceiver, Relay};
use startline_actors::error::Break;
use tokio::time::{Instant, Sleep, sleep};

use super::cost::StreamCost;
use super::intake::Reservation;
use crate::errors::{FailureText, ProviderFault, from_break};
use crate::router::InFlight;
use crate::translate::StreamTranslator;
use crate::vocabulary::{CallerSurface, Provider};
use crate::wire::failure_frame::{Relayed, failure_frame};

const COMMENT: &[u8] = b": keep-alive\n\n";

/// How a stream is passed on.
pub(super) struct Passage {
    /// The caller's format.
    pub surface: CallerSurface,
    /// Whose answer it is.
    pub provider: Provider,
    /// Silence before a comment.
    pub heartbeat: Duration,
    /// The router's address, for `doc_url`.
    pub public_url: Option<String>,
    /// Whether the body is an event stream; only into one may anything be written.
    pub event_stream: bool,
    /// Translates the events, where the provider speaks another format.
    pub(super) translator: Option<StreamTranslator>,
    /// Adds the cost to the usage, where the caller wants it.
    pub(super) cost: Option<StreamCost>,
    /// Counts the request as long as it is answered.
    pub(super) _in_flight: InFlight,
}

/// A stream on its way to the caller. Dropping it cancels the attempt behind it.
pub(super) struct StreamedBody {
    body: BodyReceiver,
    passage: Passage,
    silence: Pin<Box<Sleep>>,
    last_event: Instant,
    /// The first and the last bytes passed on: a failure frame continues them.
    first: Bytes,
    last: Bytes,
    over: bool,
    _reservation: Reservation,
}

impl StreamedBody {
    /// Passes `body` on; `reservation` is the request's and lives as long.
    pub(super) fn new(body: BodyReceiver, passage: Passage, reservation: Reservation) -> Self {
        Self {
            body,
            silence: Box::pin(sleep(passage.heartbeat)),
            last_event: Instant::now(),
            passage,
            first: Bytes::new(),
            last: Bytes::new(),
            over: false,
            _reservation: reservation,
        }
    }

    /// What the caller gets of the provider's events; of some it gets nothing.
    fn pass(&mut self, events: Bytes) -> Option<Bytes> {
        if let Some(cost) = &mut self.passage.cost {
            cost.read(&events);
        }
        let events = match &mut self.passage.translator {
            Some(translator) => translator.write(&events),
            None => events,
        };
        if events.is_empty() {
            return None;
        }
        self.last_event = Instant::now();
        let bytes = match &self.passage.cost {
            Some(cost) => cost.annotate(events),
            None => events,
        };
        if self.first.is_empty() {
            self.first = bytes.clone();
        }
        self.last = bytes.clone();
        Some(bytes)
    }

    fn finish(&mut self, end: BodyEnd) -> Option<Result<Bytes, BrokenBody>> {
        self.over = true;
        let translator = self.passage.translator.as_ref();
        let was_told = translator.is_none_or(StreamTranslator::has_ended);
        let failure = match end {
            BodyEnd::Complete => return None,
            BodyEnd::Failed { terminal: true, .. } if was_told => return None,
            BodyEnd::Failed { fault, .. } => ProviderFault {
                provider: self.passage.provider,
                fault,
            }
            .failure_text(),
            BodyEnd::Broken(cause) => {
                tracing::warn!(%cause, "a committed stream broke");
                from_break(cause, self.passage.provider)
                    .failure_text(self.passage.public_url.as_deref())
            }
        };
        if !self.passage.event_stream {
            return Some(Err(BrokenBody));
        }
        Some(Ok(self.failure_frame(&failure)))
    }

    fn failure_frame(&self, failure: &FailureText) -> Bytes {
        let relayed = Relayed {
            first: &self.first,
            last: &self.last,
        };
        failure_frame(self.passage.surface, failure, relayed)
    }

    fn poll_silence(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, BrokenBody>>> {
        while self.silence.as_mut().poll(context).is_ready() {
            let due = self.last_event + self.passage.heartbeat;
            if due <= Instant::now() {
                self.last_event = Instant::now();
                self.silence
                    .as_mut()
                    .reset(self.last_event + self.passage.heartbeat);
                return Poll::Ready(Some(Ok(Bytes::from_static(COMMENT))));
            }
            self.silence.as_mut().reset(due);
        }
        Poll::Pending
    }
}

impl MessageBody for StreamedBody {
    type Error = BrokenBody;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let stream = self.get_mut();
        if stream.over {
            return Poll::Ready(None);
        }
        loop {
            return match stream.body.poll_recv(context) {
                Poll::Ready(Some(Relay::Bytes(bytes))) => match stream.pass(bytes) {
                    Some(bytes) => Poll::Ready(Some(Ok(bytes))),
                    None => continue,
                },
                Poll::Ready(Some(Relay::End(end))) => Poll::Ready(stream.finish(end)),
                Poll::Ready(None) => Poll::Ready(stream.finish(BodyEnd::Broken(Break::Died))),
                Poll::Pending if stream.passage.event_stream => stream.poll_silence(context),
                Poll::Pending => Poll::Pending,
            };
        }
    }
}

/// Breaks the caller's transfer off, where no failure frame can be written.
#[derive(Debug, thiserror::Error)]
#[error("the provider's answer broke off")]
pub struct BrokenBody;
