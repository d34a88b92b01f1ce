//! Rows of what can be wrong with a request as it arrives, in the order of the checks.

use super::Class::{Capability, Validation};
use super::{Row, Texts, passing, refused};
use crate::errors::Code;

pub(super) const ROWS: [Row; 17] = [
    refused(
        Code::NotFound,
        "not_found",
        404,
        Validation,
        Texts {
            rule: "The router answers POST /v1/responses, /v1/chat/completions, /v1/interactions \
                   and /v1/messages, and a few GET endpoints; everything else of a vendor's API \
                   is not routed.",
            fix: "Set the base URL to this router's address with /v1 (without it for the \
                   Anthropic and Google SDKs), or call the provider itself.",
            example: "POST /v1/responses",
        },
    ),
    refused(
        Code::MethodNotAllowed,
        "method_not_allowed",
        405,
        Validation,
        Texts {
            rule: "Every path has its method; the Allow header of this answer names it.",
            fix: "Send the request with that method.",
            example: "POST /v1/responses",
        },
    ),
    refused(
        Code::UnsupportedContentEncoding,
        "unsupported_content_encoding",
        415,
        Validation,
        Texts {
            rule: "A request body is sent as it is, without a Content-Encoding.",
            fix: "Turn off request compression in the client.",
            example: "Content-Encoding: identity",
        },
    ),
    refused(
        Code::RequestTooLarge,
        "request_too_large",
        413,
        Validation,
        Texts {
            rule: "A request body has an upper bound, 32 MiB unless the operator has set another.",
            fix: "Send less: upload large files to the provider and refer to them, or leave out \
                   older turns.",
            example: r#"{"type": "input_file", "file_url": "https://example.com/report.pdf"}"#,
        },
    ),
    passing(
        Code::RequestTimeout,
        "request_timeout",
        408,
        Validation,
        Texts {
            rule: "A request body has to arrive whole within a time limit, 60 s unless the \
                   operator has set another.",
            fix: "Send the request again over a faster connection, or send less.",
            example: "POST /v1/responses with its whole body at once",
        },
    ),
    refused(
        Code::InvalidJson,
        "invalid_json",
        400,
        Validation,
        Texts {
            rule: "The body is one JSON object in UTF-8, nested at most 128 levels deep, and \
                   model, stream and the router's own fields stand in it at most once.",
            fix: "Build the body with a JSON library and send it as it is.",
            example: r#"{"model": "gpt-5.4-mini", "start_within": "00h-00m-30s", "input": "Hello"}"#,
        },
    ),
    refused(
        Code::MissingModel,
        "missing_model",
        400,
        Validation,
        Texts {
            rule: "model is required and is a non-empty string of at most 512 bytes.",
            fix: "Name the model; GET /v1/models lists those that the router knows.",
            example: r#"{"model": "gpt-5.4-mini", "start_within": "00h-00m-30s", "input": "Hello"}"#,
        },
    ),
    refused(
        Code::MissingStartWithin,
        "missing_start_within",
        400,
        Validation,
        Texts {
            rule: "start_within is required and says how long the request may wait to start: \
                   default, priority, auto, or a duration HHh-MMm-SSs from 5 s to 600 s.",
            fix: "Add it to the body; SDKs of the vendors take it as an extra body field.",
            example: r#"{"model": "gpt-5.4-mini", "start_within": "00h-00m-30s", "input": "Hello"}"#,
        },
    ),
    refused(
        Code::InvalidStartWithin,
        "invalid_start_within",
        400,
        Validation,
        Texts {
            rule: "start_within is the string default, priority or auto, or a duration \
                   HHh-MMm-SSs with two digits each, from 5 s to 600 s in all.",
            fix: "Use one of the words, or write the duration with two digits each.",
            example: r#"{"start_within": "00h-01m-30s"}"#,
        },
    ),
    refused(
        Code::ServiceTierNotAllowed,
        "service_tier_not_allowed",
        400,
        Validation,
        Texts {
            rule: "service_tier is not sent, not even as null: start_within decides about the \
                   tier.",
            fix: "Remove service_tier and say with start_within what you want.",
            example: r#"{"start_within": "priority"}"#,
        },
    ),
    refused(
        Code::InvalidRetry,
        "invalid_retry",
        400,
        Validation,
        Texts {
            rule: "retry is an object with count (an integer from 1 to 5, required), backoff \
                   (exponential or linear) and jitter (true or false), and nothing else.",
            fix: "Correct the object, or leave retry out.",
            example: r#"{"retry": {"count": 2, "backoff": "exponential", "jitter": true}}"#,
        },
    ),
    refused(
        Code::InvalidProviderChain,
        "invalid_provider_chain",
        400,
        Validation,
        Texts {
            rule: "provider is an array of one to three different route names: openai, google, \
                   anthropic, vertex, bedrock, foundry, cloudflare.",
            fix: "Correct the array, or leave provider out for the model's own route.",
            example: r#"{"provider": ["google", "vertex"]}"#,
        },
    ),
    refused(
        Code::InvalidIncludeCost,
        "invalid_include_cost",
        400,
        Validation,
        Texts {
            rule: "include_cost is true or false.",
            fix: "Send a boolean, or leave include_cost out.",
            example: r#"{"include_cost": true}"#,
        },
    ),
    refused(
        Code::InvalidStream,
        "invalid_stream",
        400,
        Validation,
        Texts {
            rule: "stream is true, false or null.",
            fix: "Send a boolean, or leave stream out for an answer in one piece.",
            example: r#"{"stream": true}"#,
        },
    ),
    refused(
        Code::MissingInput,
        "missing_input",
        400,
        Validation,
        Texts {
            rule: "input is required, unless prompt, conversation or previous_response_id (on \
                   /v1/responses) or continuation_token (on /v1/interactions) is there.",
            fix: "Say in input what the model is to answer.",
            example: r#"{"model": "gpt-5.4-mini", "start_within": "default", "input": "Hello"}"#,
        },
    ),
    refused(
        Code::MissingMessages,
        "missing_messages",
        400,
        Validation,
        Texts {
            rule: "messages is required and is an array.",
            fix: "Send the conversation as an array of messages.",
            example: r#"{"messages": [{"role": "user", "content": "Hello"}]}"#,
        },
    ),
    refused(
        Code::KeyDefaultNotApplicable,
        "key_default_not_applicable",
        400,
        Capability,
        Texts {
            rule: "A key's default start_within is used for a request that has none, and has to \
                   fit the model and the route like any other.",
            fix: "Send a start_within that fits, which wins over the key's default, or have the \
                   default of the key changed.",
            example: r#"{"model": "claude-opus-4-8", "start_within": "default"}"#,
        },
    ),
];
