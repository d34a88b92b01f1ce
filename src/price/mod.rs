//! What an answer costs at list price, and what flex has saved: exact integer arithmetic over the catalogue's prices.

mod list;
mod money;
mod saving;

#[cfg(test)]
mod tests;

pub use self::list::{
    Period, PriceList, PriceTier, Prices, Step, TierPrices, Tokens, cost, utc_day,
};
pub use self::money::{MicroUsd, PicoUsd, Price, PriceError};
pub use self::saving::{fee, saving};
