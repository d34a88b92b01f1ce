//! The error catalogue: one table, a row a code, kept in four files by subject. The compiler checks that every code has
//! its row.

mod access;
mod capability;
mod request;
mod upstream;

use super::code::Code;

/// What kind of failure it is, in the words of the `flexinference` block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The request is not as the rules say.
    Validation,
    /// A key is missing, unknown or rejected.
    Authentication,
    /// The key may not do this.
    Permission,
    /// Money is used up.
    Billing,
    /// A rate or a count is used up.
    Quota,
    /// The model, the route or the format cannot do what was asked.
    Capability,
    /// The provider failed.
    Upstream,
    /// The router failed.
    Internal,
    /// The request was canceled.
    Canceled,
}

impl Class {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::Authentication => "authentication",
            Self::Permission => "permission",
            Self::Billing => "billing",
            Self::Quota => "quota",
            Self::Capability => "capability",
            Self::Upstream => "upstream",
            Self::Internal => "internal",
            Self::Canceled => "canceled",
        }
    }
}

/// Whose failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The router's answer.
    Flexinference,
    /// The provider's doing.
    Provider,
}

/// What the catalogue says about a code.
#[derive(Debug)]
pub struct Row {
    /// The code.
    pub code: Code,
    /// The code on the wire.
    pub word: &'static str,
    /// HTTP status.
    pub status: u16,
    /// What kind of failure it is.
    pub class: Class,
    /// Whose failure it is.
    pub origin: Origin,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The rule that was broken: one sentence.
    pub rule: &'static str,
    /// How to put it right: one sentence.
    pub fix: &'static str,
    /// An example of it put right.
    pub example: &'static str,
}

/// The texts of a row.
struct Texts {
    rule: &'static str,
    fix: &'static str,
    example: &'static str,
}

/// A row for a request that fails in the same way however often it is sent.
const fn refused(code: Code, word: &'static str, status: u16, class: Class, texts: Texts) -> Row {
    let Texts { rule, fix, example } = texts;
    Row {
        code,
        word,
        status,
        class,
        origin: Origin::Flexinference,
        retryable: false,
        rule,
        fix,
        example,
    }
}

/// A row for a state that passes.
const fn passing(code: Code, word: &'static str, status: u16, class: Class, texts: Texts) -> Row {
    let Texts { rule, fix, example } = texts;
    Row {
        code,
        word,
        status,
        class,
        origin: Origin::Flexinference,
        retryable: true,
        rule,
        fix,
        example,
    }
}

/// A row for a provider's failure that has no message of the provider's own.
const fn upstream(code: Code, word: &'static str, status: u16, texts: Texts) -> Row {
    let Texts { rule, fix, example } = texts;
    Row {
        code,
        word,
        status,
        class: Class::Upstream,
        origin: Origin::Provider,
        retryable: true,
        rule,
        fix,
        example,
    }
}

const PARTS: [&[Row]; 4] = [
    &request::ROWS,
    &capability::ROWS,
    &access::ROWS,
    &upstream::ROWS,
];

/// The row of a code.
pub fn row(code: Code) -> &'static Row {
    TABLE[code as usize]
}

/// Every row, in the order of [`Code`].
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().copied()
}

static TABLE: [&Row; Code::COUNT] = table();

/// Puts every row at its code's place; does not compile when a code has no row or two.
const fn table() -> [&'static Row; Code::COUNT] {
    let mut table = [&request::ROWS[0]; Code::COUNT];
    let mut placed = 0;
    let mut part = 0;
    while part < PARTS.len() {
        let mut place = 0;
        while place < PARTS[part].len() {
            table[PARTS[part][place].code as usize] = &PARTS[part][place];
            placed += 1;
            place += 1;
        }
        part += 1;
    }
    assert!(placed == Code::COUNT, "as many rows as codes");
    let mut code = 0;
    while code < Code::COUNT {
        assert!(table[code].code as usize == code, "a row for every code");
        code += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::envelope::start_within;

    #[test]
    fn every_row_has_its_texts_and_its_own_word() {
        let mut words = HashSet::new();
        for row in rows() {
            assert!(words.insert(row.word), "{} stands twice", row.word);
            assert!(
                row.word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
                "{}",
                row.word
            );
            assert!(
                row.rule.ends_with('.') && row.rule.len() > 20,
                "rule of {}",
                row.word
            );
            assert!(
                row.fix.ends_with('.') && row.fix.len() > 10,
                "fix of {}",
                row.word
            );
            assert!(!row.example.is_empty(), "example of {}", row.word);
            assert!((400..=599).contains(&row.status), "status of {}", row.word);
        }
        assert_eq!(words.len(), Code::COUNT);
    }

    #[test]
    fn the_word_is_the_name_of_the_code() {
        for row in rows() {
            let mut name = String::new();
            for letter in format!("{:?}", row.code).chars() {
                if letter.is_uppercase() && !name.is_empty() {
                    name.push('_');
                }
                name.push(letter.to_ascii_lowercase());
            }
            assert_eq!(row.word, name);
        }
    }

    #[test]
    fn every_start_within_of_an_example_is_valid() {
        let mut seen = 0;
        for row in rows() {
            for after in row.example.split("\"start_within\": \"").skip(1) {
                let value = after.split('"').next().unwrap_or_default();
                assert!(
                    start_within::parse(value).is_ok(),
                    "{value} of {}",
                    row.word
                );
                seen += 1;
            }
        }
        assert!(seen > 10);
    }

    #[test]
    fn examples_in_braces_are_json() {
        let mut seen = 0;
        for row in rows().filter(|row| row.example.starts_with('{')) {
            assert!(
                serde_json::from_str::<serde_json::Value>(row.example).is_ok(),
                "{}",
                row.word
            );
            seen += 1;
        }
        assert!(seen > 20);
    }

    #[test]
    fn the_class_serialises_as_its_word() {
        for row in rows() {
            assert_eq!(serde_json::to_value(row.class).unwrap(), row.class.word());
        }
    }
}
