//! Reads a caller's body: bounded in size, in time, and over all callers together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};
use actix_web::web::Payload;
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use tokio::time::{Instant, timeout_at};

use crate::errors::{Code, Rejection};

/// Room for the first piece of a body whose length is not told.
const FIRST_ROOM: usize = 8 * 1024;

/// The bytes of all request bodies that are held at one time.
pub struct BodiesInFlight {
    held: AtomicUsize,
    bound: usize,
}

impl BodiesInFlight {
    /// No body yet, and at most `bound` bytes of them.
    pub fn new(bound: usize) -> Arc<Self> {
        Arc::new(Self {
            held: AtomicUsize::new(0),
            bound,
        })
    }

    /// Bytes that are held now.
    pub fn held(&self) -> usize {
        self.held.load(Relaxed)
    }
}

/// A part of [`BodiesInFlight`], given back when it is dropped.
pub struct Reservation {
    bodies: Arc<BodiesInFlight>,
    bytes: usize,
}

impl Reservation {
    fn none(bodies: &Arc<BodiesInFlight>) -> Self {
        Self {
            bodies: Arc::clone(bodies),
            bytes: 0,
        }
    }

    fn grow_to(&mut self, bytes: usize) -> Result<(), Rejection> {
        let more = bytes.saturating_sub(self.bytes);
        let add = |held: usize| {
            held.checked_add(more)
                .filter(|sum| *sum <= self.bodies.bound)
        };
        if self
            .bodies
            .held
            .fetch_update(Relaxed, Relaxed, add)
            .is_err()
        {
            return Err(Rejection::new(
                Code::ServerBusy,
                "The router holds as many request bodies as it may.",
            )
            .with_retry_after(1));
        }
        self.bytes += more;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.bodies.held.fetch_sub(self.bytes, Relaxed);
    }
}

/// What bounds the reading of one body.
#[derive(Debug, Clone, Copy)]
pub struct IntakeBounds {
    /// Bytes of the body.
    pub max_body: usize,
    /// Time for the whole of it.
    pub body_timeout: Duration,
}

/// Reads the whole body.
///
/// # Errors
/// 415 for an encoded body, 413 for one over the bound (by its announced length already), 408 for one that takes too
/// long, 503 when all bodies together would hold too much, 400 for one that breaks off.
pub async fn read_body(
    headers: &HeaderMap,
    mut payload: Payload,
    bounds: IntakeBounds,
    bodies: &Arc<BodiesInFlight>,
) -> Result<(Bytes, Reservation), Rejection> {
    check_encoding(headers)?;
    let announced = announced_length(headers);
    let mut reservation = Reservation::none(bodies);
    if let Some(length) = announced {
        check_size(length, bounds.max_body)?;
        reservation.grow_to(length)?;
    }
    let deadline = Instant::now() + bounds.body_timeout;
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    loop {
        let next = timeout_at(deadline, payload.next()).await;
        let Some(piece) = next.map_err(|_| too_slow(bounds.body_timeout))? else {
            break;
        };
        let piece = piece.map_err(|_| broke_off())?;
        let size = first.len() + whole.len() + piece.len();
        check_size(size, bounds.max_body)?;
        reservation.grow_to(size)?;
        if first.is_empty() && whole.is_empty() {
            // Most bodies come in one piece and need no copy.
            first = piece;
            continue;
        }
        if whole.is_empty() {
            whole.reserve(announced.unwrap_or(FIRST_ROOM).max(size));
            whole.extend_from_slice(&std::mem::take(&mut first));
        }
        whole.extend_from_slice(&piece);
    }
    let body = if whole.is_empty() {
        first
    } else {
        whole.freeze()
    };
    if announced.is_some_and(|length| length != body.len()) {
        return Err(broke_off());
    }
    Ok((body, reservation))
}

fn check_encoding(headers: &HeaderMap) -> Result<(), Rejection> {
    for encoding in headers.get_all(CONTENT_ENCODING) {
        let is_identity = encoding
            .as_bytes()
            .trim_ascii()
            .eq_ignore_ascii_case(b"identity");
        if !is_identity {
            let what = "The body has a Content-Encoding.";
            return Err(Rejection::new(Code::UnsupportedContentEncoding, what));
        }
    }
    Ok(())
}

fn announced_length(headers: &HeaderMap) -> Option<usize> {
    headers
        .get(CONTENT_LENGTH)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()
}

fn check_size(size: usize, max_body: usize) -> Result<(), Rejection> {
    if size <= max_body {
        return Ok(());
    }
    let what = format!("The body is larger than {max_body} bytes.");
    Err(Rejection::new(Code::RequestTooLarge, what))
}

fn too_slow(body_timeout: Duration) -> Rejection {
    let what = format!(
        "The body was not complete after {} s.",
        body_timeout.as_secs_f64()
    );
    Rejection::new(Code::RequestTimeout, what)
}

fn broke_off() -> Rejection {
    Rejection::new(Code::InvalidJson, "The body broke off before its end.")
}
