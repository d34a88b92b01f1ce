//! OpenAI Chat Completions: only `data:` lines, ended by `[DONE]`. Nothing on this surface says that a request waits,
//! so it is not raced; a failure is a chunk with an `error`.

use memchr::memmem;
use serde::Deserialize;
use serde_json::Value;

use super::reader::Sign;
use super::{SurfaceDialect, fault, openai_errors};

/// The dialect of `openai.chat`.
pub static OPENAI_CHAT: SurfaceDialect = SurfaceDialect {
    sense,
    judge: openai_errors::judge,
};

/// The data of the last event, which is not JSON.
pub const DONE: &[u8] = b"[DONE]";

#[derive(Deserialize)]
struct Chunk {
    error: Option<Value>,
    choices: Option<Vec<Choice>>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<Value>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<Value>,
    refusal: Option<Value>,
    tool_calls: Option<Value>,
    function_call: Option<Value>,
    audio: Option<Value>,
}

fn sense(data: &[u8], started: bool) -> Sign {
    if data == DONE {
        return Sign::Done { starts: false };
    }
    if started && memmem::find(data, b"\"error\"").is_none() {
        return Sign::Nothing;
    }
    let Ok(chunk) = serde_json::from_slice::<Chunk>(data) else {
        return Sign::Nothing;
    };
    if let Some(error) = chunk.error {
        return Sign::Fault {
            fault: fault::from_error(&error),
            terminal: true,
        };
    }
    if chunk
        .choices
        .iter()
        .flatten()
        .any(Choice::carries_something)
    {
        return Sign::Start;
    }
    Sign::Nothing
}

impl Choice {
    /// The first chunk of every answer has a role and an empty text: that is nothing yet.
    fn carries_something(&self) -> bool {
        if self.finish_reason.is_some() {
            return true;
        }
        let Some(delta) = &self.delta else {
            return false;
        };
        let parts = [
            &delta.content,
            &delta.refusal,
            &delta.tool_calls,
            &delta.function_call,
            &delta.audio,
        ];
        parts.into_iter().flatten().any(|part| !is_empty(part))
    }
}

fn is_empty(part: &Value) -> bool {
    part.as_str() == Some("") || part.as_array().is_some_and(Vec::is_empty)
}
