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
