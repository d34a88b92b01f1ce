//! Whether a body is whole. awc ends a body that was cut without an error, so the framing is checked here: the count
//! of `content-length`, or that a chunked body ended before the provider closed. Where the framing proves nothing, and
//! for every event stream, the answer's own reader decides.

use awc::http::header::{CONTENT_LENGTH, HeaderMap, TRANSFER_ENCODING};

/// How the length of a body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// By `content-length`.
    Length(u64),
    /// In chunks, the last one empty.
    Chunked,
    /// It ends when the connection does: no proof of anything.
    UntilClose,
}

impl Framing {
    /// Reads it off the head of an answer.
    pub fn of(headers: &HeaderMap) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        if text(TRANSFER_ENCODING)
            .is_some_and(|coding| coding.to_ascii_lowercase().contains("chunked"))
        {
            return Self::Chunked;
        }
        match text(CONTENT_LENGTH).and_then(|length| length.trim().parse().ok()) {
            Some(length) => Self::Length(length),
            None => Self::UntilClose,
        }
    }

    /// Judges a body that ended without an error after `received` bytes; `closed` says whether the provider had closed
    /// its side by then.
    pub fn judge(self, received: u64, closed: bool) -> Wholeness {
        match self {
            Self::Length(length) if received == length => Wholeness::Proven,
            Self::Length(_) => Wholeness::Cut,
            Self::Chunked if closed => Wholeness::Cut,
            Self::Chunked => Wholeness::Proven,
            Self::UntilClose => Wholeness::Unknown,
        }
    }
}

/// What the framing says of a body that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wholeness {
    /// Every byte is there.
    Proven,
    /// Bytes are missing.
    Cut,
    /// The framing does not tell.
    Unknown,
}

#[cfg(test)]
mod tests {
    use awc::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn framing(name: HeaderName, value: &'static str) -> Framing {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        Framing::of(&headers)
    }

    #[test]
    fn the_framing_is_read_off_the_head() {
        assert_eq!(framing(CONTENT_LENGTH, "12"), Framing::Length(12));
        assert_eq!(framing(TRANSFER_ENCODING, "Chunked"), Framing::Chunked);
        assert_eq!(framing(CONTENT_LENGTH, "many"), Framing::UntilClose);
        assert_eq!(Framing::of(&HeaderMap::new()), Framing::UntilClose);
    }

    #[test]
    fn a_length_must_be_met_exactly() {
        assert_eq!(Framing::Length(12).judge(12, true), Wholeness::Proven);
        assert_eq!(Framing::Length(12).judge(11, true), Wholeness::Cut);
    }

    #[test]
    fn a_chunked_body_must_end_before_the_connection_does() {
        assert_eq!(Framing::Chunked.judge(5, false), Wholeness::Proven);
        assert_eq!(Framing::Chunked.judge(5, true), Wholeness::Cut);
    }

    #[test]
    fn a_body_that_ends_with_the_connection_proves_nothing() {
        assert_eq!(Framing::UntilClose.judge(5, true), Wholeness::Unknown);
    }
}
