//! From any format to any provider's. The canonical form is OpenAI Responses: its items, its answers, its stream events.
//! One reader and one writer a surface, pure: no clock, no I/O. Where the target has a counterpart a field is mapped;
//! what has none is refused or left out and reported, never dropped in silence.

pub mod answer;
pub mod chat;
pub mod conversation;
pub mod events;
mod report;

#[cfg(test)]
mod tests;

use bytes::Bytes;

use self::chat::{ChunkWriter, Shape};
use crate::envelope::{Envelope, neutral_native_only};
use crate::vocabulary::{CallerSurface, ProviderSurface};

pub use self::answer::NoAnswer;
pub use self::conversation::Conversation;
pub use self::report::{Dropped, Refused};

/// What the answer to a translated request must know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    shape: Shape,
    /// What was left out or clamped.
    pub dropped: Dropped,
}

/// Whether there is a translation between two formats that are not the same.
pub fn is_between(caller: CallerSurface, provider: ProviderSurface) -> bool {
    (caller, provider) == (CallerSurface::Chat, ProviderSurface::OpenaiResponses)
}

/// Reads a request into the canonical form.
///
/// # Errors
/// The first field that cannot be carried.
pub fn read(envelope: &Envelope) -> Result<(Conversation, Translation), Refused> {
    let fields = envelope.to_map(&neutral_native_only(envelope));
    let read = chat::read(&fields)?;
    let translation = Translation {
        shape: read.shape,
        dropped: read.dropped,
    };
    Ok((read.conversation, translation))
}

impl Translation {
    /// A provider's whole answer in the caller's format.
    ///
    /// # Errors
    /// When the document is no answer, or tells of a failure.
    pub fn answer(&self, document: &[u8]) -> Result<Bytes, NoAnswer> {
        Ok(chat::answer(&answer::read(document)?, self.shape))
    }

    /// A writer for a provider's stream.
    pub fn writer(&self) -> ChunkWriter {
        ChunkWriter::new(self.shape)
    }
}
