//! Which key a request presents, and whether it is let in. The vendors' SDKs send a key in three different headers.

use std::time::SystemTime;

use actix_web::http::header::HeaderMap;

use super::router_key::{MalformedKey, RouterKey};
use super::store::{KeyHolder, KeyStore, Lookup};
use crate::errors::{Code, Rejection};

/// The headers that may carry a router key, in the order in which they are looked at.
const HEADERS: [&str; 3] = ["authorization", "x-api-key", "x-goog-api-key"];

/// Finds the router key of a request: the first of the three headers that has its shape is used.
///
/// # Errors
///
/// `missing_api_key` when none of the headers carries anything, `invalid_api_key` when what they carry is no router
/// key.
pub fn presented(headers: &HeaderMap) -> Result<RouterKey, Rejection> {
    let mut something = false;
    for name in HEADERS {
        let Some(credential) = credential(headers, name) else {
            continue;
        };
        something = true;
        match RouterKey::parse(credential) {
            Ok(key) => return Ok(key),
            Err(MalformedKey::Checksum) => {
                return Err(invalid(
                    "The key has a wrong checksum: a digit is mistyped or missing.",
                ));
            }
            Err(MalformedKey::Shape) => {}
        }
    }
    if something {
        return Err(invalid(
            "What was sent as the API key is not a key of this router.",
        ));
    }
    Err(Rejection::new(
        Code::MissingApiKey,
        "The request carries no API key.",
    ))
}

/// Lets a request in, or not.
///
/// # Errors
///
/// Those of [`presented`]; `invalid_api_key` for a key that nobody has, `revoked_api_key`, `store_unavailable`.
pub fn admit(
    headers: &HeaderMap,
    store: &dyn KeyStore,
    now: SystemTime,
) -> Result<KeyHolder, Rejection> {
    let key = presented(headers)?;
    match store.router_key(&key.digest(), now) {
        Lookup::Good(holder) => Ok(holder),
        Lookup::Unknown => Err(invalid("The key is well formed, but nobody has it here.")),
        Lookup::Revoked => Err(Rejection::new(Code::RevokedApiKey, "The key was revoked.")),
        Lookup::Expired => Err(Rejection::new(Code::RevokedApiKey, "The key has expired.")),
        Lookup::Unavailable => Err(Rejection::new(
            Code::StoreUnavailable,
            "The key cannot be looked up at the moment.",
        )),
    }
}

/// What a header carries. An `authorization` of another scheme than Bearer is no key at all.
fn credential<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let value = headers.get(name)?;
    // Bytes beyond ASCII are in no key, but they are something.
    let text = value.to_str().unwrap_or("?").trim();
    let credential = if name == "authorization" {
        bearer(text)?
    } else {
        text
    };
    (!credential.is_empty()).then_some(credential)
}

fn bearer(text: &str) -> Option<&str> {
    let (scheme, credential) = text.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| credential.trim())
}

fn invalid(what: &str) -> Rejection {
    Rejection::new(Code::InvalidApiKey, what)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn outcome(sent: &[(&'static str, &str)]) -> Result<String, &'static str> {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_bytes(value.as_bytes()).unwrap(),
            );
        }
        match presented(&headers) {
            Ok(key) => Ok(key.reveal().to_owned()),
            Err(rejection) => Err(rejection.code().word()),
        }
    }

    #[test]
    fn the_first_header_that_has_our_shape_is_used() {
        let first = RouterKey::generate(&mut rand::rng()).reveal().to_owned();
        let second = RouterKey::generate(&mut rand::rng()).reveal().to_owned();
        let bearer = format!("Bearer {first}");
        assert_eq!(
            outcome(&[("authorization", &bearer), ("x-api-key", &second)]),
            Ok(first.clone())
        );
        assert_eq!(
            outcome(&[("authorization", &format!("bearer   {first} "))]),
            Ok(first.clone())
        );
        assert_eq!(
            outcome(&[("x-api-key", &first), ("x-goog-api-key", &second)]),
            Ok(first.clone())
        );
        assert_eq!(
            outcome(&[
                ("authorization", "Bearer sk-abc"),
                ("x-goog-api-key", &second)
            ]),
            Ok(second.clone())
        );
        assert_eq!(
            outcome(&[
                ("authorization", "Basic abc"),
                ("x-api-key", "AIza"),
                ("x-goog-api-key", &second)
            ]),
            Ok(second)
        );
    }

    #[test]
    fn a_wrong_checksum_ends_the_search() {
        let good = RouterKey::generate(&mut rand::rng()).reveal().to_owned();
        let mut wrong = good.clone();
        let last = if wrong.pop() == Some('0') { '1' } else { '0' };
        wrong.push(last);
        let bearer = format!("Bearer {wrong}");
        assert_eq!(
            outcome(&[("authorization", &bearer), ("x-api-key", &good)]),
            Err("invalid_api_key")
        );
    }

    #[test]
    fn nothing_is_missing_and_something_else_is_invalid() {
        for sent in [
            &[][..],
            &[("authorization", "Bearer")],
            &[("authorization", "Bearer ")],
            &[("authorization", "Basic abc")],
            &[("x-api-key", "")],
        ] {
            assert_eq!(outcome(sent), Err("missing_api_key"), "{sent:?}");
        }
        for sent in [
            ("authorization", "Bearer sk-proj-abc"),
            ("x-api-key", "flex_live_"),
            ("x-goog-api-key", "AIzé"),
        ] {
            assert_eq!(outcome(&[sent]), Err("invalid_api_key"), "{sent:?}");
        }
    }

    #[test]
    fn what_was_sent_is_never_repeated() {
        let mut headers = HeaderMap::new();
        headers.insert(
            HeaderName::from_static("x-api-key"),
            HeaderValue::from_static("sk-very-secret"),
        );
        assert!(
            !presented(&headers)
                .unwrap_err()
                .message()
                .contains("sk-very-secret")
        );
    }
}
