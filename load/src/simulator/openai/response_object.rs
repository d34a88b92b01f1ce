//! The response object, which lifecycle events carry whole and which is the answer to a request that does not stream.

use std::sync::LazyLock;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::answer::Refusal;
use super::super::asked::Asked;
use super::super::ids::{self, ResponseIds};
use super::super::output::{End, Item, Output};
use super::super::script::Behaviour;
use super::response_items::make;

static NO_METADATA: LazyLock<Value> = LazyLock::new(|| json!({}));
static NO_TOOLS: LazyLock<Value> = LazyLock::new(|| json!([]));
static AUTO: LazyLock<Value> = LazyLock::new(|| json!("auto"));
static MEDIUM: LazyLock<Value> = LazyLock::new(|| json!("medium"));
static PLAIN_TEXT: LazyLock<Value> = LazyLock::new(|| json!({"type": "text"}));

/// What all response objects of one answer share.
pub(super) struct Frame<'a> {
    pub(super) asked: &'a Asked,
    pub(super) id: String,
    pub(super) created: u64,
    pub(super) early: &'a str,
    pub(super) served: &'a str,
}

/// A response object; the request's own fields are told back.
#[derive(Serialize)]
pub(super) struct Response<'a> {
    id: &'a str,
    object: &'static str,
    created_at: u64,
    pub(super) status: &'static str,
    background: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    billing: Option<Billing>,
    completed_at: Option<u64>,
    error: Option<Problem<'a>>,
    frequency_penalty: f64,
    incomplete_details: Option<Incomplete>,
    instructions: &'a Value,
    max_output_tokens: &'a Value,
    max_tool_calls: &'a Value,
    metadata: &'a Value,
    model: &'a str,
    output: &'a [Box<RawValue>],
    parallel_tool_calls: bool,
    presence_penalty: f64,
    previous_response_id: &'a Value,
    prompt_cache_key: &'a Value,
    prompt_cache_retention: &'static str,
    reasoning: Reasoning<'a>,
    safety_identifier: &'a Value,
    service_tier: &'a str,
    store: bool,
    temperature: f64,
    text: Text<'a>,
    tool_choice: &'a Value,
    tools: &'a Value,
    tool_usage: ToolUsage,
    top_logprobs: u64,
    top_p: f64,
    truncation: &'a str,
    usage: Option<Usage>,
    user: &'a Value,
}

#[derive(Serialize)]
struct Billing {
    payer: &'static str,
}

#[derive(Serialize)]
struct Problem<'a> {
    code: Option<&'a str>,
    message: &'a str,
}

#[derive(Serialize)]
struct Incomplete {
    reason: &'static str,
}

#[derive(Serialize)]
struct Reasoning<'a> {
    context: &'static str,
    effort: &'a Value,
    mode: &'static str,
    summary: &'a Value,
}

#[derive(Serialize)]
struct Text<'a> {
    format: &'a Value,
    verbosity: &'a Value,
}

#[derive(Serialize)]
struct ToolUsage {
    web_search: Searches,
}

#[derive(Serialize)]
struct Searches {
    num_requests: usize,
}

#[derive(Serialize)]
struct Usage {
    input_tokens: u64,
    input_tokens_details: InputDetails,
    output_tokens: u64,
    output_tokens_details: OutputDetails,
    total_tokens: u64,
}

#[derive(Serialize)]
struct InputDetails {
    cache_write_tokens: u64,
    cached_tokens: u64,
}

#[derive(Serialize)]
struct OutputDetails {
    reasoning_tokens: u64,
}

impl Frame<'_> {
    /// The response while nothing of it has come.
    pub(super) fn response<'a>(
        &'a self,
        status: &'static str,
        tier: &'a str,
        output: &'a [Box<RawValue>],
    ) -> Response<'a> {
        let body = &self.asked.body;
        Response {
            id: &self.id,
            object: "response",
            created_at: self.created,
            status,
            background: false,
            billing: None,
            completed_at: None,
            error: None,
            frequency_penalty: 0.0,
            incomplete_details: None,
            instructions: &body["instructions"],
            max_output_tokens: &body["max_output_tokens"],
            max_tool_calls: &body["max_tool_calls"],
            metadata: or(&body["metadata"], &NO_METADATA),
            model: self.asked.model(),
            output,
            parallel_tool_calls: body["parallel_tool_calls"].as_bool().unwrap_or(true),
            presence_penalty: 0.0,
            previous_response_id: &body["previous_response_id"],
            prompt_cache_key: &body["prompt_cache_key"],
            prompt_cache_retention: "24h",
            reasoning: Reasoning {
                context: "all_turns",
                effort: or(&body["reasoning"]["effort"], &MEDIUM),
                mode: "standard",
                summary: &body["reasoning"]["summary"],
            },
            safety_identifier: &body["safety_identifier"],
            service_tier: tier,
            store: body["store"].as_bool().unwrap_or(true),
            temperature: body["temperature"].as_f64().unwrap_or(1.0),
            text: Text {
                format: or(&body["text"]["format"], &PLAIN_TEXT),
                verbosity: or(&body["text"]["verbosity"], &MEDIUM),
            },
            tool_choice: or(&body["tool_choice"], &AUTO),
            tools: or(&body["tools"], &NO_TOOLS),
            tool_usage: ToolUsage {
                web_search: Searches { num_requests: 0 },
            },
            top_logprobs: body["top_logprobs"].as_u64().unwrap_or(0),
            top_p: body["top_p"].as_f64().unwrap_or(1.0),
            truncation: body["truncation"].as_str().unwrap_or("disabled"),
            usage: None,
            user: &body["user"],
        }
    }

    /// The response as it stands at the end.
    pub(super) fn finished<'a>(
        &'a self,
        output: &Output,
        items: &'a [Box<RawValue>],
        behaviour: &Behaviour,
    ) -> Response<'a> {
        let (status, reason) = match output.end {
            End::TokenLimit => ("incomplete", Some("max_output_tokens")),
            End::Filtered => ("incomplete", Some("content_filter")),
            End::Complete | End::Refused => ("completed", None),
        };
        let mut response = self.response(status, self.served, items);
        response.incomplete_details = reason.map(|reason| Incomplete { reason });
        response.billing = Some(Billing { payer: "developer" });
        if status == "completed" {
            response.completed_at = Some(ids::unix_now());
        }
        if !behaviour.no_usage {
            response.usage = Some(usage(output));
        }
        let is_search = |item: &&Item| matches!(item, Item::Search { .. });
        response.tool_usage.web_search.num_requests = output.items.iter().filter(is_search).count();
        response
    }

    /// The response as it stands after a failure.
    pub(super) fn failed<'a>(&'a self, fault: &'a Refusal) -> Response<'a> {
        let mut response = self.response("failed", self.early, &[]);
        response.error = Some(Problem {
            code: fault.code.as_deref(),
            message: &fault.message,
        });
        response
    }

    /// The whole answer to a request that does not stream.
    pub(super) fn document(
        &self,
        ids: &ResponseIds,
        output: &Output,
        behaviour: &Behaviour,
    ) -> Vec<u8> {
        if behaviour.fault.is_some() {
            return serde_json::to_vec(&self.failed(&super::fault(behaviour))).expect("plain data");
        }
        let mut items = Vec::with_capacity(output.items.len());
        for item in &output.items {
            items.push(make(item, ids, Duration::ZERO, output.end).done);
        }
        serde_json::to_vec(&self.finished(output, &items, behaviour)).expect("plain data")
    }
}

fn or<'a>(asked: &'a Value, usual: &'a Value) -> &'a Value {
    if asked.is_null() { usual } else { asked }
}

fn usage(output: &Output) -> Usage {
    let usage = &output.usage;
    Usage {
        input_tokens: usage.input,
        input_tokens_details: InputDetails {
            cache_write_tokens: usage.cache_write,
            cached_tokens: usage.cached,
        },
        output_tokens: usage.output,
        output_tokens_details: OutputDetails {
            reasoning_tokens: usage.reasoning,
        },
        total_tokens: usage.input + usage.output,
    }
}
