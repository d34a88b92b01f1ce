//! One connection: requests one after the other, answers as they were planned, and an eye on the other side all the
//! time, so that its closing is noticed while the simulator waits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use tokio::net::TcpStream;

use super::closings::Closing;
use super::http::{self, Reading, Request};
use super::journal::Closed;
use super::player::{Ended, Player};
use super::respond::{self, Arrival, Reply};
use super::script::How;
use super::server::State;
use super::stamped;

const BUFFER: usize = 16 * 1024;
const MOST_PIPELINED: usize = 4 * 1024 * 1024;

/// Serves a connection until one side closes it.
pub(super) async fn serve(stream: TcpStream, state: Arc<State>, number: u64) {
    let _open = state.journal.connection_opens();
    let mut connection = Connection {
        closing: state.closings.of(&stream, number),
        stream,
        state: &state,
        number,
        buffer: BytesMut::with_capacity(BUFFER),
        came_at: Instant::now(),
        last: None,
    };
    let how = connection.run().await;
    if how == How::Rst {
        let _ = connection.stream.set_zero_linger();
    }
}

struct Connection<'a> {
    stream: TcpStream,
    closing: Closing,
    state: &'a State,
    number: u64,
    buffer: BytesMut,
    /// When the last bytes came.
    came_at: Instant,
    /// The last recorded request.
    last: Option<u64>,
}

/// What came instead of an answer's end, or after it.
enum Next {
    Request(Box<Request>),
    Closed(How),
    Broken(&'static str),
}

impl Connection<'_> {
    /// Gives how the simulator is to close.
    async fn run(&mut self) -> How {
        let mut hang_up_after = None;
        loop {
            let request = match self.next(hang_up_after).await {
                Next::Request(request) => request,
                Next::Closed(how) => {
                    self.note_close(how, false);
                    return How::Fin;
                }
                Next::Broken(why) => {
                    let text =
                        format!("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n{why}\n");
                    let _ = self.stream.try_write(text.as_bytes());
                    return How::Fin;
                }
            };
            let _open =
                (!request.path().starts_with("/sim/")).then(|| self.state.journal.request_opens());
            let keep_alive = request.keep_alive;
            let arrival = Arrival {
                at: self.came_at,
                connection: self.number,
            };
            // The next request comes as soon as this one is answered: the other connections get their turn first.
            tokio::task::yield_now().await;
            let reply = respond::to(self.state, *request, arrival).await;
            if reply.serial.is_some() {
                self.last = reply.serial;
            }
            hang_up_after = reply.behaviour.hang_up_after_ms.map(Duration::from_millis);
            if let Some(how) = self.answer(reply, keep_alive).await {
                return how;
            }
        }
    }

    /// Plays an answer. Gives how to close, or none when the connection goes on.
    async fn answer(&mut self, reply: Reply, keep_alive: bool) -> Option<How> {
        let mut player = Player::new(&self.stream, &self.state.journal, reply, keep_alive);
        let ended = tokio::select! {
            biased;
            ended = player.play() => ended,
            how = watch(&self.stream, &mut self.buffer) => Ended::ClosedByOther(how),
        };
        player.note_sent();
        match ended {
            Ended::Whole { keep_alive: true } => None,
            Ended::Whole { keep_alive: false } => self.close(How::Fin),
            Ended::Cut(how) => self.close(how),
            Ended::ClosedByOther(how) => {
                self.note_close(how, true);
                Some(How::Fin)
            }
        }
    }

    fn close(&self, how: How) -> Option<How> {
        self.note_close(how, false);
        Some(how)
    }

    fn note_close(&self, how: How, by_other_side_before_end: bool) {
        let now = Instant::now();
        let at = self.closing.at().map_or(now, |at| at.min(now));
        if let Some(serial) = self.last {
            let closed = Closed {
                at,
                how,
                by_other_side_before_end,
            };
            self.state
                .journal
                .update(serial, |seen| seen.closed = Some(closed));
        }
    }

    /// The next request, or the end of the connection.
    async fn next(&mut self, hang_up_after: Option<Duration>) -> Next {
        let Some(pause) = hang_up_after else {
            return self.read_request().await;
        };
        tokio::select! {
            biased;
            next = self.read_request() => next,
            () = tokio::time::sleep(pause) => Next::Closed(How::Fin),
        }
    }

    async fn read_request(&mut self) -> Next {
        let mut went = false;
        loop {
            if !self.buffer.is_empty() {
                match http::read(&mut self.buffer) {
                    Reading::Whole(request) => return Next::Request(request),
                    Reading::Broken(why) => return Next::Broken(why),
                    Reading::Unfinished { waits_for_go: true } if !went => {
                        went = true;
                        let _ = self.stream.try_write(b"HTTP/1.1 100 Continue\r\n\r\n");
                    }
                    Reading::Unfinished { .. } => {}
                }
            }
            self.buffer.reserve(BUFFER);
            match read_some(&self.stream, &mut self.buffer).await {
                Ok(came_at) => self.came_at = came_at,
                Err(how) => return Next::Closed(how),
            }
        }
    }
}

/// Waits until the other side closes. What it sends meanwhile is kept for later.
async fn watch(stream: &TcpStream, buffer: &mut BytesMut) -> How {
    while buffer.len() < MOST_PIPELINED {
        if let Err(how) = read_some(stream, buffer).await {
            return how;
        }
    }
    std::future::pending().await
}

/// Reads what there is, or waits for it, and gives when it came; an error is the end of the connection.
async fn read_some(stream: &TcpStream, buffer: &mut BytesMut) -> Result<Instant, How> {
    loop {
        match stamped::try_read(stream, buffer) {
            Ok((0, _)) => return Err(How::Fin),
            Ok((_, came_at)) => return Ok(came_at),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return Err(How::Rst),
        }
        if stream.readable().await.is_err() {
            return Err(How::Rst);
        }
    }
}
