//! Gemini Interactions: which events prove a start, how a stream ends, and what the error answers mean. The vendor's
//! own SDK counts `interaction.created` and `interaction.status_update` as events without output; the first `step.*`
//! event is the first that is tied to generation.

use serde::Deserialize;
use serde_json::Value;
use startline_actors::classify::Verdict;
use startline_actors::error::Fault;

use super::error_body::{ErrorBody, usual_verdict};
use super::quick::type_at_an_end;
use super::reader::Sign;
use super::{SurfaceDialect, fault};

/// The dialect of `gemini.interactions`.
pub static GEMINI_INTERACTIONS: SurfaceDialect = SurfaceDialect { sense, judge };

#[derive(Deserialize)]
struct Head {
    event_type: Option<String>,
    interaction: Option<Interaction>,
}

#[derive(Deserialize)]
struct Interaction {
    status: Option<String>,
    error: Option<Value>,
    errors: Option<Vec<Value>>,
}

fn sense(data: &[u8], started: bool) -> Sign {
    if started && type_at_an_end(data, "event_type").is_some_and(|kind| !is_last_word(kind)) {
        return Sign::Nothing;
    }
    let Ok(head) = serde_json::from_slice::<Head>(data) else {
        return Sign::Nothing;
    };
    match head.event_type.as_deref() {
        Some("interaction.completed") => completion(head.interaction),
        Some("error") => Sign::Fault {
            fault: fault::from_document(&serde_json::from_slice::<Value>(data).unwrap_or_default()),
            terminal: true,
        },
        Some(kind) if kind.starts_with("step.") => Sign::Start,
        _ => Sign::Nothing,
    }
}

fn is_last_word(kind: &[u8]) -> bool {
    matches!(kind, b"interaction.completed" | b"error")
}

/// `requires_action`, `incomplete` and the like are good answers.
fn completion(interaction: Option<Interaction>) -> Sign {
    let status = interaction
        .as_ref()
        .and_then(|object| object.status.as_deref());
    let Some(status @ ("failed" | "cancelled")) = status else {
        return Sign::Done { starts: true };
    };
    let mut fault = Fault {
        message: format!("the interaction ended with the status {status}"),
        code: Some(status.to_owned()),
    };
    if let Some(object) = &interaction
        && let Some(error) = object.errors.iter().flatten().chain(&object.error).next()
    {
        fault = fault::from_error(error);
    }
    Sign::Fault {
        fault,
        terminal: true,
    }
}

/// A bad key is documented as 401 for Interactions; the front door answers 400 with the reason `API_KEY_INVALID`, in
/// the classic envelope. `quota_exceeded`, or a violation counted per day, is the daily quota.
fn judge(status: u16, body: &[u8]) -> Verdict {
    match status {
        400 if ErrorBody::read(body).says_the_key_is_invalid() => Verdict::KeyRejected,
        403 if ErrorBody::read(body).is_about_a_google_key() => Verdict::KeyRejected,
        429 if ErrorBody::read(body).says_the_daily_quota_is_spent() => Verdict::Spent,
        _ => usual_verdict(status),
    }
}

impl ErrorBody {
    fn says_the_key_is_invalid(&self) -> bool {
        self.reasons
            .iter()
            .any(|reason| reason == "API_KEY_INVALID")
            || self.message.starts_with("api key not valid")
    }

    fn is_about_a_google_key(&self) -> bool {
        self.reasons
            .iter()
            .any(|reason| reason.starts_with("API_KEY_"))
            || self.is_about_the_key()
    }

    fn says_the_daily_quota_is_spent(&self) -> bool {
        self.code == "quota_exceeded" || self.quota_ids.iter().any(|id| id.contains("PerDay"))
    }
}
