//! Which format a provider is spoken to in, and which pairs of formats need no translation.

use crate::vocabulary::{CallerSurface, Provider, ProviderSurface};

/// The provider surface of a request on the provider's own route. OpenAI is spoken to over Responses, which tells when
/// a request has started; only `native_chat`, a Chat request that Responses cannot carry, goes to Chat as it is.
pub fn provider_surface(
    caller: CallerSurface,
    provider: Provider,
    native_chat: bool,
) -> ProviderSurface {
    match provider {
        Provider::Gemini => ProviderSurface::GeminiInteractions,
        Provider::Anthropic => ProviderSurface::AnthropicMessages,
        Provider::Openai if caller == CallerSurface::Chat && native_chat => {
            ProviderSurface::OpenaiChat
        }
        Provider::Openai => ProviderSurface::OpenaiResponses,
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
