//! The checks of a body, one by one and in their order.

use bytes::Bytes;
use startline_actors::backoff::Backoff;

use super::*;
use crate::errors::Code;
use crate::vocabulary::CallerSurface::{Chat, Interactions, Messages, Responses};

fn parse(surface: CallerSurface, body: &str) -> Result<Envelope, Rejection> {
    Envelope::parse(Bytes::copy_from_slice(body.as_bytes()), surface, None)
}

fn code(surface: CallerSurface, body: &str) -> Option<Code> {
    parse(surface, body).err().map(|rejection| rejection.code())
}

#[test]
fn a_request_with_everything_is_read() {
    let body = r#"{"model":"models/gemini-3.5-flash","start_within":"00h-00m-90s",
        "retry":{"count":3,"backoff":"linear"},"provider":["google","vertex"],"include_cost":true,
        "stream":true,"input":"Hello","temperature":1.0}"#;
    let envelope = parse(Interactions, body).unwrap();
    assert_eq!(envelope.model(), "gemini-3.5-flash");
    assert_eq!(
        envelope.start_within(),
        StartWithin::Within(std::time::Duration::from_secs(90))
    );
    assert!(!envelope.start_within_came_from_key());
    assert_eq!(
        envelope.retry(),
        Some(RetryPolicy {
            count: 3,
            backoff: Backoff::Linear,
            jitter: true
        })
    );
    assert_eq!(
        envelope.provider_chain(),
        Some(&[Route::Google, Route::Vertex][..])
    );
    assert!(envelope.include_cost() && envelope.streams());
    assert_eq!(envelope.surface(), Interactions);
    assert_eq!(envelope.field("temperature"), Some(&b"1.0"[..]));
    assert_eq!(envelope.field("absent"), None);
    assert_eq!(envelope.fields().count(), 8);
}

#[test]
fn a_request_with_little_gets_the_defaults() {
    for surface in [Responses, Interactions, Chat, Messages] {
        let body = r#"{"model":"m","start_within":"auto","input":"a","messages":[],"stream":null}"#;
        let envelope = parse(surface, body).unwrap();
        assert!(!envelope.streams() && !envelope.include_cost());
        assert_eq!((envelope.retry(), envelope.provider_chain()), (None, None));
    }
}

/// A body in which the last of these is wrong and everything after it too.
fn body_wrong_from(check: usize) -> String {
    let right = [
        r#""model":"m""#,
        r#""start_within":"default""#,
        "",
        r#""retry":{"count":1}"#,
        r#""provider":["openai"]"#,
        r#""include_cost":true"#,
        r#""stream":true"#,
        r#""input":"a","messages":[]"#,
    ];
    let wrong = [
        r#""model":"""#,
        r#""start_within":"standard""#,
        r#""service_tier":null"#,
        r#""retry":null"#,
        r#""provider":null"#,
        r#""include_cost":null"#,
        r#""stream":1"#,
        "",
    ];
    let fields = right[..check]
        .iter()
        .chain(&wrong[check..])
        .filter(|field| !field.is_empty());
    // In reverse, so that the order of the checks is not the order of the fields.
    let backwards: Vec<&str> = fields.rev().copied().collect();
    format!("{{{}}}", backwards.join(","))
}

#[test]
fn the_first_check_that_fails_answers() {
    let codes = [
        Code::MissingModel,
        Code::InvalidStartWithin,
        Code::ServiceTierNotAllowed,
        Code::InvalidRetry,
        Code::InvalidProviderChain,
        Code::InvalidIncludeCost,
        Code::InvalidStream,
    ];
    for surface in [Responses, Interactions, Chat, Messages] {
        let required = if matches!(surface, Chat | Messages) {
            Code::MissingMessages
        } else {
            Code::MissingInput
        };
        for (check, expected) in codes.into_iter().chain([required]).enumerate() {
            assert_eq!(
                code(surface, &body_wrong_from(check)),
                Some(expected),
                "{}",
                body_wrong_from(check)
            );
        }
        assert_eq!(code(surface, &body_wrong_from(8)), None);
        assert_eq!(
            code(surface, &format!("{}x", body_wrong_from(0))),
            Some(Code::InvalidJson)
        );
    }
}

#[test]
fn start_within_is_missing_only_when_it_is_absent() {
    assert_eq!(
        code(Responses, r#"{"model":"m","service_tier":"flex"}"#),
        Some(Code::MissingStartWithin)
    );
    for value in [
        "null",
        "30",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\"standard\"",
        "\"00h-00m-04s\"",
        "\"\\ud800\"",
    ] {
        let rejection = parse(
            Responses,
            &format!(r#"{{"model":"m","start_within":{value}}}"#),
        )
        .unwrap_err();
        assert_eq!(
            (rejection.code(), rejection.param()),
            (Code::InvalidStartWithin, Some("start_within")),
            "{value}"
        );
    }
}

#[test]
fn a_model_is_a_string_that_says_something() {
    for value in [
        "null",
        "1",
        "[]",
        "{\"id\":\"m\"}",
        "\"\"",
        "\" \"",
        "\"models/\"",
        "\"\\ud800\"",
    ] {
        let body = format!(r#"{{"model":{value},"start_within":"auto","input":1}}"#);
        let rejection = parse(Responses, &body).unwrap_err();
        assert_eq!(
            (rejection.code(), rejection.param()),
            (Code::MissingModel, Some("model")),
            "{value}"
        );
    }
    let with_model = |length: usize| {
        format!(
            r#"{{"model":"{}","start_within":"auto","input":1}}"#,
            "m".repeat(length)
        )
    };
    assert_eq!(code(Responses, &with_model(512)), None);
    assert_eq!(code(Responses, &with_model(513)), Some(Code::MissingModel));
    assert_eq!(
        code(Responses, r#"{"start_within":"auto"}"#),
        Some(Code::MissingModel)
    );
}

#[test]
fn flags_are_booleans() {
    for value in ["1", "0", "\"true\"", "null", "[]", "{}", "1.0"] {
        let body =
            format!(r#"{{"model":"m","start_within":"auto","input":1,"include_cost":{value}}}"#);
        assert_eq!(
            code(Responses, &body),
            Some(Code::InvalidIncludeCost),
            "{value}"
        );
        let body = format!(r#"{{"model":"m","start_within":"auto","input":1,"stream":{value}}}"#);
        let expected = (value != "null").then_some(Code::InvalidStream);
        assert_eq!(code(Responses, &body), expected, "{value}");
    }
}

#[test]
fn a_service_tier_is_refused_however_it_is_written() {
    for field in [
        r#""service_tier":"flex""#,
        r#""service_tier":null"#,
        r#""service\u005ftier":"default""#,
    ] {
        let body = format!(r#"{{"model":"m","start_within":"auto","input":1,{field}}}"#);
        assert_eq!(
            code(Responses, &body),
            Some(Code::ServiceTierNotAllowed),
            "{field}"
        );
    }
    assert_eq!(
        code(
            Responses,
            r#"{"model":"m","start_within":"auto","input":[{"service_tier":1}]}"#
        ),
        None
    );
}

#[test]
fn a_field_that_decides_stands_once() {
    for (field, value) in [
        ("model", "\"m\""),
        ("stream", "true"),
        ("start_within", "\"auto\""),
        ("retry", "{\"count\":1}"),
        ("provider", "[\"openai\"]"),
        ("include_cost", "true"),
    ] {
        let escaped = format!("\\u{:04x}{}", field.as_bytes()[0], &field[1..]);
        for second in [field, &escaped] {
            let base = r#""model":"m","start_within":"auto","input":1"#
                .replace(&format!("\"{field}\""), "\"other\"");
            let body = format!(r#"{{"{field}":{value},{base},"{second}":{value}}}"#);
            assert_eq!(code(Responses, &body), Some(Code::InvalidJson), "{body}");
        }
    }
    assert_eq!(
        code(
            Responses,
            r#"{"model":"m","start_within":"auto","input":1,"input":2}"#
        ),
        None
    );
    assert_eq!(
        code(
            Responses,
            r#"{"model":"m","start_within":"auto","input":{"model":1,"model":2}}"#
        ),
        None
    );
}

#[test]
fn a_body_is_one_object_of_bounded_depth_in_utf8() {
    for body in [
        "",
        "null",
        "[]",
        "\"a\"",
        "{",
        "{} {}",
        "{\"model\":\"m\",}",
        "{\"model\":NaN}",
        "{'model':'m'}",
    ] {
        assert_eq!(code(Responses, body), Some(Code::InvalidJson), "{body}");
    }
    let nested = |levels: usize| {
        let input = "[".repeat(levels - 1) + &"]".repeat(levels - 1);
        format!(r#"{{"model":"m","start_within":"auto","input":{input}}}"#)
    };
    assert_eq!(code(Responses, &nested(128)), None);
    assert_eq!(code(Responses, &nested(129)), Some(Code::InvalidJson));
    let latin = Bytes::from_static(b"{\"model\":\"m\xe9\",\"start_within\":\"auto\",\"input\":1}");
    assert_eq!(
        Envelope::parse(latin, Responses, None).unwrap_err().code(),
        Code::InvalidJson
    );
}

#[test]
fn the_default_of_a_key_stands_in_for_an_absent_field_only() {
    let with_default = |body: &'static str, default| {
        Envelope::parse(
            Bytes::from_static(body.as_bytes()),
            Responses,
            Some(default),
        )
    };
    let absent = r#"{"model":"m","input":1}"#;
    let envelope = with_default(absent, "00h-00m-30s").unwrap();
    assert_eq!(
        envelope.start_within(),
        StartWithin::Within(std::time::Duration::from_secs(30))
    );
    assert!(envelope.start_within_came_from_key());
    let present = with_default(
        r#"{"model":"m","input":1,"start_within":"auto"}"#,
        "default",
    )
    .unwrap();
    assert_eq!(
        (present.start_within(), present.start_within_came_from_key()),
        (StartWithin::Auto, false)
    );
    let null =
        with_default(r#"{"model":"m","input":1,"start_within":null}"#, "default").unwrap_err();
    assert_eq!(null.code(), Code::InvalidStartWithin);
    let unreadable = with_default(absent, "standard").unwrap_err();
    assert_eq!(unreadable.code(), Code::KeyDefaultNotApplicable);
    assert!(unreadable.message().contains("retired"));
}

#[test]
fn an_error_never_repeats_what_is_not_the_routers_own() {
    let secret = "tell nobody this sentence";
    for body in [
        format!(r#"{{"model":{{"{secret}":1}},"input":"{secret}"}}"#),
        format!(r#"{{"model":"m","start_within":["{secret}"],"input":"{secret}"}}"#),
        format!(
            r#"{{"model":"m","start_within":"auto","provider":[["{secret}"]],"input":"{secret}"}}"#
        ),
        format!(r#"{{"model":"m","start_within":"auto","messages":"{secret}"}}"#),
        format!(r#"{{"model":"m","input":"{secret}" "{secret}"}}"#),
    ] {
        let message = parse(Responses, &body).unwrap_err().message();
        assert!(!message.contains(secret), "{message}");
    }
}
