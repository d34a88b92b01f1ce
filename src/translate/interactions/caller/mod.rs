//! Interactions as a caller's format: its requests to the canonical form, canonical answers and events to its own.

mod answer;
mod request;
mod steps;
mod stream;
mod tools;

pub use self::answer::answer;
pub use self::request::read;
pub use self::stream::EventWriter;

/// The name that a canonical field has in an interaction.
pub fn own_name(canonical: &str) -> &str {
    match canonical {
        "max_output_tokens" => "generation_config.max_output_tokens",
        "temperature" => "generation_config.temperature",
        "top_p" => "generation_config.top_p",
        "tool_choice" => "generation_config.tool_choice",
        "reasoning.effort" => "generation_config.thinking_level",
        "reasoning.summary" => "generation_config.thinking_summaries",
        "text.format" => "response_format",
        same => same,
    }
}
