//! The bytes of a request: head and body, whole, from a buffer that is filled from the socket.

use bytes::{Buf, Bytes, BytesMut};

const MOST_HEADERS: usize = 128;
const LONGEST_HEAD: usize = 256 * 1024;
const LONGEST_BODY: usize = 256 * 1024 * 1024;

/// A request, whole.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Bytes,
    /// Whether the connection goes on afterwards.
    pub(super) keep_alive: bool,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// What [`read`] found.
#[derive(Debug)]
pub(super) enum Reading {
    /// More bytes are needed; `waits_for_go` when the other side wants a `100 Continue` first.
    Unfinished { waits_for_go: bool },
    /// A whole request; its bytes are out of the buffer.
    Whole(Box<Request>),
    /// This is not HTTP.
    Broken(&'static str),
}

/// Takes one request from the front of the buffer.
pub(super) fn read(buffer: &mut BytesMut) -> Reading {
    let mut slots = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut slots);
    let head_length = match parsed.parse(buffer) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if buffer.len() < LONGEST_HEAD => {
            return Reading::Unfinished {
                waits_for_go: false,
            };
        }
        _ => return Reading::Broken("the head cannot be read"),
    };
    let mut headers = Vec::with_capacity(parsed.headers.len() + 1);
    for header in parsed.headers.iter() {
        headers.push((
            header.name.to_ascii_lowercase(),
            String::from_utf8_lossy(header.value).into_owned(),
        ));
    }
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        target: parsed.path.unwrap_or_default().to_owned(),
        headers,
        body: Bytes::new(),
        keep_alive: parsed.version == Some(1),
    };
    if request
        .header("connection")
        .is_some_and(|value| value.eq_ignore_ascii_case("close"))
    {
        request.keep_alive = false;
    }
    let body = match length_of(&request) {
        Length::Known(length) if length > LONGEST_BODY => {
            return Reading::Broken("the body is too long");
        }
        Length::Known(length) if buffer.len() < head_length + length => None,
        Length::Known(length) => {
            buffer.advance(head_length);
            Some(buffer.split_to(length).freeze())
        }
        Length::Chunked => match dechunk(&buffer[head_length..]) {
            Dechunked::Unfinished => None,
            Dechunked::Broken => return Reading::Broken("the chunks cannot be read"),
            Dechunked::Whole { body, consumed } => {
                buffer.advance(head_length + consumed);
                Some(body.freeze())
            }
        },
        Length::Broken => return Reading::Broken("the content-length cannot be read"),
    };
    match body {
        Some(body) => {
            request.body = body;
            Reading::Whole(Box::new(request))
        }
        None => Reading::Unfinished {
            waits_for_go: request.header("expect").is_some(),
        },
    }
}

enum Length {
    Known(usize),
    Chunked,
    Broken,
}

fn length_of(request: &Request) -> Length {
    if request
        .header("transfer-encoding")
        .is_some_and(|value| value.eq_ignore_ascii_case("chunked"))
    {
        return Length::Chunked;
    }
    match request.header("content-length").map(str::parse) {
        None => Length::Known(0),
        Some(Ok(length)) => Length::Known(length),
        Some(Err(_)) => Length::Broken,
    }
}

enum Dechunked {
    Unfinished,
    Broken,
    Whole { body: BytesMut, consumed: usize },
}

/// Reads a chunked body from its beginning. Trailers are not expected.
fn dechunk(bytes: &[u8]) -> Dechunked {
    let mut body = BytesMut::new();
    let mut at = 0;
    loop {
        let (line, size) = match httparse::parse_chunk_size(&bytes[at..]) {
            Ok(httparse::Status::Complete(found)) => found,
            Ok(httparse::Status::Partial) => return Dechunked::Unfinished,
            Err(_) => return Dechunked::Broken,
        };
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > LONGEST_BODY {
            return Dechunked::Broken;
        }
        let start = at + line;
        let end = start + size;
        if bytes.len() < end + 2 {
            return Dechunked::Unfinished;
        }
        if &bytes[end..end + 2] != b"\r\n" {
            return Dechunked::Broken;
        }
        body.extend_from_slice(&bytes[start..end]);
        at = end + 2;
        if size == 0 {
            return Dechunked::Whole { body, consumed: at };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_requests_are_read_one_after_the_other_at_every_split() {
        let bytes = b"POST /a?b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcPOST /c HTTP/1.1\r\n\
            Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n";
        for split in 0..bytes.len() {
            let mut buffer = BytesMut::from(&bytes[..split]);
            let mut found = Vec::new();
            for rest in [&bytes[split..], b""] {
                while let Reading::Whole(request) = read(&mut buffer) {
                    found.push((
                        request.path().to_owned(),
                        request.body.clone(),
                        request.keep_alive,
                    ));
                }
                buffer.extend_from_slice(rest);
            }
            assert_eq!(
                found[0],
                ("/a".to_owned(), Bytes::from_static(b"abc"), true),
                "{split}"
            );
            assert_eq!(
                found[1],
                ("/c".to_owned(), Bytes::from_static(b"def"), false),
                "{split}"
            );
        }
    }
}
