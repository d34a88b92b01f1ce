//! Anthropic Messages as a provider's format: canonical requests as its own, its answers and events as canonical ones.

mod answer;
mod request;
mod stream;
mod tools;
mod turns;

pub use self::answer::read;
pub use self::request::write;
pub use self::stream::EventReader;

/// The field that carries the free text of a custom tool: Anthropic's tools all take an object.
const CUSTOM_INPUT: &str = "input";
