//! What the transport saw of one attempt.
//!
//! awc says neither whether a request travelled on a reused connection, nor whether a body was cut. The transport
//! knows both: it is polled inside the attempt's own task, so it writes into the notes of the attempt that is being
//! polled.

use std::cell::Cell;
use std::rc::Rc;

use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static NOTES: Rc<Notes>;
}

/// What the transport saw while one attempt was polled.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    opened: Cell<bool>,
    wrote: Cell<bool>,
    closed: Cell<bool>,
}

impl Notes {
    /// Forgets everything, before the next try.
    pub(crate) fn reset(&self) {
        self.opened.set(false);
        self.wrote.set(false);
        self.closed.set(false);
    }

    pub(crate) fn note_opened(&self) {
        self.opened.set(true);
    }

    pub(crate) fn note_closed(&self) {
        self.closed.set(true);
    }

    pub(crate) fn note_write(&self) {
        // Idle connections that turn out to be closed are passed over before the first write: not ours.
        if !self.wrote.replace(true) {
            self.closed.set(false);
        }
    }

    /// Whether a connection was opened for this attempt; otherwise its request travels on one that was there.
    pub(crate) fn opened(&self) -> bool {
        self.opened.get()
    }

    /// Whether any byte was written.
    pub(crate) fn wrote(&self) -> bool {
        self.wrote.get()
    }

    /// Whether the provider has closed its side.
    pub(crate) fn closed(&self) -> bool {
        self.closed.get()
    }

    /// Runs `work` so that the transport under it takes its notes here.
    pub(crate) fn of<F: Future>(self: Rc<Self>, work: F) -> TaskLocalFuture<Rc<Self>, F> {
        NOTES.scope(self, work)
    }
}

/// Tells the attempt that is being polled. Outside an attempt (an idle connection that is checked, say) there is nobody
/// to tell.
pub(crate) fn note(write: impl FnOnce(&Notes)) {
    let _ = NOTES.try_with(|notes| write(notes));
}
