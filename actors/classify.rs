//! Which failures mean what: pure, one table.

use std::time::Duration;

use crate::error::{Failure, NotStarted};

/// What an answer with an error status means, as its dialect reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The same request may succeed later: 408, 429, 5xx.
    Transient,
    /// A 429 that says money or quota is used up: waiting cannot help.
    Spent,
    /// The provider does not accept the key.
    KeyRejected,
    /// Any other status: the caller's own error.
    Final,
}

/// Why flex lost, in the words of `x-flexinference-routing-reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Loss {
    /// 429.
    Capacity,
    /// Any 5xx, or 408.
    UpstreamError,
    /// The deadline passed, or no permit came in time.
    Deadline,
    /// Anything else before the start.
    NotStarted,
}

impl Loss {
    /// The header's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Capacity => "flex_capacity",
            Self::UpstreamError => "flex_upstream_error",
            Self::Deadline => "flex_deadline",
            Self::NotStarted => "flex_not_started",
        }
    }
}

/// Whether a failed flex leg escalates, and under which reason; `None` is an answer for the caller.
pub fn flex_loss(failure: &Failure) -> Option<Loss> {
    match failure {
        Failure::Refused(refusal) => match refusal.status {
            429 => Some(Loss::Capacity),
            408 | 500..=599 => Some(Loss::UpstreamError),
            _ => None,
        },
        Failure::Deadline | Failure::NoPermit(_) => Some(Loss::Deadline),
        _ => Some(Loss::NotStarted),
    }
}

/// Whether `retry` re-hits the settled tier after this failure.
pub fn is_retried(failure: &Failure) -> bool {
    match failure {
        Failure::Refused(refusal) => refusal.verdict == Verdict::Transient && is_429_or_5xx(refusal.status),
        Failure::NeverOpened(_) => true,
        _ => false,
    }
}

/// Whether a chain goes on to its next route after this failure.
pub fn advances_chain(failure: &Failure) -> bool {
    match failure {
        Failure::Refused(refusal) => refusal.verdict != Verdict::KeyRejected && is_429_or_5xx(refusal.status),
        Failure::NeverOpened(_) | Failure::ConnectionLost | Failure::TimedOut(_) | Failure::NoPermit(_) => true,
        _ => false,
    }
}

fn is_429_or_5xx(status: u16) -> bool {
    status == 429 || (500..=599).contains(&status)
}
