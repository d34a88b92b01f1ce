//! A provider's stream in the caller's format, event by event.

use bytes::Bytes;

use super::chat::ChunkWriter;
use super::events::StreamEvent;
use super::interactions::caller as interactions_caller;
use super::messages::caller as messages_caller;
use super::responses::caller as responses_caller;
use super::writer::StreamWriter;
use super::{Form, Translation, events, interactions, messages};
use crate::vocabulary::ProviderSurface;
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

/// Translates one stream.
pub struct StreamTranslator {
    reader: Reader,
    writer: Box<dyn StreamWriter>,
    has_ended: bool,
}

fn writer(form: &Form) -> Box<dyn StreamWriter> {
    match form {
        Form::Responses(shape) => Box::new(responses_caller::EventWriter::new(shape.clone())),
        Form::Chat(shape) => Box::new(ChunkWriter::new(*shape)),
        Form::Interactions => Box::new(interactions_caller::EventWriter::default()),
        Form::Messages(shape) => Box::new(messages_caller::EventWriter::new(*shape)),
    }
}

enum Reader {
    /// The provider's events are the canonical ones.
    Canonical,
    Interactions(interactions::EventReader),
    Messages(messages::EventReader),
}

impl Reader {
    fn new(translation: &Translation, tier: &str) -> Self {
        let custom = translation.custom.clone();
        let given = translation.given.clone();
        match translation.provider {
            ProviderSurface::GeminiInteractions => {
                Self::Interactions(interactions::EventReader::new(custom, given, tier))
            }
            ProviderSurface::AnthropicMessages => {
                Self::Messages(messages::EventReader::new(custom, given.created_at))
            }
            ProviderSurface::OpenaiResponses | ProviderSurface::OpenaiChat => Self::Canonical,
        }
    }

    fn measure(&mut self, whole_events: &[u8]) {
        match self {
            Self::Canonical => {}
            Self::Interactions(reader) => reader.measure(whole_events),
            Self::Messages(reader) => reader.measure(whole_events),
        }
    }

    fn read(&mut self, data: &[u8], mut write: impl FnMut(StreamEvent)) {
        match self {
            Self::Canonical => write(events::read(data)),
            Self::Interactions(reader) => reader.read(data).into_iter().for_each(write),
            Self::Messages(reader) => reader.read(data).into_iter().for_each(write),
        }
    }
}

impl StreamTranslator {
    pub(super) fn new(translation: &Translation, tier: &str) -> Self {
        Self {
            reader: Reader::new(translation, tier),
            writer: writer(&translation.form),
            has_ended: false,
        }
    }

    /// Takes whole events of the provider's; gives what they make, which may be nothing.
    pub fn write(&mut self, whole_events: &[u8]) -> Bytes {
        self.reader.measure(whole_events);
        for_each_block(whole_events, |block| {
            if let Some(data) = Event::parse(block).data {
                self.reader.read(&data, |event| {
                    self.has_ended |= event.is_last();
                    self.writer.write(event);
                });
            }
        });
        self.writer.frames().take()
    }

    /// Whether the caller has been told how the answer ended.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }
}
