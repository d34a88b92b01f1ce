//! A deadline-aware router for LLM inference.
//!
//! A caller's request is read and checked ([`envelope`]), planned ([`plan`]) and raced (`startline_actors`); the
//! answer comes back in the provider's own bytes. [`wire`] knows the vendors' formats, [`errors`] every refusal.

pub mod catalogue;
pub mod plan;
pub mod price;
pub mod settings;
pub mod telemetry;
pub mod vocabulary;
