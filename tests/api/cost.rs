//! What an answer cost, in the header and by `include_cost` in the usage: compared with a calculation of the test's own
//! from the price file.

use serde_json::{Value, json};

use crate::requests::{CHAT, INTERACTIONS, MESSAGES, RESPONSES, behaving, last_sent, with};
use crate::rig::Rig;

/// The built-in price file.
const PRICES: &str = include_str!("../../config/models.toml");

/// Tokens as a script gives them.
#[derive(Clone, Copy)]
struct Tokens {
    input: u64,
    cached: u64,
    cache_write: u64,
    output: u64,
}

impl Tokens {
    fn script(self) -> Value {
        json!({
            "input": self.input, "cached": self.cached, "cache_write": self.cache_write, "output": self.output,
            "reasoning": self.output / 2,
        })
    }
}

const SHORT: Tokens = Tokens {
    input: 1_003,
    cached: 257,
    cache_write: 0,
    output: 77,
};
const WRITTEN: Tokens = Tokens {
    cache_write: 331,
    ..SHORT
};
const LONG: Tokens = Tokens {
    input: 300_001,
    cached: 12_345,
    cache_write: 0,
    output: 4_097,
};

/// USD for a million tokens, as micro-USD: the text's digits, six behind the point.
fn micro(price: &toml::Value) -> u128 {
    let text = price.as_str().unwrap();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{fraction:0<6}").parse().unwrap()
}

/// The list price in micro-USD, rounded half up; `None` where the file has none for the tier.
fn expected(model: &str, tier: &str, tokens: Tokens) -> Option<u64> {
    let file: toml::Table = PRICES.parse().unwrap();
    let models = file["model"].as_array().unwrap();
    let entry = models
        .iter()
        .find(|entry| entry["id"].as_str() == Some(model))?;
    let periods = entry["prices"].as_array().unwrap();
    assert_eq!(
        periods.len(),
        1,
        "{model} has one period, so the day does not matter"
    );
    let mut prices = &periods[0];
    if let Some(steps) = prices.get("steps") {
        for step in steps.as_array().unwrap() {
            if tokens.input > step["above_input_tokens"].as_integer().unwrap() as u64 {
                prices = step;
            }
        }
    }
    let prices = prices.get(tier)?;
    let fresh = tokens.input - tokens.cached - tokens.cache_write;
    let mut pico = u128::from(fresh) * micro(&prices["input"]);
    pico += u128::from(tokens.output) * micro(&prices["output"]);
    pico += u128::from(tokens.cached) * prices.get("cached").map_or(0, micro);
    pico += u128::from(tokens.cache_write)
        * micro(prices.get("cache_write").unwrap_or(&prices["input"]));
    Some(u64::try_from((pico + 500_000) / 1_000_000).unwrap())
}

/// One request: where, which model, `start_within`, tokens, the price's tier, the served tier's word.
struct Case {
    path: &'static str,
    model: &'static str,
    start_within: &'static str,
    tokens: Tokens,
    tier: &'static str,
    served: &'static str,
}

fn cases() -> Vec<Case> {
    let rows = [
        (
            RESPONSES, "gpt-5.5", "default", SHORT, "standard", "default",
        ),
        (
            RESPONSES, "gpt-5.5", "priority", SHORT, "priority", "priority",
        ),
        (RESPONSES, "gpt-5.5", "00h-00m-30s", SHORT, "flex", "flex"),
        (RESPONSES, "gpt-5.5", "00h-00m-30s", LONG, "flex", "flex"),
        (RESPONSES, "gpt-5.5", "default", LONG, "standard", "default"),
        (
            RESPONSES,
            "gpt-5.4-mini",
            "00h-00m-30s",
            SHORT,
            "flex",
            "flex",
        ),
        (
            RESPONSES,
            "gpt-6.1-sol",
            "default",
            WRITTEN,
            "standard",
            "default",
        ),
        (CHAT, "gpt-5.5", "default", SHORT, "standard", "default"),
        (
            CHAT,
            "gpt-5.4-mini",
            "priority",
            SHORT,
            "priority",
            "priority",
        ),
        (
            INTERACTIONS,
            "gemini-3.5-flash",
            "default",
            SHORT,
            "standard",
            "standard",
        ),
        (
            INTERACTIONS,
            "gemini-3.5-flash",
            "00h-00m-30s",
            SHORT,
            "flex",
            "flex",
        ),
        (
            MESSAGES,
            "claude-opus-5",
            "default",
            WRITTEN,
            "standard",
            "standard",
        ),
    ];
    let case = |(path, model, start_within, tokens, tier, served)| Case {
        path,
        model,
        start_within,
        tokens,
        tier,
        served,
    };
    rows.into_iter().map(case).collect()
}

fn request(case: &Case, more: Value) -> Value {
    let behaviour = json!({"usage": case.tokens.script(), "served_tier": case.served});
    let fields = json!({"model": case.model, "start_within": case.start_within});
    with(with(behaving(case.path, &behaviour), fields), more)
}

fn routing(case: &Case) -> Value {
    let provider = match case.path {
        INTERACTIONS => "google",
        MESSAGES => "anthropic",
        _ => "openai",
    };
    let reason = if case.tier == "flex" {
        "flex_won"
    } else {
        "tier_direct"
    };
    json!({
        "provider": provider, "requested_provider": provider, "tier": case.served, "reason": reason,
        "fallback_attempts": 0, "mode": "byok",
    })
}

#[actix_web::test]
async fn the_cost_of_a_whole_answer_is_the_list_price() {
    let rig = Rig::start().await;
    for case in cases() {
        let what = format!("{} {} {}", case.path, case.model, case.start_within);
        let cost = expected(case.model, case.tier, case.tokens).unwrap();
        let plain = rig.post(case.path, &request(&case, json!({}))).await;
        let header = cost.to_string();
        assert_eq!(
            plain.header("x-flexinference-cost"),
            Some(&*header),
            "{what}"
        );
        assert!(plain.json()["usage"].get("cost").is_none(), "{what}");
        let answer = rig
            .post(case.path, &request(&case, json!({"include_cost": true})))
            .await;
        assert_eq!(
            answer.header("x-flexinference-cost"),
            Some(&*header),
            "{what}"
        );
        let length = answer.body.len().to_string();
        assert_eq!(answer.header("content-length"), Some(&*length), "{what}");
        let usage = &answer.json()["usage"];
        assert_eq!(
            usage["cost"],
            json!({"total_micro_usd": cost, "currency": "USD"}),
            "{what}"
        );
        assert_eq!(usage["routing"], routing(&case), "{what}");
        if case.tier != "flex" {
            let sent = String::from_utf8(last_sent(&rig).await).unwrap();
            assert_eq!(without_ours(&answer.text()), (sent, 1), "{what}");
        }
        rig.simulator.clear();
    }
    rig.settle().await;
}

#[actix_web::test]
async fn the_cost_stands_in_the_usage_frame_of_a_stream_and_nothing_else_changes() {
    let rig = Rig::start().await;
    for case in cases() {
        let what = format!("{} {} {}", case.path, case.model, case.start_within);
        let mut more = json!({"include_cost": true, "stream": true});
        if case.path == CHAT {
            more["stream_options"] = json!({"include_usage": true});
        }
        let answer = rig.post(case.path, &request(&case, more)).await;
        assert!(answer.is_whole, "{what}");
        assert_eq!(
            answer.header("x-flexinference-cost"),
            None,
            "{what}: it is not known yet"
        );
        let sent = String::from_utf8(last_sent(&rig).await).unwrap();
        let text = answer.text();
        assert_eq!(without_ours(&text), (sent, 1), "{what}");
        let cost = expected(case.model, case.tier, case.tokens).unwrap();
        let usage = usage_frame(case.path, &text);
        assert_eq!(
            usage["cost"],
            json!({"total_micro_usd": cost, "currency": "USD"}),
            "{what}"
        );
        assert_eq!(usage["routing"], routing(&case), "{what}");
        rig.simulator.clear();
    }
    rig.settle().await;
}

/// Takes the router's members out of a text and says how often they stood in it.
fn without_ours(text: &str) -> (String, usize) {
    const BEGINNING: &str = ",\"cost\":{";
    const END: &str = "\"mode\":\"byok\"}";
    let mut kept = String::new();
    let mut rest = text;
    let mut count = 0;
    while let Some(at) = rest.find(BEGINNING) {
        kept.push_str(&rest[..at]);
        let end = rest[at..].find(END).unwrap();
        rest = &rest[at + end + END.len()..];
        count += 1;
    }
    (kept + rest, count)
}

fn usage_frame(path: &str, text: &str) -> Value {
    let mut frames = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let frame = frames.rfind(|data| data.contains("\"cost\"")).unwrap();
    let frame: Value = serde_json::from_str(frame).unwrap();
    match path {
        RESPONSES => frame["response"]["usage"].clone(),
        INTERACTIONS => frame["interaction"]["usage"].clone(),
        _ => frame["usage"].clone(),
    }
}

#[actix_web::test]
async fn the_cost_of_an_escalated_answer_is_the_standard_one() {
    let rig = Rig::start().await;
    let settled = json!({"usage": SHORT.script()});
    let prompt = crate::rig::scripted(&json!({"flex": {"status": 429}, "settled": settled}));
    let body = json!({"model": "gpt-5.5", "input": prompt, "start_within": "00h-00m-30s", "include_cost": true});
    let answer = rig.post(RESPONSES, &body).await;
    let cost = expected("gpt-5.5", "standard", SHORT).unwrap();
    assert_eq!(
        answer.header("x-flexinference-cost"),
        Some(&*cost.to_string())
    );
    let usage = &answer.json()["usage"];
    assert_eq!(usage["cost"]["total_micro_usd"], cost);
    assert_eq!(usage["routing"]["reason"], "flex_capacity");
    assert_eq!(usage["routing"]["tier"], "default");
    rig.settle().await;
}

#[actix_web::test]
async fn what_has_no_known_price_has_no_cost() {
    let rig = Rig::start().await;
    for (path, model, served) in [
        (RESPONSES, "gpt-99-unlisted", "default"),
        (RESPONSES, "gpt-5.5", "scale"),
        (RESPONSES, "gpt-6.2-sol", "priority"),
        (CHAT, "ft:gpt-4o:org::1", "default"),
        (INTERACTIONS, "gemini-99-unlisted", "standard"),
        (MESSAGES, "claude-99-unlisted", "standard"),
        (MESSAGES, "claude-opus-5", "batch"),
    ] {
        let behaviour = json!({"usage": SHORT.script(), "served_tier": served});
        let fields = json!({"model": model, "include_cost": true});
        let answer = rig
            .post(path, &with(behaving(path, &behaviour), fields))
            .await;
        let what = format!("{path} {model} {served}: {}", answer.text());
        assert_eq!(answer.status, 200, "{what}");
        assert_eq!(answer.header("x-flexinference-cost"), None, "{what}");
        let usage = &answer.json()["usage"];
        assert!(usage.get("cost").is_none(), "{what}");
        assert_eq!(usage["routing"]["tier"], served, "{what}");
    }
    // Without a usage there is nowhere to put it, and nothing is changed.
    for path in [RESPONSES, CHAT, INTERACTIONS, MESSAGES] {
        for stream in [false, true] {
            let fields = json!({"include_cost": true, "stream": stream});
            let body = with(behaving(path, &json!({"no_usage": true})), fields);
            let answer = rig.post(path, &body).await;
            assert_eq!(
                answer.body,
                last_sent(&rig).await,
                "{path}, stream {stream}"
            );
            rig.simulator.clear();
        }
    }
    rig.settle().await;
}
