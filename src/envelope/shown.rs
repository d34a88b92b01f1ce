//! How a wrong value of one of the router's own fields is shown in an error: short scalars as they are, the rest by
//! kind.

/// The longest value that is repeated, in characters.
const LONGEST: usize = 64;

/// Describes a JSON value of a validated body, to follow "is".
pub(super) fn shown(value: &[u8]) -> String {
    let kind = match value.first() {
        Some(b'{') => return "an object".to_owned(),
        Some(b'[') => return "an array".to_owned(),
        Some(b'"') => "a long string",
        _ => "a long number",
    };
    match std::str::from_utf8(value) {
        Ok(text) if text.chars().count() <= LONGEST => text.chars().map(visible).collect(),
        _ => kind.to_owned(),
    }
}

/// Letters, digits and ASCII as they are; everything that could hide or reorder text by its number.
fn visible(letter: char) -> String {
    if letter.is_ascii_graphic() || letter == ' ' || letter.is_alphanumeric() {
        return letter.to_string();
    }
    letter.escape_unicode().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_scalars_are_repeated_and_nothing_else() {
        assert_eq!(shown(b"\"soon\""), "\"soon\"");
        assert_eq!(shown(b"3.0"), "3.0");
        assert_eq!(shown(b"null"), "null");
        assert_eq!(shown(b"{\"a\":1}"), "an object");
        assert_eq!(shown(b"[1]"), "an array");
        assert_eq!(
            shown(format!("\"{}\"", "a".repeat(63)).as_bytes()),
            "a long string"
        );
        assert_eq!(shown("1".repeat(65).as_bytes()), "a long number");
        assert_eq!(shown("\"a\u{202e}b\"".as_bytes()), "\"a\\u{202e}b\"");
    }
}
