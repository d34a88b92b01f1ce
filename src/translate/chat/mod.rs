//! Chat Completions as a caller's format: its requests to the canonical form, canonical answers and events to its own.

mod answer;
mod chunks;
mod messages;
mod request;
mod tools;

pub use self::answer::answer;
pub use self::chunks::ChunkWriter;
pub use self::request::read;

/// The name that a canonical field has in a Chat request.
pub fn own_name(canonical: &str) -> &str {
    match canonical {
        "input" => "messages",
        "max_output_tokens" => "max_completion_tokens",
        "reasoning.effort" => "reasoning_effort",
        "text.format" => "response_format",
        "text.verbosity" => "verbosity",
        same => same,
    }
}

/// What an answer must know of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// A stream ends with a chunk that holds the usage.
    pub usage_chunk: bool,
    /// Calls come in the form that was there before tools: `functions` were sent.
    pub legacy_functions: bool,
    /// Each message of the answer is a document of its own, and only the first counts.
    pub structured: bool,
}
