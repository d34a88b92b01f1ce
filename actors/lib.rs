//! The behaviour of startline: one request is one race.
//!
//! [`HttpActor`] hands each request to a [`RaceSupervisor`], which asks a [`ProviderPool`] for a permit, spawns one
//! [`TierAttempt`] a provider call, and lets the [`RetryScheduler`] wake it between re-hits. What happens next is
//! always decided by a plain value ([`race::Race`], [`backoff`], [`classify`]); the actors carry it out. The crate
//! knows no vendor: a leg arrives as a ready-made request with a [`Dialect`] that reads the answer.
//!
//! [`HttpActor`]: http_actor::HttpActor
//! [`RaceSupervisor`]: race_supervisor::RaceSupervisor
//! [`ProviderPool`]: provider_pool::ProviderPool
//! [`TierAttempt`]: tier_attempt::TierAttempt
//! [`RetryScheduler`]: retry_scheduler::RetryScheduler
//! [`Dialect`]: leg::Dialect

mod alarm;
pub mod backoff;
pub mod body;
mod call;
pub mod classify;
mod completeness;
pub mod connector;
pub mod deadlines;
pub mod error;
pub mod http_actor;
mod incoming;
pub mod leg;
pub mod live;
mod notes;
pub mod outcome;
pub mod permit;
pub mod provider_pool;
pub mod race;
pub mod race_supervisor;
mod ready;
mod relay;
pub mod retry_scheduler;
pub mod tier_attempt;
mod transport;
