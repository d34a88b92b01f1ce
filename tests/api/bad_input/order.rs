//! Two faults in one request: the check that comes first answers. Every pair of faults that can stand together.

use super::MAX_BODY;
use super::draft::{Bad, CHAT, Draft, INTERACTIONS, MESSAGES, RESPONSES};
use super::plans::request;

pub fn table() -> Vec<Bad> {
    let mut rows = Vec::new();
    for path in [RESPONSES, MESSAGES] {
        for (place, first) in FAULTS.iter().enumerate() {
            for second in &FAULTS[place + 1..] {
                if first.field != second.field || first.field.is_empty() {
                    rows.push(with_both(path, first, second));
                }
            }
        }
    }
    rows.extend(of_plans());
    rows
}

/// One thing that is wrong, in the order of the checks.
struct Fault {
    name: &'static str,
    /// The field that is broken; two of one field cannot stand together.
    field: &'static str,
    status: u16,
    code: &'static str,
    breaks: fn(&mut Broken),
}

/// A request on its way to being bad.
struct Broken {
    method: &'static str,
    has_key: bool,
    encoding: Option<&'static str>,
    draft: Draft,
    path: &'static str,
    ending: &'static str,
    too_large: bool,
}

impl Broken {
    fn set(&mut self, field: &str, json: &str) {
        self.draft = self.draft.clone().with(field, json);
    }

    fn remove(&mut self, field: &str) {
        self.draft = self.draft.clone().without(field);
    }
}

const fn fault(
    name: &'static str,
    field: &'static str,
    status: u16,
    code: &'static str,
    breaks: fn(&mut Broken),
) -> Fault {
    Fault {
        name,
        field,
        status,
        code,
        breaks,
    }
}

const FAULTS: [Fault; 14] = [
    fault("a wrong method", "", 405, "method_not_allowed", |it| {
        it.method = "PUT"
    }),
    fault("no key", "", 401, "missing_api_key", |it| {
        it.has_key = false
    }),
    fault(
        "an encoding",
        "",
        415,
        "unsupported_content_encoding",
        |it| it.encoding = Some("gzip"),
    ),
    fault("too large", "", 413, "request_too_large", |it| {
        it.too_large = true
    }),
    fault("broken JSON", "", 400, "invalid_json", |it| it.ending = "]"),
    fault("no model", "model", 400, "missing_model", |it| {
        it.remove("model")
    }),
    fault(
        "no start_within",
        "start_within",
        400,
        "missing_start_within",
        |it| it.remove("start_within"),
    ),
    fault(
        "a bad start_within",
        "start_within",
        400,
        "invalid_start_within",
        |it| it.set("start_within", "\"5s\""),
    ),
    fault(
        "service_tier",
        "service_tier",
        400,
        "service_tier_not_allowed",
        |it| it.set("service_tier", "null"),
    ),
    fault("a bad retry", "retry", 400, "invalid_retry", |it| {
        it.set("retry", "{}")
    }),
    fault(
        "a bad chain",
        "provider",
        400,
        "invalid_provider_chain",
        |it| it.set("provider", "[]"),
    ),
    fault(
        "a bad include_cost",
        "include_cost",
        400,
        "invalid_include_cost",
        |it| it.set("include_cost", "1"),
    ),
    fault("a bad stream", "stream", 400, "invalid_stream", |it| {
        it.set("stream", "1")
    }),
    fault(
        "a route that does not fit",
        "provider",
        400,
        "provider_model_mismatch",
        |it| {
            it.set("provider", "[\"google\"]");
        },
    ),
];

fn with_both(path: &'static str, first: &Fault, second: &Fault) -> Bad {
    let mut broken = Broken {
        method: "POST",
        has_key: true,
        encoding: None,
        draft: Draft::of(path),
        path,
        ending: "",
        too_large: false,
    };
    (second.breaks)(&mut broken);
    (first.breaks)(&mut broken);
    let mut row = Bad::new(
        format!("{} before {}", first.name, second.name),
        broken.path,
        first.status,
        first.code,
    );
    row.method = broken.method;
    row.has_key = broken.has_key;
    if let Some(encoding) = broken.encoding {
        row = row.header("content-encoding", encoding);
    }
    if broken.too_large {
        let padding = format!("\"{}\"", "x".repeat(MAX_BODY));
        broken.set("user", &padding);
    }
    row.body(broken.draft.json() + broken.ending)
}

/// The later checks, of which each pair needs a request of its own.
fn of_plans() -> Vec<Bad> {
    let gemini = "gemini-3.5-flash";
    let rows = [
        (
            RESPONSES,
            "gpt-5.5",
            "auto",
            r#""provider":["google"]"#,
            "provider_model_mismatch",
        ),
        (
            INTERACTIONS,
            gemini,
            "auto",
            r#""provider":["openai"]"#,
            "provider_model_mismatch",
        ),
        (
            MESSAGES,
            "claude-opus-5",
            "00h-00m-30s",
            r#""provider":["openai"]"#,
            "provider_model_mismatch",
        ),
        (
            RESPONSES,
            "gpt-4.1",
            "00h-00m-30s",
            r#""provider":["vertex"]"#,
            "provider_model_mismatch",
        ),
        (
            INTERACTIONS,
            gemini,
            "auto",
            r#""provider":["vertex"]"#,
            "auto_unsupported_for_gemini",
        ),
        (
            INTERACTIONS,
            gemini,
            "auto",
            r#""background":true"#,
            "auto_unsupported_for_gemini",
        ),
        (
            MESSAGES,
            "claude-opus-5",
            "00h-00m-30s",
            r#""provider":["bedrock"]"#,
            "flex_unsupported_for_anthropic",
        ),
        (
            CHAT,
            "claude-opus-5",
            "00h-00m-30s",
            r#""n":2"#,
            "flex_unsupported_for_anthropic",
        ),
        (
            RESPONSES,
            "gpt-4.1",
            "00h-00m-30s",
            r#""provider":["foundry"]"#,
            "flex_unsupported_on_cloud",
        ),
        (
            CHAT,
            "gpt-5.5",
            "00h-00m-30s",
            r#""n":2,"provider":["foundry"]"#,
            "flex_unsupported_on_cloud",
        ),
        (
            CHAT,
            "gpt-4.1",
            "00h-00m-30s",
            r#""n":2"#,
            "flex_model_not_capable",
        ),
        (
            RESPONSES,
            "gpt-4.1",
            "00h-00m-30s",
            r#""background":true"#,
            "flex_model_not_capable",
        ),
        (
            RESPONSES,
            "gpt-5.5",
            "priority",
            r#""background":true,"provider":["foundry"]"#,
            "tier_unsupported_on_route",
        ),
        (
            CHAT,
            "gpt-5.5",
            "00h-00m-30s",
            r#""background":true,"n":2"#,
            "flex_unsupported_chat_params",
        ),
        (
            CHAT,
            "gpt-5.5",
            "00h-00m-30s",
            r#""seed":1,"provider":["openai","foundry"]"#,
            "flex_unsupported_chat_params",
        ),
        (
            RESPONSES,
            "gpt-5.5",
            "default",
            r#""background":true,"provider":["foundry"]"#,
            "unsupported_parameter",
        ),
        (
            RESPONSES,
            "claude-opus-5",
            "default",
            r#""background":true"#,
            "unsupported_parameter",
        ),
        (
            RESPONSES,
            "claude-opus-5",
            "default",
            r#""provider":["anthropic","bedrock"]"#,
            "no_bedrock_key",
        ),
    ];
    let row = |(path, model, start_within, extra, code): (
        &'static str,
        &str,
        &str,
        &str,
        &'static str,
    )| {
        let body =
            request(path, model, start_within)
                .json()
                .replacen('{', &format!("{{{extra},"), 1);
        Bad::new(format!("{model}, {start_within}, {extra}"), path, 400, code).body(body)
    };
    let mut rows: Vec<Bad> = rows.into_iter().map(row).collect();
    let no_input = Draft::of(RESPONSES)
        .without("input")
        .with("provider", "[\"google\"]");
    let row = Bad::new(
        "no input before a route that does not fit",
        RESPONSES,
        400,
        "missing_input",
    );
    rows.push(row.body(no_input.json()));
    let no_messages = request(MESSAGES, "claude-opus-5", "00h-00m-30s").without("messages");
    let row = Bad::new(
        "no messages before a race on Claude",
        MESSAGES,
        400,
        "missing_messages",
    );
    rows.push(row.body(no_messages.json()));
    rows
}
