//! What is alive right now: counts that rise and fall with values.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts of the process, shared by all workers.
#[derive(Debug, Default)]
pub struct Live {
    races: AtomicUsize,
    attempts: AtomicUsize,
}

impl Live {
    /// Races whose supervisor is alive.
    pub fn races(&self) -> usize {
        self.races.load(Relaxed)
    }

    /// Attempts whose actor is alive.
    pub fn attempts(&self) -> usize {
        self.attempts.load(Relaxed)
    }

    pub(crate) fn race(self: &Arc<Self>) -> Counted {
        Counted::new(self, |live| &live.races)
    }

    pub(crate) fn attempt(self: &Arc<Self>) -> Counted {
        Counted::new(self, |live| &live.attempts)
    }
}

/// One in a count, until it is dropped.
pub(crate) struct Counted {
    live: Arc<Live>,
    count: fn(&Live) -> &AtomicUsize,
}

impl Counted {
    fn new(live: &Arc<Live>, count: fn(&Live) -> &AtomicUsize) -> Self {
        count(live).fetch_add(1, Relaxed);
        Self {
            live: Arc::clone(live),
            count,
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        (self.count)(&self.live).fetch_sub(1, Relaxed);
    }
}
