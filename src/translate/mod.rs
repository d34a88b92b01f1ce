//! From any format to any provider's. The canonical form is OpenAI Responses: its items, its answers, its stream events.
//! One reader and one writer a surface, pure: no clock, no I/O. Where the target has a counterpart a field is mapped;
//! what has none is refused or left out and reported, never dropped in silence.

pub mod answer;
pub mod chat;
pub mod conversation;
pub mod events;
pub mod messages;
mod report;
mod stream;

#[cfg(test)]
mod tests;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

use self::chat::Shape;
use self::conversation::Tool;
use crate::catalogue::Model;
use crate::envelope::{Envelope, neutral_native_only};
use crate::vocabulary::{CallerSurface, ProviderSurface};

pub use self::answer::NoAnswer;
pub use self::conversation::Conversation;
pub use self::report::{Dropped, Refused};
pub use self::stream::StreamTranslator;

/// A request in the provider's format, but for the tier and whether it is streamed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Request {
    /// For OpenAI.
    Responses(Box<Conversation>),
    /// For Anthropic.
    Messages(Map<String, Value>),
}

impl Request {
    /// Names the model as a route does.
    pub fn set_model(&mut self, id: &str) {
        match self {
            Self::Responses(conversation) => id.clone_into(&mut conversation.model),
            Self::Messages(fields) => {
                fields.insert("model".to_owned(), Value::String(id.to_owned()));
            }
        }
    }
}

/// What the answer to a translated request must know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    provider: ProviderSurface,
    shape: Shape,
    /// Names of tools that take free text.
    custom: Vec<String>,
    /// Seconds since 1970.
    created_at: u64,
    /// What was left out or clamped.
    pub dropped: Dropped,
}

/// Whether there is a translation between two formats that are not the same.
pub fn is_between(caller: CallerSurface, provider: ProviderSurface) -> bool {
    matches!(
        (caller, provider),
        (
            CallerSurface::Chat,
            ProviderSurface::OpenaiResponses | ProviderSurface::AnthropicMessages
        )
    )
}

/// Translates a request for a provider. `model` is what the catalogue knows of it; `now`, seconds since 1970, is the
/// time of an answer whose format has none.
///
/// # Errors
/// The first field that cannot be carried.
pub fn read(
    envelope: &Envelope,
    provider: ProviderSurface,
    model: Option<&Model>,
    now: u64,
) -> Result<(Request, Translation), Refused> {
    let fields = envelope.to_map(&neutral_native_only(envelope));
    let read = chat::read(&fields, provider)?;
    let mut translation = Translation {
        provider,
        shape: read.shape,
        custom: custom_tools(&read.conversation),
        created_at: now,
        dropped: read.dropped,
    };
    if provider != ProviderSurface::AnthropicMessages {
        return Ok((Request::Responses(Box::new(read.conversation)), translation));
    }
    let mut dropped = Dropped::default();
    let written =
        messages::write(&read.conversation, model, &mut dropped).map_err(|refused| Refused {
            param: chat::own_name(&refused.param).to_owned(),
            ..refused
        })?;
    for path in dropped.paths() {
        translation.dropped.note(chat::own_name(path));
    }
    Ok((Request::Messages(written), translation))
}

fn custom_tools(conversation: &Conversation) -> Vec<String> {
    let is_custom = |tool: &&Tool| matches!(tool, Tool::Custom { .. });
    let custom = conversation.tools.iter().filter(is_custom);
    custom.map(|tool| tool.name().to_owned()).collect()
}

impl Translation {
    /// A provider's whole answer in the caller's format.
    ///
    /// # Errors
    /// When the document is no answer, or tells of a failure.
    pub fn answer(&self, document: &[u8]) -> Result<Bytes, NoAnswer> {
        let answer = match self.provider {
            ProviderSurface::AnthropicMessages => {
                messages::read(document, &self.custom, self.created_at)?
            }
            _ => answer::read(document)?,
        };
        Ok(chat::answer(&answer, self.shape))
    }

    /// A translator of a provider's stream.
    pub fn stream(&self) -> StreamTranslator {
        StreamTranslator::new(self)
    }
}
