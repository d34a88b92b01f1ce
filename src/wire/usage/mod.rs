//! What an answer used, in OpenAI's meaning of the words: `input` includes what came from the cache or went into it,
//! `output` includes reasoning. A format's last word counts; figures are never added up over events.

pub mod extend;
mod figures;
mod stream;

use self::figures::Figures;
pub use self::stream::UsageCollector;
use crate::json::{decoded_string, members_as_written};
use crate::vocabulary::ProviderSurface;

/// Tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Everything that was read: cached and newly cached tokens, and a server tool's, included.
    pub input: u64,
    /// The part of `input` that came from the cache.
    pub cached: u64,
    /// The part of `input` that was written to the cache.
    pub cache_write: u64,
    /// The part of `input` that a server tool put in (Gemini): whether it is charged depends on the tool.
    pub tool_use: u64,
    /// Everything that was produced, reasoning included.
    pub output: u64,
    /// The part of `output` that was reasoning.
    pub reasoning: u64,
}

impl Usage {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// What an answer says about its own cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// Tokens.
    pub usage: Usage,
    /// The tier that served, in the provider's word.
    pub served_tier: Option<String>,
    /// The model, in the provider's word.
    pub model: Option<String>,
}

/// The parts of an answer that say what it cost. Every surface has them at the top of its final object; only Messages
/// has its tier inside the usage.
#[derive(Debug, Default)]
struct Summary {
    figures: Option<Figures>,
    service_tier: Option<String>,
    model: Option<String>,
}

/// Reads a non-streamed answer. `None` where the usage is missing or null.
pub fn from_answer(surface: ProviderSurface, json: &[u8]) -> Option<Measured> {
    Summary::of(surface, json).measured(surface)
}

impl Summary {
    /// Reads the object that has the usage at its top.
    fn of(surface: ProviderSurface, object: &[u8]) -> Self {
        let mut summary = Self::default();
        for (name, value) in members_as_written(object.trim_ascii_start()) {
            match name {
                b"usage" => summary.figures = Figures::of(surface, value),
                b"service_tier" => summary.service_tier = decoded_string(value),
                b"model" => summary.model = decoded_string(value),
                _ => {}
            }
        }
        summary
    }

    fn measured(&self, surface: ProviderSurface) -> Option<Measured> {
        let figures = self.figures.as_ref()?;
        Some(Measured {
            usage: figures.normalised(surface),
            served_tier: self
                .service_tier
                .clone()
                .or_else(|| figures.service_tier.clone()),
            model: self.model.clone(),
        })
    }
}
