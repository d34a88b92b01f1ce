//! Which format a provider is spoken to in, and which pairs of formats need no translation.

use crate::vocabulary::{CallerSurface, Provider, ProviderSurface, StartWithin};

/// The provider surface of a request on the provider's own route. A Chat caller's tier words go to OpenAI as they
/// are; only a race needs Responses, which tells when a request has started.
pub fn provider_surface(
    caller: CallerSurface,
    provider: Provider,
    start_within: StartWithin,
) -> ProviderSurface {
    match (provider, caller, start_within) {
        (Provider::Gemini, _, _) => ProviderSurface::GeminiInteractions,
        (Provider::Anthropic, _, _) => ProviderSurface::AnthropicMessages,
        (Provider::Openai, CallerSurface::Chat, StartWithin::Within(_)) => {
            ProviderSurface::OpenaiResponses
        }
        (Provider::Openai, CallerSurface::Chat, _) => ProviderSurface::OpenaiChat,
        (Provider::Openai, _, _) => ProviderSurface::OpenaiResponses,
    }
}

/// Whether the caller's format is the provider's: the body goes through as it is.
pub fn is_native(caller: CallerSurface, surface: ProviderSurface) -> bool {
    native_to(caller) == surface
}

/// The provider format that a caller's format is.
pub fn native_to(caller: CallerSurface) -> ProviderSurface {
    match caller {
        CallerSurface::Responses => ProviderSurface::OpenaiResponses,
        CallerSurface::Chat => ProviderSurface::OpenaiChat,
        CallerSurface::Interactions => ProviderSurface::GeminiInteractions,
        CallerSurface::Messages => ProviderSurface::AnthropicMessages,
    }
}
