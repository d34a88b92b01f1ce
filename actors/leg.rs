//! What a race is made of: legs with ready-made requests, and the two traits through which the actors read an answer
//! without knowing whose it is.

use std::sync::Arc;
use std::time::Duration;

use awc::http::Uri;
use awc::http::header::{HeaderName, HeaderValue};
use bytes::Bytes;

use crate::backoff::RetryPolicy;
use crate::classify::Verdict;
use crate::error::Fault;
use crate::provider_pool::PoolHandle;

/// The part of a request that a leg plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The half-price tier, raced against the deadline.
    Flex,
    /// The tier named by the request, or standard after a lost race.
    Settled,
}

/// A request as it goes on the wire. It is a `POST`.
#[derive(Debug, Clone)]
pub struct UpstreamRequest {
    /// Absolute address at the provider.
    pub uri: Uri,
    /// Everything but `host`, `content-length` and what belongs to the connection.
    pub headers: Arc<[(HeaderName, HeaderValue)]>,
    /// The body, whole.
    pub body: Bytes,
}

/// One tier on one route: everything an attempt needs.
#[derive(Clone)]
pub struct Leg {
    /// The route's name, for spans and for the answer.
    pub route: Arc<str>,
    /// The pool of the provider key that `request` carries.
    pub pool: PoolHandle,
    /// What is sent.
    pub request: UpstreamRequest,
    /// Whether the provider was asked for an event stream.
    pub streams: bool,
    /// How the provider's answer is read.
    pub dialect: &'static dyn Dialect,
}

/// The flex leg of a race.
#[derive(Clone)]
pub struct FlexLeg {
    /// Always one that streams: only a stream proves a start.
    pub leg: Leg,
    /// How long it may take to start, counted from the moment the request was read and checked.
    pub start_within: Duration,
    /// Bytes that may arrive before the start proof; more is a failure before the start.
    pub prelude_max: usize,
}

/// A request, planned.
#[derive(Clone)]
pub struct RacePlan {
    /// Present when the caller sent a duration.
    pub flex: Option<FlexLeg>,
    /// The settled tier, one leg a route in the order of the chain; never empty.
    pub settled: Vec<Leg>,
    /// The caller's `retry`, for the settled tier.
    pub retry: Option<RetryPolicy>,
}

/// What the actors must know of a provider surface.
pub trait Dialect: Send + Sync {
    /// A reader for one answer with status 200; `event_stream` is what its `content-type` says, `largest` the bound in
    /// bytes for one event, or for the document.
    fn reader(&self, event_stream: bool, largest: usize) -> Box<dyn AnswerReader>;

    /// What an answer with another status than 200 means. `body` is whole, or cut at the bound for error bodies.
    fn judge(&self, status: u16, body: &[u8]) -> Verdict;
}

/// Reads one answer as its bytes arrive, split anywhere. Pure: no clock, no I/O.
pub trait AnswerReader: Send {
    /// Takes the next bytes and gives back those that may be passed on.
    fn read(&mut self, bytes: Bytes) -> Reading;

    /// The body has ended, without an error of the connection. Says whether it is whole.
    fn end(&mut self) -> Ending;

    /// After [`end`](Self::end): the last bytes that belong to the answer and have not been passed on yet. Empty unless
    /// the body stopped between the last byte of its last event and the blank line that should follow it.
    fn rest(&mut self) -> Bytes {
        Bytes::new()
    }
}

/// What [`AnswerReader::read`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Whole events, all that are readable, in the provider's bytes; empty while an event is unfinished. The
    /// unfinished tail stays in the reader. A body that is not an event stream comes back as it is.
    pub whole: Bytes,
    /// Where the answer stands after these bytes.
    pub progress: Progress,
}

/// Where an answer stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Nothing yet proves that the provider has started.
    Queued,
    /// The start proof has been seen.
    Started,
    /// A failure came before the start proof. Final: what follows is not read.
    Refused(Fault),
    /// An unfinished event, or a document that must be read whole, has outgrown its bound. Final.
    Oversized,
}

/// How a body ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It is whole.
    Complete,
    /// The provider said itself, in the body, that the answer failed.
    Failed {
        /// What it said.
        fault: Fault,
        /// Whether the failure was told in the surface's terminal form; if not, the router adds that.
        terminal: bool,
    },
    /// It stops before its terminal event, or is not a whole document.
    Truncated,
}
