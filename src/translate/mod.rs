//! From any format to any provider's. The canonical form is OpenAI Responses: its items, its answers, its stream events.
//! One reader and one writer a surface, pure: no clock, no I/O. Where the target has a counterpart a field is mapped;
//! what has none is refused or left out and reported, never dropped in silence.

pub mod answer;
pub mod chat;
pub mod conversation;
mod custom;
mod data_url;
mod effort;
pub mod events;
mod fields;
pub mod interactions;
pub mod messages;
mod report;
pub mod responses;
mod sampling;
mod sealed;
mod stream;
mod writer;

#[cfg(test)]
mod tests;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

use self::conversation::Tool;
use self::interactions::caller as interactions_caller;
use self::messages::caller as messages_caller;
use self::responses::caller as responses_caller;
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
    /// For Gemini.
    Interactions(Map<String, Value>),
    /// For Anthropic.
    Messages(Map<String, Value>),
}

impl Request {
    /// Names the model as a route does.
    pub fn set_model(&mut self, id: &str) {
        match self {
            Self::Responses(conversation) => id.clone_into(&mut conversation.model),
            Self::Interactions(fields) | Self::Messages(fields) => {
                fields.insert("model".to_owned(), Value::String(id.to_owned()));
            }
        }
    }
}

/// What an answer gets from us where the provider's format has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Its id, without a prefix.
    pub id: String,
    /// Seconds since 1970.
    pub created_at: u64,
}

/// A caller's request, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<Shape> {
    /// The canonical request.
    pub conversation: Conversation,
    /// What the answer must look like.
    pub shape: Shape,
    /// What was left out or clamped.
    pub dropped: Dropped,
}

/// What the answer to a translated request must know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    provider: ProviderSurface,
    form: Form,
    /// Names of tools that take free text.
    custom: Vec<String>,
    given: Given,
    /// What was left out or clamped.
    pub dropped: Dropped,
}

/// The caller's format, and what of it the request asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    Responses(responses_caller::Shape),
    Chat(chat::Shape),
    Interactions,
    Messages(messages_caller::Shape),
}

impl Form {
    /// The name that a canonical field has in the caller's request.
    fn own_name<'a>(&self, canonical: &'a str) -> &'a str {
        match self {
            Self::Responses(_) => canonical,
            Self::Chat(_) => chat::own_name(canonical),
            Self::Interactions => interactions_caller::own_name(canonical),
            Self::Messages(_) => messages_caller::own_name(canonical),
        }
    }
}

/// Translates a request for a provider. `model` is what the catalogue knows of it.
///
/// # Errors
/// The first field that cannot be carried.
pub fn read(
    envelope: &Envelope,
    provider: ProviderSurface,
    model: Option<&Model>,
    given: Given,
) -> Result<(Request, Translation), Refused> {
    let fields = envelope.to_map(&neutral_native_only(envelope));
    let (conversation, form, mut dropped) = match envelope.surface() {
        CallerSurface::Messages => {
            let read = messages_caller::read(&fields, provider)?;
            (read.conversation, Form::Messages(read.shape), read.dropped)
        }
        CallerSurface::Responses => {
            let read = responses_caller::read(&fields, provider)?;
            (read.conversation, Form::Responses(read.shape), read.dropped)
        }
        CallerSurface::Interactions => {
            let read = interactions_caller::read(&fields, provider)?;
            (read.conversation, Form::Interactions, read.dropped)
        }
        CallerSurface::Chat => {
            let read = chat::read(&fields, provider)?;
            (read.conversation, Form::Chat(read.shape), read.dropped)
        }
    };
    let custom = custom_tools(&conversation);
    let mut lost = Dropped::default();
    let request = write(conversation, &form, provider, model, &mut lost)
        .map_err(|refused| refused.renamed(form.own_name(&refused.param)))?;
    for path in lost.paths() {
        dropped.note(form.own_name(path));
    }
    let translation = Translation {
        provider,
        form,
        custom,
        given,
        dropped,
    };
    Ok((request, translation))
}

fn write(
    mut conversation: Conversation,
    form: &Form,
    provider: ProviderSurface,
    model: Option<&Model>,
    dropped: &mut Dropped,
) -> Result<Request, Refused> {
    match provider {
        ProviderSurface::GeminiInteractions => {
            interactions::write(&conversation, model, dropped).map(Request::Interactions)
        }
        ProviderSurface::AnthropicMessages => {
            messages::write(&conversation, model, dropped).map(Request::Messages)
        }
        ProviderSurface::OpenaiResponses | ProviderSurface::OpenaiChat => {
            responses::keep_own_thoughts(&mut conversation.input);
            // A Chat caller's request is in OpenAI's own words.
            if !matches!(form, Form::Chat(_)) {
                responses::complete(&mut conversation, model, dropped)?;
            }
            Ok(Request::Responses(Box::new(conversation)))
        }
    }
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
            ProviderSurface::GeminiInteractions => {
                interactions::read(document, &self.custom, &self.given)?
            }
            ProviderSurface::AnthropicMessages => {
                messages::read(document, &self.custom, self.given.created_at)?
            }
            ProviderSurface::OpenaiResponses | ProviderSurface::OpenaiChat => {
                answer::read(document)?
            }
        };
        Ok(match &self.form {
            Form::Responses(shape) => responses_caller::answer(&answer, shape),
            Form::Chat(shape) => chat::answer(&answer, *shape),
            Form::Interactions => interactions_caller::answer(&answer),
            Form::Messages(shape) => messages_caller::answer(&answer, *shape),
        })
    }

    /// A translator of a provider's stream. `tier` is the one that was asked for: Gemini tells only at the end which it
    /// was.
    pub fn stream(&self, tier: &str) -> StreamTranslator {
        StreamTranslator::new(self, tier)
    }
}
