//! What an answer holds before any vendor's format: items, how it ends, token counts.

use serde_json::json;

use super::asked::{Asked, ToolWish};
use super::pieces::split;
use super::schema;
use super::script::{Behaviour, Content, Numbers};

const LONGEST_ECHO: usize = 400;
const REASONING_TOKENS: u64 = 32;

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// A message, cut into the deltas in which it is streamed.
    Text {
        deltas: Vec<String>,
        sources: Vec<Source>,
    },
    /// The model refuses, in these deltas.
    Refusal { deltas: Vec<String> },
    /// Thinking; one summary a part, none when it is not shown. Sealed: the caller wants it as a text that only the
    /// vendor can read.
    Reasoning {
        summaries: Vec<String>,
        sealed: bool,
    },
    /// A function call.
    Call {
        name: String,
        arguments: String,
        deltas: bool,
    },
    /// A call of a custom tool.
    CustomCall { name: String, input: String },
    /// A web search.
    Search { query: String },
}

impl Item {
    /// The text of a message or a refusal.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text { deltas, .. } | Self::Refusal { deltas } => deltas.concat(),
            _ => String::new(),
        }
    }
}

/// What a message cites: bytes `start..end` of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) url: String,
    pub(super) title: String,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Complete,
    TokenLimit,
    Filtered,
    Refused,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) items: Vec<Item>,
    pub(super) end: End,
    pub(super) usage: Numbers,
}

impl Output {
    /// What this behaviour makes of this request.
    pub(super) fn of(asked: &Asked, behaviour: &Behaviour) -> Self {
        let automatic;
        let contents = if behaviour.content.is_empty() {
            automatic = [automatic_content(asked)];
            &automatic[..]
        } else {
            &behaviour.content[..]
        };
        let mut output = Self {
            items: Vec::new(),
            end: End::Complete,
            usage: Numbers::default(),
        };
        for content in contents {
            output.add(*content, asked, behaviour);
        }
        output.usage = behaviour.usage.unwrap_or_else(|| output.counted(asked));
        output
    }

    /// How many pieces of text it is streamed in.
    pub(super) fn deltas(&self) -> usize {
        let of_item = |item: &Item| match item {
            Item::Text { deltas, .. } | Item::Refusal { deltas } => deltas.len(),
            _ => 0,
        };
        self.items.iter().map(of_item).sum()
    }

    /// Whether it asks the caller to run something.
    pub(super) fn calls(&self) -> bool {
        self.items
            .iter()
            .any(|item| matches!(item, Item::Call { .. } | Item::CustomCall { .. }))
    }

    fn add(&mut self, content: Content, asked: &Asked, behaviour: &Behaviour) {
        match content {
            Content::Text => self.items.push(text_item(asked, behaviour)),
            Content::ToolCall => self.items.push(call(asked, 0, true)),
            Content::DeltaLessToolCall => self.items.push(call(asked, 0, false)),
            Content::ParallelToolCalls => self
                .items
                .extend([call(asked, 0, true), call(asked, 1, true)]),
            Content::CustomToolCall => {
                let name = asked.custom_tool().unwrap_or("run").to_owned();
                self.items.push(Item::CustomCall {
                    name,
                    input: format!("You said: {}", asked.last_words()),
                });
            }
            Content::Reasoning => self.items.push(reasoning(asked, &[])),
            Content::ReasoningSummary => {
                let summaries = [
                    "**First** I read the question.",
                    "**Then** I found the answer.",
                ];
                self.items.push(reasoning(asked, &summaries));
            }
            Content::Refusal => {
                let text = behaviour
                    .text
                    .as_deref()
                    .unwrap_or("I cannot help with that.");
                self.items.push(Item::Refusal {
                    deltas: split(text, behaviour),
                });
                self.end = End::Refused;
            }
            Content::Incomplete => {
                self.items.push(text_item(asked, behaviour));
                self.end = End::TokenLimit;
            }
            Content::ContentFilter => {
                self.items.push(text_item(asked, behaviour));
                self.end = End::Filtered;
            }
            Content::WebSearch => {
                self.items.push(Item::Search {
                    query: asked.last_words(),
                });
                self.items.push(cited_item(asked, behaviour));
            }
        }
    }

    /// One token for every four bytes that came in, one for every delta that goes out.
    fn counted(&self, asked: &Asked) -> Numbers {
        let mut numbers = Numbers {
            input: (asked.length as u64 / 4).max(1),
            ..Numbers::default()
        };
        for item in &self.items {
            numbers.output += match item {
                Item::Text { deltas, .. } | Item::Refusal { deltas } => deltas.len() as u64,
                Item::Reasoning { .. } => REASONING_TOKENS,
                Item::Call { arguments, .. } => (arguments.len() as u64 / 4).max(1),
                Item::CustomCall { input, .. } => (input.len() as u64 / 4).max(1),
                Item::Search { .. } => 1,
            };
            if matches!(item, Item::Reasoning { .. }) {
                numbers.reasoning += REASONING_TOKENS;
            }
        }
        numbers
    }
}

/// A call when the request asks for one, or speaks of the weather and brings a tool; otherwise a text.
fn automatic_content(asked: &Asked) -> Content {
    if !asked.body["tools"].is_array() || asked.functions().is_empty() || asked.ends_with_result() {
        return Content::Text;
    }
    match asked.tool_wish() {
        ToolWish::Required | ToolWish::Named(_) => Content::ToolCall,
        ToolWish::Free if asked.last_words().contains("weather") => Content::ToolCall,
        _ => Content::Text,
    }
}

fn reasoning(asked: &Asked, summaries: &[&str]) -> Item {
    let included = asked.body["include"].as_array();
    let sealed = included.is_some_and(|fields| {
        fields
            .iter()
            .any(|field| field == "reasoning.encrypted_content")
    });
    Item::Reasoning {
        summaries: summaries.iter().map(|text| (*text).to_owned()).collect(),
        sealed,
    }
}

fn text_item(asked: &Asked, behaviour: &Behaviour) -> Item {
    let text = match (&behaviour.text, asked.schema()) {
        (Some(text), _) => text.clone(),
        (None, Some(schema)) if schema.is_object() => {
            schema::instance(schema, &echo(asked)).to_string()
        }
        (None, Some(_)) => json!({"answer": echo(asked)}).to_string(),
        (None, None) => echo(asked),
    };
    Item::Text {
        deltas: split(&text, behaviour),
        sources: Vec::new(),
    }
}

fn cited_item(asked: &Asked, behaviour: &Behaviour) -> Item {
    let text = behaviour.text.clone().unwrap_or_else(|| echo(asked));
    let end = text.len();
    let start = text.rfind(' ').map_or(0, |space| space + 1);
    let source = |start, end, number: u32| Source {
        start,
        end,
        url: format!("https://example.com/{number}"),
        title: format!("Example {number}"),
    };
    let sources = vec![
        source(0, start.saturating_sub(1).max(1).min(end), 1),
        source(start, end, 2),
    ];
    Item::Text {
        deltas: split(&text, behaviour),
        sources,
    }
}

fn echo(asked: &Asked) -> String {
    let words = asked.last_words();
    let end = words
        .char_indices()
        .nth(LONGEST_ECHO)
        .map_or(words.len(), |(at, _)| at);
    format!("You said: {}", &words[..end])
}

fn call(asked: &Asked, number: usize, deltas: bool) -> Item {
    let functions = asked.functions();
    let forced = match asked.tool_wish() {
        ToolWish::Named(name) => functions.iter().find(|(known, _)| *known == name),
        _ => None,
    };
    let place = number.min(functions.len().saturating_sub(1));
    let (name, arguments) = match forced.or(functions.get(place)) {
        Some((name, parameters)) if parameters.is_object() => {
            (*name, schema::instance(parameters, "Oslo"))
        }
        Some((name, _)) => (*name, json!({})),
        None => ("get_weather", json!({"city": "Oslo"})),
    };
    Item::Call {
        name: name.to_owned(),
        arguments: arguments.to_string(),
        deltas,
    }
}

#[cfg(test)]
mod tests {
    use super::super::asked::Surface;
    use super::*;

    fn asked(body: serde_json::Value) -> Asked {
        Asked {
            surface: Surface::Responses,
            body,
            length: 40,
        }
    }

    fn text(output: &Output) -> String {
        match &output.items[..] {
            [Item::Text { deltas, .. }] => deltas.concat(),
            other => panic!("not a text: {other:?}"),
        }
    }

    #[test]
    fn deltas_and_their_size_make_the_text_that_long() {
        let behaviour = Behaviour {
            deltas: Some(5),
            delta_bytes: Some(7),
            ..Behaviour::default()
        };
        let output = Output::of(&asked(json!({"input": "hi"})), &behaviour);
        assert_eq!(text(&output).len(), 35);
        assert_eq!(output.usage.output, 5);
    }

    #[test]
    fn the_weather_calls_a_tool_once() {
        let tools = json!([{"type": "function", "name": "f", "parameters": {"properties": {"city": {"type": "string"}}}}]);
        let first = asked(json!({"input": "the weather?", "tools": tools}));
        let expected = Item::Call {
            name: "f".into(),
            arguments: r#"{"city":"Oslo"}"#.into(),
            deltas: true,
        };
        assert_eq!(Output::of(&first, &Behaviour::default()).items, [expected]);
        let input = json!([{"role": "user", "content": "weather"}, {"type": "function_call_output", "output": "4 C"}]);
        let second = asked(json!({"input": input, "tools": tools}));
        assert_eq!(
            text(&Output::of(&second, &Behaviour::default())),
            "You said: weather"
        );
    }

    #[test]
    fn a_schema_makes_the_text_json() {
        let format = json!({"type": "json_schema", "name": "n", "schema": {"properties": {"n": {"type": "integer"}}}});
        let body = json!({"input": "hi", "text": {"format": format}});
        assert_eq!(
            text(&Output::of(&asked(body), &Behaviour::default())),
            r#"{"n":1}"#
        );
    }
}
