//! What a race that flex won has saved, and the share of it that is the fee.

use super::money::{MicroUsd, PicoUsd};

/// Standard's price minus flex's at the served tokens, never below zero; rounded once, after the subtraction.
pub fn saving(standard: PicoUsd, flex: PicoUsd) -> MicroUsd {
    PicoUsd(standard.0.saturating_sub(flex.0)).to_micro_usd()
}

/// The share of a booked saving, in percent, rounded half up. It is taken of the booked saving and not of the exact
/// one, so that whoever reads the ledger can check it.
pub fn fee(saving: MicroUsd, share_percent: u8) -> MicroUsd {
    let hundredths = u128::from(saving.0) * u128::from(share_percent);
    MicroUsd(u64::try_from((hundredths + 50) / 100).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICO_PER_USD_CENT: u128 = 10_000_000_000;

    #[test]
    fn the_published_example_comes_out() {
        let standard = PicoUsd(1_530 * PICO_PER_USD_CENT / 100);
        let flex = PicoUsd(810 * PICO_PER_USD_CENT / 100);
        assert_eq!(standard.to_micro_usd(), MicroUsd(153_000));
        let saved = saving(standard, flex);
        assert_eq!(saved, MicroUsd(72_000));
        assert_eq!(fee(saved, 20), MicroUsd(14_400));
    }

    #[test]
    fn nothing_saved_is_nothing_charged() {
        let saved = saving(PicoUsd(5), PicoUsd(2_000_000));
        assert_eq!(saved, MicroUsd(0));
        assert_eq!(fee(saved, 20), MicroUsd(0));
    }

    #[test]
    fn a_fee_is_rounded_half_up() {
        assert_eq!(fee(MicroUsd(2), 20), MicroUsd(0));
        assert_eq!(fee(MicroUsd(5), 10), MicroUsd(1));
        assert_eq!(fee(MicroUsd(7), 20), MicroUsd(1));
        assert_eq!(fee(MicroUsd(u64::MAX), 100), MicroUsd(u64::MAX));
    }
}
