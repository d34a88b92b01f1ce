//! Rows of what a model, a route or a format cannot do.

use super::Class::{Capability, Validation};
use super::{Row, Texts, refused};
use crate::errors::Code;

pub(super) const ROWS: [Row; 10] = [
    refused(
        Code::ProviderModelMismatch,
        "provider_model_mismatch",
        400,
        Capability,
        Texts {
            rule: "Every route named in provider has to serve the model: openai and foundry \
                   OpenAI models, google and vertex Gemini models, anthropic and bedrock Claude \
                   models, cloudflare the models listed for it.",
            fix: "Name routes that serve this model, or leave provider out.",
            example: r#"{"model": "gemini-3.5-flash", "provider": ["google"]}"#,
        },
    ),
    refused(
        Code::AutoUnsupportedForGemini,
        "auto_unsupported_for_gemini",
        400,
        Capability,
        Texts {
            rule: "Gemini has no tier that chooses by itself, so start_within auto is not \
                   available on Gemini models.",
            fix: "Use default, priority or a duration.",
            example: r#"{"model": "gemini-3.5-flash", "start_within": "default"}"#,
        },
    ),
    refused(
        Code::FlexUnsupportedForAnthropic,
        "flex_unsupported_for_anthropic",
        400,
        Capability,
        Texts {
            rule: "Anthropic has no flex tier, so a duration cannot be raced on a Claude model, \
                   whatever the route.",
            fix: "Use default, priority or auto, or another model.",
            example: r#"{"model": "claude-opus-4-8", "start_within": "default"}"#,
        },
    ),
    refused(
        Code::FlexUnsupportedOnCloud,
        "flex_unsupported_on_cloud",
        400,
        Capability,
        Texts {
            rule: "Cloud and custom routes serve the standard tier only, so a duration needs a \
                   direct route in the first place of provider.",
            fix: "Put the direct route first, or use start_within default.",
            example: r#"{"start_within": "00h-00m-30s", "provider": ["google", "vertex"]}"#,
        },
    ),
    refused(
        Code::FlexModelNotCapable,
        "flex_model_not_capable",
        400,
        Capability,
        Texts {
            rule: "A duration needs a model with a flex tier, named by its alias and not by a \
                   dated snapshot; GET /v1/models marks them with flex_race.",
            fix: "Choose such a model, or use default, priority or auto, which work with any.",
            example: r#"{"model": "gpt-5.4-mini", "start_within": "00h-00m-30s"}"#,
        },
    ),
    refused(
        Code::TierUnsupportedOnRoute,
        "tier_unsupported_on_route",
        400,
        Capability,
        Texts {
            rule: "Cloud and custom routes serve the standard tier only, so priority and auto \
                   need a chain of direct routes.",
            fix: "Leave the cloud routes out of provider, or use start_within default.",
            example: r#"{"start_within": "default", "provider": ["google", "vertex"]}"#,
        },
    ),
    refused(
        Code::FlexUnsupportedChatParams,
        "flex_unsupported_chat_params",
        400,
        Capability,
        Texts {
            rule: "A race is run over the Responses API, which has no counterpart for some Chat \
                   Completions parameters, so a duration cannot be combined with them.",
            fix: "Remove the parameter, or use default, priority or auto.",
            example: r#"{"model": "gpt-5.4-mini", "start_within": "00h-00m-30s", "messages": []}"#,
        },
    ),
    refused(
        Code::UnsupportedParameter,
        "unsupported_parameter",
        400,
        Capability,
        Texts {
            rule: "A parameter that the serving provider has no counterpart for is refused \
                   rather than dropped in silence.",
            fix: "Remove the parameter, or choose a model of a provider that knows it.",
            example: r#"{"model": "gpt-5.4-mini", "start_within": "default", "input": "Hello"}"#,
        },
    ),
    refused(
        Code::ModelNotFound,
        "model_not_found",
        404,
        Validation,
        Texts {
            rule: "The catalogue lists model aliases, without dated snapshots.",
            fix: "GET /v1/models lists every id; a model that is not listed can still be called \
                   with default, priority or auto.",
            example: "GET /v1/models/gpt-5.4-mini",
        },
    ),
    refused(
        Code::NotImplemented,
        "not_implemented",
        501,
        Capability,
        Texts {
            rule: "This version serves OpenAI models on /v1/responses and /v1/chat/completions, \
                   Gemini models on /v1/interactions and Claude models on /v1/messages.",
            fix: "Call the endpoint of the model's own provider.",
            example: "POST /v1/messages for claude-opus-4-8",
        },
    ),
];
