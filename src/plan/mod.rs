//! From a checked request to its plan: whose model it is, which routes it takes, which tiers it asks for, in which
//! format. Pure; the checks run in the documented order and the first that fails answers.

pub mod answer_headers;
mod race_plan;
mod refusal;
mod routes;
mod surface;
mod tiers;
pub mod upstream;

#[cfg(test)]
mod tests;

use crate::catalogue::Catalogue;
use crate::translate::Refused;
use crate::vocabulary::{CallerSurface, Provider, ProviderSurface, Route, StartWithin};

pub use self::race_plan::{Planned, Work, is_about_start_within, plan};
pub use self::refusal::PlanRefusal;
pub use self::surface::{is_native, native_to, provider_surface};
pub use self::tiers::{FLEX, Tiers};

/// What planning must know of a request.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The format it came in.
    pub caller: CallerSurface,
    /// The model asked for.
    pub model: &'a str,
    /// How it may start.
    pub start_within: StartWithin,
    /// The routes it names, at least one; `None` when it names none.
    pub chain: Option<&'a [Route]>,
    /// For a Chat request, what [`first_native_only`] found.
    ///
    /// [`first_native_only`]: crate::envelope::first_native_only
    pub chat_only_parameter: Option<&'a str>,
    /// Whether it asks to be answered in the background.
    pub background: bool,
    /// What of it the provider's format cannot carry, when that is another one.
    pub untranslatable: Option<&'a Refused>,
}

/// A request that can be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whose model it is.
    pub provider: Provider,
    /// The routes in the order in which they are tried; never empty.
    pub routes: Vec<Route>,
    /// The format the provider is spoken to in.
    pub surface: ProviderSurface,
    /// What it is asked for.
    pub tiers: Tiers,
}

/// Plans a request. `has_key` says whether the org has a provider key for a route.
pub fn decide(
    facts: &Facts<'_>,
    catalogue: &Catalogue,
    has_key: &dyn Fn(Route) -> bool,
) -> Result<Decision, PlanRefusal> {
    let provider = catalogue.provider_of(facts.model);
    let routes = routes::chain(facts.chain, provider);
    routes::serve_the_model(&routes, facts.model, provider, catalogue)?;
    let tiers = tiers::tiers(facts.start_within, provider, facts.model)?;
    if tiers.flex_within.is_some() {
        routes::can_race(&routes, facts.model, catalogue)?;
    }
    routes::have_the_tier(&routes, facts.start_within)?;
    if let (Some(parameter), Some(_)) = (facts.chat_only_parameter, tiers.flex_within) {
        return Err(PlanRefusal::FlexUnsupportedChatParams {
            parameter: parameter.to_owned(),
        });
    }
    if facts.background {
        return Err(PlanRefusal::Background);
    }
    let may_go_natively = facts.caller == CallerSurface::Chat
        && provider == Provider::Openai
        && tiers.flex_within.is_none();
    if let Some(refused) = facts.untranslatable
        && !may_go_natively
    {
        return Err(PlanRefusal::Untranslatable(refused.clone()));
    }
    routes::have_keys(&routes, has_key)?;
    if let Some(route) = routes.iter().find(|route| route.is_cloud()) {
        return Err(PlanRefusal::RouteNotImplemented { route: *route });
    }
    let native_chat = facts.chat_only_parameter.is_some() || facts.untranslatable.is_some();
    let surface = provider_surface(facts.caller, provider, native_chat);
    Ok(Decision {
        provider,
        routes,
        surface,
        tiers,
    })
}

/// Bytes that a flex stream may send before its start proof. The first events echo the request, twice and escaped,
/// hence the factor; `most` is `limits.prelude_max`.
pub fn prelude_max(upstream_body: usize, most: usize) -> usize {
    const FACTOR: usize = 12;
    const ROOM: usize = 1 << 20;
    upstream_body
        .saturating_mul(FACTOR)
        .saturating_add(ROOM)
        .min(most)
}
