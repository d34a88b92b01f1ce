//! What OpenAI's error answers mean, for both of its surfaces. Sources: the error-code guide, recorded answers.

use startline_actors::classify::Verdict;

use super::error_body::{ErrorBody, usual_verdict};

/// `code` or `type` of a 429 that waiting cannot help.
const SPENT: [&str; 7] = [
    "insufficient_quota",
    "credit_balance_exhausted",
    "organization_spend_limit_exceeded",
    "project_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "billing_hard_limit_reached",
    "billing_not_active",
];

/// What an answer with this status and body means.
pub fn judge(status: u16, body: &[u8]) -> Verdict {
    match status {
        403 if ErrorBody::read(body).is_about_an_openai_key() => Verdict::KeyRejected,
        429 if ErrorBody::read(body).names_one_of(&SPENT) => Verdict::Spent,
        _ => usual_verdict(status),
    }
}

impl ErrorBody {
    /// A restricted key without the scope for this endpoint is told by its missing scopes.
    fn is_about_an_openai_key(&self) -> bool {
        self.names_one_of(&["invalid_api_key", "missing_scope"])
            || self.says("missing scopes")
            || self.is_about_the_key()
    }
}
