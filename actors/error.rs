//! Everything that can go wrong with an attempt, as plain values. What the caller reads is made elsewhere.

use std::fmt;
use std::time::Duration;

use awc::http::header::HeaderMap;
use bytes::Bytes;

use crate::classify::Verdict;

/// What a provider said about its own failure inside a body. Goes to the caller, never to a log: it may repeat a prompt.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Fault {
    /// The provider's message.
    pub message: String,
    /// The provider's code or, where it has none, its error type.
    pub code: Option<String>,
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.message.len();
        write!(formatter, "Fault({length} bytes of message)")
    }
}

/// An answer with an error status.
#[derive(Clone)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The provider's headers.
    pub headers: HeaderMap,
    /// The body, cut at the bound for error bodies.
    pub body: Bytes,
    /// What the dialect makes of it.
    pub verdict: Verdict,
    /// How long the provider asks to wait before another try.
    pub retry_after: Option<Duration>,
}

impl fmt::Debug for Refusal {
    /// Without headers and body, which are for the caller.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Refusal")
            .field("status", &self.status)
            .field("verdict", &self.verdict)
            .field("retry_after", &self.retry_after)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// Why an attempt did not commit.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Failure {
    /// The provider answered with an error status.
    #[error("the provider answered {}", .0.status)]
    Refused(Box<Refusal>),
    /// The connection never opened: DNS, refused, TLS, connect timeout.
    #[error("the connection never opened: {0}")]
    NeverOpened(&'static str),
    /// The connection broke after opening, before a status line.
    #[error("the connection was lost before a status line")]
    ConnectionLost,
    /// No status line within `response_head`, or `total` ran out before the commit.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// A status line that no provider should send: 1xx, 2xx but 200, 3xx; or headers that cannot be read.
    #[error("the answer cannot be used: {0}")]
    Invalid(&'static str),
    /// A flex stream failed before its start proof.
    #[error("flex failed before it started: {0}")]
    NotStarted(NotStarted),
    /// Flex had not started at the deadline, waiting for a permit included.
    #[error("flex had not started at the deadline")]
    Deadline,
    /// No permit of the provider key became free in time, or too many were waiting.
    #[error("no permit: {0}")]
    NoPermit(NoPermit),
    /// The attempt's actor died.
    #[error("the attempt died")]
    Died,
}

impl Failure {
    /// How long the provider asks to wait before another try.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(refusal) => refusal.retry_after,
            _ => None,
        }
    }
}

/// How a flex stream failed before its start proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStarted {
    /// The provider refused inside the stream.
    #[error("refused inside the stream")]
    Fault(Fault),
    /// The stream ended or broke.
    #[error("the stream ended")]
    Ended,
    /// The body is not an event stream.
    #[error("not an event stream")]
    NotAStream,
    /// The prelude outgrew its bound.
    #[error("the prelude outgrew {0} bytes")]
    Oversized(usize),
}

/// Why there was no permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPermit {
    /// The bound on waiters is reached.
    #[error("too many are waiting")]
    QueueFull,
    /// The longest allowed wait is over.
    #[error("waited too long")]
    Waited,
    /// The pool is gone.
    #[error("the pool is gone")]
    Closed,
}

/// Why a committed answer stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Break {
    /// The body stops before its end.
    #[error("the body was cut")]
    Truncated,
    /// The connection was reset, or its framing is broken.
    #[error("the connection broke")]
    Reset,
    /// No byte within `idle`.
    #[error("no byte within the idle timeout")]
    Idle,
    /// `total` ran out.
    #[error("the total timeout ran out")]
    Total,
    /// A part that must be read whole outgrew its bound.
    #[error("an event or document outgrew its bound")]
    Oversized,
    /// The attempt's actor died.
    #[error("the attempt died")]
    Died,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_provider_said_is_not_printed() {
        let fault = Fault {
            message: "canary".to_owned(),
            code: Some("canary".to_owned()),
        };
        let refusal = Refusal {
            status: 400,
            headers: HeaderMap::new(),
            body: Bytes::from_static(b"canary"),
            verdict: Verdict::Final,
            retry_after: None,
        };
        let printed = format!("{fault:?} {:?}", Failure::Refused(Box::new(refusal)));
        assert!(!printed.contains("canary"), "{printed}");
        assert!(printed.contains("400"), "{printed}");
    }
}
