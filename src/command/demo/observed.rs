//! What came of a request, read off the answer's headers and body and off the simulated provider's log.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use startline_actors::leg::Ending;
use startline_load::simulator::Seen;

use super::caller::Answer;
use crate::catalogue::Model;
use crate::price::{MicroUsd, PriceTier, Tokens, saving, utc_day};
use crate::vocabulary::{CallerSurface, ProviderSurface};
use crate::wire;
use crate::wire::sse::EVENT_MAX;
use crate::wire::usage::{self, Measured, UsageCollector};

/// How a request ended for its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Flex started in time.
    Won,
    /// Standard answered in its place.
    Lost,
    /// The tier that was asked for answered.
    Served,
    /// The answer began and then failed, and says so.
    Failed,
    /// An error with this status.
    Refused(u16),
    /// Nothing that could be read.
    NoAnswer,
}

/// One call that the provider saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    /// The tier asked for.
    pub(super) tier: String,
    /// The status sent, where the router waited for the whole answer.
    pub(super) status: Option<u16>,
}

impl Call {
    pub(super) fn new(seen: &Seen) -> Self {
        let hung_up = seen
            .closed
            .is_some_and(|closed| closed.by_other_side_before_end);
        Self {
            tier: seen.tier.clone().unwrap_or_else(|| "no tier".to_owned()),
            status: seen.status_sent.filter(|_| !hung_up),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(formatter, "{} {status}", self.tier),
            None => write!(formatter, "{} cut", self.tier),
        }
    }
}

pub(super) struct Observed {
    pub(super) outcome: Outcome,
    /// `x-flexinference-routing-reason`, or the code of the error.
    pub(super) reason: String,
    /// Whether the answer is an event stream.
    pub(super) event_stream: bool,
    /// The tier that the answer names as the one that served.
    pub(super) tier: Option<String>,
    /// Until the first byte of an answer's body; an error starts nothing.
    pub(super) start: Option<Duration>,
    /// At list price.
    pub(super) cost: Option<MicroUsd>,
    /// What standard would have cost more.
    pub(super) saved: Option<MicroUsd>,
    pub(super) calls: Vec<Call>,
    /// `x-flexinference-retries`.
    pub(super) rehits: Option<u32>,
    /// Where the answer's headers do not agree with its body or with each other.
    pub(super) contradictions: Vec<String>,
}

impl Observed {
    /// `model` is what was asked for: the prices are its, whatever the provider calls it in the answer.
    pub(super) fn new(
        surface: CallerSurface,
        model: Option<&Model>,
        outcome: Result<Answer, String>,
        calls: Vec<Call>,
    ) -> Self {
        match outcome {
            Ok(answer) => Self::of_answer(format_of(surface), model, &answer, calls),
            Err(reason) => Self::nothing(reason, calls),
        }
    }

    fn nothing(reason: String, calls: Vec<Call>) -> Self {
        Self {
            outcome: Outcome::NoAnswer,
            reason,
            event_stream: false,
            tier: None,
            start: None,
            cost: None,
            saved: None,
            calls,
            rehits: None,
            contradictions: Vec::new(),
        }
    }

    fn of_answer(
        format: ProviderSurface,
        model: Option<&Model>,
        answer: &Answer,
        calls: Vec<Call>,
    ) -> Self {
        let event_stream = answer
            .header("content-type")
            .is_some_and(|value| value.starts_with("text/event-stream"));
        let ending = ending(format, answer, event_stream);
        let measured = measured(format, answer, event_stream);
        let outcome = outcome(answer, &ending);
        // Before its end an answer does not know what it used.
        let counted = measured.as_ref().filter(|_| ending == Ending::Complete);
        let bill = counted.and_then(|measured| Bill::new(measured, model?));
        let cost = bill.as_ref().map(|bill| bill.cost);
        Self {
            outcome,
            reason: reason(answer, &ending),
            event_stream,
            tier: measured.and_then(|measured| measured.served_tier),
            start: (answer.status == 200).then_some(answer.start),
            cost,
            saved: bill
                .filter(|_| outcome == Outcome::Won)
                .and_then(|bill| bill.saved),
            calls,
            rehits: answer
                .header("x-flexinference-retries")
                .and_then(|count| count.parse().ok()),
            contradictions: contradictions(answer, event_stream, cost),
        }
    }
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// The format of an answer on this surface.
fn format_of(surface: CallerSurface) -> ProviderSurface {
    match surface {
        CallerSurface::Responses => ProviderSurface::OpenaiResponses,
        CallerSurface::Chat => ProviderSurface::OpenaiChat,
        CallerSurface::Interactions => ProviderSurface::GeminiInteractions,
        CallerSurface::Messages => ProviderSurface::AnthropicMessages,
    }
}

fn ending(format: ProviderSurface, answer: &Answer, event_stream: bool) -> Ending {
    let mut reader = wire::dialect(format).reader(event_stream, EVENT_MAX);
    reader.read(answer.body.clone());
    reader.end()
}

fn measured(format: ProviderSurface, answer: &Answer, event_stream: bool) -> Option<Measured> {
    if !event_stream {
        return usage::from_answer(format, &answer.body);
    }
    let mut collector = UsageCollector::new(format);
    collector.read(&answer.body);
    collector.measured()
}

fn outcome(answer: &Answer, ending: &Ending) -> Outcome {
    if answer.status != 200 {
        return Outcome::Refused(answer.status);
    }
    if *ending != Ending::Complete {
        return Outcome::Failed;
    }
    let is_true = |name| answer.header(name) == Some("true");
    match (
        is_true("x-flexinference-flex-requested"),
        is_true("x-flexinference-flex-applied"),
    ) {
        (true, true) => Outcome::Won,
        (true, false) => Outcome::Lost,
        (false, _) => Outcome::Served,
    }
}

fn reason(answer: &Answer, ending: &Ending) -> String {
    if answer.status != 200 {
        return error_code(&answer.body);
    }
    match ending {
        Ending::Failed { fault, .. } => fault.code.clone().unwrap_or_default(),
        Ending::Truncated => "cut without a word".to_owned(),
        Ending::Complete => answer
            .header("x-flexinference-routing-reason")
            .unwrap_or_default()
            .to_owned(),
    }
}

/// The router's code, or the provider's; in the same place in every envelope.
fn error_code(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let block = &body["error"]["flexinference"];
    let code = block["code"].as_str().or(block["provider_code"].as_str());
    code.unwrap_or_default().to_owned()
}

/// What an answer costs at list price, computed from the usage in it.
struct Bill {
    cost: MicroUsd,
    /// Against standard; `None` where standard has no price.
    saved: Option<MicroUsd>,
}

impl Bill {
    fn new(measured: &Measured, model: &Model) -> Option<Self> {
        let tier = PriceTier::of_served(measured.served_tier.as_deref()?)?;
        let tokens = Tokens {
            input: measured.usage.input,
            cached: measured.usage.cached,
            cache_write: measured.usage.cache_write,
            output: measured.usage.output,
        };
        let today = utc_day(SystemTime::now());
        let cost = model.prices.cost(tier, today, &tokens)?;
        let standard = model.prices.cost(PriceTier::Standard, today, &tokens);
        Some(Self {
            cost: cost.to_micro_usd(),
            saved: standard.map(|standard| saving(standard, cost)),
        })
    }
}

/// A stream's head goes out before its cost is known; a whole answer has it in a header.
fn contradictions(answer: &Answer, event_stream: bool, cost: Option<MicroUsd>) -> Vec<String> {
    let mut found = Vec::new();
    let told = answer.header("x-flexinference-cost");
    let computed = cost.map(|cost| cost.0.to_string());
    if told != computed.as_deref() && (told.is_some() || !event_stream) {
        found.push(format!(
            "x-flexinference-cost is {told:?}, the usage makes {computed:?}"
        ));
    }
    let flex_reason = answer.header("x-flexinference-flex-reason");
    let expected = match (
        answer.header("x-flexinference-flex-requested"),
        answer.header("x-flexinference-flex-applied"),
    ) {
        (Some("true"), Some("true")) => Some("flex_committed"),
        (Some("true"), Some("false")) => Some("flex_lost_race"),
        (Some("false"), Some("false")) => Some("not_requested"),
        _ => None,
    };
    if answer.status == 200 && (expected.is_none() || flex_reason != expected) {
        found.push(format!("x-flexinference-flex-reason is {flex_reason:?}, the other two headers make {expected:?}"));
    }
    found
}
