//! Passes a committed body on to the caller's connection.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::body::{BodyEnd, Relay};
use crate::incoming::{Incoming, Step};
use crate::tier_attempt::AttemptEnd;

/// What came before the start proof, and the end, if there is nothing more.
#[derive(Default)]
pub(crate) struct Opening {
    pub prelude: Vec<Bytes>,
    pub end: Option<BodyEnd>,
}

/// The attempt's end of the channel.
pub(crate) struct Outlet {
    relay: mpsc::Sender<Relay>,
    /// How long a caller may not read before it counts as gone.
    idle: Duration,
}

impl Outlet {
    pub(crate) fn new(relay: mpsc::Sender<Relay>, idle: Duration) -> Self {
        Self { relay, idle }
    }

    /// Hands a message over; false when nobody reads it.
    async fn give(&self, message: Relay) -> bool {
        matches!(
            timeout(self.idle, self.relay.send(message)).await,
            Ok(Ok(()))
        )
    }

    async fn finish(&self, end: BodyEnd) -> AttemptEnd {
        if self.give(Relay::End(end.clone())).await {
            return AttemptEnd::Body(end);
        }
        AttemptEnd::Cancelled
    }
}

/// Passes the body on until it is over or nobody reads it any more.
pub(crate) async fn pass_on(
    opening: Opening,
    mut incoming: Incoming,
    outlet: Outlet,
) -> AttemptEnd {
    for piece in opening.prelude {
        if !piece.is_empty() && !outlet.give(Relay::Bytes(piece)).await {
            return AttemptEnd::Cancelled;
        }
    }
    if let Some(end) = opening.end {
        return outlet.finish(end).await;
    }
    loop {
        let step = tokio::select! {
            biased;
            () = outlet.relay.closed() => return AttemptEnd::Cancelled,
            step = incoming.step() => step,
        };
        let (bytes, end) = match step {
            Step::Read(reading) => (reading.whole, None),
            Step::Over(rest, end) => (rest, Some(end)),
        };
        if !bytes.is_empty() && !outlet.give(Relay::Bytes(bytes)).await {
            return AttemptEnd::Cancelled;
        }
        if let Some(end) = end {
            return outlet.finish(end).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece() -> Relay {
        Relay::Bytes(Bytes::from_static(b"data: {}\n\n"))
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_who_does_not_read_for_the_idle_time_counts_as_gone() {
        let (relay, mut body) = mpsc::channel(1);
        let outlet = Outlet::new(relay, Duration::from_secs(600));
        assert!(outlet.give(piece()).await);
        let asked = tokio::time::Instant::now();
        assert!(!outlet.give(piece()).await);
        assert_eq!(asked.elapsed(), Duration::from_secs(600));
        assert!(body.recv().await.is_some());
        assert!(
            outlet.give(piece()).await,
            "one who reads again is there again"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_who_is_gone_is_noticed_at_once() {
        let (relay, body) = mpsc::channel(1);
        drop(body);
        assert!(
            !Outlet::new(relay, Duration::from_secs(600))
                .give(piece())
                .await
        );
    }
}
