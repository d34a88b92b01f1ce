//! What goes to OpenAI and to Gemini of a Messages request.

use serde_json::{Value, json};

use super::translated_for;
use crate::translate::{Refused, Translation};
use crate::vocabulary::CallerSurface;
use crate::vocabulary::ProviderSurface::{self, GeminiInteractions, OpenaiResponses};

/// Has levels of effort from low to max.
const OPENAI: &str = "gpt-6.2-sol";
const GEMINI: &str = "gemini-3.8-flash";

pub fn translated(
    provider: ProviderSurface,
    fields: Value,
) -> Result<(Value, Translation), Refused> {
    let model = match provider {
        GeminiInteractions => GEMINI,
        _ => OPENAI,
    };
    let mut body = json!({"max_tokens": 100});
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    translated_for(CallerSurface::Messages, provider, model, body)
}

pub fn openai(fields: Value) -> Value {
    translated(OpenaiResponses, fields).unwrap().0
}

pub fn gemini(fields: Value) -> Value {
    translated(GeminiInteractions, fields).unwrap().0
}

fn dropped(provider: ProviderSurface, fields: Value) -> Option<String> {
    translated(provider, fields).unwrap().1.dropped.header()
}

fn refused(provider: ProviderSurface, fields: Value) -> String {
    translated(provider, fields).unwrap_err().param
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn input_text(text: &str) -> Value {
    json!({"type": "input_text", "text": text})
}

#[test]
fn a_plain_request_is_one_message_and_is_not_kept() {
    let expected = json!({
        "model": OPENAI, "max_output_tokens": 100, "store": false,
        "input": [{"type": "message", "role": "user", "content": [input_text("u")]}],
    });
    assert_eq!(openai(json!({})), expected);
    let expected = json!({
        "model": GEMINI, "store": false, "generation_config": {"max_output_tokens": 100},
        "input": [{"type": "user_input", "content": [text("u")]}],
    });
    assert_eq!(gemini(json!({})), expected);
    assert_eq!(dropped(OpenaiResponses, json!({})), None);
}

#[test]
fn turns_keep_their_order_and_the_system_stands_first() {
    let messages = json!([
        {"role": "user", "content": [text("a"), text("")]},
        {"role": "assistant", "content": [
            text("b"),
            {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
            {"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "r"},
            {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": true, "content": [text("s")]},
            text("c"),
        ]},
        {"role": "assistant", "content": "d"},
    ]);
    let fields = json!({"system": [text("s"), text("t")], "messages": messages});
    let body = openai(fields.clone());
    let expected = json!([
        {"type": "message", "role": "system", "content": [input_text("s"), input_text("t")]},
        {"type": "message", "role": "user", "content": [input_text("a")]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "b"}]},
        {"type": "function_call", "call_id": "toolu_1", "name": "f", "arguments": "{\"a\":1}"},
        {"type": "function_call", "call_id": "toolu_2", "name": "g", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "toolu_1", "output": "r"},
        {"type": "function_call_output", "call_id": "toolu_2", "output": [input_text("s")]},
        {"type": "message", "role": "user", "content": [input_text("c")]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "d"}]},
    ]);
    assert_eq!(body["input"], expected);
    let told = dropped(OpenaiResponses, fields.clone());
    assert_eq!(told.as_deref(), Some("messages.content.is_error"));
    let body = gemini(fields.clone());
    assert_eq!(body["system_instruction"], "s\n\nt");
    assert_eq!(body["input"][5]["is_error"], true);
    assert_eq!(dropped(GeminiInteractions, fields), None);
}

#[test]
fn images_and_documents_keep_their_form() {
    let base64 =
        |media: &str, data: &str| json!({"type": "base64", "media_type": media, "data": data});
    let blocks = json!([
        {"type": "image", "source": base64("image/png", "AAAA")},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        {"type": "document", "source": base64("application/pdf", "BBBB")},
        {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}},
        {"type": "document", "title": "t", "source": {"type": "text", "media_type": "text/plain", "data": "d"}},
    ]);
    let fields = json!({"messages": [{"role": "user", "content": blocks}]});
    let expected = json!([
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"},
        {"type": "input_image", "image_url": "https://example.com/a.png", "detail": "auto"},
        {"type": "input_file", "file_data": "data:application/pdf;base64,BBBB", "filename": "document.pdf"},
        {"type": "input_file", "file_url": "https://example.com/a.pdf"},
        input_text("t\n\nd"),
    ]);
    assert_eq!(openai(fields.clone())["input"][0]["content"], expected);
    let expected = json!([
        {"type": "image", "mime_type": "image/png", "data": "AAAA"},
        {"type": "image", "uri": "https://example.com/a.png"},
        {"type": "document", "mime_type": "application/pdf", "data": "BBBB"},
        {"type": "document", "uri": "https://example.com/a.pdf"},
        text("t\n\nd"),
    ]);
    assert_eq!(gemini(fields.clone())["input"][0]["content"], expected);
    assert_eq!(dropped(GeminiInteractions, fields), None);
    for source in [
        json!({"type": "file", "file_id": "file_1"}),
        json!({"type": "content", "content": []}),
    ] {
        let blocks = json!([{"type": "document", "source": source}]);
        let fields = json!({"messages": [{"role": "user", "content": blocks}]});
        let param = refused(OpenaiResponses, fields);
        assert_eq!(param, "messages[0].content[0].source.type");
    }
}

#[test]
fn tools_and_every_choice_of_them_have_their_counterpart() {
    let tools = json!([
        {"name": "f", "description": "d", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
        {"type": "custom", "name": "g", "input_schema": {"type": "object"}, "strict": true},
    ]);
    for (choice, of_openai, of_gemini) in [
        (json!({"type": "auto"}), json!("auto"), json!("auto")),
        (json!({"type": "any"}), json!("required"), json!("any")),
        (json!({"type": "none"}), json!("none"), json!("none")),
        (
            json!({"type": "tool", "name": "g"}),
            json!({"type": "function", "name": "g"}),
            json!({"allowed_tools": {"mode": "any", "tools": ["g"]}}),
        ),
    ] {
        let fields = json!({"tools": tools, "tool_choice": choice});
        let body = openai(fields.clone());
        assert_eq!(body["tool_choice"], of_openai);
        let function = json!({"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}, "strict": false});
        assert_eq!(body["tools"][0], function);
        let told = dropped(OpenaiResponses, fields.clone());
        assert_eq!(
            told.as_deref(),
            Some("tools.cache_control, tools.strict"),
            "an open schema cannot bind"
        );
        assert_eq!(
            gemini(fields)["generation_config"]["tool_choice"],
            of_gemini
        );
    }
    let single =
        json!({"tools": tools, "tool_choice": {"type": "auto", "disable_parallel_tool_use": true}});
    assert_eq!(openai(single.clone())["parallel_tool_calls"], false);
    assert_eq!(
        refused(GeminiInteractions, single),
        "tool_choice.disable_parallel_tool_use"
    );
    let search = json!({"tools": [{"type": "web_search_20250305", "name": "web_search"}]});
    assert_eq!(refused(OpenaiResponses, search), "tools[0].type");
}

#[test]
fn thinking_and_effort_become_reasoning() {
    let adaptive = json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "xhigh"}});
    let body = openai(adaptive.clone());
    assert_eq!(
        body["reasoning"],
        json!({"effort": "xhigh", "summary": "auto"})
    );
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    let config = &gemini(adaptive.clone())["generation_config"];
    assert_eq!(
        (&config["thinking_level"], &config["thinking_summaries"]),
        (&json!("high"), &json!("auto"))
    );
    assert_eq!(
        dropped(GeminiInteractions, adaptive).as_deref(),
        Some("output_config.effort")
    );
    for (budget, effort) in [(1_024, "low"), (8_000, "medium"), (32_000, "high")] {
        let fields = json!({"thinking": {"type": "enabled", "budget_tokens": budget}});
        assert_eq!(openai(fields.clone())["reasoning"]["effort"], effort);
        assert_eq!(
            dropped(OpenaiResponses, fields).as_deref(),
            Some("thinking.budget_tokens")
        );
    }
    let hidden = json!({"thinking": {"type": "adaptive", "display": "omitted"}});
    assert!(openai(hidden)["reasoning"].get("summary").is_none());
    let disabled = json!({"thinking": {"type": "disabled"}});
    assert_eq!(
        openai(disabled.clone())["reasoning"],
        json!({"effort": "low"})
    );
    let told = dropped(OpenaiResponses, disabled);
    assert_eq!(
        told.as_deref(),
        Some("output_config.effort"),
        "this model always thinks"
    );
    assert_eq!(
        refused(OpenaiResponses, json!({"thinking": {"type": "deep"}})),
        "thinking.type"
    );
}

#[test]
fn a_schema_binds_where_it_can() {
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
    let mut open = closed.clone();
    open["required"] = json!([]);
    for (schema, strict) in [(closed, true), (open, false)] {
        let fields =
            json!({"output_config": {"format": {"type": "json_schema", "schema": schema}}});
        let format =
            json!({"type": "json_schema", "name": "output", "schema": schema, "strict": strict});
        assert_eq!(openai(fields.clone())["text"]["format"], format);
        let format = json!({"type": "text", "mime_type": "application/json", "schema": schema});
        assert_eq!(gemini(fields)["response_format"], format);
    }
    let fields = json!({"output_config": {"format": {"type": "xml"}}});
    assert_eq!(
        refused(OpenaiResponses, fields),
        "output_config.format.type"
    );
}

#[test]
fn caps_stops_and_sampling_are_carried_where_they_can_be() {
    let fields = json!({"temperature": 0.5, "top_p": 0.9});
    let body = openai(fields.clone());
    assert_eq!(
        (&body["temperature"], &body["top_p"]),
        (&json!(0.5), &json!(0.9))
    );
    let mut fields = fields;
    fields["stop_sequences"] = json!(["x"]);
    let config = gemini(fields.clone())["generation_config"].clone();
    assert_eq!(
        config,
        json!({"max_output_tokens": 100, "temperature": 0.5, "top_p": 0.9, "stop_sequences": ["x"]})
    );
    assert_eq!(refused(OpenaiResponses, fields), "stop_sequences");
    assert_eq!(
        openai(json!({"stop_sequences": []}))["max_output_tokens"],
        100
    );
    assert_eq!(openai(json!({"max_tokens": 3}))["max_output_tokens"], 16);
    assert_eq!(
        dropped(OpenaiResponses, json!({"max_tokens": 3})).as_deref(),
        Some("max_tokens")
    );
    assert_eq!(
        gemini(json!({"max_tokens": 3}))["generation_config"]["max_output_tokens"],
        3
    );
}

#[test]
fn what_the_other_does_not_have_is_told_or_refused() {
    let hint = json!({"type": "ephemeral"});
    let mut block = text("u");
    block["cache_control"] = hint.clone();
    let fields = json!({
        "metadata": {"user_id": "u"}, "cache_control": hint, "system": [block],
        "messages": [{"role": "user", "content": [block]}],
    });
    for provider in [OpenaiResponses, GeminiInteractions] {
        let header = dropped(provider, fields.clone()).unwrap();
        for path in [
            "metadata",
            "cache_control",
            "system.cache_control",
            "messages.content.cache_control",
        ] {
            assert!(
                header.split(", ").any(|told| told == path),
                "{path}: {header}"
            );
        }
        for (name, value) in [
            ("top_k", json!(5)),
            ("container", json!("c")),
            ("made_up", json!(1)),
            ("inference_geo", json!("us")),
        ] {
            let mut fields = json!({});
            fields[name] = value;
            assert_eq!(refused(provider, fields), name);
        }
        let unknown =
            json!([{"role": "user", "content": [{"type": "container_upload", "file_id": "f"}]}]);
        let param = refused(provider, json!({"messages": unknown}));
        assert_eq!(param, "messages[0].content[0].type");
    }
}

#[test]
fn thinking_that_is_turned_off_is_off_in_any_order_of_the_fields() {
    let effort = json!({"effort": "high"});
    let off = json!({"type": "disabled"});
    for fields in [
        json!({"thinking": off, "output_config": effort}),
        json!({"output_config": effort, "thinking": off}),
    ] {
        assert_eq!(
            openai(fields)["reasoning"]["effort"],
            "low",
            "the least of this model"
        );
    }
}

#[test]
fn a_document_without_a_title_gets_a_name_of_its_kind_wherever_it_stands() {
    let source = json!({"type": "base64", "media_type": "text/csv", "data": "AAAA"});
    let document = json!([{"type": "document", "source": source}]);
    let fields = json!({"messages": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": document}]},
    ]});
    assert_eq!(
        openai(fields)["input"][1]["output"][0]["filename"],
        "document.csv"
    );
}
