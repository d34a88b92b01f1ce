//! Money as whole numbers. A price is micro-USD for a million tokens, so one token's price is the same number of
//! pico-USD: costs are added up exactly and rounded once, at the end.

use std::fmt;

/// Pico-USD in one micro-USD.
const PICO_IN_MICRO: u128 = 1_000_000;
/// Digits after the point of a price in USD that micro-USD can hold.
const FRACTION_DIGITS: usize = 6;
/// Micro-USD for a million tokens: a million USD, far above any list price; keeps sums inside `u128`.
const HIGHEST: u64 = 1_000_000_000_000;

/// A list price: micro-USD for a million tokens, which is pico-USD for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Price(u64);

/// A text is not a price.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} must be USD for a million tokens, as in \"2.50\", with at most 6 digits after the point"
)]
pub struct PriceError(String);

impl Price {
    /// Reads USD for a million tokens, as in `2.50`. Exact: no float is involved.
    pub fn parse(text: &str) -> Result<Self, PriceError> {
        let refuse = || PriceError(text.to_owned());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits_only =
            |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
        if !digits_only(whole) || !digits_only(fraction) || fraction.len() > FRACTION_DIGITS {
            return Err(refuse());
        }
        let micro = format!("{whole}{fraction:0<FRACTION_DIGITS$}");
        let price: u64 = micro.parse().map_err(|_| refuse())?;
        if price > HIGHEST {
            return Err(refuse());
        }
        Ok(Self(price))
    }

    /// Micro-USD for a million tokens.
    pub fn micro_usd_per_million(self) -> u64 {
        self.0
    }

    /// What so many tokens cost.
    pub fn times(self, tokens: u64) -> PicoUsd {
        PicoUsd(u128::from(self.0) * u128::from(tokens))
    }
}

/// An exact amount: 10⁻¹² USD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PicoUsd(pub u128);

impl PicoUsd {
    /// Rounded half up.
    pub fn to_micro_usd(self) -> MicroUsd {
        let rounded = (self.0 + PICO_IN_MICRO / 2) / PICO_IN_MICRO;
        MicroUsd(u64::try_from(rounded).unwrap_or(u64::MAX))
    }
}

impl std::ops::Add for PicoUsd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// A booked amount: 10⁻⁶ USD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize)]
#[serde(transparent)]
pub struct MicroUsd(pub u64);

impl fmt::Display for MicroUsd {
    /// In USD, with six digits after the point.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}.{:06}",
            self.0 / 1_000_000,
            self.0 % 1_000_000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_read_exactly() {
        let read = [
            ("2.50", 2_500_000),
            ("0.0025", 2_500),
            ("30", 30_000_000),
            ("0.000001", 1),
            ("0", 0),
        ];
        for (text, micro) in read {
            assert_eq!(
                Price::parse(text).unwrap().micro_usd_per_million(),
                micro,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_a_price_is_refused_with_the_rule() {
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "+1",
            "1e3",
            "1,5",
            " 1",
            "0.0000001",
            "1000001",
            "99999999999999999999",
        ] {
            assert!(
                Price::parse(text)
                    .unwrap_err()
                    .to_string()
                    .contains("as in \"2.50\""),
                "{text}"
            );
        }
    }

    #[test]
    fn an_amount_is_rounded_half_up() {
        assert_eq!(PicoUsd(499_999).to_micro_usd(), MicroUsd(0));
        assert_eq!(PicoUsd(500_000).to_micro_usd(), MicroUsd(1));
        assert_eq!(PicoUsd(1_499_999).to_micro_usd(), MicroUsd(1));
    }

    #[test]
    fn the_largest_price_times_the_largest_count_does_not_overflow() {
        let most = Price::parse("1000000").unwrap().times(u64::MAX);
        assert!((most + most + most + most).0 > most.0 * 3);
        assert_eq!(most.to_micro_usd(), MicroUsd(u64::MAX));
    }

    #[test]
    fn an_amount_is_shown_in_usd() {
        assert_eq!(MicroUsd(14_400).to_string(), "0.014400");
        assert_eq!(MicroUsd(12_000_001).to_string(), "12.000001");
    }
}
