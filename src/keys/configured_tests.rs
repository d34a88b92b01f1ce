//! What configured keys let in.

use std::time::Duration;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

use super::*;
use crate::keys::admit;

const NOW: SystemTime = SystemTime::UNIX_EPOCH;

fn configured(key: &str) -> ConfiguredRouterKey {
    ConfiguredRouterKey {
        key: Secret::new(key.to_owned()),
        label: "laptop".to_owned(),
        default_start_within: None,
        expires_at: None,
        revoked: false,
    }
}

fn new_key() -> RouterKey {
    RouterKey::generate(&mut rand::rng())
}

fn provider(route: Route, key: &str) -> ConfiguredProviderKey {
    ConfiguredProviderKey {
        route,
        key: Secret::new(key.to_owned()),
    }
}

fn admitted(keys: &ConfiguredKeys, key: &RouterKey) -> Result<KeyHolder, &'static str> {
    let mut headers = HeaderMap::new();
    headers.insert(
        HeaderName::from_static("x-api-key"),
        HeaderValue::from_str(key.reveal()).unwrap(),
    );
    admit(&headers, keys, NOW).map_err(|rejection| rejection.code().word())
}

#[test]
fn a_key_is_known_by_itself_or_by_its_digest() {
    let (plain, digested) = (new_key(), new_key());
    let digest = format!("sha256:{}", digested.digest().to_hex());
    let mut second = configured(&digest);
    second.default_start_within = Some("00h-00m-30s".to_owned());
    let keys = ConfiguredKeys::new(vec![configured(plain.reveal()), second], Vec::new()).unwrap();
    assert_eq!(admitted(&keys, &plain).unwrap().default_start_within, None);
    let holder = admitted(&keys, &digested).unwrap();
    assert_eq!((&*holder.org.0, &*holder.label), ("default", "laptop"));
    assert_eq!(holder.default_start_within.as_deref(), Some("00h-00m-30s"));
    assert_eq!(*holder.key_id, digested.digest().to_hex()[..12]);
    assert_eq!(admitted(&keys, &new_key()).unwrap_err(), "invalid_api_key");
}

#[test]
fn a_revoked_or_expired_key_is_told_apart_from_an_unknown_one() {
    let (revoked, expired, later) = (new_key(), new_key(), new_key());
    let keys = vec![
        ConfiguredRouterKey {
            revoked: true,
            ..configured(revoked.reveal())
        },
        ConfiguredRouterKey {
            expires_at: Some(NOW),
            ..configured(expired.reveal())
        },
        ConfiguredRouterKey {
            expires_at: Some(NOW + Duration::from_secs(1)),
            ..configured(later.reveal())
        },
    ];
    let store = ConfiguredKeys::new(keys, Vec::new()).unwrap();
    assert_eq!(admitted(&store, &revoked).unwrap_err(), "revoked_api_key");
    assert_eq!(admitted(&store, &expired).unwrap_err(), "revoked_api_key");
    assert!(admitted(&store, &later).is_ok());
}

#[test]
fn provider_keys_are_found_by_org_and_route() {
    let store = ConfiguredKeys::new(Vec::new(), vec![provider(Route::Openai, "sk-one")]).unwrap();
    let org = Org("default".into());
    assert_eq!(
        store.provider_key(&org, Route::Openai).unwrap().reveal(),
        "sk-one"
    );
    assert!(store.provider_key(&org, Route::Google).is_none());
    assert!(
        store
            .provider_key(&Org("other".into()), Route::Openai)
            .is_none()
    );
}

#[test]
fn a_configuration_that_cannot_be_meant_is_refused_without_showing_a_key() {
    let key = new_key();
    let twice = vec![
        configured(key.reveal()),
        configured(&format!("sha256:{}", key.digest().to_hex())),
    ];
    let standard = ConfiguredRouterKey {
        default_start_within: Some("standard".into()),
        ..configured(key.reveal())
    };
    let routes = vec![
        provider(Route::Openai, "sk-one"),
        provider(Route::Openai, "sk-two"),
    ];
    for (router, provider_keys, part) in [
        (
            vec![configured("sk-proj-secret")],
            Vec::new(),
            "\"laptop\" is not flex_live_",
        ),
        (
            vec![configured("sha256:secret")],
            Vec::new(),
            "\"laptop\" is not sha256:",
        ),
        (twice, Vec::new(), "stands twice"),
        (vec![standard], Vec::new(), "the default start_within"),
        (
            Vec::new(),
            vec![provider(Route::Google, "se cret")],
            "the route google",
        ),
        (Vec::new(), routes, "two keys for the route openai"),
    ] {
        let text = ConfiguredKeys::new(router, provider_keys)
            .unwrap_err()
            .to_string();
        assert!(text.contains(part), "{text}");
        assert!(!text.contains("secret") && !text.contains("sk-"), "{text}");
    }
}
