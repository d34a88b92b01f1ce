//! The words of an error answer that a verdict rests on, read from the envelopes of all three vendors.

use serde_json::Value;
use startline_actors::classify::Verdict;

use super::fault::error_document;

/// An error answer, in words. What is not there is empty.
#[derive(Debug, Default)]
pub struct ErrorBody {
    /// The error's `code`, if it is a word.
    pub code: String,
    /// The error's `type`.
    pub kind: String,
    /// Anthropic's `details.error_code`.
    pub detail_code: String,
    /// The message, in lower case.
    pub message: String,
    /// `reason` of each entry of Google's `details`.
    pub reasons: Vec<String>,
    /// `quotaId` of each violation in Google's `details`.
    pub quota_ids: Vec<String>,
}

impl ErrorBody {
    /// Reads a body; one that is cut or not JSON has no words.
    pub fn read(body: &[u8]) -> Self {
        let document: Value = serde_json::from_slice(body).unwrap_or_default();
        let Some(error) = error_document(&document).get("error") else {
            return Self::default();
        };
        let details = error.get("details").unwrap_or(&Value::Null);
        let mut words = Self {
            code: word(error, "code"),
            kind: word(error, "type"),
            detail_code: word(details, "error_code"),
            message: word(error, "message").to_lowercase(),
            ..Self::default()
        };
        for detail in details.as_array().into_iter().flatten() {
            words.reasons.push(word(detail, "reason"));
            let violations = detail.get("violations").and_then(Value::as_array);
            words.quota_ids.extend(
                violations
                    .into_iter()
                    .flatten()
                    .map(|violation| word(violation, "quotaId")),
            );
        }
        words
    }

    /// Whether `code` or `type` is one of `names`.
    pub fn names_one_of(&self, names: &[&str]) -> bool {
        names.contains(&self.code.as_str()) || names.contains(&self.kind.as_str())
    }

    /// Whether the message contains `words`, given in lower case.
    pub fn says(&self, words: &str) -> bool {
        self.message.contains(words)
    }

    /// Whether a 403 speaks of the key itself, and not of a model or a region that the account may not use.
    pub fn is_about_the_key(&self) -> bool {
        const OF_THE_KEY: [&str; 3] = ["api key", "api_key", "x-api-key"];
        const OF_SOMETHING_ELSE: [&str; 4] = ["model", "region", "country", "location"];
        OF_THE_KEY.iter().any(|words| self.says(words))
            && !OF_SOMETHING_ELSE.iter().any(|words| self.says(words))
    }
}

/// What a status means when the body says nothing special.
pub fn usual_verdict(status: u16) -> Verdict {
    match status {
        401 => Verdict::KeyRejected,
        408 | 429 | 500..=599 => Verdict::Transient,
        _ => Verdict::Final,
    }
}

fn word(object: &Value, key: &str) -> String {
    object
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}
