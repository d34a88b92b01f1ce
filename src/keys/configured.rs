//! Keys that stand in the configuration or the environment: one org, `default`.

use std::sync::Arc;
use std::time::SystemTime;

use super::provider_key::ProviderKey;
use super::router_key::{KeyDigest, MalformedKey, RouterKey};
use super::secret::Secret;
use super::store::{KeyHolder, KeyStore, Lookup, Org};
use crate::envelope::start_within::{self, NotStartWithin};
use crate::vocabulary::Route;

const ORG: &str = "default";
const DIGEST_PREFIX: &str = "sha256:";
/// Digits of a digest that stand for a router key.
const ID_DIGITS: usize = 12;

/// A router key as it is configured.
#[derive(Debug, Clone)]
pub struct ConfiguredRouterKey {
    /// The key itself, or `sha256:` and the 64 hexadecimal digits of its digest.
    pub key: Secret,
    /// What the owner calls it.
    pub label: String,
    /// The `start_within` of requests that have none.
    pub default_start_within: Option<String>,
    /// From when on it is not accepted.
    pub expires_at: Option<SystemTime>,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// A provider key as it is configured.
#[derive(Debug, Clone)]
pub struct ConfiguredProviderKey {
    /// The route that it opens.
    pub route: Route,
    /// The key.
    pub key: Secret,
}

/// Why configured keys cannot be used. Names a key by its label or route, never shows it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// A router key is malformed.
    #[error("router key {label:?} is {why}")]
    Malformed {
        /// The key's label.
        label: String,
        /// What is wrong with it.
        why: MalformedKey,
    },
    /// A digest is malformed.
    #[error("router key {label:?} is not sha256: and 64 hexadecimal digits")]
    MalformedDigest {
        /// The key's label.
        label: String,
    },
    /// Two router keys are the same.
    #[error("router key {label:?} stands twice")]
    Repeated {
        /// The later key's label.
        label: String,
    },
    /// A default `start_within` cannot be read.
    #[error("the default start_within of router key {label:?} is {why}")]
    StartWithin {
        /// The key's label.
        label: String,
        /// What is wrong with it.
        why: NotStartWithin,
    },
    /// A provider key is empty or cannot stand in a header.
    #[error("the key for the route {} is empty or holds blanks or other characters that no key has", .0.name())]
    ProviderKey(Route),
    /// Two provider keys for one route.
    #[error("there are two keys for the route {}", .0.name())]
    RepeatedRoute(Route),
}

/// The keys of a configuration.
#[derive(Debug)]
pub struct ConfiguredKeys {
    org: Org,
    router_keys: Vec<KnownKey>,
    provider_keys: Vec<(Route, ProviderKey)>,
}

#[derive(Debug)]
struct KnownKey {
    digest: KeyDigest,
    holder: KeyHolder,
    expires_at: Option<SystemTime>,
    revoked: bool,
}

impl ConfiguredKeys {
    /// Reads the keys of a configuration.
    ///
    /// # Errors
    ///
    /// The first key that cannot be used.
    pub fn new(
        router: Vec<ConfiguredRouterKey>,
        provider: Vec<ConfiguredProviderKey>,
    ) -> Result<Self, KeysError> {
        let org = Org(Arc::from(ORG));
        let mut router_keys: Vec<KnownKey> = Vec::with_capacity(router.len());
        for configured in router {
            let known = known(configured, &org)?;
            if router_keys
                .iter()
                .any(|earlier| earlier.digest == known.digest)
            {
                return Err(KeysError::Repeated {
                    label: known.holder.label.to_string(),
                });
            }
            router_keys.push(known);
        }
        let mut provider_keys: Vec<(Route, ProviderKey)> = Vec::with_capacity(provider.len());
        for ConfiguredProviderKey { route, key } in provider {
            if provider_keys.iter().any(|(earlier, _)| *earlier == route) {
                return Err(KeysError::RepeatedRoute(route));
            }
            provider_keys.push((
                route,
                ProviderKey::new(key).ok_or(KeysError::ProviderKey(route))?,
            ));
        }
        Ok(Self {
            org,
            router_keys,
            provider_keys,
        })
    }
}

fn known(configured: ConfiguredRouterKey, org: &Org) -> Result<KnownKey, KeysError> {
    let ConfiguredRouterKey {
        key,
        label,
        default_start_within,
        expires_at,
        revoked,
    } = configured;
    let digest = digest(&key, &label)?;
    if let Some(text) = &default_start_within
        && let Err(why) = start_within::parse(text)
    {
        return Err(KeysError::StartWithin { label, why });
    }
    let holder = KeyHolder {
        org: org.clone(),
        key_id: digest.to_hex()[..ID_DIGITS].into(),
        label: label.into(),
        default_start_within: default_start_within.map(Arc::from),
    };
    Ok(KnownKey {
        digest,
        holder,
        expires_at,
        revoked,
    })
}

fn digest(key: &Secret, label: &str) -> Result<KeyDigest, KeysError> {
    if let Some(digits) = key.reveal().strip_prefix(DIGEST_PREFIX) {
        return KeyDigest::from_hex(digits).ok_or_else(|| KeysError::MalformedDigest {
            label: label.to_owned(),
        });
    }
    match RouterKey::parse(key.reveal()) {
        Ok(key) => Ok(key.digest()),
        Err(why) => Err(KeysError::Malformed {
            label: label.to_owned(),
            why,
        }),
    }
}

impl KeyStore for ConfiguredKeys {
    fn router_key(&self, digest: &KeyDigest, now: SystemTime) -> Lookup {
        // Every key is compared, so that the time says nothing about which one matched.
        let mut found = None;
        for known in &self.router_keys {
            if known.digest == *digest {
                found = Some(known);
            }
        }
        match found {
            None => Lookup::Unknown,
            Some(known) if known.revoked => Lookup::Revoked,
            Some(known) if known.expires_at.is_some_and(|end| end <= now) => Lookup::Expired,
            Some(known) => Lookup::Good(known.holder.clone()),
        }
    }

    fn provider_key(&self, org: &Org, route: Route) -> Option<ProviderKey> {
        if *org != self.org {
            return None;
        }
        self.provider_keys
            .iter()
            .find(|(known, _)| *known == route)
            .map(|(_, key)| key.clone())
    }
}

#[cfg(test)]
#[path = "configured_tests.rs"]
mod tests;
