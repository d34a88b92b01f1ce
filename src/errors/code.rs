//! The codes, by name. What each one means stands in the catalogue.

use super::catalogue::{self, Row};
use crate::vocabulary::Route;

/// A code of ours, as it stands in `error.code` and in the `flexinference` block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(
    missing_docs,
    reason = "each one is described by its row of the catalogue"
)]
pub enum Code {
    // The request as it arrives.
    NotFound,
    MethodNotAllowed,
    UnsupportedContentEncoding,
    RequestTooLarge,
    RequestTimeout,
    InvalidJson,
    MissingModel,
    MissingStartWithin,
    InvalidStartWithin,
    ServiceTierNotAllowed,
    InvalidRetry,
    InvalidProviderChain,
    InvalidIncludeCost,
    InvalidStream,
    MissingInput,
    MissingMessages,
    KeyDefaultNotApplicable,
    // What the model, the route or the format cannot do.
    ProviderModelMismatch,
    AutoUnsupportedForGemini,
    FlexUnsupportedForAnthropic,
    FlexUnsupportedOnCloud,
    FlexModelNotCapable,
    TierUnsupportedOnRoute,
    FlexUnsupportedChatParams,
    UnsupportedParameter,
    ModelNotFound,
    NotImplemented,
    // Keys, of ours and of the providers.
    MissingApiKey,
    InvalidApiKey,
    RevokedApiKey,
    NoByokKey,
    NoGeminiKey,
    NoAnthropicKey,
    NoVertexKey,
    NoBedrockKey,
    NoFoundryKey,
    NoCloudflareKey,
    NoCustomKey,
    UpstreamAuthFailed,
    // Limits and failures.
    RateLimitExceeded,
    ConcurrencyLimitExceeded,
    UpstreamUnavailable,
    UpstreamConnectionLost,
    UpstreamStreamFailed,
    UpstreamInvalidResponse,
    UpstreamTimeout,
    InternalError,
    ShuttingDown,
    StoreUnavailable,
    ServerBusy,
}

impl Code {
    /// How many there are.
    pub const COUNT: usize = Self::ServerBusy as usize + 1;

    /// Its row of the catalogue.
    pub fn row(self) -> &'static Row {
        catalogue::row(self)
    }

    /// The word on the wire.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// The code of a request that names a route for which the org has no key.
    pub fn no_key_for(route: Route) -> Self {
        match route {
            Route::Openai => Self::NoByokKey,
            Route::Google => Self::NoGeminiKey,
            Route::Anthropic => Self::NoAnthropicKey,
            Route::Vertex => Self::NoVertexKey,
            Route::Bedrock => Self::NoBedrockKey,
            Route::Foundry => Self::NoFoundryKey,
            Route::Cloudflare => Self::NoCloudflareKey,
        }
    }
}
