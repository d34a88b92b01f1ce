//! Gemini's stream events as canonical ones, one by one as they come.

use serde::Deserialize;
use serde_json::Value;

use super::answer::{
    Content, Interaction, Step, annotation, arguments_text, call_id, called, response_id, sealed,
};
use crate::translate::answer::{Answer, OutputItem, OutputPart};
use crate::translate::events::StreamEvent;
use crate::translate::{Given, custom};
use crate::vocabulary::ProviderSurface;
use crate::wire::usage::UsageCollector;

#[derive(Deserialize)]
#[serde(tag = "event_type")]
enum Event {
    #[serde(rename = "interaction.created")]
    Created { interaction: Interaction },
    #[serde(rename = "step.start")]
    StepStart { index: u64, step: Step },
    #[serde(rename = "step.delta")]
    StepDelta { index: u64, delta: Delta },
    #[serde(rename = "step.stop")]
    StepStop { index: u64 },
    #[serde(rename = "interaction.completed")]
    Completed { interaction: Interaction },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Delta {
    Text {
        text: String,
    },
    #[serde(rename = "text_annotation_delta")]
    Annotations {
        #[serde(default)]
        annotations: Vec<Value>,
    },
    #[serde(rename = "arguments_delta")]
    Arguments {
        arguments: String,
    },
    ThoughtSummary {
        content: Content,
    },
    ThoughtSignature {
        signature: String,
    },
    #[serde(other)]
    Other,
}

/// Reads one stream.
pub struct EventReader {
    custom: Vec<String>,
    given: Given,
    usage: UsageCollector,
    answer: Answer,
    /// How many items have been opened.
    items: u64,
    /// The step that is open: the vendor opens one after the other.
    open: Option<(u64, Open)>,
}

enum Open {
    Thought {
        signature: Option<String>,
    },
    Text {
        text: String,
        annotations: Vec<Value>,
    },
    Call {
        call_id: String,
        name: String,
        arguments: String,
        /// What came whole with the beginning.
        initial: Value,
        is_custom: bool,
    },
    Other,
}

impl EventReader {
    /// A reader at the beginning of a stream. `custom` are the names of custom tools; `tier` holds until the end tells
    /// which tier served.
    pub fn new(custom: Vec<String>, given: Given, tier: &str) -> Self {
        Self {
            custom,
            usage: UsageCollector::new(ProviderSurface::GeminiInteractions),
            answer: Answer {
                created_at: given.created_at as f64,
                status: "in_progress".to_owned(),
                service_tier: Some(tier.to_owned()),
                ..Answer::default()
            },
            given,
            items: 0,
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
            Event::Created { interaction } => vec![self.begin(interaction)],
            Event::StepStart { index, step } => {
                let mut events = self.close();
                self.start(index, step, &mut events);
                events
            }
            Event::StepDelta { index, delta } => self.delta(index, delta),
            Event::StepStop { index } if self.is_open(index) => self.close(),
            Event::Completed { interaction } => {
                let mut events = self.close();
                events.extend(self.end(interaction));
                events
            }
            Event::StepStop { .. } | Event::Other => Vec::new(),
        }
    }

    fn is_open(&self, index: u64) -> bool {
        matches!(self.open, Some((open, _)) if open == index)
    }

    fn begin(&mut self, interaction: Interaction) -> StreamEvent {
        self.answer.id = response_id(&interaction.id, &self.given);
        self.answer.model = interaction.model;
        let response = self.answer.clone();
        StreamEvent::Created { response }
    }

    fn start(&mut self, index: u64, step: Step, events: &mut Vec<StreamEvent>) {
        let output_index = self.items;
        self.items += 1;
        let mut text_at_once = String::new();
        let mut cited_at_once = Vec::new();
        let mut summary_at_once = Vec::new();
        let (item, open) = match step {
            Step::Thought { signature, summary } => {
                summary_at_once = summary;
                (thoughts(None), Open::Thought { signature })
            }
            Step::ModelOutput { content } => {
                for part in content {
                    if let Content::Text { text, annotations } = part {
                        text_at_once.push_str(&text);
                        cited_at_once.extend(annotations.unwrap_or_default());
                    }
                }
                let content = Vec::new();
                let open = Open::Text {
                    text: String::new(),
                    annotations: Vec::new(),
                };
                (OutputItem::Message { content }, open)
            }
            Step::FunctionCall {
                id,
                name,
                arguments: initial,
            } => {
                let call_id = call_id(id, &self.given, output_index as usize);
                let is_custom = self.custom.contains(&name);
                let item = called(is_custom, call_id.clone(), name.clone(), String::new());
                let open = Open::Call {
                    call_id,
                    name,
                    arguments: String::new(),
                    initial,
                    is_custom,
                };
                (item, open)
            }
            Step::Other => (OutputItem::Other, Open::Other),
        };
        events.push(StreamEvent::ItemAdded { output_index, item });
        self.open = Some((index, open));
        let delta = Delta::Text { text: text_at_once };
        events.extend(self.delta(index, delta));
        let annotations = cited_at_once;
        events.extend(self.delta(index, Delta::Annotations { annotations }));
        for content in summary_at_once {
            events.extend(self.delta(index, Delta::ThoughtSummary { content }));
        }
    }

    fn delta(&mut self, index: u64, delta: Delta) -> Vec<StreamEvent> {
        let output_index = self.items.saturating_sub(1);
        let Some((_, open)) = self.open.as_mut().filter(|(open, _)| *open == index) else {
            return Vec::new();
        };
        match (delta, open) {
            (Delta::Text { text: delta }, Open::Text { text, .. }) if !delta.is_empty() => {
                text.push_str(&delta);
                vec![StreamEvent::TextDelta {
                    output_index,
                    content_index: 0,
                    delta,
                }]
            }
            (Delta::Annotations { annotations: more }, Open::Text { text, annotations }) => {
                let more: Vec<Value> = more
                    .iter()
                    .filter_map(|given| annotation(given, text))
                    .collect();
                annotations.extend(more.clone());
                let added = |annotation| StreamEvent::AnnotationAdded {
                    output_index,
                    content_index: 0,
                    annotation,
                };
                more.into_iter().map(added).collect()
            }
            (
                Delta::Arguments { arguments: delta },
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
            (
                Delta::ThoughtSummary {
                    content: Content::Text { text: delta, .. },
                },
                Open::Thought { .. },
            ) if !delta.is_empty() => {
                vec![StreamEvent::SummaryDelta {
                    output_index,
                    summary_index: 0,
                    delta,
                }]
            }
            (Delta::ThoughtSignature { signature: last }, Open::Thought { signature }) => {
                *signature = Some(last);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Ends the step that is open, if one is.
    fn close(&mut self) -> Vec<StreamEvent> {
        let output_index = self.items.saturating_sub(1);
        let Some((_, open)) = self.open.take() else {
            return Vec::new();
        };
        let mut events = Vec::new();
        let item = match open {
            Open::Thought { signature } => thoughts(sealed(signature)),
            Open::Text { text, annotations } => OutputItem::Message {
                content: vec![OutputPart::OutputText { text, annotations }],
            },
            Open::Call {
                call_id,
                name,
                arguments,
                initial,
                is_custom,
            } => {
                let arguments = if arguments.is_empty() {
                    arguments_text(&initial)
                } else {
                    arguments
                };
                let whole = if is_custom {
                    custom::unwrapped_text(arguments)
                } else {
                    arguments
                };
                events.push(if is_custom {
                    let input = whole.clone();
                    StreamEvent::CustomInputDone {
                        output_index,
                        input,
                    }
                } else {
                    let arguments = whole.clone();
                    StreamEvent::ArgumentsDone {
                        output_index,
                        arguments,
                    }
                });
                called(is_custom, call_id, name, whole)
            }
            Open::Other => OutputItem::Other,
        };
        events.push(StreamEvent::ItemDone { output_index, item });
        events
    }

    /// A failure is told otherwise.
    fn end(&mut self, interaction: Interaction) -> Option<StreamEvent> {
        let (status, incomplete) = interaction.end()?;
        let response = Answer {
            status,
            incomplete_details: incomplete,
            service_tier: interaction.service_tier.or(self.answer.service_tier.take()),
            usage: self.usage.measured().map(|measured| measured.usage),
            ..self.answer.clone()
        };
        Some(if response.incomplete_details.is_some() {
            StreamEvent::Incomplete { response }
        } else {
            StreamEvent::Completed { response }
        })
    }
}

/// Thoughts whose summary has been told in deltas.
fn thoughts(encrypted_content: Option<String>) -> OutputItem {
    OutputItem::Reasoning {
        id: String::new(),
        summary: Vec::new(),
        encrypted_content,
    }
}
