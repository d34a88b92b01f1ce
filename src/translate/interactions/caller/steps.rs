//! The input of an interaction as canonical items.

use serde_json::Value;

use crate::translate::conversation::{Item, Output, Part, Role, Summary};
use crate::translate::fields::{list_of, text_of};
use crate::translate::{Dropped, Refused, sealed};

/// Types of what a turn is made of; any other is that of a step.
const CONTENTS: [&str; 5] = ["text", "image", "document", "audio", "video"];

/// Reads a text, a content, contents, or steps in their order.
pub(super) fn read(input: &Value, dropped: &mut Dropped) -> Result<Vec<Item>, Refused> {
    let mut reader = Reader {
        items: Vec::new(),
        open_calls: Vec::new(),
        calls: 0,
        dropped,
    };
    let first = input.get(0).unwrap_or(input);
    let is_content = |value: &Value| {
        value["type"]
            .as_str()
            .is_some_and(|kind| CONTENTS.contains(&kind))
    };
    if input.is_string() || is_content(first) {
        reader.contents(Role::User, "input", input)?;
    } else {
        for (number, step) in list_of("input", input)?.iter().enumerate() {
            reader.step(&format!("input[{number}]"), step)?;
        }
    }
    Ok(reader.items)
}

struct Reader<'a> {
    items: Vec<Item>,
    /// Name and id of calls that no result has answered yet: a result may name its call by either.
    open_calls: Vec<(String, String)>,
    calls: usize,
    dropped: &'a mut Dropped,
}

impl Reader<'_> {
    fn step(&mut self, path: &str, step: &Value) -> Result<(), Refused> {
        match step["type"].as_str() {
            Some("user_input") => {
                self.contents(Role::User, &format!("{path}.content"), &step["content"])
            }
            Some("model_output") => self.contents(
                Role::Assistant,
                &format!("{path}.content"),
                &step["content"],
            ),
            Some("thought") => {
                self.items.extend(thoughts(step));
                Ok(())
            }
            Some("function_call") => self.call(path, step),
            Some("function_result") => self.result(path, step),
            // What the vendor's own tools did has no counterpart; what the model made of it is in its text.
            Some(kind @ ("google_search_call" | "google_search_result")) => {
                self.dropped.note(format!("input.{kind}"));
                Ok(())
            }
            _ => {
                let path = format!("{path}.type");
                Err(Refused::of_another_vendor(path))
            }
        }
    }

    fn call(&mut self, path: &str, step: &Value) -> Result<(), Refused> {
        let name = text_of(&format!("{path}.name"), &step["name"])?;
        self.calls += 1;
        // The same in every request that repeats the history: a prompt cache stays warm.
        let call_id = match step["id"].as_str() {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => format!("call_{}", self.calls),
        };
        self.open_calls.push((name.clone(), call_id.clone()));
        self.items.push(Item::FunctionCall {
            call_id,
            name,
            arguments: match &step["arguments"] {
                Value::Null => "{}".to_owned(),
                arguments => arguments.to_string(),
            },
        });
        Ok(())
    }

    fn result(&mut self, path: &str, step: &Value) -> Result<(), Refused> {
        let (id, name) = (step["call_id"].as_str(), step["name"].as_str());
        let answered = self
            .open_calls
            .iter()
            .position(|(open_name, open_id)| match id {
                Some(id) => open_id == id,
                None => name == Some(open_name),
            });
        let answered = answered.map(|place| self.open_calls.remove(place).1);
        let Some(call_id) = id.map(str::to_owned).or(answered) else {
            let path = format!("{path}.call_id");
            let what =
                format!("`{path}` is missing, and no call of this name waits for its result.");
            return Err(Refused::new(path, what));
        };
        let output = match &step["result"] {
            Value::Null => Output::Text(String::new()),
            Value::String(text) => Output::Text(text.clone()),
            Value::Array(contents) => {
                Output::Parts(self.parts(Role::User, &format!("{path}.result"), contents)?)
            }
            object => Output::Text(object.to_string()),
        };
        self.items.push(Item::FunctionCallOutput {
            call_id,
            output,
            is_error: step["is_error"] == Value::Bool(true),
        });
        Ok(())
    }

    fn contents(&mut self, role: Role, path: &str, content: &Value) -> Result<(), Refused> {
        let parts = match content {
            Value::String(text) => vec![said(role, text)],
            Value::Object(_) => self.parts(role, path, std::slice::from_ref(content))?,
            _ => {
                let contents = list_of(path, content)?;
                // Results may also come among the contents of a turn.
                let (results, contents): (Vec<&Value>, Vec<&Value>) = contents
                    .iter()
                    .partition(|content| content["type"] == "function_result");
                for result in results {
                    self.result(path, result)?;
                }
                let contents: Vec<Value> = contents.into_iter().cloned().collect();
                self.parts(role, path, &contents)?
            }
        };
        if !parts.is_empty() {
            let content = parts;
            self.items.push(Item::Message { role, content });
        }
        Ok(())
    }

    fn parts(&mut self, role: Role, path: &str, contents: &[Value]) -> Result<Vec<Part>, Refused> {
        let mut parts = Vec::with_capacity(contents.len());
        for (number, content) in contents.iter().enumerate() {
            parts.push(self.part(role, &format!("{path}[{number}]"), content)?);
        }
        Ok(parts)
    }

    fn part(&mut self, role: Role, path: &str, content: &Value) -> Result<Part, Refused> {
        match content["type"].as_str() {
            Some("text") => Ok(said(
                role,
                &text_of(&format!("{path}.text"), &content["text"])?,
            )),
            Some("image") => {
                self.note_resolution(content);
                let image_url = match content["uri"].as_str() {
                    Some(uri) => uri.to_owned(),
                    None => data_url(path, content)?,
                };
                let detail = "auto".to_owned();
                Ok(Part::InputImage { image_url, detail })
            }
            Some("document") => {
                self.note_resolution(content);
                let file_url = content["uri"].as_str().map(str::to_owned);
                let file_data = match file_url {
                    Some(_) => None,
                    None => Some(data_url(path, content)?),
                };
                Ok(Part::InputFile {
                    file_id: None,
                    file_data,
                    file_url,
                    filename: None,
                })
            }
            _ => {
                let path = format!("{path}.type");
                Err(Refused::of_another_vendor(path))
            }
        }
    }

    fn note_resolution(&mut self, content: &Value) {
        if !content["resolution"].is_null() {
            self.dropped.note("input.resolution");
        }
    }
}

fn said(role: Role, text: &str) -> Part {
    let text = text.to_owned();
    match role {
        Role::Assistant => Part::OutputText { text },
        _ => Part::InputText { text },
    }
}

fn data_url(path: &str, content: &Value) -> Result<String, Refused> {
    let mime_type = text_of(&format!("{path}.mime_type"), &content["mime_type"])?;
    let data = text_of(&format!("{path}.data"), &content["data"])?;
    Ok(format!("data:{mime_type};base64,{data}"))
}

/// Thoughts of another vendor's than Gemini's; Gemini's own mean nothing elsewhere.
fn thoughts(step: &Value) -> Option<Item> {
    let seal = step["signature"].as_str()?;
    if !sealed::is_marked(seal) {
        return None;
    }
    let parts = step["summary"].as_array().into_iter().flatten();
    let text: String = parts.filter_map(|part| part["text"].as_str()).collect();
    let summary = (!text.is_empty()).then_some(Summary::SummaryText { text });
    Some(Item::Reasoning {
        id: None,
        summary: summary.into_iter().collect(),
        encrypted_content: seal.to_owned(),
    })
}
