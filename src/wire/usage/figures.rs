//! The usage object of each surface: the names of its figures, and what they include there.

use super::Usage;
use crate::json::{decoded_string, members_as_written};
use crate::vocabulary::ProviderSurface;

/// What a usage object tells, as the provider counts it. A missing or null figure is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Figures {
    input: Option<u64>,
    cached: Option<u64>,
    cache_write: Option<u64>,
    tool_use: Option<u64>,
    output: Option<u64>,
    reasoning: Option<u64>,
    /// Messages has the tier here.
    pub(super) service_tier: Option<String>,
}

impl Figures {
    /// Reads a usage object; `None` for any other value.
    pub(super) fn of(surface: ProviderSurface, usage: &[u8]) -> Option<Self> {
        if usage.first() != Some(&b'{') {
            return None;
        }
        let mut figures = Self::default();
        for (name, value) in members_as_written(usage) {
            figures.take(surface, name, value);
        }
        Some(figures)
    }

    /// The figures of a later report, which has the last word in what it tells.
    pub(super) fn overwritten_by(self, later: Self) -> Self {
        Self {
            input: later.input.or(self.input),
            cached: later.cached.or(self.cached),
            cache_write: later.cache_write.or(self.cache_write),
            tool_use: later.tool_use.or(self.tool_use),
            output: later.output.or(self.output),
            reasoning: later.reasoning.or(self.reasoning),
            service_tier: later.service_tier.or(self.service_tier),
        }
    }

    fn take(&mut self, surface: ProviderSurface, name: &[u8], value: &[u8]) {
        use ProviderSurface::{AnthropicMessages, GeminiInteractions, OpenaiChat, OpenaiResponses};
        let figure = match (surface, name) {
            (OpenaiResponses | AnthropicMessages, b"input_tokens")
            | (OpenaiChat, b"prompt_tokens")
            | (GeminiInteractions, b"total_input_tokens") => &mut self.input,
            (OpenaiResponses | AnthropicMessages, b"output_tokens")
            | (OpenaiChat, b"completion_tokens")
            | (GeminiInteractions, b"total_output_tokens") => &mut self.output,
            (AnthropicMessages, b"cache_read_input_tokens")
            | (GeminiInteractions, b"total_cached_tokens") => &mut self.cached,
            (AnthropicMessages, b"cache_creation_input_tokens") => &mut self.cache_write,
            (GeminiInteractions, b"total_tool_use_tokens") => &mut self.tool_use,
            (GeminiInteractions, b"total_thought_tokens") => &mut self.reasoning,
            (OpenaiResponses, b"input_tokens_details" | b"output_tokens_details")
            | (OpenaiChat, b"prompt_tokens_details" | b"completion_tokens_details")
            | (AnthropicMessages, b"output_tokens_details") => return self.take_details(value),
            (AnthropicMessages, b"service_tier") => {
                self.service_tier = decoded_string(value);
                return;
            }
            _ => return,
        };
        *figure = number(value);
    }

    /// The parts of a total, which are named alike wherever they are told.
    fn take_details(&mut self, details: &[u8]) {
        for (name, value) in members_as_written(details) {
            let figure = match name {
                b"cached_tokens" => &mut self.cached,
                b"cache_write_tokens" => &mut self.cache_write,
                b"reasoning_tokens" | b"thinking_tokens" => &mut self.reasoning,
                _ => continue,
            };
            *figure = number(value);
        }
    }

    /// The figures in our meaning.
    pub(super) fn normalised(&self, surface: ProviderSurface) -> Usage {
        let told = Usage {
            input: self.input.unwrap_or_default(),
            cached: self.cached.unwrap_or_default(),
            cache_write: self.cache_write.unwrap_or_default(),
            tool_use: self.tool_use.unwrap_or_default(),
            output: self.output.unwrap_or_default(),
            reasoning: self.reasoning.unwrap_or_default(),
        };
        match surface {
            // Both totals include their details.
            ProviderSurface::OpenaiResponses | ProviderSurface::OpenaiChat => told,
            // Input includes the cached part; thoughts and tool tokens stand beside output and input.
            ProviderSurface::GeminiInteractions => Usage {
                input: told.input.saturating_add(told.tool_use),
                output: told.output.saturating_add(told.reasoning),
                ..told
            },
            // Input excludes both cache figures, output includes thinking.
            ProviderSurface::AnthropicMessages => Usage {
                input: told
                    .input
                    .saturating_add(told.cached)
                    .saturating_add(told.cache_write),
                ..told
            },
        }
    }
}

fn number(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}
