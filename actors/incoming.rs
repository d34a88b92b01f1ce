//! The body of one answer with status 200, read piece by piece until it is over.

use std::rc::Rc;
use std::time::Duration;

use awc::error::PayloadError;
use awc::http::header::{CONTENT_TYPE, HeaderMap};
use bytes::Bytes;
use futures::StreamExt;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::body::BodyEnd;
use crate::completeness::{Framing, Wholeness};
use crate::error::Break;
use crate::http_actor::Bounds;
use crate::leg::{AnswerReader, Dialect, Ending, Progress, Reading};
use crate::notes::Notes;

/// The bytes of a body as they come off the connection.
pub(crate) type Payload = actix_http::Payload;

/// One step of a body.
pub(crate) enum Step {
    /// Bytes were read.
    Read(Reading),
    /// There is nothing more to read. The bytes belong to the answer.
    Over(Bytes, BodyEnd),
}

/// When reading gives up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Longest silence between bytes; none for a flex stream before its start.
    pub idle: Option<Duration>,
    /// Moment at which the whole attempt must be over.
    pub total: Option<Instant>,
}

impl Patience {
    pub(crate) const ENDLESS: Self = Self {
        idle: None,
        total: None,
    };
}

pub(crate) struct Incoming {
    payload: Payload,
    reader: Box<dyn AnswerReader>,
    framing: Framing,
    notes: Rc<Notes>,
    event_stream: bool,
    received: u64,
    last_byte: Instant,
    alarm: std::pin::Pin<Box<Sleep>>,
    patience: Patience,
}

impl Incoming {
    pub(crate) fn new(
        headers: &HeaderMap,
        payload: Payload,
        dialect: &dyn Dialect,
        bounds: &Bounds,
        notes: Rc<Notes>,
        patience: Patience,
    ) -> Self {
        let event_stream = is_event_stream(headers);
        let now = Instant::now();
        let mut incoming = Self {
            payload,
            reader: dialect.reader(
                event_stream,
                if event_stream {
                    bounds.event
                } else {
                    bounds.document
                },
            ),
            framing: Framing::of(headers),
            notes,
            event_stream,
            received: 0,
            last_byte: now,
            alarm: Box::pin(sleep_until(now)),
            patience,
        };
        incoming.set_alarm();
        incoming
    }

    pub(crate) fn is_event_stream(&self) -> bool {
        self.event_stream
    }

    /// Bytes received so far.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// From now on reading gives up like this.
    pub(crate) fn limit(&mut self, patience: Patience) {
        self.patience = patience;
        self.set_alarm();
    }

    /// Waits for the next bytes. Safe to drop while it waits.
    pub(crate) async fn step(&mut self) -> Step {
        loop {
            let alarmed = self.patience.idle.is_some() || self.patience.total.is_some();
            tokio::select! {
                biased;
                item = self.payload.next() => return self.take(item),
                () = &mut self.alarm, if alarmed => {
                    if let Some(reason) = self.out_of_patience() {
                        return self.conclude(Some(reason));
                    }
                    self.set_alarm();
                }
            }
        }
    }

    fn take(&mut self, item: Option<Result<Bytes, PayloadError>>) -> Step {
        match item {
            Some(Ok(bytes)) => {
                self.received += bytes.len() as u64;
                self.last_byte = Instant::now();
                let reading = self.reader.read(bytes);
                if reading.progress == Progress::Oversized {
                    return Step::Over(Bytes::new(), BodyEnd::Broken(Break::Oversized));
                }
                Step::Read(reading)
            }
            Some(Err(_)) => self.conclude(Some(Break::Reset)),
            None => self.conclude(None),
        }
    }

    /// The body is over. An event stream whose terminal event has passed is whole, however the connection ended; a
    /// document is whole when its framing proves it, or when it reads as one.
    fn conclude(&mut self, broken: Option<Break>) -> Step {
        let wholeness = match broken {
            Some(_) => Wholeness::Cut,
            None => self.framing.judge(self.received, self.notes.closed()),
        };
        let end = match wholeness {
            Wholeness::Proven if !self.event_stream => BodyEnd::Complete,
            Wholeness::Cut if !self.event_stream => {
                BodyEnd::Broken(broken.unwrap_or(Break::Truncated))
            }
            _ => match self.reader.end() {
                Ending::Complete => BodyEnd::Complete,
                Ending::Failed { fault, terminal } => BodyEnd::Failed { fault, terminal },
                Ending::Truncated => BodyEnd::Broken(broken.unwrap_or(Break::Truncated)),
            },
        };
        let rest = if matches!(end, BodyEnd::Broken(_)) {
            Bytes::new()
        } else {
            self.reader.rest()
        };
        Step::Over(rest, end)
    }

    fn out_of_patience(&self) -> Option<Break> {
        let now = Instant::now();
        if self.patience.total.is_some_and(|total| total <= now) {
            return Some(Break::Total);
        }
        if self
            .patience
            .idle
            .is_some_and(|idle| self.last_byte + idle <= now)
        {
            return Some(Break::Idle);
        }
        None
    }

    /// The alarm is moved when it rings, not with every byte.
    fn set_alarm(&mut self) {
        let silence = self.patience.idle.map(|idle| self.last_byte + idle);
        let next = [silence, self.patience.total].into_iter().flatten().min();
        if let Some(next) = next {
            self.alarm.as_mut().reset(next);
        }
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
    content_type.is_some_and(|value| {
        value.len() >= 17 && value[..17].eq_ignore_ascii_case(b"text/event-stream")
    })
}
