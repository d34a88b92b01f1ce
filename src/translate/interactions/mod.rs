//! Gemini Interactions as a provider's format: canonical requests as its own, its answers and events as canonical ones;
//! and, in [`caller`], as a caller's.

mod answer;
pub mod caller;
mod request;
mod steps;
mod stream;
mod tools;

pub use self::answer::read;
pub use self::request::write;
pub use self::stream::EventReader;
