//! The three error envelopes. What goes into one has been decided elsewhere; here it only gets its shape.

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::catalogue::{Class, Origin};
use super::status_words::status_words;
use crate::vocabulary::{CallerSurface, Provider};

/// The shape of an error body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvelopeKind {
    /// Responses, Chat Completions, and every `GET` endpoint.
    Openai,
    /// Messages.
    Anthropic,
    /// Interactions.
    Google,
}

impl EnvelopeKind {
    /// The envelope of a path, known to the router or not.
    pub fn of_path(path: &str) -> Self {
        for (prefix, kind) in [
            ("/v1/messages", Self::Anthropic),
            ("/v1/interactions", Self::Google),
            ("/v1beta/", Self::Google),
        ] {
            if path.starts_with(prefix) {
                return kind;
            }
        }
        Self::Openai
    }

    /// The envelope that a provider's own errors come in.
    pub(super) fn of_provider(provider: Provider) -> Self {
        match provider {
            Provider::Openai => Self::Openai,
            Provider::Gemini => Self::Google,
            Provider::Anthropic => Self::Anthropic,
        }
    }
}

impl From<CallerSurface> for EnvelopeKind {
    fn from(surface: CallerSurface) -> Self {
        match surface {
            CallerSurface::Responses | CallerSurface::Chat => Self::Openai,
            CallerSurface::Messages => Self::Anthropic,
            CallerSurface::Interactions => Self::Google,
        }
    }
}

/// An error, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorAnswer {
    /// HTTP status.
    pub status: u16,
    /// JSON.
    pub body: Bytes,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<u32>,
    /// `Allow`, of a 405.
    pub allow: Option<&'static str>,
    /// Whether the same request always gets this answer: the vendors' SDKs repeat a 5xx unless they are told so.
    pub is_final: bool,
}

/// The `flexinference` block, the same in every envelope.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Block {
    /// Our code; null for a provider's own error.
    pub(super) code: Option<&'static str>,
    pub(super) class: Class,
    pub(super) origin: Origin,
    /// The HTTP status, or the one that a failure inside a stream would have had.
    pub(super) status: u16,
    pub(super) provider: Option<&'static str>,
    pub(super) provider_code: Option<String>,
    pub(super) retryable: bool,
    pub(super) doc_url: Option<String>,
}

impl Block {
    pub(super) fn to_json(&self) -> Value {
        json!(self)
    }
}

/// What an error body says, before it has a shape.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) status: u16,
    pub(super) message: String,
    /// `error.code` of the OpenAI envelope.
    pub(super) openai_code: Value,
    /// `error.code` of the Google envelope.
    pub(super) google_code: Value,
    pub(super) param: Value,
    /// Members of `error` that a provider wrote in this very envelope; they win over the words of the status.
    pub(super) kept: Map<String, Value>,
    pub(super) block: Block,
}

impl Contents {
    /// The body in the envelope of the endpoint that was called; `request_id` is ours.
    pub(super) fn write(self, kind: EnvelopeKind, request_id: &str) -> Bytes {
        let body = match kind {
            EnvelopeKind::Openai => self.in_openai_envelope(),
            EnvelopeKind::Anthropic => self.in_anthropic_envelope(request_id),
            EnvelopeKind::Google => self.in_google_envelope(),
        };
        Bytes::from(body.to_string())
    }

    fn in_openai_envelope(self) -> Value {
        let mut error = self.kept;
        error.insert("message".into(), self.message.into());
        error
            .entry("type")
            .or_insert_with(|| status_words(self.status).openai_type.into());
        error.entry("code").or_insert(self.openai_code);
        error.entry("param").or_insert(self.param);
        error.insert("doc_url".into(), json!(self.block.doc_url));
        error.insert("flexinference".into(), self.block.to_json());
        json!({ "error": error })
    }

    fn in_anthropic_envelope(self, request_id: &str) -> Value {
        let mut error = self.kept;
        error
            .entry("type")
            .or_insert_with(|| status_words(self.status).anthropic_type.into());
        error.insert("message".into(), self.message.into());
        error.insert("flexinference".into(), self.block.to_json());
        json!({ "type": "error", "error": error, "request_id": request_id })
    }

    fn in_google_envelope(self) -> Value {
        let mut error = self.kept;
        error.entry("code").or_insert(self.google_code);
        error.insert("message".into(), self.message.into());
        error
            .entry("status")
            .or_insert_with(|| status_words(self.status).google_status.into());
        error.insert("flexinference".into(), self.block.to_json());
        json!({ "error": error })
    }
}

/// Where a code is described: `<public_url>/errors#<code>`.
pub(super) fn doc_url(public_url: Option<&str>, word: &str) -> Option<String> {
    let base = public_url?.trim_end_matches('/');
    Some(format!("{base}/errors#{word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_path_answers_in_the_envelope_of_its_prefix() {
        assert_eq!(
            EnvelopeKind::of_path("/v1/messages/batches"),
            EnvelopeKind::Anthropic
        );
        assert_eq!(
            EnvelopeKind::of_path("/v1/interactions/abc"),
            EnvelopeKind::Google
        );
        assert_eq!(
            EnvelopeKind::of_path("/v1beta/models"),
            EnvelopeKind::Google
        );
        assert_eq!(
            EnvelopeKind::of_path("/v1/responses/resp_1"),
            EnvelopeKind::Openai
        );
        assert_eq!(EnvelopeKind::of_path("/"), EnvelopeKind::Openai);
    }

    #[test]
    fn a_doc_url_needs_a_public_url() {
        assert_eq!(doc_url(None, "not_found"), None);
        assert_eq!(
            doc_url(Some("https://r.example/"), "not_found").unwrap(),
            "https://r.example/errors#not_found"
        );
    }
}
