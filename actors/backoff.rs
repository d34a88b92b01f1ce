//! How long to wait before a re-hit. Pure: randomness and the current time come in as arguments.

use std::time::{Duration, SystemTime};

use awc::http::header::HeaderMap;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(8);
const LONGEST_HINT: Duration = Duration::from_secs(60);
const JITTER: f64 = 0.25;

/// The caller's `retry`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Re-hits of the settled tier, 1 to 5.
    pub count: u32,
    /// The schedule.
    pub backoff: Backoff,
    /// Whether a wait may be shortened at random.
    pub jitter: bool,
}

/// A schedule of waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backoff {
    /// 0.5 s, doubling, at most 8 s.
    Exponential,
    /// 0.5 s more each time, at most 8 s.
    Linear,
}

/// The scheduled wait before re-hit `rehit` (1 is the first), before jitter.
pub fn base(backoff: Backoff, rehit: u32) -> Duration {
    let steps = match backoff {
        Backoff::Exponential => 1_u32
            .checked_shl(rehit.saturating_sub(1))
            .unwrap_or(u32::MAX),
        Backoff::Linear => rehit,
    };
    FIRST.saturating_mul(steps).min(LONGEST)
}

/// Shortens `wait` by up to a quarter; `draw` is uniform in [0, 1).
pub fn jitter(wait: Duration, draw: f64) -> Duration {
    wait.mul_f64(1.0 - JITTER * draw)
}

/// The wait before re-hit `rehit`. A hint of the provider replaces the schedule, without jitter, clamped to 60 s.
pub fn wait(policy: RetryPolicy, rehit: u32, hint: Option<Duration>, draw: f64) -> Duration {
    if let Some(hint) = hint {
        return hint.min(LONGEST_HINT);
    }
    let scheduled = base(policy.backoff, rehit);
    if policy.jitter {
        jitter(scheduled, draw)
    } else {
        scheduled
    }
}

/// How long the provider asks to wait: `retry-after-ms`, else `retry-after` in seconds (also fractional) or as an HTTP
/// date. What cannot be read, or is negative, is no hint; a date in the past is a wait of zero.
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    if let Some(wait) = text("retry-after-ms").and_then(|millis| number(millis, 0.001)) {
        return Some(wait);
    }
    let value = text("retry-after")?;
    if let Some(wait) = number(value, 1.0) {
        return Some(wait);
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

fn number(text: &str, unit: f64) -> Option<Duration> {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !is_plain {
        return None;
    }
    let amount: f64 = text.parse().ok()?;
    // A number too large for a Duration still asks for a wait: the clamp makes it 60 s.
    Some(Duration::try_from_secs_f64(amount * unit).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use awc::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn hint(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_str(value).unwrap(),
        );
        retry_after(
            &headers,
            SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777),
        )
    }

    #[test]
    fn exponential_doubles_from_half_a_second_to_eight() {
        let waits: Vec<u64> = (1..=6)
            .map(|n| base(Backoff::Exponential, n).as_millis() as u64)
            .collect();
        assert_eq!(waits, [500, 1000, 2000, 4000, 8000, 8000]);
        assert_eq!(base(Backoff::Exponential, 1000), LONGEST);
    }

    #[test]
    fn linear_adds_half_a_second_up_to_eight() {
        let waits: Vec<u64> = (1..=5)
            .map(|n| base(Backoff::Linear, n).as_millis() as u64)
            .collect();
        assert_eq!(waits, [500, 1000, 1500, 2000, 2500]);
        assert_eq!(base(Backoff::Linear, 17), LONGEST);
    }

    #[test]
    fn jitter_only_shortens_and_by_a_quarter_at_most() {
        let wait = Duration::from_secs(4);
        assert_eq!(jitter(wait, 0.0), wait);
        for step in 0..1000 {
            let shortened = jitter(wait, f64::from(step) / 1000.0);
            assert!(
                shortened <= wait && shortened > Duration::from_secs(3),
                "{shortened:?}"
            );
        }
    }

    #[test]
    fn a_hint_replaces_the_schedule_without_jitter_and_is_clamped() {
        let policy = RetryPolicy {
            count: 1,
            backoff: Backoff::Exponential,
            jitter: true,
        };
        assert_eq!(
            wait(policy, 1, Some(Duration::from_secs(7)), 0.9),
            Duration::from_secs(7)
        );
        assert_eq!(
            wait(policy, 1, Some(Duration::from_secs(3600)), 0.9),
            Duration::from_secs(60)
        );
        assert_eq!(wait(policy, 1, Some(Duration::ZERO), 0.9), Duration::ZERO);
        assert_eq!(wait(policy, 1, None, 0.0), Duration::from_millis(500));
        assert!(wait(policy, 1, None, 0.9) < Duration::from_millis(500));
        let steady = RetryPolicy {
            jitter: false,
            ..policy
        };
        assert_eq!(wait(steady, 1, None, 0.9), Duration::from_millis(500));
    }

    #[test]
    fn every_form_of_retry_after_is_read() {
        assert_eq!(hint("retry-after", "3"), Some(Duration::from_secs(3)));
        assert_eq!(
            hint("retry-after", " 0.25 "),
            Some(Duration::from_millis(250))
        );
        assert_eq!(
            hint("retry-after-ms", "1500"),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(
            hint("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT"),
            Some(Duration::from_secs(3))
        );
        assert_eq!(
            hint("retry-after", "Sun, 06 Nov 1994 08:49:30 GMT"),
            Some(Duration::ZERO)
        );
        assert_eq!(
            hint("retry-after", "99999999999999999999999999"),
            Some(Duration::MAX)
        );
        for unreadable in ["", "-1", "soon", "1e3", "inf", "NaN", "3 s", "."] {
            assert_eq!(hint("retry-after", unreadable), None, "{unreadable:?}");
        }
    }

    #[test]
    fn milliseconds_come_before_seconds() {
        let mut headers = HeaderMap::new();
        headers.insert(
            HeaderName::from_static("retry-after"),
            HeaderValue::from_static("9"),
        );
        headers.insert(
            HeaderName::from_static("retry-after-ms"),
            HeaderValue::from_static("20"),
        );
        assert_eq!(
            retry_after(&headers, SystemTime::now()),
            Some(Duration::from_millis(20))
        );
        headers.insert(
            HeaderName::from_static("retry-after-ms"),
            HeaderValue::from_static("soon"),
        );
        assert_eq!(
            retry_after(&headers, SystemTime::now()),
            Some(Duration::from_secs(9))
        );
    }
}
