//! The words of the product as types: surfaces, providers, routes, and how a request may start. Every other module
//! speaks in these.

use std::time::Duration;

/// The wire format that a caller speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallerSurface {
    /// `POST /v1/responses`.
    Responses,
    /// `POST /v1/chat/completions`.
    Chat,
    /// `POST /v1/interactions`.
    Interactions,
    /// `POST /v1/messages`.
    Messages,
}

/// The wire format that a provider is spoken to in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProviderSurface {
    /// OpenAI Responses.
    OpenaiResponses,
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// Gemini Interactions.
    GeminiInteractions,
    /// Anthropic Messages.
    AnthropicMessages,
}

impl ProviderSurface {
    /// The word of `x-flexinference-provider-surface`.
    pub fn word(self) -> &'static str {
        match self {
            Self::OpenaiResponses => "openai.responses",
            Self::OpenaiChat => "openai.chat",
            Self::GeminiInteractions => "gemini.interactions",
            Self::AnthropicMessages => "anthropic.messages",
        }
    }
}

/// Who makes the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// OpenAI, and every model that is nobody else's.
    Openai,
    /// Google's Gemini.
    Gemini,
    /// Anthropic's Claude.
    Anthropic,
}

impl Provider {
    /// The word used in error blocks.
    pub fn word(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Gemini => "gemini",
            Self::Anthropic => "anthropic",
        }
    }
}

/// A way to reach a model. The cloud routes are named in a `provider` chain and refused until they can be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Route {
    /// OpenAI, direct.
    Openai,
    /// The Gemini API, direct.
    Google,
    /// Anthropic, direct.
    Anthropic,
    /// Gemini models on Vertex AI.
    Vertex,
    /// Claude models on Amazon Bedrock.
    Bedrock,
    /// OpenAI models on Azure AI Foundry.
    Foundry,
    /// Open models on Cloudflare Workers AI.
    Cloudflare,
}

impl Route {
    /// Every route, in the order in which error texts list them.
    pub const ALL: [Self; 7] = [
        Self::Openai,
        Self::Google,
        Self::Anthropic,
        Self::Vertex,
        Self::Bedrock,
        Self::Foundry,
        Self::Cloudflare,
    ];

    /// The name used in `provider` and in `x-flexinference-served-provider`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Google => "google",
            Self::Anthropic => "anthropic",
            Self::Vertex => "vertex",
            Self::Bedrock => "bedrock",
            Self::Foundry => "foundry",
            Self::Cloudflare => "cloudflare",
        }
    }

    /// The route with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.name() == name)
    }

    /// Whether the route is a cloud's and serves standard only.
    pub fn is_cloud(self) -> bool {
        !matches!(self, Self::Openai | Self::Google | Self::Anthropic)
    }
}

/// The value of `start_within`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartWithin {
    /// The provider's standard tier.
    Default,
    /// The provider's fastest tier.
    Priority,
    /// The provider chooses.
    Auto,
    /// Race flex against this duration, 5 s to 600 s.
    Within(Duration),
}
