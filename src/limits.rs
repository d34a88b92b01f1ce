//! How often an org may call, and how often an address may fail to authenticate.

use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::errors::{Code, Rejection};
use crate::keys::Org;
use crate::settings;

/// Seconds after which a refused address may try again.
const AUTH_RETRY_AFTER: u32 = 60;
/// Seconds after which a refused org may try again.
const ORG_RETRY_AFTER: u32 = 5;
/// Addresses that are remembered before those that have long been quiet are forgotten.
const ADDRESSES: usize = 10_000;

/// The rates of this process.
pub struct Limits {
    orgs: Option<DefaultKeyedRateLimiter<Org>>,
    auth_failures: DefaultKeyedRateLimiter<IpAddr>,
    /// Failed authentication of addresses that cannot be told apart.
    unknown_address: DefaultDirectRateLimiter,
}

impl Limits {
    /// The rates of the settings; an org rate of 0 is none.
    pub fn new(settings: &settings::Limits) -> Self {
        let failures =
            NonZeroU32::new(settings.auth_failures_per_minute).unwrap_or(NonZeroU32::MIN);
        Self {
            orgs: NonZeroU32::new(settings.org_requests_per_second)
                .map(|rate| RateLimiter::keyed(Quota::per_second(rate))),
            auth_failures: RateLimiter::keyed(Quota::per_minute(failures)),
            unknown_address: RateLimiter::direct(Quota::per_minute(failures)),
        }
    }

    /// Counts a request whose key has failed. Requests with a good key never come here, whatever their address.
    ///
    /// # Errors
    /// `rate_limit_exceeded` when the address has failed too often; it takes the place of the error of the key.
    pub fn after_failed_key(&self, address: Option<IpAddr>) -> Result<(), Rejection> {
        let within = match address {
            Some(address) => {
                if self.auth_failures.len() > ADDRESSES {
                    self.auth_failures.retain_recent();
                }
                self.auth_failures.check_key(&address).is_ok()
            }
            None => self.unknown_address.check().is_ok(),
        };
        if within {
            return Ok(());
        }
        let what = "This address has sent too many bad keys.";
        Err(Rejection::new(Code::RateLimitExceeded, what).with_retry_after(AUTH_RETRY_AFTER))
    }

    /// Counts a request of an org.
    ///
    /// # Errors
    /// `rate_limit_exceeded` when the org has used up its rate.
    pub fn of_org(&self, org: &Org) -> Result<(), Rejection> {
        let Some(orgs) = &self.orgs else {
            return Ok(());
        };
        if orgs.check_key(org).is_ok() {
            return Ok(());
        }
        let what = "The org sends more requests in a second than it may.";
        Err(Rejection::new(Code::RateLimitExceeded, what).with_retry_after(ORG_RETRY_AFTER))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn limits(auth_failures_per_minute: u32, org_requests_per_second: u32) -> Limits {
        let mut settings = settings::Settings::load(None, &[]).unwrap().limits;
        settings.auth_failures_per_minute = auth_failures_per_minute;
        settings.org_requests_per_second = org_requests_per_second;
        Limits::new(&settings)
    }

    #[test]
    fn an_address_that_fails_too_often_is_told_to_wait_a_minute_and_others_are_not() {
        let limits = limits(3, 0);
        let (bad, other) = (
            Some(IpAddr::from([10, 0, 0, 1])),
            Some(IpAddr::from([10, 0, 0, 2])),
        );
        for _ in 0..3 {
            assert_eq!(limits.after_failed_key(bad), Ok(()));
        }
        let refused = limits.after_failed_key(bad).unwrap_err();
        assert_eq!(
            (refused.code(), refused.status()),
            (Code::RateLimitExceeded, 429)
        );
        assert_eq!(limits.after_failed_key(other), Ok(()));
    }

    #[test]
    fn an_org_has_no_rate_unless_one_is_set() {
        let org = Org(Arc::from("default"));
        let unlimited = limits(30, 0);
        assert!((0..1000).all(|_| unlimited.of_org(&org).is_ok()));
        let limited = limits(30, 2);
        assert!((0..1000).any(|_| limited.of_org(&org).is_err()));
    }
}
