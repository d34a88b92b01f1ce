//! `start_within`: a word, or a duration `HHh-MMm-SSs`.

use std::time::Duration;

use crate::vocabulary::StartWithin;

const SHORTEST: u64 = 5;
const LONGEST: u64 = 600;

/// Why a text is not a `start_within`, to follow the text and "is".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotStartWithin {
    /// Neither a word nor of the duration's form.
    #[error("neither a word that it knows nor a duration HHh-MMm-SSs")]
    Unreadable,
    /// The retired word.
    #[error("a retired word, now called \"default\"")]
    Retired,
    /// A duration below 5 s or above 600 s; in seconds.
    #[error("{0} s, outside 5 s to 600 s")]
    OutOfRange(u64),
}

/// Reads the text of a `start_within`.
///
/// # Errors
///
/// When the text is neither one of the three words nor a duration from 5 s to 600 s. Minutes and seconds may exceed 59:
/// `00h-00m-90s` is 90 s.
pub fn parse(text: &str) -> Result<StartWithin, NotStartWithin> {
    match text {
        "default" => return Ok(StartWithin::Default),
        "priority" => return Ok(StartWithin::Priority),
        "auto" => return Ok(StartWithin::Auto),
        "standard" => return Err(NotStartWithin::Retired),
        _ => {}
    }
    let seconds = seconds_of(text.as_bytes()).ok_or(NotStartWithin::Unreadable)?;
    if !(SHORTEST..=LONGEST).contains(&seconds) {
        return Err(NotStartWithin::OutOfRange(seconds));
    }
    Ok(StartWithin::Within(Duration::from_secs(seconds)))
}

fn seconds_of(text: &[u8]) -> Option<u64> {
    let [h1, h2, b'h', b'-', m1, m2, b'm', b'-', s1, s2, b's'] = text else {
        return None;
    };
    Some(two_digits(*h1, *h2)? * 3600 + two_digits(*m1, *m2)? * 60 + two_digits(*s1, *s2)?)
}

fn two_digits(tens: u8, ones: u8) -> Option<u64> {
    if !tens.is_ascii_digit() || !ones.is_ascii_digit() {
        return None;
    }
    Some(u64::from(tens - b'0') * 10 + u64::from(ones - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(seconds: u64) -> Result<StartWithin, NotStartWithin> {
        Ok(StartWithin::Within(Duration::from_secs(seconds)))
    }

    #[test]
    fn words_and_durations_are_read() {
        assert_eq!(parse("default"), Ok(StartWithin::Default));
        assert_eq!(parse("priority"), Ok(StartWithin::Priority));
        assert_eq!(parse("auto"), Ok(StartWithin::Auto));
        for (text, seconds) in [
            ("00h-00m-05s", 5),
            ("00h-00m-90s", 90),
            ("00h-01m-30s", 90),
            ("00h-09m-60s", 600),
            ("00h-10m-00s", 600),
        ] {
            assert_eq!(parse(text), within(seconds), "{text}");
        }
    }

    #[test]
    fn a_duration_stays_between_its_bounds() {
        for (text, seconds) in [
            ("00h-00m-00s", 0),
            ("00h-00m-04s", 4),
            ("00h-10m-01s", 601),
            ("01h-00m-00s", 3600),
            ("99h-99m-99s", 362_439),
        ] {
            assert_eq!(
                parse(text),
                Err(NotStartWithin::OutOfRange(seconds)),
                "{text}"
            );
        }
    }

    #[test]
    fn everything_else_is_unreadable() {
        for text in [
            "",
            "30",
            "30s",
            "0h-5m-0s",
            "00h-05m",
            "00h:05m:00s",
            "00H-05M-00S",
            " 00h-00m-30s",
            "00h-00m-30s ",
            "00h-00m-+3s",
            "00h-00m--3s",
            "00h-00m-3 s",
            "000h-00m-30s",
            "Default",
            "flex",
            "00h-00m-٣٠s",
            "PT30S",
        ] {
            assert_eq!(parse(text), Err(NotStartWithin::Unreadable), "{text}");
        }
        assert_eq!(parse("standard"), Err(NotStartWithin::Retired));
    }
}
