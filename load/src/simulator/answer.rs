//! An answer before it is sent, and a refusal before it has its vendor's form.

use super::events::EventStream;

/// An answer: status, headers, body. How and when it is sent is decided elsewhere.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) content_type: String,
    /// Further header lines, each with its CR LF.
    pub(super) headers: String,
    pub(super) body: Body,
}

/// The body of an answer.
#[derive(Debug)]
pub(super) enum Body {
    /// A document, sent as one.
    Document(Vec<u8>),
    /// An event stream, and the sign of life for its silences.
    Events(EventStream, Beat),
}

/// The sign of life that a provider sends while a stream is silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beat {
    /// An SSE comment.
    Comment,
    /// OpenAI's undocumented `keepalive`, which takes a sequence number.
    Keepalive,
    /// Anthropic's `ping`.
    Ping,
}

impl Beat {
    /// The sign itself, when `events` events came before it.
    pub(super) fn bytes(self, events: usize) -> Vec<u8> {
        match self {
            Self::Comment => b": keepalive\n\n".to_vec(),
            Self::Ping => b"event: ping\ndata: {\"type\":\"ping\"}\n\n".to_vec(),
            Self::Keepalive => {
                format!("event: keepalive\ndata: {{\"type\":\"keepalive\",\"sequence_number\":{events}}}\n\n").into_bytes()
            }
        }
    }
}

/// Why a request is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    /// The vendor's error type; empty is the usual one for the status.
    pub(super) kind: String,
    pub(super) code: Option<String>,
    pub(super) param: Option<String>,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            ..Self::default()
        }
    }

    pub(super) fn kind(mut self, kind: &str) -> Self {
        self.kind = kind.to_owned();
        self
    }

    pub(super) fn code(mut self, code: &str) -> Self {
        self.code = Some(code.to_owned());
        self
    }

    pub(super) fn param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }
}

impl Answer {
    pub(super) fn document(status: u16, body: Vec<u8>) -> Self {
        Self {
            status,
            content_type: "application/json".to_owned(),
            headers: String::new(),
            body: Body::Document(body),
        }
    }

    pub(super) fn events(stream: EventStream, beat: Beat) -> Self {
        Self {
            status: 200,
            content_type: "text/event-stream; charset=utf-8".to_owned(),
            headers: String::new(),
            body: Body::Events(stream, beat),
        }
    }
}
