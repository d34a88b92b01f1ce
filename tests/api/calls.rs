//! The four endpoints, and the requests that a test sends to them.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::client::{Answer, Connection};
use crate::rig::{Rig, scripted};

/// The shortest deadline there is.
pub const FIVE_SECONDS: &str = "00h-00m-05s";

/// An endpoint, with the provider of its own format behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    Responses,
    Chat,
    Interactions,
    Messages,
}

impl Endpoint {
    pub const ALL: [Self; 4] = [
        Self::Responses,
        Self::Chat,
        Self::Interactions,
        Self::Messages,
    ];

    /// Those that take a duration.
    pub const RACED: [Self; 3] = [Self::Responses, Self::Interactions, Self::Chat];

    pub fn path(self) -> &'static str {
        match self {
            Self::Responses => "/v1/responses",
            Self::Chat => "/v1/chat/completions",
            Self::Interactions => "/v1beta/interactions",
            Self::Messages => "/v1/messages",
        }
    }

    /// The provider's word for the tier that serves `default`, and a lost race.
    pub fn settled_tier(self) -> &'static str {
        match self {
            Self::Responses | Self::Chat => "default",
            Self::Interactions => "standard",
            Self::Messages => "standard_only",
        }
    }

    fn fields(self) -> Value {
        match self {
            Self::Responses => json!({"model": "gpt-5.5"}),
            // Only Chat has a seed: the request goes through as it is.
            Self::Chat => json!({"model": "gpt-5.5", "seed": 7}),
            Self::Interactions => json!({"model": "gemini-3.5-flash"}),
            Self::Messages => json!({"model": "claude-opus-5", "max_tokens": 99}),
        }
    }
}

/// A request, made up step by step.
#[derive(Debug, Clone)]
pub struct Call {
    endpoint: Endpoint,
    fields: Value,
}

impl Call {
    /// A request for the default tier, not streamed, with an unscripted prompt.
    pub fn new(endpoint: Endpoint) -> Self {
        let call = Self {
            endpoint,
            fields: endpoint.fields(),
        };
        call.field("start_within", json!("default"))
            .prompt("Hello".to_owned())
    }

    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.fields[name] = value;
        self
    }

    /// Makes it a race.
    pub fn raced(mut self) -> Self {
        self.fields.as_object_mut().unwrap().remove("seed");
        self.field("start_within", json!(FIVE_SECONDS))
    }

    pub fn streamed(self, streamed: bool) -> Self {
        self.field("stream", json!(streamed))
    }

    /// Asks for `count` re-hits on the exact schedule.
    pub fn retried(self, count: u32) -> Self {
        self.field("retry", json!({"count": count, "jitter": false}))
    }

    /// Tells the provider how to behave.
    pub fn scripted(self, script: Value) -> Self {
        self.prompt(scripted(&script))
    }

    fn prompt(self, text: String) -> Self {
        match self.endpoint {
            Endpoint::Responses | Endpoint::Interactions => self.field("input", json!(text)),
            Endpoint::Chat | Endpoint::Messages => {
                self.field("messages", json!([{"role": "user", "content": text}]))
            }
        }
    }

    pub fn body(&self) -> Vec<u8> {
        self.fields.to_string().into_bytes()
    }

    /// Sends it and reads the whole answer.
    pub async fn answer(&self, rig: &Rig) -> Answer {
        self.open(rig).await.answer().await
    }

    /// Sends it and leaves the answer to the test.
    pub async fn open(&self, rig: &Rig) -> Connection {
        rig.open("POST", self.endpoint.path(), &[], &self.body())
            .await
    }
}

/// Checks every row of a table on every endpoint, all at once.
pub async fn each<T>(endpoints: &[Endpoint], rows: &[T], check: impl AsyncFn(Endpoint, &T)) {
    let check = &check;
    let checks = rows.iter().flat_map(|row| {
        let of_row = move |endpoint: &Endpoint| check(*endpoint, row);
        endpoints.iter().map(of_row)
    });
    join_all(checks).await;
}
