//! Which routes a request takes and whether they can serve it.

use super::PlanRefusal;
use super::refusal::shown;
use crate::catalogue::Catalogue;
use crate::vocabulary::{Provider, Route, StartWithin};

/// The chain of a request: the one it names, or the model's own direct route.
pub fn chain(named: Option<&[Route]>, provider: Provider) -> Vec<Route> {
    match named {
        Some(routes) => routes.to_vec(),
        None => vec![provider.direct_route()],
    }
}

/// Every route serves the model, as far as ids and the catalogue tell.
pub fn serve_the_model(
    routes: &[Route],
    model: &str,
    provider: Provider,
    catalogue: &Catalogue,
) -> Result<(), PlanRefusal> {
    for route in routes {
        let listed = catalogue
            .get(model)
            .is_some_and(|entry| entry.id_on(*route).is_some());
        if !listed && !serves(*route, provider) {
            return Err(PlanRefusal::ProviderModelMismatch {
                route: *route,
                model: shown(model),
                provider,
            });
        }
    }
    Ok(())
}

/// A duration needs a flex-capable model and a first route that has flex.
pub fn can_race(routes: &[Route], model: &str, catalogue: &Catalogue) -> Result<(), PlanRefusal> {
    if let Some(first) = routes.first()
        && first.is_cloud()
    {
        return Err(PlanRefusal::FlexUnsupportedOnCloud { route: *first });
    }
    if !catalogue.is_flex_capable(model) {
        return Err(PlanRefusal::FlexModelNotCapable {
            model: shown(model),
        });
    }
    Ok(())
}

/// `priority` and `auto` need routes that have more than the standard tier.
pub fn have_the_tier(routes: &[Route], start_within: StartWithin) -> Result<(), PlanRefusal> {
    if !matches!(start_within, StartWithin::Priority | StartWithin::Auto) {
        return Ok(());
    }
    match routes.iter().find(|route| route.is_cloud()) {
        Some(route) => Err(PlanRefusal::TierUnsupportedOnRoute { route: *route }),
        None => Ok(()),
    }
}

/// There is a provider key for every route, also for those that may never be tried.
pub fn have_keys(routes: &[Route], has_key: &dyn Fn(Route) -> bool) -> Result<(), PlanRefusal> {
    match routes.iter().find(|route| !has_key(**route)) {
        Some(route) => Err(PlanRefusal::MissingKey { route: *route }),
        None => Ok(()),
    }
}

/// Whether a route serves a provider's models as a rule. Cloudflare's models are open ones, each listed by itself.
fn serves(route: Route, provider: Provider) -> bool {
    match route {
        Route::Openai | Route::Foundry => provider == Provider::Openai,
        Route::Google | Route::Vertex => provider == Provider::Gemini,
        Route::Anthropic | Route::Bedrock => provider == Provider::Anthropic,
        Route::Cloudflare => false,
    }
}
