//! The canonical request: OpenAI Responses, written by serde as it goes on the wire.

use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::{Dropped, Refused};
use crate::vocabulary::ProviderSurface;

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Conversation {
    /// The model.
    pub model: String,
    /// The turns so far, oldest first.
    pub input: Vec<Item>,
    /// Tools that the model may call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Whether and which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Whether it may call several at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    /// The form of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
    /// How long it may think, and what of it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning>,
    /// What the answer is to hold beside what it always holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<&'static str>,
    /// Tokens that the answer may have, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// Sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    /// Sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Number>,
    /// Texts at which the answer stops. Responses has no such field.
    #[serde(skip)]
    pub stop: Vec<String>,
    /// Makes sampling repeatable. Responses has no such field.
    #[serde(skip)]
    pub seed: Option<Number>,
    /// Whether the provider keeps the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<bool>,
    /// Fields that every OpenAI surface has under the same name, as they came.
    #[serde(flatten)]
    pub common: Map<String, Value>,
}

/// The least that OpenAI takes as `max_output_tokens`.
const LEAST_OUTPUT: u64 = 16;

impl Conversation {
    /// Bounds the output; `path` is told where the bound is below what the provider takes.
    pub(super) fn cap_output(
        &mut self,
        cap: u64,
        provider: ProviderSurface,
        path: &str,
        dropped: &mut Dropped,
    ) {
        let least = match provider {
            ProviderSurface::OpenaiResponses => LEAST_OUTPUT,
            _ => 1,
        };
        if cap < least {
            dropped.note(path);
        }
        self.max_output_tokens = Some(cap.max(least));
    }
}

/// One item of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Item {
    /// Somebody said something.
    Message {
        /// Who.
        role: Role,
        /// What.
        content: Vec<Part>,
    },
    /// The model thought; whoever thought it wants it back.
    Reasoning {
        /// OpenAI's id of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// What was told of it.
        summary: Vec<Summary>,
        /// Sealed by its vendor.
        encrypted_content: String,
    },
    /// The model called a function.
    FunctionCall {
        /// Ties the call to its result.
        call_id: String,
        /// The function.
        name: String,
        /// Its arguments, as JSON text.
        arguments: String,
    },
    /// What a function gave back.
    FunctionCallOutput {
        /// The call.
        call_id: String,
        /// Text or parts.
        output: Output,
        /// Whether the function failed. Responses has no such field.
        #[serde(skip)]
        is_error: bool,
    },
    /// The model called a custom tool.
    CustomToolCall {
        /// Ties the call to its result.
        call_id: String,
        /// The tool.
        name: String,
        /// Free text.
        input: String,
    },
    /// What a custom tool gave back.
    CustomToolCallOutput {
        /// The call.
        call_id: String,
        /// Text or parts.
        output: Output,
    },
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The platform.
    System,
    /// The application.
    Developer,
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// A part of what is told of thoughts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Summary {
    /// Text.
    SummaryText {
        /// The text.
        text: String,
    },
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text of anybody but the model.
    InputText {
        /// The text.
        text: String,
    },
    /// Text of the model.
    OutputText {
        /// The text.
        text: String,
    },
    /// The model declined.
    Refusal {
        /// Its words.
        refusal: String,
    },
    /// An image, by address or as a data URL.
    InputImage {
        /// The address.
        image_url: String,
        /// `auto`, `low`, `high`, `original`.
        detail: String,
    },
    /// A document.
    InputFile {
        /// A file at OpenAI.
        #[serde(skip_serializing_if = "Option::is_none")]
        file_id: Option<String>,
        /// A data URL.
        #[serde(skip_serializing_if = "Option::is_none")]
        file_data: Option<String>,
        /// An address.
        #[serde(skip_serializing_if = "Option::is_none")]
        file_url: Option<String>,
        /// Its name.
        #[serde(skip_serializing_if = "Option::is_none")]
        filename: Option<String>,
    },
}

/// The result of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Output {
    /// Text.
    Text(String),
    /// Text and images.
    Parts(Vec<Part>),
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Tool {
    /// A function with a schema for its arguments.
    Function {
        /// Its name.
        name: String,
        /// What it is for.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The schema.
        parameters: Value,
        /// Whether the schema binds.
        strict: bool,
    },
    /// A tool that takes free text.
    Custom {
        /// Its name.
        name: String,
        /// What it is for.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The form of its input.
        #[serde(skip_serializing_if = "Option::is_none")]
        format: Option<Value>,
    },
}

impl Tool {
    /// What it is called by.
    pub fn name(&self) -> &str {
        match self {
            Self::Function { name, .. } | Self::Custom { name, .. } => name,
        }
    }
}

/// Whether and which tool is called.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ToolChoice {
    /// `auto`, `none`, `required`.
    Mode(String),
    /// One tool, or a list of those allowed.
    Tool(Value),
}

impl ToolChoice {
    /// A mode in the words that Anthropic and Gemini share.
    pub(super) fn mode(word: &str) -> Result<&'static str, Refused> {
        match word {
            "auto" => Ok("auto"),
            "none" => Ok("none"),
            "required" => Ok("any"),
            _ => Err(Refused::new(
                "tool_choice",
                "`tool_choice` must be `auto`, `none`, `required` or name a tool.",
            )),
        }
    }
}

/// The form of the text.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Text {
    /// Free, JSON, or JSON after a schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// `low`, `medium`, `high`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbosity: Option<Value>,
}

/// The format of the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Format {
    /// Free.
    Text,
    /// Any JSON object.
    JsonObject,
    /// JSON after a schema.
    JsonSchema {
        /// The schema's name.
        name: String,
        /// What it is for.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The schema.
        schema: Value,
        /// Whether it binds.
        strict: bool,
    },
}

/// The name of a schema that came without one: OpenAI wants one.
const SCHEMA_NAME: &str = "output";

impl Format {
    /// A schema that binds, from a caller whose format names none.
    pub(super) fn unnamed(schema: Value) -> Self {
        Self::JsonSchema {
            name: SCHEMA_NAME.to_owned(),
            description: None,
            schema,
            strict: true,
        }
    }

    /// Whether each message of the answer is a document of its own.
    pub fn is_structured(&self) -> bool {
        !matches!(self, Self::Text)
    }
}

/// How long the model may think, and what of it is told.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Reasoning {
    /// The effort, in OpenAI's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Value>,
    /// `auto` where a summary is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<&'static str>,
}
