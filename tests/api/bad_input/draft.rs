//! A request that is good until a test breaks it, field by field and in raw JSON.

use super::PROMPT;
use crate::client;

pub const RESPONSES: &str = "/v1/responses";
pub const CHAT: &str = "/v1/chat/completions";
pub const INTERACTIONS: &str = "/v1/interactions";
pub const INTERACTIONS_BETA: &str = "/v1beta/interactions";
pub const MESSAGES: &str = "/v1/messages";
pub const ENDPOINTS: [&str; 5] = [RESPONSES, CHAT, INTERACTIONS, INTERACTIONS_BETA, MESSAGES];

/// One row of the table: a request and what is to come of it.
#[derive(Debug, Clone)]
pub struct Bad {
    pub name: String,
    pub method: &'static str,
    pub path: &'static str,
    /// Without a key of its own, the rig's.
    pub has_key: bool,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    pub status: u16,
    pub code: &'static str,
    /// `error.param`, checked in the envelope that has one.
    pub param: Option<&'static str>,
    /// A part of the message.
    pub says: Option<&'static str>,
}

impl Bad {
    pub fn new(
        name: impl Into<String>,
        path: &'static str,
        status: u16,
        code: &'static str,
    ) -> Self {
        Self {
            name: format!("{path}, {}", name.into()),
            method: "POST",
            path,
            has_key: true,
            headers: Vec::new(),
            body: Draft::of(path).json().into_bytes(),
            status,
            code,
            param: None,
            says: None,
        }
    }

    pub fn method(mut self, method: &'static str) -> Self {
        self.name = format!("{method} {}", self.name);
        self.method = method;
        self
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn without_key(mut self) -> Self {
        self.has_key = false;
        self
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub fn param(mut self, param: &'static str) -> Self {
        self.param = Some(param);
        self
    }

    pub fn says(mut self, part: &'static str) -> Self {
        self.says = Some(part);
        self
    }

    /// The request as it is sent.
    pub fn bytes(&self, key: &str) -> Vec<u8> {
        let authorization = format!("Bearer {key}");
        let mut headers: Vec<(&str, &str)> = vec![("content-type", "application/json")];
        if self.has_key {
            headers.push(("authorization", &authorization));
        }
        for (name, value) in &self.headers {
            headers.push((name, value));
        }
        client::request(self.method, self.path, &headers, &self.body)
    }
}

/// A body, as names and raw values in order.
#[derive(Debug, Clone)]
pub struct Draft {
    fields: Vec<(String, String)>,
}

impl Draft {
    /// A good request to this endpoint.
    pub fn of(path: &str) -> Self {
        let model = match path {
            INTERACTIONS | INTERACTIONS_BETA => "gemini-3.5-flash",
            MESSAGES | "/v1/messages/count_tokens" => "claude-opus-5",
            _ => "gpt-5.5",
        };
        let prompt = match path {
            RESPONSES | INTERACTIONS | INTERACTIONS_BETA => ("input", format!("\"{PROMPT}\"")),
            _ => (
                "messages",
                format!(r#"[{{"role":"user","content":"{PROMPT}"}}]"#),
            ),
        };
        let mut draft = Self { fields: Vec::new() };
        draft = draft.with("model", &format!("\"{model}\""));
        draft = draft.with(prompt.0, &prompt.1);
        draft = draft.with("start_within", "\"default\"");
        if path == MESSAGES {
            draft = draft.with("max_tokens", "64");
        }
        draft
    }

    /// Sets a field to raw JSON text.
    pub fn with(mut self, name: &str, json: &str) -> Self {
        match self.fields.iter_mut().find(|(known, _)| known == name) {
            Some((_, value)) => json.clone_into(value),
            None => self.fields.push((name.to_owned(), json.to_owned())),
        }
        self
    }

    /// Adds a field whose name is written as it is, whether it stands there already or not.
    pub fn and(mut self, written_name: &str, json: &str) -> Self {
        self.fields.push((written_name.to_owned(), json.to_owned()));
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.fields.retain(|(known, _)| known != name);
        self
    }

    pub fn json(&self) -> String {
        let fields: Vec<String> = self
            .fields
            .iter()
            .map(|(name, value)| format!("\"{name}\":{value}"))
            .collect();
        format!("{{{}}}", fields.join(","))
    }
}
