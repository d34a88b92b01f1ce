//! What a canonical request of another vendor's caller leaves open, or says otherwise, for OpenAI.

use serde_json::{Value, json};

use crate::catalogue::Model;
use crate::translate::conversation::{Conversation, Format, Item, Output, Part, Role, Tool};
use crate::translate::data_url::base64_of;
use crate::translate::effort::{self, Level};
use crate::translate::{Dropped, Refused, sealed};

/// What a document is called that has no name: one is asked for there.
const DOCUMENT: &str = "document";

/// Completes a request. `model` is what the catalogue knows. Fields are named as they are in the canonical request.
///
/// # Errors
/// The first field that cannot be carried.
pub(in crate::translate) fn complete(
    conversation: &mut Conversation,
    model: Option<&Model>,
    dropped: &mut Dropped,
) -> Result<(), Refused> {
    for item in &mut conversation.input {
        match item {
            Item::Message { content: parts, .. }
            | Item::FunctionCallOutput {
                output: Output::Parts(parts),
                ..
            }
            | Item::CustomToolCallOutput {
                output: Output::Parts(parts),
                ..
            } => parts.iter_mut().for_each(name_the_file),
            _ => {}
        }
        if let Item::FunctionCallOutput { is_error: true, .. } = item {
            dropped.note("input.is_error");
        }
    }
    for tool in &mut conversation.tools {
        if let Tool::Function {
            parameters,
            strict: strict @ true,
            ..
        } = tool
            && !can_bind(parameters)
        {
            *strict = false;
            dropped.note("tools.strict");
        }
    }
    let format = conversation
        .text
        .as_mut()
        .and_then(|text| text.format.as_mut());
    if let Some(Format::JsonSchema {
        schema,
        strict: strict @ true,
        ..
    }) = format
        && !can_bind(schema)
    {
        *strict = false;
        dropped.note("text.format.strict");
    }
    let reasoning = conversation.reasoning.as_mut();
    if let Some(effort) = reasoning.and_then(|reasoning| reasoning.effort.as_mut()) {
        let Level { asked, nearest } = effort::level(effort, model, dropped)?;
        *effort = json!(nearest.unwrap_or(asked));
    }
    Ok(())
}

/// Leaves of the thoughts those that are OpenAI's own, with what they led to.
pub(in crate::translate) fn keep_own_thoughts(input: &mut Vec<Item>) {
    let mut followed = false;
    let mut kept: Vec<Item> = Vec::with_capacity(input.len());
    for mut item in input.drain(..).rev() {
        if let Item::Reasoning {
            id,
            encrypted_content,
            ..
        } = &mut item
        {
            let Some((own_id, own_content)) = sealed::to_openai(encrypted_content) else {
                continue;
            };
            if !followed {
                continue;
            }
            *id = Some(own_id.to_owned());
            *encrypted_content = own_content.to_owned();
        }
        followed = is_of_the_model(&item);
        kept.push(item);
    }
    kept.reverse();
    *input = kept;
}

fn is_of_the_model(item: &Item) -> bool {
    match item {
        Item::Message { role, .. } => *role == Role::Assistant,
        Item::Reasoning { .. } | Item::FunctionCall { .. } | Item::CustomToolCall { .. } => true,
        Item::FunctionCallOutput { .. } | Item::CustomToolCallOutput { .. } => false,
    }
}

fn name_the_file(part: &mut Part) {
    if let Part::InputFile {
        file_data: Some(data),
        filename,
        ..
    } = part
    {
        let media_type = base64_of(data).map_or("", |(media_type, _)| media_type);
        let extension = match media_type.rsplit('/').next() {
            Some("plain") => "txt",
            Some(kind @ ("csv" | "html" | "json" | "markdown" | "xml")) => kind,
            _ => "pdf",
        };
        filename.get_or_insert_with(|| format!("{DOCUMENT}.{extension}"));
    }
}

/// Whether a schema meets what OpenAI asks of one that binds: every object is closed, and requires all it has.
fn can_bind(schema: &Value) -> bool {
    let Some(fields) = schema.as_object() else {
        return !schema.is_array()
            || schema
                .as_array()
                .is_some_and(|all| all.iter().all(can_bind));
    };
    let properties = fields.get("properties").and_then(Value::as_object);
    if fields.get("type").is_some_and(|kind| kind == "object") || properties.is_some() {
        let required = fields.get("required").and_then(Value::as_array);
        let is_required = |name: &String| {
            required.is_some_and(|required| required.iter().any(|given| given == name.as_str()))
        };
        let is_closed = fields.get("additionalProperties") == Some(&Value::Bool(false));
        if !is_closed || !properties.is_none_or(|all| all.keys().all(is_required)) {
            return false;
        }
    }
    fields.iter().all(|(name, value)| match name.as_str() {
        "properties" | "$defs" | "definitions" => value
            .as_object()
            .is_none_or(|all| all.values().all(can_bind)),
        "items" | "anyOf" => can_bind(value),
        "allOf" | "oneOf" | "not" => false,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_binds_only_if_every_object_is_closed_and_requires_all_it_has() {
        let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
        assert!(can_bind(&closed));
        assert!(can_bind(&json!({"type": "array", "items": closed})));
        assert!(can_bind(&json!({"anyOf": [closed, {"type": "null"}]})));
        for (name, value) in [
            ("required", json!([])),
            ("additionalProperties", json!(true)),
            ("allOf", json!([])),
            ("$defs", json!({"b": {"type": "object"}})),
        ] {
            let mut open = closed.clone();
            open[name] = value;
            assert!(!can_bind(&open), "{name}");
            assert!(!can_bind(&json!({"anyOf": [open]})), "{name}");
        }
    }
}
