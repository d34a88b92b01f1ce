//! A deadline-aware router for LLM inference.
//!
//! A request comes in at [`api`], is read and checked ([`envelope`]), planned ([`plan`]) and raced
//! ([`startline_actors`]); the answer goes back in the provider's own bytes. [`wire`] knows the vendors' formats,
//! [`errors`] every refusal, [`catalogue`] and [`price`] the models and what they cost, [`keys`] who may call and with
//! whose provider keys. [`startup`] puts it together: what the workers share is the [`router`], what each has of its
//! own a [`worker`].

pub mod api;
pub mod catalogue;
pub mod command;
pub mod envelope;
pub mod errors;
mod json;
pub mod keys;
pub mod limits;
pub mod plan;
pub mod price;
pub mod router;
pub mod settings;
pub mod startup;
pub mod telemetry;
pub mod translate;
pub mod vocabulary;
pub mod wire;
pub mod worker;
