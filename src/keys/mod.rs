//! Keys: the router's own, by which callers are known, and the org's at the providers. Where they are kept is behind a
//! trait.

mod configured;
mod presented;
mod provider_key;
mod router_key;
mod secret;
mod store;

pub use configured::{ConfiguredKeys, ConfiguredProviderKey, ConfiguredRouterKey, KeysError};
pub use presented::{admit, presented};
pub use provider_key::ProviderKey;
pub use router_key::{KeyDigest, MalformedKey, RouterKey};
pub use secret::Secret;
pub use store::{KeyHolder, KeyStore, Lookup, Org, no_provider_key};
