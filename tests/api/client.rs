//! A strict HTTP/1.1 client on a raw socket: it tells an answer that ended cleanly from one that was cut.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longer than any answer of a test takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Room for one read, bytes.
const READ_AT_ONCE: usize = 16 * 1024;

/// The bytes of a request.
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: startline\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    let has_own_framing = headers.iter().any(|(name, _)| {
        ["content-length", "transfer-encoding"].contains(&name.to_ascii_lowercase().as_str())
    });
    if !has_own_framing {
        text.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// An answer, as far as it came.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Whether the body came to its end as its framing announced it.
    pub is_whole: bool,
    /// When the last byte came.
    pub at: Instant,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// One connection to the router.
pub struct Connection {
    socket: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        let socket = TcpStream::connect(address).await.unwrap();
        socket.set_nodelay(true).unwrap();
        Self {
            socket,
            received: Vec::new(),
        }
    }

    pub async fn write(&mut self, bytes: &[u8]) {
        // A router that has answered may close before it has read everything.
        let _ = self.socket.write_all(bytes).await;
    }

    /// Waits until the router has sent something that contains `text`.
    pub async fn read_until(&mut self, text: &str) {
        while !contains(&self.received, text.as_bytes()) {
            assert!(
                self.read_more().await,
                "closed before {text:?}: {}",
                String::from_utf8_lossy(&self.received)
            );
        }
    }

    /// Leaves with a FIN and keeps the socket open, so that anything the router still sends can be read.
    pub async fn half_close(&mut self) {
        let _ = self.socket.shutdown().await;
    }

    /// Leaves with a FIN.
    pub async fn leave(mut self) {
        self.half_close().await;
    }

    /// Everything that comes until the router closes.
    pub async fn until_closed(&mut self) -> Vec<u8> {
        while self.read_more().await {}
        std::mem::take(&mut self.received)
    }

    /// Leaves with a RST.
    pub fn reset(self) {
        self.socket.set_zero_linger().unwrap();
    }

    /// Reads an answer that has no body, whatever its headers say.
    pub async fn answer_to_head(&mut self) -> Answer {
        let (status, headers) = self.head().await;
        Answer {
            status,
            headers,
            body: Vec::new(),
            is_whole: true,
            at: Instant::now(),
        }
    }

    /// Whether an answer has begun to come; does not wait for one.
    pub async fn has_answer(&mut self) -> bool {
        let no_time = Duration::from_millis(1);
        let mut buffer = [0; 1024];
        if let Ok(Ok(count)) = tokio::time::timeout(no_time, self.socket.read(&mut buffer)).await {
            self.received.extend_from_slice(&buffer[..count]);
        }
        !self.received.is_empty()
    }

    /// Waits until an answer begins to come; false when the router closes instead.
    pub async fn has_answer_or_end(&mut self) -> bool {
        !self.received.is_empty() || self.read_more().await
    }

    async fn head(&mut self) -> (u16, Vec<(String, String)>) {
        loop {
            if let Some((status, headers, length)) = parse_head(&self.received) {
                self.received.drain(..length);
                return (status, headers);
            }
            assert!(
                self.read_more().await,
                "closed before the head: {}",
                String::from_utf8_lossy(&self.received)
            );
        }
    }

    /// Reads one answer.
    pub async fn answer(&mut self) -> Answer {
        let (status, headers) = self.head().await;
        let header = |name: &str| {
            headers
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.clone())
        };
        let (body, is_whole) = match (header("content-length"), header("transfer-encoding")) {
            (Some(length), _) => self.body_of_length(length.parse().unwrap()).await,
            (None, Some(_)) => self.chunked_body().await,
            (None, None) => (Vec::new(), true),
        };
        Answer {
            status,
            headers,
            body,
            is_whole,
            at: Instant::now(),
        }
    }

    async fn body_of_length(&mut self, length: usize) -> (Vec<u8>, bool) {
        while self.received.len() < length {
            if !self.read_more().await {
                return (std::mem::take(&mut self.received), false);
            }
        }
        (self.received.drain(..length).collect(), true)
    }

    async fn chunked_body(&mut self) -> (Vec<u8>, bool) {
        let mut body = Vec::new();
        loop {
            let Some(size) = self.chunk_size().await else {
                return (body, false);
            };
            while self.received.len() < size + 2 {
                if !self.read_more().await {
                    let there = size.min(self.received.len());
                    body.extend_from_slice(&self.received[..there]);
                    return (body, false);
                }
            }
            body.extend(self.received.drain(..size));
            assert_eq!(self.received.drain(..2).collect::<Vec<u8>>(), b"\r\n");
            if size == 0 {
                return (body, true);
            }
        }
    }

    async fn chunk_size(&mut self) -> Option<usize> {
        loop {
            if let Some(end) = self.received.windows(2).position(|pair| pair == b"\r\n") {
                let line: Vec<u8> = self.received.drain(..end + 2).take(end).collect();
                return Some(
                    usize::from_str_radix(std::str::from_utf8(&line).unwrap(), 16).unwrap(),
                );
            }
            if !self.read_more().await {
                return None;
            }
        }
    }

    /// Reads what is there; false when the router has closed.
    pub async fn read_more(&mut self) -> bool {
        self.received.reserve(READ_AT_ONCE);
        let reading = self.socket.read_buf(&mut self.received);
        let reading = tokio::time::timeout(PATIENCE, reading).await;
        !matches!(reading.expect("the router went silent"), Ok(0) | Err(_))
    }
}

type Head = (u16, Vec<(String, String)>, usize);

fn parse_head(bytes: &[u8]) -> Option<Head> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(length) = head.parse(bytes).unwrap() else {
        return None;
    };
    let pair = |header: &httparse::Header<'_>| {
        (
            header.name.to_ascii_lowercase(),
            String::from_utf8_lossy(header.value).into_owned(),
        )
    };
    // An interim answer is not the answer.
    if head.code == Some(100) {
        let (status, headers, rest) = parse_head(&bytes[length..])?;
        return Some((status, headers, length + rest));
    }
    Some((
        head.code.unwrap(),
        head.headers.iter().map(pair).collect(),
        length,
    ))
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
