//! Anthropic Messages: which events prove a start, how a stream ends, and what the error answers mean. There is no flex
//! tier, so the surface is not raced.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use startline_actors::classify::Verdict;

use super::error_body::{ErrorBody, usual_verdict};
use super::quick::type_at_an_end;
use super::reader::Sign;
use super::{SurfaceDialect, fault};

/// The dialect of `anthropic.messages`.
pub static ANTHROPIC_MESSAGES: SurfaceDialect = SurfaceDialect { sense, judge };

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: Option<String>,
    delta: Option<Delta>,
}

#[derive(Deserialize)]
struct Delta {
    stop_reason: Option<IgnoredAny>,
}

fn sense(data: &[u8], started: bool) -> Sign {
    if started
        && type_at_an_end(data, "type")
            .is_some_and(|kind| !matches!(kind, b"message_stop" | b"error"))
    {
        return Sign::Nothing;
    }
    let Ok(head) = serde_json::from_slice::<Head>(data) else {
        return Sign::Nothing;
    };
    match head.kind.as_deref() {
        Some("content_block_start") => Sign::Start,
        Some("message_delta") if head.delta.is_some_and(|delta| delta.stop_reason.is_some()) => {
            Sign::Start
        }
        Some("message_stop") => Sign::Done { starts: false },
        Some("error") => Sign::Fault {
            fault: fault::from_document(&serde_json::from_slice::<Value>(data).unwrap_or_default()),
            terminal: true,
        },
        _ => Sign::Nothing,
    }
}

/// A 429 of an organisation that has used up its own or its tier's spend limit names it in `details.error_code` or in
/// the message; it carries no `retry-after`. A `permission_error` can be about the key or about one model or region.
fn judge(status: u16, body: &[u8]) -> Verdict {
    match status {
        403 if ErrorBody::read(body).is_about_the_key() => Verdict::KeyRejected,
        429 if ErrorBody::read(body).says_the_money_is_spent() => Verdict::Spent,
        _ => usual_verdict(status),
    }
}

impl ErrorBody {
    fn says_the_money_is_spent(&self) -> bool {
        const CODES: [&str; 4] = ["spend", "billing", "credit", "usage_limit"];
        const SENTENCES: [&str; 6] = [
            "spend limit",
            "spend cap",
            "spending limit",
            "credit balance",
            "api usage limits",
            "monthly usage limit",
        ];
        CODES.iter().any(|code| self.detail_code.contains(code))
            || SENTENCES.iter().any(|words| self.says(words))
    }
}
