//! Runs a body through a reader in given pieces and keeps what came out.

use bytes::Bytes;
use startline_actors::leg::{Ending, Progress};

use crate::vocabulary::ProviderSurface;
use crate::wire::dialect;
use crate::wire::sse::EVENT_MAX;

/// What one run showed.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pub progress: Progress,
    pub ending: Ending,
    /// Everything that was handed out, the rest included.
    pub relayed: Vec<u8>,
}

/// Feeds `pieces` and ends the body.
pub fn run<'a>(surface: ProviderSurface, pieces: impl IntoIterator<Item = &'a [u8]>) -> Run {
    run_watched(surface, pieces, |_, _| {})
}

/// The same; `watch` is told the number of bytes fed and the progress after each piece.
pub fn run_watched<'a>(
    surface: ProviderSurface,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    mut watch: impl FnMut(usize, &Progress),
) -> Run {
    let mut reader = dialect(surface).reader(true, EVENT_MAX);
    let mut progress = Progress::Queued;
    let mut relayed = Vec::new();
    let mut fed = 0;
    for piece in pieces {
        let reading = reader.read(Bytes::copy_from_slice(piece));
        relayed.extend_from_slice(&reading.whole);
        progress = reading.progress;
        fed += piece.len();
        watch(fed, &progress);
    }
    let ending = reader.end();
    relayed.extend_from_slice(&reader.rest());
    Run {
        progress,
        ending,
        relayed,
    }
}

/// The verdict, and the number of bytes after which it is there when they come one by one. Fails when it changes later.
pub fn verdict_byte_by_byte(surface: ProviderSurface, body: &[u8]) -> (Progress, Option<usize>) {
    let mut decided: Option<(Progress, usize)> = None;
    run_watched(surface, body.chunks(1), |fed, progress| match &decided {
        Some((verdict, _)) => assert_eq!(progress, verdict, "the verdict changed at byte {fed}"),
        None if *progress == Progress::Queued => {}
        None => decided = Some((progress.clone(), fed)),
    });
    match decided {
        Some((verdict, at)) => (verdict, Some(at)),
        None => (Progress::Queued, None),
    }
}
