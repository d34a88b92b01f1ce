//! Responses as a caller's format: its requests checked and read, canonical answers and events with all that a
//! Responses object has.

mod answer;
mod items;
mod request;
mod stream;
mod tools;

use std::sync::Arc;

use serde_json::{Map, Value};

pub use self::answer::answer;
pub use self::request::read;
pub use self::stream::EventWriter;

/// What an answer must know of the request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// The fields that an answer repeats.
    echo: Arc<Map<String, Value>>,
}
