//! Where keys are looked up. A store answers from memory: a look-up stands in the way of every request.

use std::sync::Arc;
use std::time::SystemTime;

use super::provider_key::ProviderKey;
use super::router_key::KeyDigest;
use crate::errors::{Code, Rejection};
use crate::vocabulary::Route;

/// The tenant that a router key belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Org(pub Arc<str>);

/// Whose request it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyHolder {
    /// The org.
    pub org: Org,
    /// Stands for the router key where the key itself must not: 12 hexadecimal digits.
    pub key_id: Arc<str>,
    /// What the owner calls the key.
    pub label: Arc<str>,
    /// The `start_within` of requests that have none.
    pub default_start_within: Option<Arc<str>>,
}

/// What a store knows of a router key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// It is good.
    Good(KeyHolder),
    /// It was good once and was revoked.
    Revoked,
    /// It was good once and has expired.
    Expired,
    /// Nobody's.
    Unknown,
    /// It is not in memory and the store behind does not answer.
    Unavailable,
}

/// The keys of all orgs.
pub trait KeyStore: Send + Sync {
    /// Looks a router key up.
    fn router_key(&self, digest: &KeyDigest, now: SystemTime) -> Lookup;

    /// The org's key for a route. `None` when there is none that can be used.
    fn provider_key(&self, org: &Org, route: Route) -> Option<ProviderKey>;
}

/// The error of a request that needs a route for which its org has no key.
pub fn no_provider_key(route: Route) -> Rejection {
    let what = format!("The org has no key for the route {}.", route.name());
    Rejection::new(Code::no_key_for(route), what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_has_its_own_missing_key() {
        let codes: std::collections::HashSet<Code> =
            Route::ALL.map(|route| no_provider_key(route).code()).into();
        assert_eq!(codes.len(), Route::ALL.len());
        assert_eq!(no_provider_key(Route::Openai).code().word(), "no_byok_key");
        assert_eq!(
            no_provider_key(Route::Google).code().word(),
            "no_gemini_key"
        );
    }
}
