//! What an answer cost at list price: for the header of a whole answer, and for callers who ask for `include_cost`, in
//! the usage of the answer itself.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use serde_json::json;

use crate::catalogue::Catalogue;
use crate::price::{PriceTier, Tokens, utc_day};
use crate::vocabulary::ProviderSurface;
use crate::wire::usage::{self, Measured, UsageCollector, extend};

/// What a cost is computed from, beside the answer.
pub(super) struct Pricing {
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) model: String,
    pub(super) surface: ProviderSurface,
}

/// `usage.routing`.
pub(super) struct Routing {
    pub(super) provider: &'static str,
    pub(super) requested_provider: &'static str,
    pub(super) reason: &'static str,
    pub(super) fallback_attempts: usize,
}

impl Pricing {
    /// Reads the usage of a whole answer.
    pub(super) fn measure(&self, body: &[u8]) -> Option<Measured> {
        usage::from_answer(self.surface, body)
    }

    /// The list price at the tier that served; `None` for a model, a tier or a day without a known price.
    pub(super) fn micro_usd(&self, measured: &Measured) -> Option<u64> {
        let tier = PriceTier::of_served(measured.served_tier.as_deref()?)?;
        let usage = measured.usage;
        let tokens = Tokens {
            input: usage.input,
            cached: usage.cached,
            cache_write: usage.cache_write,
            output: usage.output,
        };
        let prices = &self.catalogue.get(&self.model)?.prices;
        let cost = prices.cost(tier, utc_day(SystemTime::now()), &tokens)?;
        Some(cost.to_micro_usd().0)
    }
}

/// The members that `include_cost` adds to a usage object, as JSON text without the braces.
pub(super) fn members(
    micro_usd: Option<u64>,
    routing: &Routing,
    measured: Option<&Measured>,
) -> String {
    let mut members = String::new();
    if let Some(total) = micro_usd {
        members = format!(
            "\"cost\":{},",
            json!({"total_micro_usd": total, "currency": "USD"})
        );
    }
    let routing = json!({
        "provider": routing.provider,
        "requested_provider": routing.requested_provider,
        "tier": measured.and_then(|measured| measured.served_tier.as_deref()),
        "reason": routing.reason,
        "fallback_attempts": routing.fallback_attempts,
        "mode": "byok",
    });
    members + &format!("\"routing\":{routing}")
}

/// A whole answer with `members` in its usage; `None` when it has none.
pub(super) fn extend_answer(body: &[u8], members: &str) -> Option<Bytes> {
    extend::answer(body, members)
}

/// Adds the cost to the usage frame of a stream.
pub(super) struct StreamCost {
    pub(super) pricing: Pricing,
    pub(super) routing: Routing,
    pub(super) collector: UsageCollector,
    /// The format of the events that the caller gets.
    pub(super) written: ProviderSurface,
}

impl StreamCost {
    /// Takes note of what the provider's events say.
    pub(super) fn read(&mut self, events: &[u8]) {
        self.collector.read(events);
    }

    /// Takes whole events for the caller and gives them back, the usage frame with its cost.
    pub(super) fn annotate(&self, events: Bytes) -> Bytes {
        let surface = self.written;
        if !extend::may_hold_a_usage_frame(surface, &events) {
            return events;
        }
        let measured = self.collector.measured();
        let micro_usd = measured
            .as_ref()
            .and_then(|measured| self.pricing.micro_usd(measured));
        let members = members(micro_usd, &self.routing, measured.as_ref());
        extend::events(surface, &events, &members)
    }
}
