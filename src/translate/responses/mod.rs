//! OpenAI Responses: what a request of another vendor's caller leaves open for OpenAI; and, in [`caller`], Responses as
//! the format of a caller of another vendor's models.

pub mod caller;
mod complete;

pub(super) use self::complete::{complete, keep_own_thoughts};
