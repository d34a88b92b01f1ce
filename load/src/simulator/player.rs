//! Plays one answer to the socket: status line, body in its framing, pauses, silences, cuts.

use std::io;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::time::sleep;

use super::answer::Body;
use super::journal::Journal;
use super::plan::{After, Plan};
use super::respond::Reply;
use super::script::{Behaviour, Framing, How, Silence};

/// How playing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The answer is whole.
    Whole { keep_alive: bool },
    /// It stops in the middle, as scripted.
    Cut(How),
    /// The other side is gone.
    ClosedByOther(How),
}

/// An answer on its way.
pub(super) struct Player<'a> {
    stream: &'a TcpStream,
    journal: &'a Journal,
    serial: Option<u64>,
    behaviour: Behaviour,
    status: u16,
    head: Vec<u8>,
    plan: Plan,
    framing: Framing,
    keep_alive: bool,
    /// Bytes of the planned body that went out, and what went out besides them.
    sent: usize,
    beats: Vec<u8>,
    /// When the last write began.
    written_at: Instant,
}

impl<'a> Player<'a> {
    pub(super) fn new(
        stream: &'a TcpStream,
        journal: &'a Journal,
        reply: Reply,
        keep_alive: bool,
    ) -> Self {
        let Reply {
            answer,
            behaviour,
            serial,
        } = reply;
        let framing = behaviour.framing.unwrap_or(match answer.body {
            Body::Document(_) => Framing::Length,
            Body::Events(..) => Framing::Chunked,
        });
        let keep_alive = keep_alive && !behaviour.close && framing != Framing::Close;
        let plan = Plan::of(answer.body, &behaviour);
        let mut head = Vec::with_capacity(1024 + plan.body.len());
        let reason = reason(answer.status);
        head.extend_from_slice(format!("HTTP/1.1 {} {reason}\r\n", answer.status).as_bytes());
        head.extend_from_slice(format!("content-type: {}\r\n", answer.content_type).as_bytes());
        head.extend_from_slice(answer.headers.as_bytes());
        for (name, value) in &behaviour.headers {
            head.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        match framing {
            Framing::Length => head
                .extend_from_slice(format!("content-length: {}\r\n", plan.body.len()).as_bytes()),
            Framing::Chunked => head.extend_from_slice(b"transfer-encoding: chunked\r\n"),
            Framing::Close => {}
        }
        if !keep_alive {
            head.extend_from_slice(b"connection: close\r\n");
        }
        head.extend_from_slice(b"\r\n");
        let beats = Vec::new();
        Self {
            stream,
            journal,
            serial,
            behaviour,
            status: answer.status,
            head,
            plan,
            framing,
            keep_alive,
            sent: 0,
            beats,
            written_at: Instant::now(),
        }
    }

    /// Plays it to its end. An error of the socket means that the other side is gone.
    pub(super) async fn play(&mut self) -> Ended {
        if self.behaviour.head_delay_ms > 0 {
            sleep(Duration::from_millis(self.behaviour.head_delay_ms)).await;
        }
        if self.behaviour.silent == Some(Silence::Head) {
            return std::future::pending().await;
        }
        if let Some(how) = self.behaviour.drop {
            return Ended::Cut(how);
        }
        let played = if self.plan.is_immediate() {
            self.play_at_once().await
        } else {
            self.play_in_steps().await
        };
        played.unwrap_or(Ended::ClosedByOther(How::Rst))
    }

    /// Puts what was sent into the journal.
    pub(super) fn note_sent(&mut self) {
        let Some(serial) = self.serial else { return };
        let mut body = std::mem::take(&mut self.plan.body);
        body.truncate(self.sent);
        body.extend_from_slice(&self.beats);
        self.journal
            .update(serial, |seen| seen.sent_body = body.into());
    }

    async fn play_at_once(&mut self) -> io::Result<Ended> {
        let mut bytes = std::mem::take(&mut self.head);
        frame(self.framing, &self.plan.body, &mut bytes);
        end_of_body(self.framing, &mut bytes);
        self.note_answered();
        self.written_at = write(self.stream, &bytes).await?;
        self.sent = self.plan.body.len();
        Ok(self.whole())
    }

    async fn play_in_steps(&mut self) -> io::Result<Ended> {
        let mut bytes = std::mem::take(&mut self.head);
        for number in 0..self.plan.steps.len() {
            let step = self.plan.steps[number].clone();
            if !step.pause.is_zero() {
                self.send(&mut bytes).await?;
                sleep(step.pause).await;
            }
            frame(
                self.framing,
                &self.plan.body[step.bytes.clone()],
                &mut bytes,
            );
            self.send(&mut bytes).await?;
            self.sent = step.bytes.end;
        }
        self.send(&mut bytes).await?;
        match self.plan.after {
            After::End => {
                end_of_body(self.framing, &mut bytes);
                self.send(&mut bytes).await?;
                Ok(self.whole())
            }
            After::Fin => Ok(Ended::Cut(How::Fin)),
            After::Rst => Ok(Ended::Cut(How::Rst)),
            After::Hang(None) => std::future::pending().await,
            After::Hang(Some((beat, pause, events))) => {
                let mut count = events;
                loop {
                    sleep(pause).await;
                    let sign = beat.bytes(count);
                    frame(self.framing, &sign, &mut bytes);
                    self.send(&mut bytes).await?;
                    self.beats.extend_from_slice(&sign);
                    count += 1;
                }
            }
        }
    }

    async fn send(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.note_answered();
        self.written_at = write(self.stream, bytes).await?;
        bytes.clear();
        Ok(())
    }

    fn note_answered(&mut self) {
        let Some(serial) = self.serial else { return };
        let status = self.status;
        let at = Instant::now();
        self.journal.update(serial, |seen| {
            seen.status_sent = Some(status);
            seen.answered_at.get_or_insert(at);
        });
    }

    fn whole(&self) -> Ended {
        if let Some(serial) = self.serial {
            let at = self.written_at;
            self.journal
                .update(serial, |seen| seen.finished_at = Some(at));
        }
        Ended::Whole {
            keep_alive: self.keep_alive,
        }
    }
}

/// Gives the moment before the last write: whoever reads its bytes can answer them only later.
async fn write(stream: &TcpStream, bytes: &[u8]) -> io::Result<Instant> {
    let mut rest = bytes;
    let mut at = Instant::now();
    while !rest.is_empty() {
        at = Instant::now();
        match stream.try_write(rest) {
            Ok(count) => rest = &rest[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => stream.writable().await?,
            Err(error) => return Err(error),
        }
    }
    Ok(at)
}

/// Adds a piece of the body in its framing.
fn frame(framing: Framing, piece: &[u8], bytes: &mut Vec<u8>) {
    if framing != Framing::Chunked {
        bytes.extend_from_slice(piece);
        return;
    }
    if piece.is_empty() {
        return;
    }
    bytes.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
    bytes.extend_from_slice(piece);
    bytes.extend_from_slice(b"\r\n");
}

fn end_of_body(framing: Framing, bytes: &mut Vec<u8>) {
    if framing == Framing::Chunked {
        bytes.extend_from_slice(b"0\r\n\r\n");
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        529 => "Overloaded",
        _ => "Status",
    }
}
