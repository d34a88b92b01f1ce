//! Anthropic's stream events as canonical ones, one by one as they come.

use std::mem::take;

use serde::Deserialize;
use serde_json::Value;

use super::answer::{Block, annotation, end_of, response_id, sealed, thoughts, tier_of};
use crate::translate::answer::{Answer, OutputItem};
use crate::translate::events::StreamEvent;
use crate::translate::{custom, sealed};
use crate::vocabulary::ProviderSurface;
use crate::wire::usage::UsageCollector;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: Stop,
        #[serde(default)]
        usage: Value,
    },
    MessageStop,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Start {
    id: String,
    #[serde(default)]
    model: String,
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
struct Stop {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "citations_delta")]
    Citation { citation: Value },
    #[serde(rename = "input_json_delta")]
    Json { partial_json: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(other)]
    Other,
}

/// Reads one stream.
pub struct EventReader {
    custom: Vec<String>,
    usage: UsageCollector,
    answer: Answer,
    has_begun: bool,
    stop_reason: String,
    /// How many items have been opened.
    items: u64,
    /// The parts of the last item, if it is a message.
    parts: Option<u64>,
    /// The block that is open: the vendor opens one after the other.
    open: Option<(u64, Open)>,
}

enum Open {
    Text {
        part: u64,
        characters: usize,
        citations: Vec<Value>,
    },
    Thoughts {
        text: String,
        seal: Option<String>,
    },
    Call {
        arguments: String,
        /// What came whole with the beginning.
        initial: Value,
        is_custom: bool,
    },
}

impl EventReader {
    /// A reader at the beginning of a stream. `custom` are the names of custom tools.
    pub fn new(custom: Vec<String>, created_at: u64) -> Self {
        Self {
            custom,
            usage: UsageCollector::new(ProviderSurface::AnthropicMessages),
            answer: Answer {
                created_at: created_at as f64,
                status: "in_progress".to_owned(),
                ..Answer::default()
            },
            has_begun: false,
            stop_reason: String::new(),
            items: 0,
            parts: None,
            open: None,
        }
    }

    /// Takes note of the usage in the next whole events; [`read`](Self::read) does not.
    pub fn measure(&mut self, events: &[u8]) {
        self.usage.read(events);
    }

    /// Reads the data of one event; gives the canonical ones that it makes, which may be none.
    pub fn read(&mut self, data: &[u8]) -> Vec<StreamEvent> {
        match serde_json::from_slice(data).unwrap_or(Event::Other) {
            // A second one has been spliced in by a gateway.
            Event::MessageStart { message } if !self.has_begun => vec![self.begin(message)],
            Event::ContentBlockStart {
                index,
                content_block,
            } => self.block(index, content_block),
            Event::ContentBlockDelta { index, delta } => self.delta(index, delta),
            Event::ContentBlockStop { index } => self.block_end(index),
            Event::MessageDelta { delta, usage } => {
                self.stop_reason = delta.stop_reason.unwrap_or(take(&mut self.stop_reason));
                self.answer.service_tier = tier_of(&usage).or(self.answer.service_tier.take());
                Vec::new()
            }
            Event::MessageStop => vec![self.end()],
            Event::MessageStart { .. } | Event::Other => Vec::new(),
        }
    }

    fn begin(&mut self, message: Start) -> StreamEvent {
        self.has_begun = true;
        self.answer.id = response_id(&message.id);
        self.answer.model = message.model;
        self.answer.service_tier = tier_of(&message.usage);
        let response = self.answer.clone();
        StreamEvent::Created { response }
    }

    /// Opens an item and gives its index.
    fn item(&mut self) -> u64 {
        self.items += 1;
        self.items - 1
    }

    fn block(&mut self, index: u64, block: Block) -> Vec<StreamEvent> {
        let mut events = Vec::new();
        match block {
            Block::Text { text, citations } => {
                let part = self.parts.unwrap_or(0);
                if self.parts.is_none() {
                    let output_index = self.item();
                    let content = Vec::new();
                    let item = OutputItem::Message { content };
                    events.push(StreamEvent::ItemAdded { output_index, item });
                }
                self.parts = Some(part + 1);
                let open = Open::Text {
                    part,
                    characters: 0,
                    citations: citations.unwrap_or_default(),
                };
                self.open = Some((index, open));
                events.extend(self.delta(index, Delta::Text { text }));
            }
            Block::ToolUse {
                id: call_id,
                name,
                input: initial,
            } => {
                self.parts = None;
                let is_custom = self.custom.contains(&name);
                let item = if is_custom {
                    let input = String::new();
                    OutputItem::CustomToolCall {
                        call_id,
                        name,
                        input,
                    }
                } else {
                    let arguments = String::new();
                    OutputItem::FunctionCall {
                        call_id,
                        name,
                        arguments,
                    }
                };
                let output_index = self.item();
                events.push(StreamEvent::ItemAdded { output_index, item });
                let open = Open::Call {
                    arguments: String::new(),
                    initial,
                    is_custom,
                };
                self.open = Some((index, open));
            }
            Block::Thinking {
                thinking,
                signature,
            } => {
                events.push(self.begin_thoughts(index, sealed(&signature)));
                events.extend(self.delta(index, Delta::Thinking { thinking }));
            }
            Block::RedactedThinking { data } => {
                events.push(self.begin_thoughts(index, Some(sealed::of_redacted(&data))));
            }
            // Tools that the provider runs itself, something new.
            Block::Other => {
                self.parts = None;
                self.open = None;
                let output_index = self.item();
                let item = OutputItem::Other;
                events.push(StreamEvent::ItemAdded { output_index, item });
            }
        }
        events
    }

    fn begin_thoughts(&mut self, index: u64, seal: Option<String>) -> StreamEvent {
        self.parts = None;
        let text = String::new();
        self.open = Some((index, Open::Thoughts { text, seal }));
        StreamEvent::ItemAdded {
            output_index: self.item(),
            item: thoughts(String::new(), None),
        }
    }

    fn delta(&mut self, index: u64, delta: Delta) -> Vec<StreamEvent> {
        let output_index = self.items.saturating_sub(1);
        let Some((_, open)) = self.open.as_mut().filter(|(open, _)| *open == index) else {
            return Vec::new();
        };
        match (delta, open) {
            (
                Delta::Text { text: delta },
                Open::Text {
                    part, characters, ..
                },
            ) if !delta.is_empty() => {
                *characters += delta.chars().count();
                let content_index = *part;
                vec![StreamEvent::TextDelta {
                    output_index,
                    content_index,
                    delta,
                }]
            }
            (Delta::Thinking { thinking: delta }, Open::Thoughts { text, .. })
                if !delta.is_empty() =>
            {
                text.push_str(&delta);
                vec![StreamEvent::SummaryDelta {
                    output_index,
                    summary_index: 0,
                    delta,
                }]
            }
            (Delta::Signature { signature }, Open::Thoughts { seal, .. }) => {
                *seal = sealed(&signature);
                Vec::new()
            }
            (Delta::Citation { citation }, Open::Text { citations, .. }) => {
                citations.push(citation);
                Vec::new()
            }
            (
                Delta::Json {
                    partial_json: delta,
                },
                Open::Call {
                    arguments,
                    is_custom,
                    ..
                },
            ) => {
                arguments.push_str(&delta);
                // The text of a custom tool is inside the object, and is known when that is whole.
                if *is_custom || delta.is_empty() {
                    return Vec::new();
                }
                vec![StreamEvent::ArgumentsDelta {
                    output_index,
                    delta,
                }]
            }
            _ => Vec::new(),
        }
    }

    fn block_end(&mut self, index: u64) -> Vec<StreamEvent> {
        let output_index = self.items.saturating_sub(1);
        match self.open.take_if(|(open, _)| *open == index) {
            Some((
                _,
                Open::Text {
                    part: content_index,
                    characters,
                    citations,
                },
            )) if characters > 0 => citations
                .iter()
                .filter_map(|citation| annotation(citation, characters))
                .map(|annotation| StreamEvent::AnnotationAdded {
                    output_index,
                    content_index,
                    annotation,
                })
                .collect(),
            // A text without a letter is no part.
            Some((_, Open::Text { .. })) => {
                self.parts = self.parts.map(|parts| parts.saturating_sub(1));
                Vec::new()
            }
            Some((_, Open::Thoughts { text, seal })) => {
                let item = thoughts(text, seal);
                vec![StreamEvent::ItemDone { output_index, item }]
            }
            Some((
                _,
                Open::Call {
                    arguments,
                    initial,
                    is_custom,
                },
            )) => {
                let arguments = match (arguments.is_empty(), initial) {
                    (false, _) => arguments,
                    (true, Value::Null) => "{}".to_owned(),
                    (true, initial) => initial.to_string(),
                };
                vec![if is_custom {
                    StreamEvent::CustomInputDone {
                        output_index,
                        input: custom::unwrapped_text(arguments),
                    }
                } else {
                    StreamEvent::ArgumentsDone {
                        output_index,
                        arguments,
                    }
                }]
            }
            None => Vec::new(),
        }
    }

    fn end(&mut self) -> StreamEvent {
        let (status, incomplete) = end_of(&self.stop_reason);
        let response = Answer {
            status,
            incomplete_details: incomplete,
            usage: self.usage.measured().map(|measured| measured.usage),
            ..self.answer.clone()
        };
        if response.incomplete_details.is_some() {
            StreamEvent::Incomplete { response }
        } else {
            StreamEvent::Completed { response }
        }
    }
}
