//! From what went wrong with an attempt to what the caller reads.

use startline_actors::error::{Break, Failure, NoPermit, NotStarted};

use super::code::Code;
use super::envelope::{EnvelopeKind, ErrorAnswer};
use super::failure_text::ProviderFault;
use super::provider_error::ProviderError;
use super::rejection::Rejection;
use crate::vocabulary::Provider;

/// An error of ours or of a provider.
#[derive(Debug, Clone)]
pub enum AnyError {
    /// Ours.
    Ours(Rejection),
    /// The provider's.
    Theirs(ProviderError),
}

impl AnyError {
    /// The status that the caller gets.
    pub fn status(&self) -> u16 {
        match self {
            Self::Ours(rejection) => rejection.status(),
            Self::Theirs(error) => error.status(),
        }
    }

    /// The whole answer. `public_url` is the router's configured address, `request_id` the answer's.
    pub fn render(
        &self,
        kind: EnvelopeKind,
        public_url: Option<&str>,
        request_id: &str,
    ) -> ErrorAnswer {
        match self {
            Self::Ours(rejection) => rejection.render(kind, public_url, request_id),
            Self::Theirs(error) => error.render(kind, public_url, request_id),
        }
    }
}

impl From<Rejection> for AnyError {
    fn from(rejection: Rejection) -> Self {
        Self::Ours(rejection)
    }
}

/// What the caller reads when an attempt did not commit and nothing follows it.
pub fn from_failure(failure: &Failure, provider: Provider) -> AnyError {
    let name = provider.word();
    let (code, what) = match failure {
        Failure::Refused(refusal) => {
            let error =
                ProviderError::new(provider, refusal.status, &refusal.body, refusal.verdict);
            return AnyError::Theirs(error);
        }
        Failure::NotStarted(NotStarted::Fault(fault)) => {
            return ProviderFault {
                provider,
                fault: fault.clone(),
            }
            .rejection()
            .into();
        }
        Failure::NoPermit(why) => return no_permit(*why, name).into(),
        Failure::Died => return died().into(),
        Failure::NeverOpened(why) => (
            Code::UpstreamUnavailable,
            format!("The connection to {name} could not be opened: {why}."),
        ),
        Failure::ConnectionLost => (
            Code::UpstreamConnectionLost,
            format!("The connection to {name} broke before the answer began."),
        ),
        Failure::TimedOut(after) => (
            Code::UpstreamTimeout,
            format!("{name} did not answer within {} s.", after.as_secs_f64()),
        ),
        Failure::Deadline => (
            Code::UpstreamTimeout,
            format!("{name} did not start by the deadline."),
        ),
        Failure::Invalid(why) => (
            Code::UpstreamInvalidResponse,
            format!("The answer of {name} cannot be used: {why}."),
        ),
        Failure::NotStarted(NotStarted::Ended) => (
            Code::UpstreamStreamFailed,
            format!("The stream of {name} ended before the answer began."),
        ),
        Failure::NotStarted(NotStarted::NotAStream) => (
            Code::UpstreamInvalidResponse,
            format!("{name} was asked for a stream and answered with something else."),
        ),
        Failure::NotStarted(NotStarted::Oversized(_)) => (
            Code::UpstreamInvalidResponse,
            format!("{name} sent too much before the answer began."),
        ),
    };
    Rejection::new(code, what).with_provider(provider).into()
}

/// What the caller reads when an answer stopped after the commit: the whole error of an answer in one piece, or the
/// source of a failure frame.
pub fn from_break(cause: Break, provider: Provider) -> Rejection {
    let name = provider.word();
    let (code, what) = match cause {
        Break::Truncated => (
            Code::UpstreamStreamFailed,
            format!("The answer of {name} stopped before its end."),
        ),
        Break::Reset => (
            Code::UpstreamStreamFailed,
            format!("The connection to {name} broke in the middle of the answer."),
        ),
        Break::Idle => (
            Code::UpstreamStreamFailed,
            format!("{name} fell silent in the middle of the answer."),
        ),
        Break::Total => (
            Code::UpstreamStreamFailed,
            format!("The answer of {name} took longer than the total timeout."),
        ),
        Break::Oversized => (
            Code::UpstreamInvalidResponse,
            format!("The answer of {name} is larger than the bound for answers."),
        ),
        Break::Died => return died(),
    };
    Rejection::new(code, what).with_provider(provider)
}

fn no_permit(why: NoPermit, provider: &str) -> Rejection {
    let what = match why {
        NoPermit::QueueFull => {
            format!("Too many requests are already waiting for the key of {provider}.")
        }
        NoPermit::Waited => {
            format!("The request waited too long for its turn at the key of {provider}.")
        }
        NoPermit::Closed => {
            return Rejection::new(
                Code::InternalError,
                "The part of the router that hands out turns has stopped.",
            );
        }
    };
    Rejection::new(Code::ConcurrencyLimitExceeded, what)
}

fn died() -> Rejection {
    Rejection::new(
        Code::InternalError,
        "The part of the router that carried this request has failed.",
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use startline_actors::error::Fault;

    use super::*;

    fn rejected(failure: Failure) -> Rejection {
        match from_failure(&failure, Provider::Gemini) {
            AnyError::Ours(rejection) => rejection,
            AnyError::Theirs(error) => panic!("not ours: {error:?}"),
        }
    }

    #[test]
    fn every_failure_has_its_code_and_status() {
        for (failure, code, status) in [
            (
                Failure::NeverOpened("connection refused"),
                Code::UpstreamUnavailable,
                502,
            ),
            (Failure::ConnectionLost, Code::UpstreamConnectionLost, 502),
            (
                Failure::TimedOut(Duration::from_secs(120)),
                Code::UpstreamTimeout,
                504,
            ),
            (
                Failure::Invalid("status 204"),
                Code::UpstreamInvalidResponse,
                502,
            ),
            (
                Failure::NotStarted(NotStarted::Fault(Fault::default())),
                Code::UpstreamStreamFailed,
                502,
            ),
            (
                Failure::NotStarted(NotStarted::Ended),
                Code::UpstreamStreamFailed,
                502,
            ),
            (
                Failure::NotStarted(NotStarted::NotAStream),
                Code::UpstreamInvalidResponse,
                502,
            ),
            (
                Failure::NotStarted(NotStarted::Oversized(9)),
                Code::UpstreamInvalidResponse,
                502,
            ),
            (Failure::Deadline, Code::UpstreamTimeout, 504),
            (
                Failure::NoPermit(NoPermit::QueueFull),
                Code::ConcurrencyLimitExceeded,
                429,
            ),
            (
                Failure::NoPermit(NoPermit::Waited),
                Code::ConcurrencyLimitExceeded,
                429,
            ),
            (
                Failure::NoPermit(NoPermit::Closed),
                Code::InternalError,
                500,
            ),
            (Failure::Died, Code::InternalError, 500),
        ] {
            let rejection = rejected(failure.clone());
            assert_eq!(
                (rejection.code(), rejection.status()),
                (code, status),
                "{failure:?}"
            );
        }
    }

    #[test]
    fn a_break_after_the_commit_is_a_failed_stream() {
        for cause in [Break::Truncated, Break::Reset, Break::Idle, Break::Total] {
            assert_eq!(
                from_break(cause, Provider::Openai).code(),
                Code::UpstreamStreamFailed
            );
        }
        assert_eq!(
            from_break(Break::Oversized, Provider::Openai).code(),
            Code::UpstreamInvalidResponse
        );
        assert_eq!(
            from_break(Break::Died, Provider::Openai).code(),
            Code::InternalError
        );
    }
}
