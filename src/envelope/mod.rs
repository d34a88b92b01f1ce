//! A request as it arrives: bytes that are validated once and never decoded as a whole, the router's own fields taken
//! out of them, and every check that needs nothing but the body, in the order that the specification gives.

mod chat_params;
mod checks;
mod provider_chain;
mod refusals;
mod render;
mod required;
mod retry;
mod shown;
pub mod start_within;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use startline_actors::backoff::RetryPolicy;

use crate::errors::Rejection;
use crate::json::Member;
use crate::vocabulary::{CallerSurface, Route, StartWithin};

pub use chat_params::{first_native_only, neutral_native_only};
pub use refusals::asks_for_background;
pub use render::Override;

/// A request that has passed the checks of its body.
#[derive(Debug, Clone)]
pub struct Envelope {
    body: Bytes,
    members: Vec<Member>,
    surface: CallerSurface,
    model: String,
    model_was_prefixed: bool,
    start_within: StartWithin,
    start_within_came_from_key: bool,
    retry: Option<RetryPolicy>,
    provider_chain: Option<Vec<Route>>,
    include_cost: bool,
    streams: bool,
}

impl Envelope {
    /// Reads a body. `key_default` is the `start_within` that the router key carries; a value in the body wins.
    ///
    /// # Errors
    ///
    /// The first check that fails, in the order of the specification.
    pub fn parse(
        body: Bytes,
        surface: CallerSurface,
        key_default: Option<&str>,
    ) -> Result<Self, Rejection> {
        checks::parse(body, surface, key_default)
    }

    /// The endpoint that was called.
    pub fn surface(&self) -> CallerSurface {
        self.surface
    }

    /// The model, without a leading `models/`.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// How the request may start.
    pub fn start_within(&self) -> StartWithin {
        self.start_within
    }

    /// Whether `start_within` is the key's default. A planner that then finds it unusable answers with
    /// [`Rejection::because_of_key_default`].
    pub fn start_within_came_from_key(&self) -> bool {
        self.start_within_came_from_key
    }

    /// Re-hits of the settled tier.
    pub fn retry(&self) -> Option<RetryPolicy> {
        self.retry
    }

    /// The routes that the request names: one to three, all different.
    pub fn provider_chain(&self) -> Option<&[Route]> {
        self.provider_chain.as_deref()
    }

    /// Whether the answer's usage is to carry its cost.
    pub fn include_cost(&self) -> bool {
        self.include_cost
    }

    /// Whether the caller wants a stream.
    pub fn streams(&self) -> bool {
        self.streams
    }

    /// The JSON text of a top-level field, as it came; of a field that stands twice the last, as providers read it.
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        let last = self
            .members
            .iter()
            .rfind(|member| member.is_named(&self.body, name))?;
        Some(last.value(&self.body))
    }

    /// Name and JSON text of every top-level field, the router's own too, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.members
            .iter()
            .map(|member| (member.name(&self.body), member.value(&self.body)))
    }
}
