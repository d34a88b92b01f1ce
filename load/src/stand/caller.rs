//! A caller on raw sockets, one connection a request. It tells a whole answer from one that was cut.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// Most answers fit: growing costs the cores that the router is measured on.
const ROOM: usize = 16 * 1024;

/// An answer that ended as its head said it would.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Everything before the body.
    head: String,
    /// The body, in its transfer coding.
    pub body: Vec<u8>,
}

impl Answer {
    /// The first header of this name, given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Opens a connection and sends a request. The connection comes from `127.0.1.<source>`, so that one address does not
/// run out of ports.
///
/// # Errors
/// When the connection cannot be opened or the request not be written.
pub async fn send(to: SocketAddr, source: u8, request: &[u8]) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(
        IpAddr::V4(Ipv4Addr::new(127, 0, 1, source)),
        0,
    ))?;
    let mut stream = socket.connect(to).await?;
    stream.set_nodelay(true)?;
    stream.write_all(request).await?;
    Ok(stream)
}

/// Reads the answer to the only request on a connection.
///
/// # Errors
/// When the connection breaks, or ends before the answer does.
pub async fn answer(mut stream: TcpStream) -> io::Result<Answer> {
    let mut bytes = Vec::with_capacity(ROOM);
    stream.read_to_end(&mut bytes).await?;
    whole(&bytes).ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "the answer was cut"))
}

/// Sends a request and reads its answer.
///
/// # Errors
/// As [`send`] and [`answer`].
pub async fn ask(to: SocketAddr, source: u8, request: &[u8]) -> io::Result<Answer> {
    answer(send(to, source, request).await?).await
}

fn whole(bytes: &[u8]) -> Option<Answer> {
    let end = memchr::memmem::find(bytes, b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).ok()?.to_owned();
    let answer = Answer {
        status: head.split(' ').nth(1)?.parse().ok()?,
        body: bytes[end..].to_vec(),
        head,
    };
    let is_whole = match answer.header("content-length") {
        Some(length) => length.parse() == Ok(answer.body.len()),
        None => answer.body.ends_with(b"0\r\n\r\n"),
    };
    is_whole.then_some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunked_answer_without_its_last_chunk_is_cut() {
        let text = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
        assert_eq!(whole(text).unwrap().status, 200);
        assert!(whole(&text[..text.len() - 5]).is_none());
    }

    #[test]
    fn an_answer_shorter_than_its_length_is_cut() {
        let text = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\nab";
        let answer = whole(text).unwrap();
        assert_eq!(
            (answer.status, answer.header("content-length")),
            (502, Some("2"))
        );
        assert!(whole(&text[..text.len() - 1]).is_none());
    }
}
