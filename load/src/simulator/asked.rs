//! A request as the simulator understands it, whatever the surface: model, tier, the caller's last words, tools, schema.

use serde_json::Value;

/// A wire format of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surface {
    Responses,
    Chat,
    Interactions,
    Messages,
    CountTokens,
}

impl Surface {
    pub(super) fn of_path(path: &str) -> Option<Self> {
        match path {
            "/v1/responses" => Some(Self::Responses),
            "/v1/chat/completions" => Some(Self::Chat),
            "/v1beta/interactions" | "/v1/interactions" => Some(Self::Interactions),
            "/v1/messages" => Some(Self::Messages),
            "/v1/messages/count_tokens" => Some(Self::CountTokens),
            _ => None,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Responses => "openai.responses",
            Self::Chat => "openai.chat",
            Self::Interactions => "gemini.interactions",
            Self::Messages => "anthropic.messages",
            Self::CountTokens => "anthropic.count_tokens",
        }
    }
}

/// A request, read.
pub(super) struct Asked {
    pub(super) surface: Surface,
    pub(super) body: Value,
    /// Length of the body, bytes.
    pub(super) length: usize,
}

/// Whether and what the caller wants called.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ToolWish {
    /// Tools are forbidden, or there are none.
    None,
    /// The model chooses.
    Free,
    /// Some tool must be called.
    Required,
    /// This one must be called.
    Named(String),
}

impl Asked {
    pub(super) fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    pub(super) fn tier(&self) -> Option<&str> {
        self.body["service_tier"].as_str()
    }

    pub(super) fn stream(&self) -> bool {
        self.body["stream"].as_bool().unwrap_or_default()
    }

    /// The turns: items, messages or steps.
    pub(super) fn turns(&self) -> &[Value] {
        let turns = match self.surface {
            Surface::Responses | Surface::Interactions => &self.body["input"],
            _ => &self.body["messages"],
        };
        turns.as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// The text of the caller's last message, without markers for the simulator.
    pub(super) fn last_words(&self) -> String {
        if let Some(text) = self.body["input"].as_str() {
            return without_marker(text);
        }
        let is_users = |turn: &&Value| turn["role"] == "user" || turn["type"] == "user_input";
        match self.turns().iter().rfind(is_users) {
            Some(turn) => without_marker(&text_of(&turn["content"])),
            // Interactions take a bare list of content, too.
            None => without_marker(&text_of(&self.body["input"])),
        }
    }

    /// Whether the last turn brings the result of a tool.
    pub(super) fn ends_with_result(&self) -> bool {
        let Some(last) = self.turns().last() else {
            return false;
        };
        let kind = last["type"].as_str().unwrap_or_default();
        let inside = last["content"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        last["role"] == "tool"
            || kind.ends_with("call_output")
            || kind == "function_result"
            || inside
                .iter()
                .any(|part| part["type"] == "tool_result" || part["type"] == "function_result")
    }

    /// The function tools: name and parameters.
    pub(super) fn functions(&self) -> Vec<(&str, &Value)> {
        let tools = self.body["tools"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut functions = Vec::new();
        for tool in tools {
            let function = match self.surface {
                Surface::Chat if tool["type"] == "function" => {
                    Some((&tool["function"], "parameters"))
                }
                Surface::Responses | Surface::Interactions if tool["type"] == "function" => {
                    Some((tool, "parameters"))
                }
                Surface::Messages if tool.get("input_schema").is_some() => {
                    Some((tool, "input_schema"))
                }
                _ => None,
            };
            let Some((function, parameters)) = function else {
                continue;
            };
            if let Some(name) = function["name"].as_str() {
                functions.push((name, &function[parameters]));
            }
        }
        functions
    }

    /// The name of the first custom tool.
    pub(super) fn custom_tool(&self) -> Option<&str> {
        let tool = self.body["tools"]
            .as_array()?
            .iter()
            .find(|tool| tool["type"] == "custom")?;
        tool["name"].as_str().or(tool["custom"]["name"].as_str())
    }

    pub(super) fn tool_wish(&self) -> ToolWish {
        let choice = match self.surface {
            Surface::Interactions => &self.body["generation_config"]["tool_choice"],
            _ => &self.body["tool_choice"],
        };
        let word = choice
            .as_str()
            .or(choice["type"].as_str())
            .unwrap_or("auto");
        let name = choice["name"]
            .as_str()
            .or(choice["function"]["name"].as_str());
        match (word, name) {
            (_, Some(name)) => ToolWish::Named(name.to_owned()),
            ("none", _) => ToolWish::None,
            ("required" | "any", _) => ToolWish::Required,
            _ if allowed_mode(choice).is_some_and(|mode| mode == "required" || mode == "any") => {
                ToolWish::Required
            }
            _ => ToolWish::Free,
        }
    }

    /// The JSON that the answer's text must be: a schema, or an object of any form.
    pub(super) fn schema(&self) -> Option<&Value> {
        const ANY_OBJECT: &Value = &Value::Null;
        let format = match self.surface {
            Surface::Responses => &self.body["text"]["format"],
            Surface::Chat => &self.body["response_format"],
            Surface::Interactions => match &self.body["response_format"] {
                Value::Array(formats) => formats.iter().find(|format| format["type"] == "text")?,
                format => format,
            },
            _ => &self.body["output_config"]["format"],
        };
        let schema = match self.surface {
            Surface::Chat => &format["json_schema"]["schema"],
            _ => &format["schema"],
        };
        if schema.is_object() {
            return Some(schema);
        }
        let wants_json =
            format["type"] == "json_object" || format["mime_type"] == "application/json";
        if wants_json {
            return Some(ANY_OBJECT);
        }
        // Interactions take the schema itself.
        let is_schema = self.surface == Surface::Interactions && format.get("properties").is_some();
        is_schema.then_some(format)
    }
}

fn allowed_mode(choice: &Value) -> Option<&str> {
    choice["mode"]
        .as_str()
        .or(choice["allowed_tools"]["mode"].as_str())
}

/// The text in a content, which is a string, a part or a list of parts.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let mut text = String::new();
            for part in parts {
                text.push_str(part["text"].as_str().unwrap_or_default());
            }
            text
        }
        part => part["text"].as_str().unwrap_or_default().to_owned(),
    }
}

fn without_marker(text: &str) -> String {
    let Some(start) = text.find("[[sim ") else {
        return text.trim().to_owned();
    };
    let end = text[start..]
        .rfind("]]")
        .map_or(text.len(), |end| start + end + 2);
    format!("{}{}", &text[..start], &text[end..])
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(surface: Surface, body: Value) -> Asked {
        Asked {
            surface,
            body,
            length: 0,
        }
    }

    #[test]
    fn the_last_words_are_found_on_every_surface() {
        let plain = json!([{"role": "user", "content": "a"}, {"role": "user", "content": "hi [[sim {\"any\":[[]]}]]"}]);
        let steps = json!([{"type": "user_input", "content": [{"type": "text", "text": "hi"}]}]);
        for (surface, body) in [
            (Surface::Responses, json!({"input": "hi"})),
            (Surface::Responses, json!({"input": plain})),
            (Surface::Chat, json!({"messages": plain})),
            (Surface::Messages, json!({"messages": plain})),
            (Surface::Interactions, json!({"input": steps})),
            (
                Surface::Interactions,
                json!({"input": [{"type": "text", "text": "hi"}]}),
            ),
        ] {
            assert_eq!(asked(surface, body).last_words(), "hi", "{surface:?}");
        }
    }

    #[test]
    fn a_forced_tool_is_known_in_every_spelling() {
        for (surface, body) in [
            (
                Surface::Responses,
                json!({"tool_choice": {"type": "function", "name": "f"}}),
            ),
            (
                Surface::Chat,
                json!({"tool_choice": {"type": "function", "function": {"name": "f"}}}),
            ),
            (
                Surface::Messages,
                json!({"tool_choice": {"type": "tool", "name": "f"}}),
            ),
        ] {
            assert_eq!(
                asked(surface, body).tool_wish(),
                ToolWish::Named("f".into()),
                "{surface:?}"
            );
        }
    }
}
