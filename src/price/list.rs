//! The price list of one model: periods of dates, tiers, and steps for long requests.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::money::{PicoUsd, Price};

/// Prices of one tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// Input tokens that are neither read from nor written to a cache.
    pub input: Price,
    /// Input tokens read from a cache; `None` when the list does not say.
    pub cached: Option<Price>,
    /// Input tokens written to a cache, for the shortest time the provider offers; `None` where writing costs what
    /// input costs.
    pub cache_write: Option<Price>,
    /// Output tokens, reasoning among them.
    pub output: Price,
}

/// What an answer's usage says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// All input tokens, `cached` and `cache_write` among them.
    pub input: u64,
    /// Those read from a cache.
    pub cached: u64,
    /// Those written to a cache.
    pub cache_write: u64,
    /// All output tokens, reasoning among them.
    pub output: u64,
}

/// The exact cost of an answer, or `None` when it read from a cache and the list has no price for that.
pub fn cost(prices: &Prices, tokens: &Tokens) -> Option<PicoUsd> {
    let cached = match (prices.cached, tokens.cached) {
        (_, 0) => PicoUsd::default(),
        (price, count) => price?.times(count),
    };
    let written = prices
        .cache_write
        .unwrap_or(prices.input)
        .times(tokens.cache_write);
    let fresh = tokens
        .input
        .saturating_sub(tokens.cached)
        .saturating_sub(tokens.cache_write);
    Some(cached + written + prices.input.times(fresh) + prices.output.times(tokens.output))
}

/// The tier that a price belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PriceTier {
    /// The provider's ordinary tier.
    Standard,
    /// The half-price tier.
    Flex,
    /// The fast tier.
    Priority,
}

impl PriceTier {
    /// The tier that a provider's answer names as the one that served; `None` for a word that names none.
    pub fn of_served(word: &str) -> Option<Self> {
        match word {
            "default" | "standard" => Some(Self::Standard),
            "flex" => Some(Self::Flex),
            "priority" | "fast" => Some(Self::Priority),
            _ => None,
        }
    }
}

/// Prices by tier; an absent tier is one that the list has no price for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TierPrices {
    /// Of the ordinary tier.
    pub standard: Option<Prices>,
    /// Of the half-price tier.
    pub flex: Option<Prices>,
    /// Of the fast tier.
    pub priority: Option<Prices>,
}

impl TierPrices {
    /// The prices of one tier.
    pub fn of(&self, tier: PriceTier) -> Option<&Prices> {
        match tier {
            PriceTier::Standard => self.standard.as_ref(),
            PriceTier::Flex => self.flex.as_ref(),
            PriceTier::Priority => self.priority.as_ref(),
        }
    }
}

/// Prices of requests with more input than a threshold; they hold for the whole request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The threshold: the step begins with one token more.
    pub above_input_tokens: u64,
    /// The prices from there on.
    pub prices: TierPrices,
}

/// Prices that hold between two dates (UTC), both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// First day; `None` has no beginning.
    pub from: Option<Date>,
    /// Last day; `None` has no end.
    pub until: Option<Date>,
    /// Prices below every step.
    pub prices: TierPrices,
    /// Steps, lowest threshold first.
    pub steps: Vec<Step>,
}

impl Period {
    fn holds_on(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day <= until)
    }
}

/// The day of a moment, in UTC: the day whose prices hold.
pub fn utc_day(moment: SystemTime) -> Date {
    let timestamp = Timestamp::try_from(moment).unwrap_or(Timestamp::UNIX_EPOCH);
    TimeZone::UTC.to_datetime(timestamp).date()
}

/// All prices of one model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriceList {
    /// Periods that do not overlap, the earliest first.
    pub periods: Vec<Period>,
}

impl PriceList {
    /// The prices for a request of so many input tokens on a day. A tier that the request's step does not name has
    /// no price: the lower step's would be wrong.
    pub fn prices(&self, tier: PriceTier, day: Date, input_tokens: u64) -> Option<&Prices> {
        let period = self.periods.iter().find(|period| period.holds_on(day))?;
        let step = period
            .steps
            .iter()
            .rfind(|step| input_tokens > step.above_input_tokens);
        step.map_or(&period.prices, |step| &step.prices).of(tier)
    }

    /// The exact list price of an answer; `None` when the list does not know it.
    pub fn cost(&self, tier: PriceTier, day: Date, tokens: &Tokens) -> Option<PicoUsd> {
        cost(self.prices(tier, day, tokens.input)?, tokens)
    }
}
