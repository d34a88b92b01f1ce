//! The input of a Responses request as canonical items, with what an item may leave out.

use serde_json::Value;

use crate::translate::conversation::{Item, Output, Part, Role, Summary};
use crate::translate::fields::{list_of, text_of};
use crate::translate::{Dropped, Refused, sealed};

/// Reads a text, or the items in their order.
pub(super) fn read(input: &Value, dropped: &mut Dropped) -> Result<Vec<Item>, Refused> {
    if let Some(text) = input.as_str() {
        let text = text.to_owned();
        return Ok(vec![Item::Message {
            role: Role::User,
            content: vec![Part::InputText { text }],
        }]);
    }
    let mut items = Vec::new();
    for (number, item) in list_of("input", input)?.iter().enumerate() {
        items.extend(read_one(&format!("input[{number}]"), item, dropped)?);
    }
    Ok(items)
}

fn read_one(path: &str, item: &Value, dropped: &mut Dropped) -> Result<Option<Item>, Refused> {
    let text = |name: &str| text_of(&format!("{path}.{name}"), &item[name]);
    Ok(Some(match item["type"].as_str().unwrap_or("message") {
        "message" => message(path, item)?,
        "function_call" => Item::FunctionCall {
            call_id: text("call_id")?,
            name: text("name")?,
            arguments: text("arguments")?,
        },
        "custom_tool_call" => Item::CustomToolCall {
            call_id: text("call_id")?,
            name: text("name")?,
            input: text("input")?,
        },
        "function_call_output" => Item::FunctionCallOutput {
            call_id: text("call_id")?,
            output: output(&format!("{path}.output"), &item["output"])?,
            is_error: false,
        },
        "custom_tool_call_output" => Item::CustomToolCallOutput {
            call_id: text("call_id")?,
            output: output(&format!("{path}.output"), &item["output"])?,
        },
        "reasoning" => return Ok(thoughts(item)),
        // What the vendor's own tools did has no counterpart; what the model made of it is in its text.
        "web_search_call" => {
            dropped.note("input.web_search_call");
            return Ok(None);
        }
        _ => {
            let path = format!("{path}.type");
            return Err(Refused::of_another_vendor(path));
        }
    }))
}

/// Thoughts of another vendor's than OpenAI's; OpenAI's own mean nothing elsewhere.
fn thoughts(item: &Value) -> Option<Item> {
    let seal = item["encrypted_content"].as_str()?;
    if !sealed::is_marked(seal) {
        return None;
    }
    let parts = item["summary"].as_array().into_iter().flatten();
    let texts = parts.filter_map(|part| part["text"].as_str());
    let summary = texts.map(|text| Summary::SummaryText {
        text: text.to_owned(),
    });
    Some(Item::Reasoning {
        id: None,
        summary: summary.collect(),
        encrypted_content: seal.to_owned(),
    })
}

fn message(path: &str, item: &Value) -> Result<Item, Refused> {
    let role = match item["role"].as_str() {
        Some("system") => Role::System,
        Some("developer") => Role::Developer,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => {
            let path = format!("{path}.role");
            let what = format!("`{path}` must be `system`, `developer`, `user` or `assistant`.");
            return Err(Refused::new(path, what));
        }
    };
    let content = parts(role, &format!("{path}.content"), &item["content"])?;
    Ok(Item::Message { role, content })
}

fn output(path: &str, output: &Value) -> Result<Output, Refused> {
    match output {
        Value::String(text) => Ok(Output::Text(text.clone())),
        given => Ok(Output::Parts(parts(Role::User, path, given)?)),
    }
}

fn parts(role: Role, path: &str, content: &Value) -> Result<Vec<Part>, Refused> {
    if let Some(text) = content.as_str() {
        let text = text.to_owned();
        return Ok(vec![match role {
            Role::Assistant => Part::OutputText { text },
            _ => Part::InputText { text },
        }]);
    }
    let numbered = list_of(path, content)?.iter().enumerate();
    numbered
        .map(|(number, given)| part(&format!("{path}[{number}]"), given))
        .collect()
}

fn part(path: &str, part: &Value) -> Result<Part, Refused> {
    let text = |name: &str| text_of(&format!("{path}.{name}"), &part[name]);
    let given = |name: &str| part[name].as_str().map(str::to_owned);
    match part["type"].as_str() {
        Some("input_text") => Ok(Part::InputText {
            text: text("text")?,
        }),
        Some("output_text") => Ok(Part::OutputText {
            text: text("text")?,
        }),
        Some("refusal") => Ok(Part::Refusal {
            refusal: text("refusal")?,
        }),
        Some("input_image") if part["image_url"].is_null() => {
            let path = format!("{path}.image_url");
            let what = format!(
                "`{path}` is missing: a file that is kept at OpenAI is not known to this model's vendor."
            );
            Err(Refused::new(path, what))
        }
        Some("input_image") => Ok(Part::InputImage {
            image_url: text("image_url")?,
            detail: given("detail").unwrap_or_else(|| "auto".to_owned()),
        }),
        Some("input_file") => Ok(Part::InputFile {
            file_id: given("file_id"),
            file_data: given("file_data"),
            file_url: given("file_url"),
            filename: given("filename"),
        }),
        _ => {
            let path = format!("{path}.type");
            Err(Refused::of_another_vendor(path))
        }
    }
}
