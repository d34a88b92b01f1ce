//! `retry`: how often and when the settled tier is re-hit.

use startline_actors::backoff::{Backoff, RetryPolicy};

use super::shown::shown;
use crate::errors::{Code, Rejection};
use crate::json::{decoded_string, members_of};

/// Reads the value of `retry`. Checked in this order: an object, its field names, `count`, `backoff`, `jitter`.
pub(super) fn parse(value: &[u8]) -> Result<RetryPolicy, Rejection> {
    if value.first() != Some(&b'{') {
        return Err(invalid("retry", format!("retry is {}.", shown(value))));
    }
    let mut count = None;
    let mut backoff = None;
    let mut jitter = None;
    for (name, member) in members_of(value) {
        let (field, path) = match &*name {
            "count" => (&mut count, "retry.count"),
            "backoff" => (&mut backoff, "retry.backoff"),
            "jitter" => (&mut jitter, "retry.jitter"),
            other => {
                let quoted = serde_json::Value::from(other).to_string();
                let what = format!("retry has the field {}.", shown(quoted.as_bytes()));
                return Err(invalid("retry", what));
            }
        };
        if field.replace(member).is_some() {
            return Err(invalid(path, format!("{path} stands twice.")));
        }
    }
    Ok(RetryPolicy {
        count: count_of(count)?,
        backoff: backoff_of(backoff)?,
        jitter: jitter_of(jitter)?,
    })
}

fn count_of(value: Option<&[u8]>) -> Result<u32, Rejection> {
    match value {
        Some([digit @ b'1'..=b'5']) => Ok(u32::from(digit - b'0')),
        Some(other) => Err(invalid(
            "retry.count",
            format!("retry.count is {}.", shown(other)),
        )),
        None => Err(invalid("retry.count", "retry has no count.".to_owned())),
    }
}

fn backoff_of(value: Option<&[u8]>) -> Result<Backoff, Rejection> {
    let Some(value) = value else {
        return Ok(Backoff::Exponential);
    };
    match decoded_string(value).as_deref() {
        Some("exponential") => Ok(Backoff::Exponential),
        Some("linear") => Ok(Backoff::Linear),
        _ => Err(invalid(
            "retry.backoff",
            format!("retry.backoff is {}.", shown(value)),
        )),
    }
}

fn jitter_of(value: Option<&[u8]>) -> Result<bool, Rejection> {
    match value {
        None | Some(b"true") => Ok(true),
        Some(b"false") => Ok(false),
        Some(other) => Err(invalid(
            "retry.jitter",
            format!("retry.jitter is {}.", shown(other)),
        )),
    }
}

fn invalid(param: &'static str, what: String) -> Rejection {
    Rejection::new(Code::InvalidRetry, what).with_param(param)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_exponential_with_jitter() {
        let policy = parse(br#"{"count":1}"#).unwrap();
        assert_eq!(
            policy,
            RetryPolicy {
                count: 1,
                backoff: Backoff::Exponential,
                jitter: true
            }
        );
    }

    #[test]
    fn every_part_is_read() {
        let policy =
            parse(br#"{ "jitter" : false , "\u0062ackoff" : "line\u0061r" , "count" : 5 }"#)
                .unwrap();
        assert_eq!(
            policy,
            RetryPolicy {
                count: 5,
                backoff: Backoff::Linear,
                jitter: false
            }
        );
    }

    #[test]
    fn the_first_fault_in_the_order_of_the_checks_is_named() {
        for (value, param) in [
            ("null", "retry"),
            ("3", "retry"),
            ("[]", "retry"),
            ("\"count\"", "retry"),
            (r#"{"count":9,"backoff":1,"other":1}"#, "retry"),
            (r#"{"Count":1}"#, "retry"),
            (r#"{"count":1,"count":1}"#, "retry.count"),
            (r#"{"count":1,"\u0063ount":2}"#, "retry.count"),
            (r#"{"jitter":1,"backoff":1,"count":0}"#, "retry.count"),
            (r#"{"jitter":1,"backoff":1}"#, "retry.count"),
            (r#"{"jitter":1,"backoff":1,"count":2}"#, "retry.backoff"),
            (r#"{"jitter":1,"count":2}"#, "retry.jitter"),
        ] {
            let rejection = parse(value.as_bytes()).unwrap_err();
            assert_eq!(
                (rejection.code(), rejection.param()),
                (Code::InvalidRetry, Some(param)),
                "{value}"
            );
        }
    }

    #[test]
    fn a_count_is_one_digit_and_nothing_that_equals_it() {
        for count in [
            "0",
            "6",
            "10",
            "-1",
            "3.0",
            "1e0",
            "true",
            "\"3\"",
            "null",
            "[3]",
            "{}",
            "1.5",
            "99999999999999999999",
        ] {
            let value = format!("{{\"count\":{count}}}");
            assert_eq!(
                parse(value.as_bytes()).unwrap_err().param(),
                Some("retry.count"),
                "{count}"
            );
        }
    }

    #[test]
    fn a_backoff_or_jitter_of_another_kind_is_refused() {
        for member in [
            r#""backoff":null"#,
            r#""backoff":"Linear""#,
            r#""backoff":[]"#,
            r#""backoff":"\ud800""#,
        ] {
            let value = format!("{{\"count\":1,{member}}}");
            assert_eq!(
                parse(value.as_bytes()).unwrap_err().param(),
                Some("retry.backoff"),
                "{member}"
            );
        }
        for member in [r#""jitter":null"#, r#""jitter":0"#, r#""jitter":"true""#] {
            let value = format!("{{\"count\":1,{member}}}");
            assert_eq!(
                parse(value.as_bytes()).unwrap_err().param(),
                Some("retry.jitter"),
                "{member}"
            );
        }
    }
}
