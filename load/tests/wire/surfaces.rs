//! Order of events, identities and tiers on each surface.

use serde_json::{Value, json};
use startline_load::simulator::{Behaviour, Content, Numbers, Simulator};

use crate::client::{outline, post, post_scripted, post_with, surfaces, usual_headers};

const RESPONSES: &str = "/v1/responses";
const CHAT: &str = "/v1/chat/completions";
const INTERACTIONS: &str = "/v1beta/interactions";
const MESSAGES: &str = "/v1/messages";

fn with_content(content: &[Content]) -> Behaviour {
    Behaviour {
        content: content.to_vec(),
        ..Behaviour::default()
    }
}

#[test]
fn a_text_has_each_surfaces_order_of_events() {
    let simulator = Simulator::start_default();
    let expected = [
        "response.created response.in_progress response.output_item.added response.content_part.added \
            response.output_text.delta response.output_text.done response.content_part.done \
            response.output_item.done response.completed",
        "role content stop [DONE]",
        "interaction.created interaction.status_update step.start step.delta step.stop step.start step.delta step.stop \
            interaction.completed done",
        "message_start content_block_start ping content_block_delta content_block_stop message_delta message_stop",
    ];
    for ((path, body), expected) in surfaces(true).into_iter().zip(expected) {
        let answer = post(&simulator, path, &body);
        assert!(answer.whole && answer.status == 200, "{path}");
        assert_eq!(
            answer.header("content-type"),
            Some("text/event-stream; charset=utf-8")
        );
        assert_eq!(outline(&answer.events()).join(" "), expected, "{path}");
    }
}

#[test]
fn a_text_says_what_the_caller_said_on_every_surface() {
    let simulator = Simulator::start_default();
    let places = [
        "/output/0/content/0/text",
        "/choices/0/message/content",
        "/steps/1/content/0/text",
        "/content/0/text",
    ];
    for ((path, body), place) in surfaces(false).into_iter().zip(places) {
        let answer = post(&simulator, path, &body);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(
            answer.json().pointer(place),
            Some(&json!("You said: hello")),
            "{path}"
        );
    }
}

#[test]
fn sequence_numbers_have_no_gap_whatever_the_content() {
    let simulator = Simulator::start_default();
    use Content::*;
    let everything = [
        ReasoningSummary,
        Reasoning,
        Text,
        ToolCall,
        ParallelToolCalls,
        DeltaLessToolCall,
        CustomToolCall,
        WebSearch,
        Refusal,
    ];
    let behaviour = Behaviour {
        unknown_events: true,
        ..with_content(&everything)
    };
    let (path, body) = &surfaces(true)[0];
    let events = post_scripted(&simulator, path, body, behaviour).events();
    assert!(events.len() > 60);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event.data["sequence_number"], json!(number));
        assert_eq!(event.data["type"], json!(event.name));
    }
    let output = &events.last().unwrap().data["response"]["output"];
    assert_eq!(output.as_array().unwrap().len(), 11);
    for done in events
        .iter()
        .filter(|event| event.name == "response.output_item.done")
    {
        let index = done.data["output_index"].as_u64().unwrap() as usize;
        assert_eq!(done.data["item"], output[index]);
    }
}

#[test]
fn the_tier_is_told_where_each_vendor_tells_it() {
    let simulator = Simulator::start_default();
    for (asked, early, served) in [
        (None, "auto", "default"),
        (Some("default"), "default", "default"),
        (Some("flex"), "flex", "flex"),
        (Some("fast"), "priority", "priority"),
    ] {
        let mut body = json!({"model": "gpt-5.2", "input": "hi", "stream": true});
        if let Some(tier) = asked {
            body["service_tier"] = json!(tier);
        }
        let events = post(&simulator, RESPONSES, &body).events();
        assert_eq!(events[0].data["response"]["service_tier"], early);
        assert_eq!(events[1].data["response"]["service_tier"], early);
        assert_eq!(
            events.last().unwrap().data["response"]["service_tier"],
            served
        );
    }
    let chat =
        json!({"model": "gpt-5.2", "messages": [{"role": "user", "content": "x"}], "stream": true});
    let chunks = post(&simulator, CHAT, &chat).events();
    assert!(
        chunks
            .iter()
            .filter(|chunk| !chunk.data.is_null())
            .all(|chunk| chunk.data["service_tier"] == "default")
    );
    let interaction = json!({"model": "gemini-3.8-flash", "input": "x", "stream": true, "service_tier": "priority"});
    let downgraded = Behaviour {
        served_tier: Some("standard".into()),
        ..Behaviour::default()
    };
    let events = post_scripted(&simulator, INTERACTIONS, &interaction, downgraded).events();
    let told: Vec<&Value> = events
        .iter()
        .map(|event| &event.data["interaction"]["service_tier"])
        .filter(|tier| !tier.is_null())
        .collect();
    assert_eq!(told, ["standard"]);
    let (path, body) = &surfaces(true)[3];
    assert_eq!(
        post(&simulator, path, body).events()[0].data["message"]["usage"]["service_tier"],
        "standard"
    );
}

#[test]
fn usage_keeps_each_vendors_identities() {
    let simulator = Simulator::start_default();
    let usage = Numbers {
        input: 100,
        cached: 40,
        cache_write: 10,
        output: 50,
        reasoning: 20,
    };
    let behaviour = Behaviour {
        usage: Some(usage),
        ..with_content(&[Content::Reasoning, Content::Text])
    };
    let get = |number: usize| {
        let (path, body) = &surfaces(false)[number];
        post_scripted(&simulator, path, body, behaviour.clone()).json()["usage"].clone()
    };
    let responses = get(0);
    assert_eq!(
        (&responses["input_tokens"], &responses["total_tokens"]),
        (&json!(100), &json!(150))
    );
    assert_eq!(responses["output_tokens_details"]["reasoning_tokens"], 20);
    assert_eq!(get(1)["prompt_tokens_details"]["cached_tokens"], 40);
    let gemini = get(2);
    assert_eq!(
        (
            &gemini["total_output_tokens"],
            &gemini["total_thought_tokens"]
        ),
        (&json!(30), &json!(20))
    );
    assert_eq!(gemini["total_tokens"], 150);
    let anthropic = get(3);
    assert_eq!(
        (
            &anthropic["input_tokens"],
            &anthropic["cache_read_input_tokens"]
        ),
        (&json!(50), &json!(40))
    );
    assert_eq!(anthropic["output_tokens"], 50);
}

#[test]
fn chat_tells_usage_only_when_asked_and_then_null_before() {
    let simulator = Simulator::start_default();
    let (path, mut body) = surfaces(true)[1].clone();
    let chunks = post(&simulator, path, &body).events();
    assert!(chunks.iter().all(|chunk| chunk.data.get("usage").is_none()));
    body["stream_options"] = json!({"include_usage": true});
    let chunks = post(&simulator, path, &body).events();
    let (usage, others) = chunks[..chunks.len() - 1].split_last().unwrap();
    assert!(
        others
            .iter()
            .all(|chunk| chunk.data["usage"].is_null() && chunk.data.get("usage").is_some())
    );
    assert_eq!(usage.data["choices"], json!([]));
    assert!(usage.data["usage"]["total_tokens"].as_u64() > Some(0));
}

#[test]
fn a_forced_tool_is_called_on_every_surface_streamed_and_not() {
    let simulator = Simulator::start_default();
    let parameters =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let flat = json!([{"type": "function", "name": "f", "parameters": parameters}]);
    let nested = json!([{"type": "function", "function": {"name": "f", "parameters": parameters}}]);
    let extras = [
        json!({"tools": flat, "tool_choice": "required"}),
        json!({"tools": nested, "tool_choice": {"type": "function", "function": {"name": "f"}}}),
        json!({"tools": flat, "generation_config": {"tool_choice": "any"}}),
        json!({"tools": [{"name": "f", "input_schema": parameters}], "tool_choice": {"type": "any"}}),
    ];
    let places = [
        ("/output/0/arguments", json!("{\"city\":\"Oslo\"}")),
        (
            "/choices/0/message/tool_calls/0/function/arguments",
            json!("{\"city\":\"Oslo\"}"),
        ),
        ("/steps/1/arguments", json!({"city": "Oslo"})),
        ("/content/0/input", json!({"city": "Oslo"})),
    ];
    for (number, (place, expected)) in places.into_iter().enumerate() {
        let (path, mut body) = surfaces(false)[number].clone();
        body.as_object_mut()
            .unwrap()
            .extend(extras[number].as_object().unwrap().clone());
        assert_eq!(
            post(&simulator, path, &body).json().pointer(place),
            Some(&expected),
            "{path}"
        );
        body["stream"] = json!(true);
        let streamed = post(&simulator, path, &body);
        let pieces: String = streamed
            .events()
            .iter()
            .map(|event| arguments_in(&event.data))
            .collect();
        assert_eq!(pieces, "{\"city\":\"Oslo\"}", "{path}");
    }
}

fn arguments_in(data: &Value) -> &str {
    let responses = if data["type"] == "response.function_call_arguments.delta" {
        &data["delta"]
    } else {
        &Value::Null
    };
    let chat = &data["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"];
    let (gemini, anthropic) = (&data["delta"]["arguments"], &data["delta"]["partial_json"]);
    [responses, chat, gemini, anthropic]
        .into_iter()
        .find_map(Value::as_str)
        .unwrap_or_default()
}

#[test]
fn a_structured_answer_fits_its_schema_on_every_surface() {
    let simulator = Simulator::start_default();
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let extras = [
        json!({"text": {"format": {"type": "json_schema", "name": "n", "schema": schema}}}),
        json!({"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}}),
        json!({"response_format": {"type": "text", "mime_type": "application/json", "schema": schema}}),
        json!({"output_config": {"format": {"type": "json_schema", "schema": schema}}}),
    ];
    for ((path, mut body), extra) in surfaces(false).into_iter().zip(extras) {
        body.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let answer = post(&simulator, path, &body);
        assert!(
            answer.text().contains(r#"{\"n\":1}"#),
            "{path}: {}",
            answer.text()
        );
    }
}

#[test]
fn every_kind_of_content_ends_as_its_surface_says() {
    let simulator = Simulator::start_default();
    let expected = [
        (
            Content::Text,
            ["completed", "stop", "completed", "end_turn"],
        ),
        (
            Content::ToolCall,
            ["completed", "tool_calls", "requires_action", "tool_use"],
        ),
        (
            Content::Incomplete,
            ["incomplete", "length", "incomplete", "max_tokens"],
        ),
        (
            Content::ContentFilter,
            ["incomplete", "content_filter", "failed", "refusal"],
        ),
        (
            Content::Refusal,
            ["completed", "stop", "completed", "refusal"],
        ),
        (
            Content::WebSearch,
            ["completed", "stop", "completed", "end_turn"],
        ),
    ];
    let places = [
        "/status",
        "/choices/0/finish_reason",
        "/status",
        "/stop_reason",
    ];
    for (content, words) in expected {
        for (number, (path, body)) in surfaces(false).into_iter().enumerate() {
            let document = post_scripted(&simulator, path, &body, with_content(&[content])).json();
            assert_eq!(
                document.pointer(places[number]),
                Some(&json!(words[number])),
                "{content:?} {path}"
            );
        }
    }
}

#[test]
fn an_interaction_that_is_not_stored_has_no_id() {
    let simulator = Simulator::start_default();
    let mut body = json!({"model": "gemini-3.8-flash", "input": "x", "store": false});
    assert!(
        post(&simulator, INTERACTIONS, &body)
            .json()
            .get("id")
            .is_none()
    );
    body["stream"] = json!(true);
    assert_eq!(
        post(&simulator, INTERACTIONS, &body).events()[0].data["interaction"]["id"],
        ""
    );
}

#[test]
fn tokens_are_counted_for_claude() {
    let simulator = Simulator::start_default();
    let path = "/v1/messages/count_tokens";
    let body =
        json!({"model": "claude-opus-5", "messages": [{"role": "user", "content": "hello"}]});
    let answer = post_with(&simulator, path, usual_headers(MESSAGES), &body);
    assert!(answer.json()["input_tokens"].as_u64() > Some(0));
    assert!(
        answer.header("request-id").is_some()
            && answer.header("anthropic-organization-id").is_some()
    );
}

#[test]
fn reasoning_is_sealed_only_for_a_caller_who_asked_for_it() {
    let simulator = Simulator::start_default();
    let (path, mut body) = surfaces(true)[0].clone();
    let behaviour = with_content(&[Content::Reasoning, Content::Text]);
    let plain = post_scripted(&simulator, path, &body, behaviour.clone());
    assert!(!plain.text().contains("encrypted_content"));
    body["include"] = json!(["reasoning.encrypted_content"]);
    let events = post_scripted(&simulator, path, &body, behaviour).events();
    let (added, done) = (&events[2].data["item"], &events[3].data["item"]);
    assert!(added["encrypted_content"].is_string() && done["encrypted_content"].is_string());
}
