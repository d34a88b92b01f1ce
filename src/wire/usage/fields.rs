//! The names of the usage figures on each surface, and what they include there. A missing or null figure is 0.

use serde_json::Value;

use super::Usage;
use crate::vocabulary::ProviderSurface;

/// A surface's usage object in our meaning.
pub fn normalised(surface: ProviderSurface, usage: &Value) -> Usage {
    match surface {
        ProviderSurface::OpenaiResponses => openai(usage, "input_tokens", "output_tokens"),
        ProviderSurface::OpenaiChat => openai(usage, "prompt_tokens", "completion_tokens"),
        ProviderSurface::GeminiInteractions => gemini(usage),
        ProviderSurface::AnthropicMessages => anthropic(usage),
    }
}

/// OpenAI: both totals include their details, which hang under the total's own name.
fn openai(usage: &Value, input_name: &str, output_name: &str) -> Usage {
    let input_details = &usage[format!("{input_name}_details")];
    let output_details = &usage[format!("{output_name}_details")];
    Usage {
        input: figure(usage, input_name),
        cached: figure(input_details, "cached_tokens"),
        cache_write: figure(input_details, "cache_write_tokens"),
        tool_use: 0,
        output: figure(usage, output_name),
        reasoning: figure(output_details, "reasoning_tokens"),
    }
}

/// Gemini: input includes the cached part; thoughts and tool tokens stand beside output and input.
fn gemini(usage: &Value) -> Usage {
    let tool_use = figure(usage, "total_tool_use_tokens");
    let reasoning = figure(usage, "total_thought_tokens");
    Usage {
        input: figure(usage, "total_input_tokens").saturating_add(tool_use),
        cached: figure(usage, "total_cached_tokens"),
        cache_write: 0,
        tool_use,
        output: figure(usage, "total_output_tokens").saturating_add(reasoning),
        reasoning,
    }
}

/// Anthropic: input excludes both cache figures, output includes thinking.
fn anthropic(usage: &Value) -> Usage {
    let cached = figure(usage, "cache_read_input_tokens");
    let cache_write = figure(usage, "cache_creation_input_tokens");
    let uncached = figure(usage, "input_tokens");
    Usage {
        input: uncached.saturating_add(cached).saturating_add(cache_write),
        cached,
        cache_write,
        tool_use: 0,
        output: figure(usage, "output_tokens"),
        reasoning: figure(&usage["output_tokens_details"], "thinking_tokens"),
    }
}

fn figure(object: &Value, name: &str) -> u64 {
    object.get(name).and_then(Value::as_u64).unwrap_or_default()
}
