//! Every field that the router itself reads, with every kind of wrong value.

use super::draft::{Bad, CHAT, Draft, ENDPOINTS, INTERACTIONS, MESSAGES, RESPONSES};

pub fn table() -> Vec<Bad> {
    let mut rows = Vec::new();
    rows.extend(models());
    rows.extend(start_withins());
    rows.extend(of_field(
        "service_tier",
        "service_tier_not_allowed",
        &SERVICE_TIERS,
    ));
    rows.extend(of_field("retry", "invalid_retry", &RETRIES));
    rows.extend(of_field("provider", "invalid_provider_chain", &CHAINS));
    rows.extend(of_field("include_cost", "invalid_include_cost", &BOOLEANS));
    rows.extend(of_field("include_cost", "invalid_include_cost", &["null"]));
    rows.extend(of_field("stream", "invalid_stream", &BOOLEANS));
    rows.extend(inputs());
    rows
}

const WRONG_MODELS: [&str; 11] = [
    "null",
    "0",
    "1.5",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\" \"",
    "\"models/\"",
    "\"models/ \"",
    "[\"gpt-5.5\"]",
];

const WRONG_START_WITHINS: [&str; 29] = [
    "null",
    "0",
    "30",
    "5.0",
    "true",
    "[]",
    "{}",
    "[\"default\"]",
    "\"\"",
    "\"standard\"",
    "\"flex\"",
    "\"Default\"",
    "\"default \"",
    "\"5s\"",
    "\"PT5S\"",
    "\"00:00:05\"",
    "\"00h-00m-04s\"",
    "\"00h-00m-00s\"",
    "\"00h-10m-01s\"",
    "\"99h-99m-99s\"",
    "\"0h-0m-5s\"",
    "\"00h-00m-5s\"",
    "\"00h-00m-005s\"",
    "\"00H-00M-05S\"",
    "\"00h-00m-05s \"",
    "\"+1h-00m-05s\"",
    "\"00h-00m-٠٥s\"",
    "\"00h_00m_05s\"",
    "\"00h-00m-05\"",
];

const SERVICE_TIERS: [&str; 6] = ["null", "\"flex\"", "\"auto\"", "\"\"", "1", "{}"];

const RETRIES: [&str; 27] = [
    "null",
    "true",
    "3",
    "\"3\"",
    "[]",
    "[{\"count\":1}]",
    "{}",
    "{\"backoff\":\"linear\"}",
    "{\"count\":0}",
    "{\"count\":6}",
    "{\"count\":-1}",
    "{\"count\":3.0}",
    "{\"count\":1e0}",
    "{\"count\":\"3\"}",
    "{\"count\":null}",
    "{\"count\":true}",
    "{\"count\":[1]}",
    "{\"count\":99999999999999999999999}",
    "{\"count\":1,\"backoff\":null}",
    "{\"count\":1,\"backoff\":\"Linear\"}",
    "{\"count\":1,\"backoff\":1}",
    "{\"count\":1,\"jitter\":null}",
    "{\"count\":1,\"jitter\":\"true\"}",
    "{\"count\":1,\"jitter\":1}",
    "{\"count\":1,\"max\":1}",
    "{\"count\":1,\"count\":2}",
    "{\"count\":1,\"c\\u006funt\":1}",
];

const CHAINS: [&str; 17] = [
    "null",
    "\"openai\"",
    "{}",
    "1",
    "true",
    "[]",
    "[null]",
    "[1]",
    "[[\"openai\"]]",
    "[\"\"]",
    "[\"OpenAI\"]",
    "[\"azure\"]",
    "[\"gemini\"]",
    "[\"openai\",\"openai\"]",
    "[\"openai\",\"open\\u0061i\"]",
    "[\"openai\",\"foundry\",\"cloudflare\",\"bedrock\"]",
    "[\"openai\",\"foundry\",\"cloudflare\",5]",
];

const BOOLEANS: [&str; 8] = [
    "\"true\"",
    "\"false\"",
    "0",
    "1",
    "[]",
    "{}",
    "\"\"",
    "[true]",
];

/// The values in turn over the endpoints, so that every envelope is met.
fn of_field(field: &'static str, code: &'static str, values: &[&str]) -> Vec<Bad> {
    let row = |(place, value): (usize, &&str)| {
        let path = ENDPOINTS[place % ENDPOINTS.len()];
        let draft = Draft::of(path).with(field, value);
        let bad = Bad::new(format!("{field} is {value}"), path, 400, code).body(draft.json());
        if field == "retry" {
            bad
        } else {
            bad.param(field)
        }
    };
    values.iter().enumerate().map(row).collect()
}

fn models() -> Vec<Bad> {
    let mut rows = of_field("model", "missing_model", &WRONG_MODELS);
    for path in ENDPOINTS {
        let absent = Draft::of(path).without("model");
        rows.push(
            Bad::new("no model", path, 400, "missing_model")
                .param("model")
                .body(absent.json()),
        );
    }
    let long = format!("\"{}\"", "m".repeat(513));
    rows.extend(of_field("model", "missing_model", &[&long, "\"\\ud800\""]));
    rows
}

fn start_withins() -> Vec<Bad> {
    let mut rows = of_field("start_within", "invalid_start_within", &WRONG_START_WITHINS);
    for path in ENDPOINTS {
        let absent = Draft::of(path).without("start_within");
        let row = Bad::new("no start_within", path, 400, "missing_start_within");
        rows.push(row.param("start_within").body(absent.json()));
    }
    let long = format!("\"{}\"", "1".repeat(10_000));
    rows.extend(of_field("start_within", "invalid_start_within", &[&long]));
    let retired = Draft::of(RESPONSES).with("start_within", "\"standard\"");
    rows.push(
        Bad::new("the retired word", RESPONSES, 400, "invalid_start_within")
            .body(retired.json())
            .says("now called \"default\""),
    );
    rows
}

fn inputs() -> Vec<Bad> {
    let mut rows = Vec::new();
    for path in [RESPONSES, INTERACTIONS] {
        let absent = Draft::of(path).without("input");
        for (name, draft) in [
            ("no input", absent.clone()),
            (
                "messages in place of input",
                absent.clone().with("messages", "[]"),
            ),
            (
                "null in place of input",
                absent
                    .clone()
                    .with("prompt", "null")
                    .with("continuation_token", "null"),
            ),
            (
                "the other surface's substitute",
                match path {
                    RESPONSES => absent.with("continuation_token", "\"t\""),
                    _ => absent.with("previous_response_id", "\"resp_1\""),
                },
            ),
        ] {
            rows.push(
                Bad::new(name, path, 400, "missing_input")
                    .param("input")
                    .body(draft.json()),
            );
        }
    }
    for path in [CHAT, MESSAGES] {
        let row = |name: String, draft: Draft| {
            Bad::new(name, path, 400, "missing_messages")
                .param("messages")
                .body(draft.json())
        };
        rows.push(row(
            "no messages".to_owned(),
            Draft::of(path).without("messages"),
        ));
        for value in ["null", "\"Hello\"", "{}", "1", "true"] {
            rows.push(row(
                format!("messages is {value}"),
                Draft::of(path).with("messages", value),
            ));
        }
        let input = Draft::of(path)
            .without("messages")
            .with("input", "\"Hello\"");
        rows.push(row("input in place of messages".to_owned(), input));
    }
    rows
}
