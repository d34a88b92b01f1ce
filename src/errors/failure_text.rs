//! What a failure after the start of a stream says. The frames of the four surfaces are written elsewhere.

use serde_json::Value;
use startline_actors::error::Fault;

use super::catalogue::{Class, Origin};
use super::code::Code;
use super::envelope::Block;
use super::rejection::Rejection;
use super::status_words::status_words;
use crate::vocabulary::Provider;

/// The texts of a failure frame, for every surface.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureText {
    /// Our code, or the provider's.
    pub code: String,
    /// What the caller reads.
    pub message: String,
    /// `error.type` on Chat.
    pub openai_type: &'static str,
    /// `error.type` on Messages.
    pub anthropic_type: &'static str,
    /// `error.status` on Interactions.
    pub google_status: &'static str,
    /// The `flexinference` block.
    pub block: Value,
}

/// A failure that a provider itself has told inside a 200.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderFault {
    /// Whose.
    pub provider: Provider,
    /// What it said.
    pub fault: Fault,
}

impl ProviderFault {
    /// For a caller who waits for the answer in one piece: 502, with what the provider said.
    pub fn rejection(&self) -> Rejection {
        let name = self.provider.word();
        let what = match self.fault.message.trim() {
            "" => format!("{name} failed after the answer had started, without saying why."),
            said => format!("{name} failed after the answer had started and said: {said}"),
        };
        Rejection::new(Code::UpstreamStreamFailed, what)
            .with_provider(self.provider)
            .with_provider_code(self.fault.code.clone())
    }

    /// For a stream: the provider's own message. The block's code is null, as for any error of a provider.
    pub fn failure_text(&self) -> FailureText {
        let row = Code::UpstreamStreamFailed.row();
        let words = status_words(row.status);
        let message = match self.fault.message.trim() {
            "" => format!(
                "{} failed after the answer had started, without saying why.",
                self.provider.word()
            ),
            _ => self.fault.message.clone(),
        };
        let block = Block {
            code: None,
            class: Class::Upstream,
            origin: Origin::Provider,
            status: row.status,
            provider: Some(self.provider.word()),
            provider_code: self.fault.code.clone(),
            retryable: row.retryable,
            doc_url: None,
        };
        FailureText {
            code: self
                .fault
                .code
                .clone()
                .unwrap_or_else(|| row.word.to_owned()),
            message,
            openai_type: words.openai_type,
            anthropic_type: words.anthropic_type,
            google_status: words.google_status,
            block: block.to_json(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn overloaded() -> ProviderFault {
        let fault = Fault {
            message: "The server is overloaded".into(),
            code: Some("server_is_overloaded".into()),
        };
        ProviderFault {
            provider: Provider::Openai,
            fault,
        }
    }

    #[test]
    fn a_failure_of_ours_carries_the_published_block() {
        let cut = Rejection::new(Code::UpstreamStreamFailed, "The stream was cut.")
            .with_provider(Provider::Openai);
        let text = cut.failure_text(Some("https://r.example"));
        let expected = json!({
            "code": "upstream_stream_failed", "class": "upstream", "origin": "provider", "status": 502,
            "provider": "openai", "provider_code": null, "retryable": true,
            "doc_url": "https://r.example/errors#upstream_stream_failed",
        });
        assert_eq!(text.block, expected);
        assert_eq!(
            (text.code.as_str(), text.openai_type),
            ("upstream_stream_failed", "flexinference_error")
        );
        assert_eq!(
            (text.anthropic_type, text.google_status),
            ("api_error", "UNAVAILABLE")
        );
    }

    #[test]
    fn a_provider_speaks_for_itself_inside_a_stream() {
        let text = overloaded().failure_text();
        assert_eq!(text.message, "The server is overloaded");
        assert_eq!(text.code, "server_is_overloaded");
        assert_eq!(text.block["code"], Value::Null);
        assert_eq!(text.block["provider_code"], "server_is_overloaded");
        assert_eq!(text.block["status"], 502);
    }

    #[test]
    fn an_answer_in_one_piece_becomes_a_502_with_the_words_of_the_provider() {
        let refused = overloaded().rejection();
        assert_eq!(refused.status(), 502);
        assert!(refused.message().contains("The server is overloaded"));
    }

    #[test]
    fn a_silent_fault_still_has_a_message() {
        let silent = ProviderFault {
            provider: Provider::Gemini,
            fault: Fault::default(),
        };
        assert!(silent.failure_text().message.starts_with("gemini failed"));
        assert_eq!(silent.failure_text().code, "upstream_stream_failed");
        assert!(silent.rejection().message().contains("without saying why"));
    }
}
