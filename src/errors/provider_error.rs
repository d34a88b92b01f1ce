//! An error of a provider: its status and its message reach the caller unchanged, in the envelope of the endpoint that
//! was called. One exception: a rejected provider key is a 403 of ours, so that the caller does not take it for the key
//! of the router.

use bytes::Bytes;
use serde_json::{Map, Value, json};
use startline_actors::classify::Verdict;

use super::catalogue::{Class, Origin};
use super::code::Code;
use super::envelope::{Block, Contents, EnvelopeKind, ErrorAnswer, doc_url};
use super::provider_body::Said;
use crate::vocabulary::Provider;

/// An answer of a provider with an error status, read.
#[derive(Debug, Clone)]
pub struct ProviderError {
    provider: Provider,
    status: u16,
    verdict: Verdict,
    said: Said,
}

impl ProviderError {
    /// Reads the body, which may have been cut; `verdict` is what the provider's dialect makes of the answer.
    pub fn new(provider: Provider, status: u16, body: &Bytes, verdict: Verdict) -> Self {
        Self {
            provider,
            status,
            verdict,
            said: Said::read(body),
        }
    }

    /// The status that the caller gets.
    pub fn status(&self) -> u16 {
        match self.verdict {
            Verdict::KeyRejected => Code::UpstreamAuthFailed.row().status,
            _ => self.status,
        }
    }

    /// The provider's code or, where it has none, its error type.
    pub fn provider_code(&self) -> Option<&str> {
        self.said.code.as_deref()
    }

    /// The whole answer. `public_url` is the router's configured address, `request_id` the answer's.
    pub fn render(
        &self,
        kind: EnvelopeKind,
        public_url: Option<&str>,
        request_id: &str,
    ) -> ErrorAnswer {
        let contents = match self.verdict {
            Verdict::KeyRejected => self.as_ours(public_url),
            _ => self.as_the_providers(kind),
        };
        ErrorAnswer {
            status: self.status(),
            body: contents.write(kind, request_id),
            retry_after: None,
            allow: None,
            is_final: false,
        }
    }

    fn as_ours(&self, public_url: Option<&str>) -> Contents {
        let row = Code::UpstreamAuthFailed.row();
        Contents {
            status: row.status,
            message: self.message(),
            openai_code: row.word.into(),
            google_code: row.status.into(),
            param: Value::Null,
            kept: Map::new(),
            block: Block {
                code: Some(row.word),
                class: row.class,
                origin: row.origin,
                status: row.status,
                provider: Some(self.provider.word()),
                provider_code: self.said.code.clone(),
                retryable: row.retryable,
                doc_url: doc_url(public_url, row.word),
            },
        }
    }

    fn as_the_providers(&self, kind: EnvelopeKind) -> Contents {
        let own_envelope =
            EnvelopeKind::of_provider(self.provider) == kind && self.said.is_in(kind);
        let kept = if own_envelope {
            self.said.members.clone()
        } else {
            Map::new()
        };
        let google_code = match &self.said.code {
            Some(code) => code.as_str().into(),
            None => self.status.into(),
        };
        Contents {
            status: self.status,
            message: self.message(),
            openai_code: json!(self.said.code),
            google_code,
            param: Value::Null,
            kept,
            block: Block {
                code: None,
                class: self.class(),
                origin: Origin::Provider,
                status: self.status,
                provider: Some(self.provider.word()),
                provider_code: self.said.code.clone(),
                retryable: self.verdict == Verdict::Transient,
                doc_url: None,
            },
        }
    }

    fn message(&self) -> String {
        match &self.said.message {
            Some(message) => message.clone(),
            None => format!(
                "{} answered with status {} and no readable message.",
                self.provider.word(),
                self.status
            ),
        }
    }

    fn class(&self) -> Class {
        match self.status {
            _ if self.verdict == Verdict::Spent => Class::Billing,
            401 => Class::Authentication,
            402 => Class::Billing,
            403 => Class::Permission,
            429 => Class::Quota,
            499 => Class::Canceled,
            408 | 500.. => Class::Upstream,
            _ => Class::Validation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class_of(status: u16, verdict: Verdict) -> Class {
        ProviderError::new(Provider::Openai, status, &Bytes::new(), verdict).class()
    }

    #[test]
    fn the_class_of_a_providers_error_follows_its_status() {
        for (status, class) in [
            (400, Class::Validation),
            (401, Class::Authentication),
            (402, Class::Billing),
            (403, Class::Permission),
            (404, Class::Validation),
            (408, Class::Upstream),
            (409, Class::Validation),
            (429, Class::Quota),
            (499, Class::Canceled),
            (500, Class::Upstream),
            (529, Class::Upstream),
        ] {
            assert_eq!(class_of(status, Verdict::Final), class, "{status}");
        }
    }

    #[test]
    fn a_429_about_money_is_billing_and_not_retryable() {
        let body = Bytes::from_static(
            br#"{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}"#,
        );
        let spent = ProviderError::new(Provider::Openai, 429, &body, Verdict::Spent);
        let answer = spent.render(EnvelopeKind::Openai, None, "req_1");
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(body["error"]["flexinference"]["class"], "billing");
        assert_eq!(body["error"]["flexinference"]["retryable"], false);
    }

    #[test]
    fn an_unreadable_body_gets_a_neutral_sentence() {
        let html = Bytes::from_static(b"<html>bad gateway</html>");
        let error = ProviderError::new(Provider::Anthropic, 502, &html, Verdict::Transient);
        assert_eq!(
            error.message(),
            "anthropic answered with status 502 and no readable message."
        );
    }
}
