//! What error answers mean, per provider.

use startline_actors::classify::Verdict::{self, Final, KeyRejected, Spent, Transient};

use crate::vocabulary::ProviderSurface::{
    self, AnthropicMessages, GeminiInteractions, OpenaiChat, OpenaiResponses,
};
use crate::wire::dialect;

const ALL: [ProviderSurface; 4] = [
    OpenaiResponses,
    OpenaiChat,
    GeminiInteractions,
    AnthropicMessages,
];

fn check(surface: ProviderSurface, rows: &[(u16, &str, Verdict)]) {
    for (status, body, verdict) in rows {
        assert_eq!(
            dialect(surface).judge(*status, body.as_bytes()),
            *verdict,
            "{status} {body}"
        );
    }
}

#[test]
fn a_status_alone_decides_when_the_body_says_nothing() {
    for surface in ALL {
        for body in [
            "",
            "{",
            "<html>",
            "[]",
            "null",
            r#"{"error":"no"}"#,
            r#"{"error":{"code":7,"details":[3]}}"#,
        ] {
            for status in [400, 402, 403, 404, 409, 413, 415, 422, 499] {
                check(surface, &[(status, body, Final)]);
            }
            for status in [408, 429, 500, 502, 503, 504, 529, 599] {
                check(surface, &[(status, body, Transient)]);
            }
            check(surface, &[(401, body, KeyRejected)]);
        }
    }
}

#[test]
fn openai_tells_spent_money_by_code_or_type() {
    for surface in [OpenaiResponses, OpenaiChat] {
        for code in [
            "insufficient_quota",
            "credit_balance_exhausted",
            "organization_spend_limit_exceeded",
            "project_spend_limit_exceeded",
            "organization_usage_limit_exceeded",
            "billing_hard_limit_reached",
        ] {
            let by_code = format!(
                r#"{{"error":{{"message":"m","type":"rate_limit_error","code":"{code}"}}}}"#
            );
            let by_type = format!(r#"{{"error":{{"message":"m","type":"{code}","code":null}}}}"#);
            check(
                surface,
                &[
                    (429, &by_code, Spent),
                    (429, &by_type, Spent),
                    (503, &by_code, Transient),
                ],
            );
        }
        check(
            surface,
            &[
                (
                    429,
                    r#"{"error":{"message":"insufficient_quota","type":"tokens","code":"rate_limit_exceeded"}}"#,
                    Transient,
                ),
                (
                    429,
                    r#"{"error":{"message":"Resource Unavailable","type":"rate_limit_error"}}"#,
                    Transient,
                ),
            ],
        );
    }
}

#[test]
fn openai_403_is_about_the_key_only_when_it_says_so() {
    let scopes = r#"{"error":{"message":"You have insufficient permissions for this operation. Missing scopes: model.request."}}"#;
    let key = r#"{"error":{"message":"This API key has been disabled."}}"#;
    let model = r#"{"error":{"message":"The API key's project does not have access to model `x`.","code":"model_not_found"}}"#;
    let region = r#"{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}"#;
    check(
        OpenaiResponses,
        &[
            (403, scopes, KeyRejected),
            (403, key, KeyRejected),
            (403, model, Final),
            (403, region, Final),
        ],
    );
}

#[test]
fn gemini_names_the_key_in_a_reason_or_in_its_message() {
    let invalid = r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}"#;
    let in_a_list = format!("[{invalid}]");
    let blocked = invalid.replace("API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED");
    let plain = r#"{"error":{"code":"permission_denied","message":"Your API key was reported as leaked."}}"#;
    let of_a_model =
        r#"{"error":{"code":"permission_denied","message":"Permission denied on model x."}}"#;
    let bad_request = r#"{"error":{"code":"invalid_request","message":"The field api key not valid is unknown."}}"#;
    check(
        GeminiInteractions,
        &[
            (400, invalid, KeyRejected),
            (400, &in_a_list, KeyRejected),
            (
                400,
                r#"{"error":{"code":"invalid_request","message":"API key not valid. Please pass one."}}"#,
                KeyRejected,
            ),
            (400, &blocked, Final),
            (400, bad_request, Final),
            (403, &blocked, KeyRejected),
            (403, plain, KeyRejected),
            (403, of_a_model, Final),
        ],
    );
}

#[test]
fn gemini_daily_quota_is_spent_and_the_minute_is_not() {
    let daily = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel"}]}]}}"#;
    let minute = daily.replace("PerDay", "PerMinute");
    check(
        GeminiInteractions,
        &[
            (
                429,
                r#"{"error":{"code":"quota_exceeded","message":"m"}}"#,
                Spent,
            ),
            (
                429,
                r#"{"error":{"code":"rate_limit_exceeded","message":"m"}}"#,
                Transient,
            ),
            (429, daily, Spent),
            (429, &minute, Transient),
        ],
    );
}

#[test]
fn anthropic_spend_caps_are_spent_and_rate_limits_are_not() {
    let with_message = |text: &str| {
        format!(r#"{{"type":"error","error":{{"type":"rate_limit_error","message":"{text}"}}}}"#)
    };
    let with_code = r#"{"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"spend_limit_exceeded"}}}"#;
    check(
        AnthropicMessages,
        &[
            (
                429,
                &with_message("Your organization has reached its monthly spend limit."),
                Spent,
            ),
            (429, with_code, Spent),
            (
                429,
                &with_message(
                    "This request would exceed your rate limit of 50 requests per minute.",
                ),
                Transient,
            ),
            (
                403,
                &with_message(
                    "Your API key does not have permission to use the specified resource.",
                ),
                KeyRejected,
            ),
            (
                403,
                &with_message("Your API key may not use the model x."),
                Final,
            ),
            (403, &with_message("Request not allowed"), Final),
            (400, &with_message("Your credit balance is too low."), Final),
        ],
    );
}
