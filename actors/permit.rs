//! The concurrency limit of one provider key: a count that every thread may raise up to the limit, and the permit, a
//! value that lowers it again when it is dropped.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

use actix::{Message, Recipient};

/// The count of one provider key. Shared by all workers.
///
/// A permit is taken without a message when one is free and nobody waits. `waiting` is raised before a waiter is
/// announced to the pool actor, so that no newcomer overtakes it, and a permit that comes back while anybody waits
/// tells the actor.
pub struct Gate {
    limit: usize,
    in_use: AtomicUsize,
    waiting: AtomicUsize,
    pool: OnceLock<Recipient<Returned>>,
}

/// Tells a pool that a permit has come back.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Returned;

impl Gate {
    /// A gate that lets `limit` attempts pass at once.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            in_use: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            pool: OnceLock::new(),
        })
    }

    /// A permit, if one is free and nobody is waiting for it.
    pub fn try_acquire(self: &Arc<Self>) -> Option<Permit> {
        if self.waiting.load(SeqCst) > 0 {
            return None;
        }
        self.take()
    }

    /// A permit, if one is free; for the pool, which serves its waiters in order.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Permit> {
        let raise = |count| (count < self.limit).then_some(count + 1);
        self.in_use.fetch_update(SeqCst, SeqCst, raise).ok()?;
        Some(Permit {
            gate: Arc::clone(self),
        })
    }

    pub(crate) fn announce_to(&self, pool: Recipient<Returned>) {
        // A gate belongs to one pool for life.
        let _ = self.pool.set(pool);
    }

    /// Counts a waiter in, unless `bound` are waiting already.
    pub(crate) fn join(&self, bound: usize) -> bool {
        let raise = |count| (count < bound).then_some(count + 1);
        self.waiting.fetch_update(SeqCst, SeqCst, raise).is_ok()
    }

    pub(crate) fn leave(&self) {
        self.waiting.fetch_sub(1, SeqCst);
    }

    /// Permits that are out.
    pub fn in_use(&self) -> usize {
        self.in_use.load(SeqCst)
    }

    /// Requests that wait for one.
    pub fn waiting(&self) -> usize {
        self.waiting.load(SeqCst)
    }
}

/// The right to have one attempt in flight with a provider key. Comes back when it is dropped.
pub struct Permit {
    gate: Arc<Gate>,
}

impl Permit {
    /// Whether this permit counts against `gate`.
    pub fn is_of(&self, gate: &Arc<Gate>) -> bool {
        Arc::ptr_eq(&self.gate, gate)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.gate.in_use.fetch_sub(1, SeqCst);
        if self.gate.waiting.load(SeqCst) == 0 {
            return;
        }
        if let Some(pool) = self.gate.pool.get() {
            pool.do_send(Returned);
        }
    }
}

impl std::fmt::Debug for Permit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Permit")
    }
}
