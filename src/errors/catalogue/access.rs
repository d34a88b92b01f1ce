//! Rows about keys: the router's, and the org's own at the providers.

use super::Class::{Authentication, Validation};
use super::{Origin, Row, Texts, refused};
use crate::errors::Code;

const ROUTER_KEY_EXAMPLE: &str = "Authorization: Bearer flex_live_…";

pub(super) const ROWS: [Row; 12] = [
    refused(
        Code::MissingApiKey,
        "missing_api_key",
        401,
        Authentication,
        Texts {
            rule: "A request carries a key of this router in Authorization: Bearer, x-api-key or \
                   x-goog-api-key.",
            fix: "Set the router key as the API key of your client.",
            example: ROUTER_KEY_EXAMPLE,
        },
    ),
    refused(
        Code::InvalidApiKey,
        "invalid_api_key",
        401,
        Authentication,
        Texts {
            rule: "A key of this router is flex_live_ and 30 hexadecimal digits, the last six of \
                   them a checksum; a provider's key is not one.",
            fix: "Copy the router key again, whole, or make a new one.",
            example: ROUTER_KEY_EXAMPLE,
        },
    ),
    refused(
        Code::RevokedApiKey,
        "revoked_api_key",
        401,
        Authentication,
        Texts {
            rule: "A key that was revoked or has expired is no longer accepted.",
            fix: "Use another router key, or have a new one made.",
            example: ROUTER_KEY_EXAMPLE,
        },
    ),
    no_key(
        Code::NoByokKey,
        "no_byok_key",
        "startline provider-key set openai",
    ),
    no_key(
        Code::NoGeminiKey,
        "no_gemini_key",
        "startline provider-key set google",
    ),
    no_key(
        Code::NoAnthropicKey,
        "no_anthropic_key",
        "startline provider-key set anthropic",
    ),
    no_key(
        Code::NoVertexKey,
        "no_vertex_key",
        "startline provider-key set vertex",
    ),
    no_key(
        Code::NoBedrockKey,
        "no_bedrock_key",
        "startline provider-key set bedrock",
    ),
    no_key(
        Code::NoFoundryKey,
        "no_foundry_key",
        "startline provider-key set foundry",
    ),
    no_key(
        Code::NoCloudflareKey,
        "no_cloudflare_key",
        "startline provider-key set cloudflare",
    ),
    no_key(
        Code::NoCustomKey,
        "no_custom_key",
        "startline provider-key set my-route",
    ),
    Row {
        code: Code::UpstreamAuthFailed,
        word: "upstream_auth_failed",
        status: 403,
        class: Authentication,
        origin: Origin::Provider,
        retryable: false,
        rule: "The provider has rejected the key that the org keeps for this route; the router \
               key of the request was accepted.",
        fix: "Store a working provider key for the route.",
        example: "startline provider-key set openai",
    },
];

const fn no_key(code: Code, word: &'static str, example: &'static str) -> Row {
    refused(
        code,
        word,
        400,
        Validation,
        Texts {
            rule: "Every route that a request uses, or names in provider, needs the org's own \
                   key at that provider.",
            fix: "Store a key for the route, or name only routes that have one.",
            example,
        },
    )
}
