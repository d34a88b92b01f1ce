//! A provider's stream in the caller's format, event by event.

use bytes::Bytes;

use super::chat::ChunkWriter;
use super::messages::EventReader;
use super::{Translation, events};
use crate::vocabulary::ProviderSurface;
use crate::wire::event::Event;
use crate::wire::sse::for_each_block;

/// Translates one stream.
pub struct StreamTranslator {
    /// None where the provider's events are the canonical ones.
    reader: Option<EventReader>,
    writer: ChunkWriter,
}

impl StreamTranslator {
    pub(super) fn new(translation: &Translation) -> Self {
        let is_messages = translation.provider == ProviderSurface::AnthropicMessages;
        Self {
            reader: is_messages
                .then(|| EventReader::new(translation.custom.clone(), translation.created_at)),
            writer: ChunkWriter::new(translation.shape),
        }
    }

    /// Takes whole events of the provider's; gives what they make, which may be nothing.
    pub fn write(&mut self, whole_events: &[u8]) -> Bytes {
        if let Some(reader) = &mut self.reader {
            reader.measure(whole_events);
        }
        for_each_block(whole_events, |block| {
            let Some(data) = Event::parse(block).data else {
                return;
            };
            match &mut self.reader {
                None => self.writer.write(events::read(&data)),
                Some(reader) => {
                    for event in reader.read(&data) {
                        self.writer.write(event);
                    }
                }
            }
        });
        self.writer.take()
    }
}
