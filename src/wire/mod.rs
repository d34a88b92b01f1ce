//! The vendors' wire formats, on bytes: no clock, no I/O. An answer is read by the [`Dialect`] of its provider surface
//! ([`dialect`]); a streamed answer is put together for a caller who did not stream ([`assembly`]); a broken stream is
//! closed in the caller's format ([`failure_frame`]); what it cost is read from its last word ([`usage`]).

pub mod anthropic_messages;
pub mod assembly;
pub mod document;
mod error_body;
pub mod event;
pub mod failure_frame;
pub mod fault;
pub mod gemini_interactions;
pub mod openai_chat;
mod openai_errors;
pub mod openai_responses;
mod quick;
pub mod reader;

pub mod sse;
mod stray;
pub mod usage;

#[cfg(test)]
pub(crate) mod tests;

use startline_actors::classify::Verdict;
use startline_actors::leg::{AnswerReader, Dialect};

use self::document::DocumentReader;
use self::reader::{Sense, StreamReader};
use crate::vocabulary::ProviderSurface;

/// How the answers of `surface` are read.
pub fn dialect(surface: ProviderSurface) -> &'static dyn Dialect {
    match surface {
        ProviderSurface::OpenaiResponses => &openai_responses::OPENAI_RESPONSES,
        ProviderSurface::OpenaiChat => &openai_chat::OPENAI_CHAT,
        ProviderSurface::GeminiInteractions => &gemini_interactions::GEMINI_INTERACTIONS,
        ProviderSurface::AnthropicMessages => &anthropic_messages::ANTHROPIC_MESSAGES,
    }
}

/// A provider surface: what its events mean, and what its error answers mean.
pub struct SurfaceDialect {
    sense: Sense,
    judge: fn(status: u16, body: &[u8]) -> Verdict,
}

impl Dialect for SurfaceDialect {
    fn reader(&self, event_stream: bool, largest: usize) -> Box<dyn AnswerReader> {
        if event_stream {
            return Box::new(StreamReader::new(self.sense, largest));
        }
        Box::new(DocumentReader::new(largest))
    }

    fn judge(&self, status: u16, body: &[u8]) -> Verdict {
        (self.judge)(status, body)
    }
}
