//! Paths and methods that are none of the router's: the envelope of the prefix, the way to the right place.

use super::draft::{Bad, CHAT, INTERACTIONS, INTERACTIONS_BETA, MESSAGES, RESPONSES};

pub fn table() -> Vec<Bad> {
    let mut rows = Vec::new();
    for (method, path) in VENDORS_OTHERS {
        rows.push(not_found(method, path).says("call the provider"));
    }
    for path in UNVERSIONED {
        rows.push(not_found("POST", path).says("base URL of this router ends in /v1"));
    }
    for path in DOUBLED {
        rows.push(not_found("POST", path).says("version twice"));
    }
    for path in NOWHERE {
        rows.push(not_found("GET", path));
    }
    for (method, path) in WRONG_METHODS {
        rows.push(Bad::new("wrong method", path, 405, "method_not_allowed").method(method));
    }
    // Path and method come before the key.
    let keyless: Vec<Bad> = rows.iter().map(|row| row.clone().without_key()).collect();
    rows.extend(keyless);
    rows
}

fn not_found(method: &'static str, path: &'static str) -> Bad {
    Bad::new("not found", path, 404, "not_found").method(method)
}

const VENDORS_OTHERS: [(&str, &str); 30] = [
    ("GET", "/v1/responses/resp_1"),
    ("DELETE", "/v1/responses/resp_1"),
    ("POST", "/v1/responses/resp_1/cancel"),
    ("GET", "/v1/responses/resp_1/input_items"),
    ("POST", "/v1/responses/compact"),
    ("POST", "/v1/responses/input_tokens"),
    ("GET", "/v1/chat/completions/chatcmpl-1"),
    ("POST", "/v1/completions"),
    ("POST", "/v1/embeddings"),
    ("POST", "/v1/files"),
    ("GET", "/v1/files/file-1"),
    ("POST", "/v1/batches"),
    ("POST", "/v1/conversations"),
    ("POST", "/v1/images/generations"),
    ("POST", "/v1/audio/speech"),
    ("POST", "/v1/moderations"),
    ("POST", "/v1/uploads"),
    ("POST", "/v1/vector_stores"),
    ("POST", "/v1/fine_tuning/jobs"),
    ("POST", "/v1/assistants"),
    ("POST", "/v1/threads"),
    ("POST", "/v1/messages/batches"),
    ("GET", "/v1/messages/batches/msgbatch_1"),
    ("GET", "/v1/interactions/i1"),
    ("POST", "/v1/interactions/i1/cancel"),
    ("GET", "/v1beta/interactions/i1"),
    ("DELETE", "/v1beta/interactions/i1"),
    ("POST", "/v1beta/models/gemini-3.5-flash:generateContent"),
    ("GET", "/v1beta/models"),
    ("POST", "/v1beta/cachedContents"),
];

const UNVERSIONED: [&str; 5] = [
    "/responses",
    "/chat/completions",
    "/interactions",
    "/messages",
    "/models",
];

const DOUBLED: [&str; 5] = [
    "/v1/v1/responses",
    "/v1/v1/chat/completions",
    "/v1/v1/messages",
    "/v1/v1/models",
    "/v1/v1beta/interactions",
];

const NOWHERE: [&str; 12] = [
    "/",
    "/v1",
    "/v1/",
    "/v2/responses",
    "/V1/responses",
    "//v1/responses",
    "/v1/responses//",
    "/favicon.ico",
    "/v1/models/a/b",
    "/errors/x",
    "/../etc/passwd",
    "/%00",
];

const WRONG_METHODS: [(&str, &str); 19] = [
    ("GET", RESPONSES),
    ("HEAD", RESPONSES),
    ("PUT", RESPONSES),
    ("DELETE", "/v1/responses/"),
    ("OPTIONS", RESPONSES),
    ("PATCH", CHAT),
    ("GET", CHAT),
    ("OPTIONS", CHAT),
    ("GET", INTERACTIONS),
    ("PUT", INTERACTIONS_BETA),
    ("OPTIONS", INTERACTIONS),
    ("GET", MESSAGES),
    ("OPTIONS", MESSAGES),
    ("GET", "/v1/messages/count_tokens"),
    ("POST", "/v1/models"),
    ("DELETE", "/v1/models/gpt-5.5"),
    ("POST", "/errors"),
    ("POST", "/healthz"),
    ("BREW", "/readyz"),
];
