//! Messages as a caller's format: its requests to the canonical form, canonical answers and events to its own.

mod answer;
mod blocks;
mod request;
mod stream;
mod tools;

pub use self::answer::answer;
pub use self::request::read;
pub use self::stream::EventWriter;

/// What an answer must know of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Thinking was asked for: thoughts are blocks of their own.
    pub shows_thoughts: bool,
}

/// The name that a canonical field has in a Messages request.
pub fn own_name(canonical: &str) -> &str {
    match canonical {
        "input" => "messages",
        "max_output_tokens" => "max_tokens",
        "reasoning.effort" => "output_config.effort",
        "text.format" => "output_config.format",
        "parallel_tool_calls" => "tool_choice.disable_parallel_tool_use",
        "stop" => "stop_sequences",
        "input.is_error" => "messages.content.is_error",
        "file.filename" => "messages.content.title",
        same => same,
    }
}
