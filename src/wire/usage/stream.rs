//! Picks the usage out of a stream as it is relayed.

use memchr::memmem;

use super::{Figures, Measured, Summary};
use crate::json::members_as_written;
use crate::vocabulary::ProviderSurface;
use crate::wire::event::Event;
use crate::wire::quick::type_at_an_end;
use crate::wire::sse::for_each_block;

/// Reads the whole events of one stream, in order.
#[derive(Debug)]
pub struct UsageCollector {
    surface: ProviderSurface,
    /// The latest word.
    summary: Summary,
}

impl UsageCollector {
    /// A collector for a stream of `surface`.
    pub fn new(surface: ProviderSurface) -> Self {
        Self {
            surface,
            summary: Summary::default(),
        }
    }

    /// Takes the next whole events, as [`Reading::whole`] and [`AnswerReader::rest`] give them.
    ///
    /// [`Reading::whole`]: startline_actors::leg::Reading::whole
    /// [`AnswerReader::rest`]: startline_actors::leg::AnswerReader::rest
    pub fn read(&mut self, whole_events: &[u8]) {
        for_each_block(whole_events, |block| {
            if let Some(data) = Event::parse(block).data {
                self.take(&data);
            }
        });
    }

    /// What has been measured so far, if the stream has said it.
    pub fn measured(&self) -> Option<Measured> {
        self.summary.measured(self.surface)
    }

    fn take(&mut self, data: &[u8]) {
        match self.surface {
            ProviderSurface::OpenaiResponses => self.take_responses(data),
            ProviderSurface::OpenaiChat => self.take_chat(data),
            ProviderSurface::GeminiInteractions => self.take_interactions(data),
            ProviderSurface::AnthropicMessages => self.take_messages(data),
        }
    }

    /// Only the terminal event tells the served tier: the events before it echo what was asked.
    fn take_responses(&mut self, data: &[u8]) {
        let terminal: [&[u8]; 3] = [
            b"response.completed",
            b"response.incomplete",
            b"response.failed",
        ];
        if is_one_of(data, "type", &terminal) {
            self.take_final_object(data, b"response");
        }
    }

    /// Every chunk but one has `"usage":null` or no usage; a later chunk does not take it back.
    fn take_chat(&mut self, data: &[u8]) {
        if !has_a_usage_object(data) {
            return;
        }
        let summary = Summary::of(self.surface, data);
        if summary.figures.is_some() {
            self.summary = summary;
        }
    }

    fn take_interactions(&mut self, data: &[u8]) {
        if is_one_of(data, "event_type", &[b"interaction.completed"]) {
            self.take_final_object(data, b"interaction");
        }
    }

    fn take_final_object(&mut self, event: &[u8], name: &[u8]) {
        for (member, value) in members_as_written(event) {
            if member == name {
                self.summary = Summary::of(self.surface, value);
            }
        }
    }

    /// `message_start`, overwritten field by field by `message_delta`, whose figures are cumulative.
    fn take_messages(&mut self, data: &[u8]) {
        if !is_one_of(data, "type", &[b"message_start", b"message_delta"]) {
            return;
        }
        for (member, value) in members_as_written(data) {
            match member {
                b"message" => self.summary = Summary::of(self.surface, value),
                b"usage" => self.overwrite(Figures::of(self.surface, value)),
                _ => {}
            }
        }
    }

    fn overwrite(&mut self, later: Option<Figures>) {
        let Some(later) = later else { return };
        let before = self.summary.figures.take().unwrap_or_default();
        self.summary.figures = Some(before.overwritten_by(later));
    }
}

/// Whether an event may be of one of these types; an unknown type may be any.
fn is_one_of(data: &[u8], key: &str, types: &[&[u8]]) -> bool {
    match type_at_an_end(data, key) {
        Some(kind) => types.contains(&kind),
        None => types.iter().any(|kind| memmem::find(data, kind).is_some()),
    }
}

fn has_a_usage_object(data: &[u8]) -> bool {
    memmem::find_iter(data, b"\"usage\"").any(|at| {
        let after = data[at + b"\"usage\"".len()..].trim_ascii_start();
        let value = after.strip_prefix(b":").unwrap_or(after).trim_ascii_start();
        !value.starts_with(b"null")
    })
}
