//! An error of ours: a code of the catalogue and what was wrong this time.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, json};

use super::code::Code;
use super::envelope::{Block, Contents, EnvelopeKind, ErrorAnswer, doc_url};
use super::failure_text::FailureText;
use super::status_words::status_words;
use crate::vocabulary::Provider;

/// An error of ours. Its text never holds a key, a prompt or an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    code: Code,
    what: String,
    param: Option<Cow<'static, str>>,
    retry_after: Option<u32>,
    allow: Option<&'static str>,
    provider: Option<Provider>,
    provider_code: Option<String>,
}

impl Rejection {
    /// `what` says in one sentence, with its full stop, what was wrong; rule, way out and example come from the
    /// catalogue.
    pub fn new(code: Code, what: impl Into<String>) -> Self {
        Self {
            code,
            what: what.into(),
            param: None,
            retry_after: None,
            allow: None,
            provider: None,
            provider_code: None,
        }
    }

    /// Names the field that was wrong.
    pub fn with_param(mut self, param: impl Into<Cow<'static, str>>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// Says when to come back, in seconds.
    pub fn with_retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Names the methods of the path, for a 405.
    pub fn with_allow(mut self, methods: &'static str) -> Self {
        self.allow = Some(methods);
        self
    }

    /// Names the provider whose failure it is.
    pub fn with_provider(mut self, provider: Provider) -> Self {
        self.provider = Some(provider);
        self
    }

    /// Gives the provider's own code for its failure.
    pub fn with_provider_code(mut self, code: Option<String>) -> Self {
        self.provider_code = code;
        self
    }

    /// The same refusal for a request whose `start_within` came from the key: the caller never wrote what is refused.
    pub fn because_of_key_default(self) -> Self {
        let rule = self.code.row().rule;
        let what = format!(
            "The request has no start_within and the default of its key cannot apply: {} {rule}",
            self.what
        );
        Self {
            code: Code::KeyDefaultNotApplicable,
            what,
            param: Some("start_within".into()),
            ..self
        }
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// HTTP status.
    pub fn status(&self) -> u16 {
        self.code.row().status
    }

    /// The field that was wrong.
    pub fn param(&self) -> Option<&str> {
        self.param.as_deref()
    }

    /// What was wrong, the rule, how to put it right, an example.
    pub fn message(&self) -> String {
        let row = self.code.row();
        format!(
            "{} {} {} Example: {}",
            self.what, row.rule, row.fix, row.example
        )
    }

    /// The whole answer. `public_url` is the router's configured address, `request_id` the answer's.
    pub fn render(
        &self,
        kind: EnvelopeKind,
        public_url: Option<&str>,
        request_id: &str,
    ) -> ErrorAnswer {
        let contents = Contents {
            status: self.status(),
            message: self.message(),
            openai_code: self.code.word().into(),
            google_code: self.status().into(),
            param: json!(self.param),
            kept: Map::new(),
            block: self.block(public_url),
        };
        ErrorAnswer {
            status: self.status(),
            body: contents.write(kind, request_id),
            retry_after: self.retry_after,
            allow: self.allow,
            is_final: !self.code.row().retryable,
        }
    }

    /// The texts of the same failure inside a stream that has begun.
    pub fn failure_text(&self, public_url: Option<&str>) -> FailureText {
        let words = status_words(self.status());
        FailureText {
            code: self.code.word().to_owned(),
            message: self.message(),
            openai_type: words.openai_type,
            anthropic_type: words.anthropic_type,
            google_status: words.google_status,
            block: self.block(public_url).to_json(),
        }
    }

    fn block(&self, public_url: Option<&str>) -> Block {
        let row = self.code.row();
        Block {
            code: Some(row.word),
            class: row.class,
            origin: row.origin,
            status: row.status,
            provider: self.provider.map(Provider::word),
            provider_code: self.provider_code.clone(),
            retryable: row.retryable,
            doc_url: doc_url(public_url, row.word),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.code.word(), self.what)
    }
}

impl std::error::Error for Rejection {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_was_wrong_the_rule_the_way_out_and_an_example() {
        let row = Code::MissingModel.row();
        let message = Rejection::new(Code::MissingModel, "model is missing.").message();
        assert!(message.starts_with("model is missing. "));
        assert!(message.contains(row.rule) && message.contains(row.fix));
        assert!(message.ends_with(row.example));
    }

    #[test]
    fn a_refused_key_default_keeps_the_reason() {
        let refused = Rejection::new(
            Code::FlexUnsupportedForAnthropic,
            "claude-opus-4-8 is a Claude model.",
        )
        .because_of_key_default();
        assert_eq!(refused.code(), Code::KeyDefaultNotApplicable);
        assert_eq!(refused.param(), Some("start_within"));
        assert!(
            refused
                .message()
                .contains("claude-opus-4-8 is a Claude model.")
        );
        assert!(
            refused
                .message()
                .contains(Code::FlexUnsupportedForAnthropic.row().rule)
        );
    }
}
