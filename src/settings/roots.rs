//! The certificate authorities that a provider's certificate may come from.

use rustls::RootCertStore;
use serde::Deserialize;

/// Whose list of authorities is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Roots {
    /// Mozilla's, built in.
    Webpki,
    /// The operating system's, for providers behind a company's own authority.
    Platform,
}

/// The operating system's list could not be read.
#[derive(Debug, thiserror::Error)]
#[error("tls.roots = \"platform\": no usable certificate found{}", reason(.0))]
pub struct RootsError(Option<String>);

fn reason(first_error: &Option<String>) -> String {
    first_error
        .as_ref()
        .map(|error| format!(" ({error})"))
        .unwrap_or_default()
}

impl Roots {
    /// Collects the authorities. Single certificates of the platform that cannot be read are passed over, as browsers
    /// do; none at all is an error.
    pub fn store(self) -> Result<RootCertStore, RootsError> {
        let mut store = RootCertStore::empty();
        if self == Self::Webpki {
            store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            return Ok(store);
        }
        let found = rustls_native_certs::load_native_certs();
        store.add_parsable_certificates(found.certs);
        if store.is_empty() {
            return Err(RootsError(found.errors.first().map(ToString::to_string)));
        }
        Ok(store)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_list_is_not_empty() {
        assert!(Roots::Webpki.store().unwrap().len() > 50);
    }

    #[test]
    fn the_platform_gives_certificates_or_an_error_but_never_an_empty_list() {
        match Roots::Platform.store() {
            Ok(store) => assert!(!store.is_empty()),
            Err(error) => assert!(error.to_string().contains("tls.roots")),
        }
    }
}
