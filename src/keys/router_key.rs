//! The router's own keys: `flex_live_`, 24 hexadecimal digits, and 6 more that are the beginning of the SHA-256 of what
//! stands before them. Only the SHA-256 of a whole key is ever stored.

use std::fmt;

use rand::CryptoRng;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::secret::Secret;

const PREFIX: &str = "flex_live_";
const RANDOM_DIGITS: usize = 24;
const CHECKSUM_DIGITS: usize = 6;

/// Why a text is no router key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MalformedKey {
    /// It does not look like one.
    #[error("not flex_live_ and 30 lower-case hexadecimal digits")]
    Shape,
    /// It looks like one but its checksum is wrong: mistyped or cut.
    #[error("the last six digits do not fit the others")]
    Checksum,
}

/// A router key with a right checksum.
#[derive(Debug, Clone)]
pub struct RouterKey(Secret);

impl RouterKey {
    /// Makes a new key.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut random = [0; RANDOM_DIGITS / 2];
        rng.fill_bytes(&mut random);
        let mut text = PREFIX.to_owned() + &hex(&random);
        let checksum = checksum(&text);
        text.push_str(&checksum);
        Self(Secret::new(text))
    }

    /// Reads a key and checks its checksum.
    ///
    /// # Errors
    ///
    /// When the text has another shape, or the checksum is wrong.
    pub fn parse(text: &str) -> Result<Self, MalformedKey> {
        let digits = text.strip_prefix(PREFIX).ok_or(MalformedKey::Shape)?;
        if digits.len() != RANDOM_DIGITS + CHECKSUM_DIGITS || !digits.bytes().all(is_hex_digit) {
            return Err(MalformedKey::Shape);
        }
        let (checked, given) = text.split_at(PREFIX.len() + RANDOM_DIGITS);
        if checksum(checked) != given {
            return Err(MalformedKey::Checksum);
        }
        Ok(Self(Secret::new(text.to_owned())))
    }

    /// The whole key, to be shown once to its owner.
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }

    /// What is stored of it.
    pub fn digest(&self) -> KeyDigest {
        KeyDigest(Sha256::digest(self.0.reveal()).into())
    }
}

/// SHA-256 of a router key. Compared in constant time.
#[derive(Clone, Copy, Eq)]
pub struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// Reads 64 hexadecimal digits of either case.
    pub fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut bytes = [0; 32];
        for (place, byte) in bytes.iter_mut().enumerate() {
            let digits = &text[place * 2..place * 2 + 2];
            if digits.starts_with('+') {
                return None;
            }
            *byte = u8::from_str_radix(digits, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// 64 hexadecimal digits.
    pub fn to_hex(self) -> String {
        hex(&self.0)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for KeyDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for KeyDigest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "KeyDigest({}…)", &self.to_hex()[..8])
    }
}

fn checksum(text: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(text).into();
    hex(&digest[..CHECKSUM_DIGITS / 2])
}

fn is_hex_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf flex_live_0123456789abcdef01234567 | sha256sum` begins with the last six digits.
    const KNOWN: &str = "flex_live_0123456789abcdef012345673c8091";

    #[test]
    fn the_checksum_is_the_beginning_of_a_sha256() {
        assert!(RouterKey::parse(KNOWN).is_ok());
    }

    #[test]
    fn a_new_key_is_well_formed_and_its_own() {
        let mut rng = rand::rng();
        let first = RouterKey::generate(&mut rng);
        let second = RouterKey::generate(&mut rng);
        assert_eq!(first.reveal().len(), 40);
        assert_eq!(
            RouterKey::parse(first.reveal()).unwrap().digest(),
            first.digest()
        );
        assert_ne!(first.digest(), second.digest());
    }

    #[test]
    fn one_wrong_digit_is_noticed() {
        for place in PREFIX.len()..KNOWN.len() {
            let mut wrong = KNOWN.as_bytes().to_vec();
            wrong[place] = if wrong[place] == b'0' { b'1' } else { b'0' };
            let text = String::from_utf8(wrong).unwrap();
            assert_eq!(
                RouterKey::parse(&text).unwrap_err(),
                MalformedKey::Checksum,
                "{text}"
            );
        }
    }

    #[test]
    fn other_shapes_are_no_keys() {
        let cut = &KNOWN[..39];
        let longer = format!("{KNOWN}0");
        let upper = KNOWN.replace("abcdef", "ABCDEF");
        for text in [
            "",
            "flex_live_",
            "sk-proj-abc",
            cut,
            &longer,
            &upper,
            &KNOWN.replace("flex_live_", "flex_test_"),
        ] {
            assert_eq!(
                RouterKey::parse(text).unwrap_err(),
                MalformedKey::Shape,
                "{text}"
            );
        }
    }

    #[test]
    fn a_digest_survives_its_hexadecimal_form() {
        let digest = RouterKey::parse(KNOWN).unwrap().digest();
        assert_eq!(KeyDigest::from_hex(&digest.to_hex()), Some(digest));
        assert_eq!(
            KeyDigest::from_hex(&digest.to_hex().to_uppercase()),
            Some(digest)
        );
        for text in ["", "00", &"g".repeat(64), &"+1".repeat(32), &"é".repeat(32)] {
            assert_eq!(KeyDigest::from_hex(text), None, "{text}");
        }
    }

    #[test]
    fn a_key_is_not_printed() {
        let key = RouterKey::parse(KNOWN).unwrap();
        let printed = format!("{key:?} {:?}", key.digest());
        assert!(!printed.contains("0123456789abcdef"));
        assert!(!printed.contains(&key.digest().to_hex()));
    }
}
