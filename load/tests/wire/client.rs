//! A client of a few lines, blocking, so that a test sees the bytes as they came.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use startline_load::simulator::{Behaviour, Script, Simulator};

/// An answer as it came.
pub struct Answer {
    /// Status line and headers, in lower case.
    pub head: String,
    pub status: u16,
    /// The body without the transfer coding, as far as it came.
    pub body: Vec<u8>,
    /// Whether the body's end was told.
    pub whole: bool,
}

/// One event of a stream.
#[derive(Debug, Clone)]
pub struct Event {
    /// The `event:` line, empty without one.
    pub name: String,
    /// The data as JSON, null when it is none.
    pub data: Value,
    /// The data.
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The events of the body, by the letter of the format.
    pub fn events(&self) -> Vec<Event> {
        let text = self
            .text()
            .trim_start_matches('\u{feff}')
            .replace("\r\n", "\n");
        let mut events = Vec::new();
        for block in text.split("\n\n") {
            let (mut name, mut data) = (String::new(), Vec::new());
            for line in block.lines() {
                if let Some(value) = line.strip_prefix("event: ") {
                    name = value.to_owned();
                } else if let Some(value) = line.strip_prefix("data: ") {
                    data.push(value);
                }
            }
            if !data.is_empty() {
                let text = data.join("\n");
                events.push(Event {
                    name,
                    data: serde_json::from_str(&text).unwrap_or(Value::Null),
                    text,
                });
            }
        }
        events
    }
}

/// The headers of a caller in order, for this path.
pub fn usual_headers(path: &str) -> &'static str {
    match path {
        "/v1beta/interactions" | "/v1/interactions" => "x-goog-api-key: key\r\n",
        "/v1/messages" | "/v1/messages/count_tokens" => {
            "x-api-key: key\r\nanthropic-version: 2023-06-01\r\n"
        }
        _ => "authorization: Bearer sk-test\r\n",
    }
}

/// Opens a connection and sends a request.
pub fn send(simulator: &Simulator, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(simulator.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    stream.set_nodelay(true).unwrap();
    stream
        .write_all(request(path, headers, body).as_bytes())
        .unwrap();
    stream
}

pub fn request(path: &str, headers: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: sim\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Sends a request that is in order and reads the whole answer.
pub fn post(simulator: &Simulator, path: &str, body: &Value) -> Answer {
    post_with(simulator, path, usual_headers(path), body)
}

pub fn post_with(simulator: &Simulator, path: &str, headers: &str, body: &Value) -> Answer {
    let headers = format!("{headers}connection: close\r\n");
    read_to_end(send(simulator, path, &headers, &body.to_string()))
}

/// Sends a request whose behaviour is scripted by header.
pub fn post_scripted(
    simulator: &Simulator,
    path: &str,
    body: &Value,
    behaviour: Behaviour,
) -> Answer {
    let headers = format!(
        "{}x-sim: {}\r\n",
        usual_headers(path),
        Script::any(behaviour).json()
    );
    post_with(simulator, path, &headers, body)
}

/// Reads until the other side closes; a reset ends the answer, too.
pub fn read_to_end(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count) = stream.read(&mut buffer) {
        if count == 0 {
            break;
        }
        bytes.extend_from_slice(&buffer[..count]);
    }
    parse(&bytes)
}

pub fn parse(bytes: &[u8]) -> Answer {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Answer {
            head: String::new(),
            status: 0,
            body: Vec::new(),
            whole: false,
        };
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let rest = &bytes[end + 4..];
    let mut answer = Answer {
        head,
        status,
        body: rest.to_vec(),
        whole: true,
    };
    if answer.header("transfer-encoding") == Some("chunked") {
        (answer.body, answer.whole) = dechunk(rest);
    } else if let Some(length) = answer.header("content-length") {
        answer.whole = length.parse() == Ok(rest.len());
    }
    answer
}

fn dechunk(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(line) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
        rest = &rest[line + 2..];
        if size == 0 {
            return (body, true);
        }
        body.extend_from_slice(&rest[..size.min(rest.len())]);
        if rest.len() < size + 2 {
            break;
        }
        rest = &rest[size + 2..];
    }
    (body, false)
}

/// The path of each surface with a request that is in order.
pub fn surfaces(stream: bool) -> [(&'static str, Value); 4] {
    let messages = json!([{"role": "user", "content": "hello"}]);
    [
        (
            "/v1/responses",
            json!({"model": "gpt-5.2", "input": "hello", "stream": stream}),
        ),
        (
            "/v1/chat/completions",
            json!({"model": "gpt-5.2", "messages": messages, "stream": stream}),
        ),
        (
            "/v1beta/interactions",
            json!({"model": "gemini-3.8-flash", "input": "hello", "stream": stream}),
        ),
        (
            "/v1/messages",
            json!({"model": "claude-opus-5", "max_tokens": 64, "messages": messages, "stream": stream}),
        ),
    ]
}

/// The names of the events, runs of the same name written once; for Chat, what each chunk brings.
pub fn outline(events: &[Event]) -> Vec<String> {
    let mut outline: Vec<String> = Vec::new();
    for event in events {
        let word = if event.name.is_empty() {
            chunk_word(event)
        } else {
            event.name.clone()
        };
        if outline.last() != Some(&word) {
            outline.push(word);
        }
    }
    outline
}

/// The outline of an answer in one line.
pub fn names(answer: &Answer) -> String {
    outline(&answer.events()).join(" ")
}

fn chunk_word(event: &Event) -> String {
    let choice = &event.data["choices"][0];
    let word = match choice["delta"]
        .as_object()
        .and_then(|delta| delta.keys().next())
    {
        Some(field) => field,
        None => choice["finish_reason"]
            .as_str()
            .unwrap_or(if event.data.is_null() {
                &event.text
            } else {
                "usage"
            }),
    };
    word.to_owned()
}
