//! Identifiers in the vendors' shapes.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rand::RngExt;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789AB";

/// Seconds since 1970.
pub(super) fn unix_now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_secs()
}

/// The ids of one OpenAI response: 16 hex digits that they share, `00`, the second of creation in 8 hex digits, 24 at
/// random.
pub(super) struct ResponseIds {
    shared: u64,
    created: u64,
}

impl ResponseIds {
    pub(super) fn new(created: u64) -> Self {
        Self {
            shared: rand::rng().random(),
            created,
        }
    }

    /// An id for what is made `after` the response itself.
    pub(super) fn next(&self, kind: &str, after: Duration) -> String {
        let mut rng = rand::rng();
        let (shared, second) = (self.shared, self.created + after.as_secs());
        let (head, tail): (u32, u64) = (rng.random(), rng.random());
        format!("{kind}_{shared:016x}00{second:08x}{head:08x}{tail:016x}")
    }
}

/// Letters and digits at random behind a beginning.
pub(super) fn letters(beginning: &str, count: usize) -> String {
    let mut id = String::with_capacity(beginning.len() + count);
    id.push_str(beginning);
    let mut rng = rand::rng();
    let mut bits: u64 = 0;
    for place in 0..count {
        if place % 10 == 0 {
            bits = rng.random();
        }
        id.push(char::from(LETTERS[(bits & 63) as usize]));
        bits >>= 6;
    }
    id
}

/// 32 hex digits at random behind a beginning.
pub(super) fn hex32(beginning: &str) -> String {
    let (high, low): (u64, u64) = (rand::rng().random(), rand::rng().random());
    let mut id = String::with_capacity(beginning.len() + 32);
    id.push_str(beginning);
    let _ = write!(id, "{high:016x}{low:016x}");
    id
}

/// Padding of a length that tells nothing about the text beside it.
pub(super) fn obfuscation() -> String {
    let length = rand::rng().random_range(2..16);
    letters("", length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_id_holds_its_second_behind_what_it_shares() {
        let ids = ResponseIds::new(1_758_034_836);
        let (first, second) = (
            ids.next("resp", Duration::ZERO),
            ids.next("rs", Duration::from_secs(24)),
        );
        assert_eq!(first.len(), 55);
        assert_eq!(first[5..21], second[3..19]);
        assert_eq!(&first[21..31], "0068c97b94");
        assert_eq!(
            u64::from_str_radix(&second[21..29], 16).unwrap(),
            1_758_034_860
        );
    }
}
