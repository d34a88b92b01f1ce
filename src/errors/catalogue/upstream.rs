//! Rows of limits that are reached, and of failures on the way: the providers' and the router's own.

use super::Class::{Internal, Quota};
use super::{Row, Texts, passing, upstream};
use crate::errors::Code;

const RETRY_EXAMPLE: &str = r#"{"retry": {"count": 2}}"#;

pub(super) const ROWS: [Row; 11] = [
    passing(
        Code::RateLimitExceeded,
        "rate_limit_exceeded",
        429,
        Quota,
        Texts {
            rule: "Requests of an org, and failed keys from one address, are limited by the \
                   minute; GET /v1/limits shows the limits.",
            fix: "Wait for the seconds named in Retry-After, then send the request again.",
            example: "Retry-After: 5",
        },
    ),
    passing(
        Code::ConcurrencyLimitExceeded,
        "concurrency_limit_exceeded",
        429,
        Quota,
        Texts {
            rule: "A provider key carries a limited number of requests at once, and a limited \
                   number may wait for their turn for a limited time.",
            fix: "Send fewer requests at once, try again later, or have the limit of the key \
                   raised.",
            example: "GET /v1/limits",
        },
    ),
    upstream(
        Code::UpstreamUnavailable,
        "upstream_unavailable",
        502,
        Texts {
            rule: "A connection to the provider has to open within the connect timeout, 10 s \
                   unless the operator has set another; nothing was sent.",
            fix: "Send the request again, or let the router do so with retry.",
            example: RETRY_EXAMPLE,
        },
    ),
    upstream(
        Code::UpstreamConnectionLost,
        "upstream_connection_lost",
        502,
        Texts {
            rule: "A connection that breaks before the answer's status line is not used again \
                   for the same request, because the provider may have begun it.",
            fix: "Send the request again if doing it twice does no harm.",
            example: r#"{"start_within": "default", "provider": ["google", "vertex"]}"#,
        },
    ),
    upstream(
        Code::UpstreamStreamFailed,
        "upstream_stream_failed",
        502,
        Texts {
            rule: "An answer that fails after it has started is never repeated or moved to \
                   another tier, because part of it is done and paid for.",
            fix: "Send the request again.",
            example: RETRY_EXAMPLE,
        },
    ),
    upstream(
        Code::UpstreamInvalidResponse,
        "upstream_invalid_response",
        502,
        Texts {
            rule: "A provider answers with a status and a body of its own format, no larger than \
                   the bound for answers.",
            fix: "Send the request again; if it repeats, check the provider's address in the \
                   configuration.",
            example: r#"base_url = "https://api.openai.com/v1""#,
        },
    ),
    upstream(
        Code::UpstreamTimeout,
        "upstream_timeout",
        504,
        Texts {
            rule: "The provider's answer has to begin within the response_head timeout: 120 s \
                   for a stream and 1,200 s otherwise, unless the operator has set others.",
            fix: "Ask for a stream or for a shorter answer, and send the request again.",
            example: r#"{"stream": true}"#,
        },
    ),
    passing(
        Code::InternalError,
        "internal_error",
        500,
        Internal,
        Texts {
            rule: "The router answers every request that it accepts; this is a fault of the \
                   router.",
            fix: "Send the request again; if it repeats, report the x-request-id of this answer \
                   to the operator.",
            example: "x-request-id: req_…",
        },
    ),
    passing(
        Code::ShuttingDown,
        "shutting_down",
        503,
        Internal,
        Texts {
            rule: "A router that is being stopped finishes what it has and takes nothing new.",
            fix: "Send the request again; it will reach another replica or the new process.",
            example: "Retry-After: 1",
        },
    ),
    passing(
        Code::StoreUnavailable,
        "store_unavailable",
        503,
        Internal,
        Texts {
            rule: "The router has to read its store to answer this, and the store does not answer.",
            fix: "Send the request again later; the operator sees the cause in /readyz.",
            example: "GET /readyz",
        },
    ),
    passing(
        Code::ServerBusy,
        "server_busy",
        503,
        Internal,
        Texts {
            rule: "The bodies of all requests in progress have an upper bound together, and this \
                   one does not fit beside the others.",
            fix: "Send the request again in a moment, or send less.",
            example: "Retry-After: 1",
        },
    ),
];
