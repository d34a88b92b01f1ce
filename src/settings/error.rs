//! What is wrong with the settings, in the words an operator needs: where, which key, which rule. A value is only
//! shown when its key can hold no secret.

use figment::error::{Actual, Kind};

use super::layer;

/// The settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file named with `--config` could not be read.
    #[error("{path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// The operating system's words.
        reason: String,
    },
    /// Keys or values are refused; one line each.
    #[error("{}", lines(.0))]
    Refused(Vec<Problem>),
}

/// One refused key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {key}: {rule}")]
pub struct Problem {
    /// The file, or the environment variable.
    pub place: String,
    /// The key with its section, as in `server.listen`.
    pub key: String,
    /// What the value must be.
    pub rule: String,
}

impl Problem {
    pub(super) fn new(
        place: impl Into<String>,
        key: impl Into<String>,
        rule: impl Into<String>,
    ) -> Self {
        Self {
            place: place.into(),
            key: key.into(),
            rule: rule.into(),
        }
    }

    pub(super) fn from_figment(error: &figment::Error) -> Self {
        let key = error.path.join(".");
        let place = layer::place(error.metadata.as_ref(), &key);
        let rule = rule(&error.kind, is_secret(&error.path));
        Self { place, key, rule }
    }
}

fn is_secret(path: &[String]) -> bool {
    path.iter().any(|part| part == "api_key" || part == "keys")
}

fn rule(kind: &Kind, secret: bool) -> String {
    match kind {
        Kind::InvalidType(_, expected) | Kind::InvalidValue(_, expected) if secret => {
            format!("must be {}", wanted(expected))
        }
        Kind::InvalidType(actual, expected) | Kind::InvalidValue(actual, expected) => {
            format!("must be {}, not {}", wanted(expected), given(actual))
        }
        Kind::UnknownVariant(_, allowed) => format!("must be one of {}", allowed.join(", ")),
        other => other.to_string(),
    }
}

/// What a type is to somebody who writes TOML.
fn wanted(expected: &str) -> &str {
    match expected {
        "usize" | "u8" | "u32" => "a whole number, not below zero",
        "a string" => "a text in quotes",
        "struct RouterKey" => "a table, as in { key = \"flex_live_…\" }",
        other => other,
    }
}

fn given(actual: &Actual) -> String {
    match actual {
        Actual::Str(text) => format!("{text:?}"),
        Actual::Unsigned(number) => number.to_string(),
        Actual::Signed(number) => number.to_string(),
        other => other.to_string(),
    }
}

fn lines(problems: &[Problem]) -> String {
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    texts.join("\n")
}
