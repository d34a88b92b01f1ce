//! A Chat caller before the Responses of OpenAI and the Messages of Anthropic.

mod answers;
mod claude_answers;
mod claude_requests;
mod requests;
mod streams;

use serde_json::{Value, json};

use super::chat::Shape;
use super::{Dropped, Translation};
use crate::vocabulary::ProviderSurface;

/// Of a request that went to Responses.
pub fn translation(shape: Shape) -> Translation {
    Translation {
        provider: ProviderSurface::OpenaiResponses,
        shape,
        custom: Vec::new(),
        created_at: 0,
        dropped: Dropped::default(),
    }
}

pub fn response(output: Value, status: &str) -> Value {
    json!({
        "id": "resp_1", "object": "response", "created_at": 1_700_000_000, "model": "gpt-fast-1", "status": status,
        "output": output, "service_tier": "flex", "new_field": {"a": 1},
        "usage": {
            "input_tokens": 10, "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
            "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 17,
        },
    })
}

pub fn message(text: &str) -> Value {
    json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
        {"type": "output_text", "text": text, "annotations": [
            {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "https://a", "title": "A"},
            {"type": "file_citation", "file_id": "f", "index": 0},
        ], "logprobs": []},
    ]})
}

pub fn call(id: &str, name: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": name, "arguments": "{\"a\": 1}"})
}
