//! The requests of the load runs: as a caller of the router sends them, and as they reach a provider.

use std::net::SocketAddr;

use serde_json::json;

use crate::simulator::Script;

/// The router key of the runs. It opens nothing but the routers that they start.
pub const ROUTER_KEY: &str = "flex_live_10ad10ad10ad10ad10ad10ada204ff";

/// The provider key of the runs: the simulator takes any.
pub const PROVIDER_KEY: &str = "simulated-key";

/// About as long as a short question with its instructions, so that a body is not only envelope.
const PROMPT: &str = "You are the assistant of a small shop for garden tools. Answer in two or three sentences, in \
    plain words, without a list. Say it when you are not sure, and name the article number when you speak of an \
    article. The customer asks: which of your spades is light enough for somebody of seventy who digs over a bed of \
    heavy clay twice a year, and is it worth the money to take the one with the handle of ash?";

/// Who reads a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The router: it wants `start_within` and a router key.
    Router,
    /// A provider, or the pass-through before it: a tier and a provider key.
    Provider,
}

/// A surface on which flex can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// OpenAI Responses.
    Responses,
    /// Gemini Interactions.
    Interactions,
}

impl Surface {
    /// Its path, the same at the router and at the simulator.
    pub fn path(self) -> &'static str {
        match self {
            Self::Responses => "/v1/responses",
            Self::Interactions => "/v1beta/interactions",
        }
    }

    /// The header that carries a key, with the key for this audience.
    pub fn key_header(self, audience: Audience) -> (&'static str, String) {
        let key = match audience {
            Audience::Router => ROUTER_KEY,
            Audience::Provider => PROVIDER_KEY,
        };
        match self {
            Self::Responses => ("authorization", format!("Bearer {key}")),
            Self::Interactions => ("x-goog-api-key", key.to_owned()),
        }
    }

    fn model(self) -> &'static str {
        match self {
            Self::Responses => "gpt-6.2-sol",
            Self::Interactions => "gemini-4-argon",
        }
    }

    fn standard(self) -> &'static str {
        match self {
            Self::Responses => "default",
            Self::Interactions => "standard",
        }
    }
}

/// One request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where it goes.
    pub surface: Surface,
    /// Whether a stream is asked for.
    pub streamed: bool,
    /// `start_within`; a duration is a race.
    pub start_within: String,
    /// What the simulator is to do.
    pub script: Script,
}

impl Request {
    /// The body. A provider gets what the router would send it, except that a race is streamed only if the caller's
    /// answer is.
    pub fn body(&self, audience: Audience) -> String {
        let mut prompt = PROMPT.to_owned();
        if self.script != Script::default() {
            prompt.push_str(&self.script.marker());
        }
        let mut body = json!({"model": self.surface.model(), "input": prompt});
        if self.streamed {
            body["stream"] = json!(true);
        }
        match audience {
            Audience::Router => body["start_within"] = json!(self.start_within),
            Audience::Provider => body["service_tier"] = json!(self.first_tier()),
        }
        body.to_string()
    }

    /// A whole request over HTTP/1.1, for a connection that serves no other.
    pub fn over_http(&self, host: SocketAddr, audience: Audience) -> Vec<u8> {
        let body = self.body(audience);
        let (key_name, key) = self.surface.key_header(audience);
        let path = self.surface.path();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\n{key_name}: {key}\r\ncontent-type: application/json\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body.as_bytes()].concat()
    }

    fn first_tier(&self) -> &'static str {
        match self.start_within.as_str() {
            "default" => self.surface.standard(),
            _ => "flex",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_router_gets_start_within_and_the_provider_a_tier() {
        let request = Request {
            surface: Surface::Interactions,
            streamed: true,
            start_within: "00h-00m-05s".to_owned(),
            script: Script::default(),
        };
        let ours: Value = serde_json::from_str(&request.body(Audience::Router)).unwrap();
        let theirs: Value = serde_json::from_str(&request.body(Audience::Provider)).unwrap();
        assert_eq!(ours["start_within"], "00h-00m-05s");
        assert!(ours.get("service_tier").is_none());
        assert_eq!(theirs["service_tier"], "flex");
        assert!(theirs.get("start_within").is_none());
        assert_eq!(theirs["stream"], true);
    }
}
