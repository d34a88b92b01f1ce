//! The response object, which lifecycle events carry whole and which is the answer to a request that does not stream.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::super::answer::Refusal;
use super::super::asked::Asked;
use super::super::ids::{self, ResponseIds};
use super::super::output::{End, Item, Output};
use super::super::script::Behaviour;
use super::response_items::make;

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
    #[serde(skip_serializing_if = "Value::is_null")]
    billing: Value,
    completed_at: Option<u64>,
    error: Value,
    frequency_penalty: f64,
    incomplete_details: Value,
    instructions: &'a Value,
    max_output_tokens: &'a Value,
    max_tool_calls: &'a Value,
    metadata: Value,
    model: &'a str,
    output: &'a [Value],
    parallel_tool_calls: bool,
    presence_penalty: f64,
    previous_response_id: &'a Value,
    prompt_cache_key: &'a Value,
    prompt_cache_retention: &'static str,
    reasoning: Value,
    safety_identifier: &'a Value,
    service_tier: &'a str,
    store: bool,
    temperature: f64,
    text: Value,
    tool_choice: Value,
    tools: &'a Value,
    tool_usage: Value,
    top_logprobs: u64,
    top_p: f64,
    truncation: &'a str,
    usage: Value,
    user: &'a Value,
}

impl Frame<'_> {
    pub(super) fn response<'a>(
        &'a self,
        status: &'static str,
        tier: &'a str,
        output: &'a [Value],
    ) -> Response<'a> {
        const NO_TOOLS: &Value = &Value::Array(Vec::new());
        let body = &self.asked.body;
        let or = |field: &str, usual: Value| {
            if body[field].is_null() {
                usual
            } else {
                body[field].clone()
            }
        };
        Response {
            id: &self.id,
            object: "response",
            created_at: self.created,
            status,
            background: false,
            billing: Value::Null,
            completed_at: None,
            error: Value::Null,
            frequency_penalty: 0.0,
            incomplete_details: Value::Null,
            instructions: &body["instructions"],
            max_output_tokens: &body["max_output_tokens"],
            max_tool_calls: &body["max_tool_calls"],
            metadata: or("metadata", json!({})),
            model: self.asked.model(),
            output,
            parallel_tool_calls: body["parallel_tool_calls"].as_bool().unwrap_or(true),
            presence_penalty: 0.0,
            previous_response_id: &body["previous_response_id"],
            prompt_cache_key: &body["prompt_cache_key"],
            prompt_cache_retention: "24h",
            reasoning: reasoning(&body["reasoning"]),
            safety_identifier: &body["safety_identifier"],
            service_tier: tier,
            store: body["store"].as_bool().unwrap_or(true),
            temperature: body["temperature"].as_f64().unwrap_or(1.0),
            text: text(&body["text"]),
            tool_choice: or("tool_choice", json!("auto")),
            tools: if body["tools"].is_array() {
                &body["tools"]
            } else {
                NO_TOOLS
            },
            tool_usage: json!({"web_search": {"num_requests": 0}}),
            top_logprobs: body["top_logprobs"].as_u64().unwrap_or(0),
            top_p: body["top_p"].as_f64().unwrap_or(1.0),
            truncation: body["truncation"].as_str().unwrap_or("disabled"),
            usage: Value::Null,
            user: &body["user"],
        }
    }

    /// The response as it stands at the end.
    pub(super) fn finished<'a>(
        &'a self,
        output: &Output,
        items: &'a [Value],
        behaviour: &Behaviour,
    ) -> Response<'a> {
        let (status, reason) = match output.end {
            End::TokenLimit => ("incomplete", json!({"reason": "max_output_tokens"})),
            End::Filtered => ("incomplete", json!({"reason": "content_filter"})),
            End::Complete | End::Refused => ("completed", Value::Null),
        };
        let mut response = self.response(status, self.served, items);
        response.incomplete_details = reason;
        response.billing = json!({"payer": "developer"});
        if status == "completed" {
            response.completed_at = Some(ids::unix_now());
        }
        if !behaviour.no_usage {
            response.usage = usage(output);
        }
        let searches = output
            .items
            .iter()
            .filter(|item| matches!(item, Item::Search { .. }))
            .count();
        response.tool_usage["web_search"]["num_requests"] = json!(searches);
        response
    }

    pub(super) fn document(
        &self,
        ids: &ResponseIds,
        output: &Output,
        behaviour: &Behaviour,
    ) -> Value {
        if behaviour.fault.is_some() {
            return serde_json::to_value(self.failed(&super::fault(behaviour), &[]))
                .expect("plain data");
        }
        let made: Vec<Value> = output
            .items
            .iter()
            .map(|item| make(item, ids, Duration::ZERO, output.end).done)
            .collect();
        serde_json::to_value(self.finished(output, &made, behaviour)).expect("plain data")
    }

    pub(super) fn failed<'a>(&'a self, fault: &Refusal, items: &'a [Value]) -> Response<'a> {
        let mut response = self.response("failed", self.early, items);
        response.error = json!({"code": fault.code, "message": fault.message});
        response
    }
}

fn reasoning(asked: &Value) -> Value {
    let effort = if asked["effort"].is_null() {
        json!("medium")
    } else {
        asked["effort"].clone()
    };
    json!({"context": "all_turns", "effort": effort, "mode": "standard", "summary": asked["summary"]})
}

fn text(asked: &Value) -> Value {
    let format = if asked["format"].is_null() {
        json!({"type": "text"})
    } else {
        asked["format"].clone()
    };
    let verbosity = if asked["verbosity"].is_null() {
        json!("medium")
    } else {
        asked["verbosity"].clone()
    };
    json!({"format": format, "verbosity": verbosity})
}

fn usage(output: &Output) -> Value {
    let usage = &output.usage;
    json!({
        "input_tokens": usage.input,
        "input_tokens_details": {"cache_write_tokens": usage.cache_write, "cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    })
}
