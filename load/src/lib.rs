//! The other end of startline, for tests and for load runs: a [`simulator`] of the providers, and the [`stand`] that
//! the load runs are mounted on.

pub mod simulator;
pub mod stand;
