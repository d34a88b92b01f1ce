//! An org's own key at a provider.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::router_key::hex;
use super::secret::Secret;

/// Bytes of the SHA-256 that stand for a key in logs and metrics.
const ID_BYTES: usize = 6;

/// A provider key, cheap to clone.
#[derive(Clone)]
pub struct ProviderKey {
    secret: Arc<Secret>,
    id: Arc<str>,
}

impl ProviderKey {
    /// Takes a key over. `None` when it cannot stand in a header: empty, or not printable ASCII without blanks.
    pub fn new(secret: Secret) -> Option<Self> {
        let text = secret.reveal();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let digest: [u8; 32] = Sha256::digest(text).into();
        Some(Self {
            id: hex(&digest[..ID_BYTES]).into(),
            secret: Arc::new(secret),
        })
    }

    /// The key itself, for the header that carries it.
    pub fn reveal(&self) -> &str {
        self.secret.reveal()
    }

    /// Stands for the key where the key itself must not: in permits, logs, metrics. 12 hexadecimal digits.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ProviderKey({})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Option<ProviderKey> {
        ProviderKey::new(Secret::new(text.to_owned()))
    }

    #[test]
    fn a_key_has_an_id_that_does_not_show_it() {
        let first = key("sk-one").unwrap();
        assert_eq!(first.id().len(), 12);
        assert_eq!(first.id(), key("sk-one").unwrap().id());
        assert_ne!(first.id(), key("sk-two").unwrap().id());
        assert!(!format!("{first:?}").contains("sk-one"));
    }

    #[test]
    fn what_cannot_stand_in_a_header_is_no_key() {
        for text in ["", " ", "sk one", "sk-one\n", "sk-\u{e9}"] {
            assert!(key(text).is_none(), "{text:?}");
        }
    }
}
