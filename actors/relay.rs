//! Passes a committed body on to the caller's connection.

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::body::{BodyEnd, Relay};
use crate::incoming::{Incoming, Step};
use crate::tier_attempt::AttemptEnd;

/// What came before the start proof, and the end, if there is nothing more.
#[derive(Default)]
pub(crate) struct Opening {
    pub prelude: Vec<Bytes>,
    pub end: Option<BodyEnd>,
}

/// Passes the body on until it is over or nobody reads it any more.
pub(crate) async fn pass_on(
    opening: Opening,
    mut incoming: Incoming,
    relay: mpsc::Sender<Relay>,
) -> AttemptEnd {
    for piece in opening
        .prelude
        .into_iter()
        .filter(|piece| !piece.is_empty())
    {
        if relay.send(Relay::Bytes(piece)).await.is_err() {
            return AttemptEnd::Cancelled;
        }
    }
    if let Some(end) = opening.end {
        return finish(relay, end).await;
    }
    loop {
        let step = tokio::select! {
            biased;
            () = relay.closed() => return AttemptEnd::Cancelled,
            step = incoming.step() => step,
        };
        let (bytes, end) = match step {
            Step::Read(reading) => (reading.whole, None),
            Step::Over(rest, end) => (rest, Some(end)),
        };
        if !bytes.is_empty() && relay.send(Relay::Bytes(bytes)).await.is_err() {
            return AttemptEnd::Cancelled;
        }
        if let Some(end) = end {
            return finish(relay, end).await;
        }
    }
}

async fn finish(relay: mpsc::Sender<Relay>, end: BodyEnd) -> AttemptEnd {
    match relay.send(Relay::End(end.clone())).await {
        Ok(()) => AttemptEnd::Body(end),
        Err(_) => AttemptEnd::Cancelled,
    }
}
