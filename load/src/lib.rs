//! The other end of startline, for tests and for load runs: a [`simulator`] of the providers.

pub mod simulator;
