//! Builds the answer of a non-streaming caller whose race flex won: flex is always streamed, so the document has to be
//! put together from its events. Only raced surfaces are.

mod interaction_steps;
mod interactions;
mod responses;

use bytes::Bytes;

use crate::vocabulary::ProviderSurface;

/// Why a stream cannot be put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AssemblyError {
    /// The surface is not raced, so nothing of it is ever assembled.
    #[error("the surface is not raced")]
    NotRaced,
    /// The terminal event is not there.
    #[error("the stream has no terminal event")]
    NoTerminalEvent,
    /// An event that belongs to the answer cannot be read.
    #[error("an event of the stream cannot be read")]
    Unreadable,
}

/// The non-streamed answer that `stream`, whole and complete, stands for.
pub fn assemble(surface: ProviderSurface, stream: &[u8]) -> Result<Bytes, AssemblyError> {
    match surface {
        ProviderSurface::OpenaiResponses => responses::assemble(stream),
        ProviderSurface::GeminiInteractions => interactions::assemble(stream),
        ProviderSurface::OpenaiChat | ProviderSurface::AnthropicMessages => {
            Err(AssemblyError::NotRaced)
        }
    }
}
