//! How an HTTP status is called in each envelope: one table. The number itself is never changed.

/// What a status is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusWords {
    /// `error.type` of the OpenAI envelope.
    pub openai_type: &'static str,
    /// `error.type` of the Anthropic envelope.
    pub anthropic_type: &'static str,
    /// `error.status` of the Google envelope.
    pub google_status: &'static str,
}

/// The words of an error status, 400 to 599.
pub fn status_words(status: u16) -> StatusWords {
    let (openai_type, anthropic_type, google_status) = match status {
        401 => (
            "authentication_error",
            "authentication_error",
            "UNAUTHENTICATED",
        ),
        402 => ("billing_error", "billing_error", "FAILED_PRECONDITION"),
        403 => ("permission_error", "permission_error", "PERMISSION_DENIED"),
        404 => ("invalid_request_error", "not_found_error", "NOT_FOUND"),
        413 => (
            "invalid_request_error",
            "request_too_large",
            "INVALID_ARGUMENT",
        ),
        429 => ("rate_limit_error", "rate_limit_error", "RESOURCE_EXHAUSTED"),
        502 | 503 => ("flexinference_error", "api_error", "UNAVAILABLE"),
        504 => ("flexinference_error", "timeout_error", "DEADLINE_EXCEEDED"),
        529 => ("flexinference_error", "overloaded_error", "UNAVAILABLE"),
        500.. => ("flexinference_error", "api_error", "INTERNAL"),
        _ => (
            "invalid_request_error",
            "invalid_request_error",
            "INVALID_ARGUMENT",
        ),
    };
    StatusWords {
        openai_type,
        anthropic_type,
        google_status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_without_a_row_goes_by_its_hundred() {
        for status in [400, 405, 408, 409, 415, 422, 498, 499] {
            assert_eq!(status_words(status).openai_type, "invalid_request_error");
            assert_eq!(status_words(status).anthropic_type, "invalid_request_error");
            assert_eq!(status_words(status).google_status, "INVALID_ARGUMENT");
        }
        for status in [500, 501, 505, 520, 599] {
            assert_eq!(status_words(status).openai_type, "flexinference_error");
            assert_eq!(status_words(status).anthropic_type, "api_error");
            assert_eq!(status_words(status).google_status, "INTERNAL");
        }
    }

    #[test]
    fn a_body_too_large_differs_in_one_envelope_only() {
        assert_eq!(status_words(413).anthropic_type, "request_too_large");
        assert_eq!(status_words(413).openai_type, "invalid_request_error");
        assert_eq!(status_words(413).google_status, "INVALID_ARGUMENT");
    }

    #[test]
    fn an_overload_is_no_plain_server_error() {
        assert_eq!(status_words(529).anthropic_type, "overloaded_error");
        assert_eq!(status_words(529).google_status, "UNAVAILABLE");
    }
}
