//! The field that every request of a surface must have: what the model is to answer.

use crate::errors::{Code, Rejection};
use crate::vocabulary::CallerSurface;

/// Fields in whose presence Responses needs no `input`: the provider has it already.
const INSTEAD_OF_INPUT_ON_RESPONSES: [&str; 3] = ["prompt", "conversation", "previous_response_id"];
/// The same for Interactions.
const INSTEAD_OF_INPUT_ON_INTERACTIONS: [&str; 1] = ["continuation_token"];

/// `find` gives the JSON text of a top-level field.
pub(super) fn check<'a>(
    surface: CallerSurface,
    find: impl Fn(&str) -> Option<&'a [u8]>,
) -> Result<(), Rejection> {
    let substitutes: &[&str] = match surface {
        CallerSurface::Chat | CallerSurface::Messages => return check_messages(find("messages")),
        CallerSurface::Responses => &INSTEAD_OF_INPUT_ON_RESPONSES,
        CallerSurface::Interactions => &INSTEAD_OF_INPUT_ON_INTERACTIONS,
    };
    if find("input").is_some() {
        return Ok(());
    }
    // SDKs write null for a field that is not used.
    let is_there = |name: &&str| find(name).is_some_and(|value| value != b"null");
    if substitutes.iter().any(is_there) {
        return Ok(());
    }
    Err(Rejection::new(Code::MissingInput, "input is missing.").with_param("input"))
}

fn check_messages(value: Option<&[u8]>) -> Result<(), Rejection> {
    let what = match value {
        Some([b'[', ..]) => return Ok(()),
        Some(_) => "messages is not an array.",
        None => "messages is missing.",
    };
    Err(Rejection::new(Code::MissingMessages, what).with_param("messages"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(surface: CallerSurface, name: &str, value: &'static [u8]) -> Option<Code> {
        check(surface, |asked| (asked == name).then_some(value))
            .err()
            .map(|rejection| rejection.code())
    }

    #[test]
    fn input_may_be_anything_and_may_have_a_substitute() {
        use CallerSurface::{Interactions, Responses};
        for (surface, name) in [
            (Responses, "input"),
            (Responses, "prompt"),
            (Responses, "conversation"),
            (Responses, "previous_response_id"),
            (Interactions, "input"),
            (Interactions, "continuation_token"),
        ] {
            assert_eq!(outcome(surface, name, b"\"x\""), None, "{name}");
        }
        assert_eq!(outcome(Responses, "input", b"null"), None);
        assert_eq!(
            outcome(Responses, "conversation", b"null"),
            Some(Code::MissingInput)
        );
        assert_eq!(
            outcome(Responses, "continuation_token", b"\"x\""),
            Some(Code::MissingInput)
        );
        assert_eq!(
            outcome(Interactions, "previous_response_id", b"\"x\""),
            Some(Code::MissingInput)
        );
        assert_eq!(
            outcome(Responses, "messages", b"[]"),
            Some(Code::MissingInput)
        );
    }

    #[test]
    fn messages_is_an_array() {
        for surface in [CallerSurface::Chat, CallerSurface::Messages] {
            assert_eq!(outcome(surface, "messages", b"[]"), None);
            for value in [&b"null"[..], b"{}", b"\"Hello\"", b"1"] {
                assert_eq!(
                    outcome(surface, "messages", value),
                    Some(Code::MissingMessages)
                );
            }
            assert_eq!(
                outcome(surface, "input", b"\"x\""),
                Some(Code::MissingMessages)
            );
        }
    }
}
