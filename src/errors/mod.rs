//! Everything the router refuses and every failure it shows. The [`catalogue`] is one table with a row a code; a
//! [`Rejection`] is an error of ours, a [`ProviderError`] one of a provider, and both are written in the envelope of
//! the endpoint that was called. `/errors` is made from the same table.

pub mod catalogue;
mod code;
mod envelope;
mod failure_text;
mod from_failure;
#[cfg(test)]
mod goldens;
mod page;
mod provider_body;
mod provider_error;
mod rejection;
mod status_words;

pub use code::Code;
pub use envelope::{EnvelopeKind, ErrorAnswer};
pub use failure_text::{FailureText, ProviderFault};
pub use from_failure::{AnyError, from_break, from_failure};
pub use page::page;
pub use provider_error::ProviderError;
pub use rejection::Rejection;
pub use status_words::{StatusWords, status_words};
