//! The waiting line of one provider key.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use actix::{Actor, Addr, AsyncContext, Context, Handler, Message};
use dashmap::DashMap;
use tokio::sync::oneshot;

use crate::error::NoPermit;
use crate::permit::{Gate, Permit, Returned};

const SWEEP_FROM: usize = 16;

/// Asks for a permit as soon as one is free, in order of arrival.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Acquire {
    reply: oneshot::Sender<Permit>,
}

/// A place in the line: resolves to the permit. Dropping it leaves the line.
pub struct Place {
    gate: Arc<Gate>,
    receiver: oneshot::Receiver<Permit>,
}

impl Future for Place {
    type Output = Result<Permit, NoPermit>;

    fn poll(mut self: Pin<&mut Self>, context: &mut TaskContext<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.receiver)
            .poll(context)
            .map_err(|_| NoPermit::Closed)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.gate.leave();
    }
}

/// One actor a provider key.
///
/// Owns the line of waiters. Receives [`Acquire`] and [`Returned`]. Sends permits, first come first served; a waiter
/// that has left is skipped. Lives as long as the process.
pub struct ProviderPool {
    gate: Arc<Gate>,
    line: VecDeque<oneshot::Sender<Permit>>,
}

impl ProviderPool {
    fn serve(&mut self) {
        while let Some(first) = self.line.front() {
            if first.is_closed() {
                self.line.pop_front();
                continue;
            }
            let Some(permit) = self.gate.take() else {
                return;
            };
            if let Some(reply) = self.line.pop_front() {
                // A waiter that leaves in this very moment drops the permit, which comes back by itself.
                let _ = reply.send(permit);
            }
        }
    }

    /// Those who left stay in the line until they reach its front; when they are most of it, they are swept out.
    fn sweep(&mut self) {
        if self.line.len() > 2 * self.gate.waiting() + SWEEP_FROM {
            self.line.retain(|reply| !reply.is_closed());
        }
    }
}

impl Actor for ProviderPool {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        self.gate.announce_to(context.address().recipient());
    }
}

impl Handler<Acquire> for ProviderPool {
    type Result = ();

    fn handle(&mut self, Acquire { reply }: Acquire, _: &mut Self::Context) {
        self.line.push_back(reply);
        self.sweep();
        self.serve();
    }
}

impl Handler<Returned> for ProviderPool {
    type Result = ();

    fn handle(&mut self, Returned: Returned, _: &mut Self::Context) {
        self.serve();
    }
}

/// How the rest of the program reaches the pool of one provider key.
#[derive(Clone)]
pub struct PoolHandle {
    gate: Arc<Gate>,
    pool: Addr<ProviderPool>,
    max_waiting: usize,
}

impl PoolHandle {
    /// A permit at once, without a message, if one is free and nobody waits.
    pub fn try_acquire(&self) -> Option<Permit> {
        self.gate.try_acquire()
    }

    /// Joins the line.
    ///
    /// # Errors
    /// [`NoPermit::QueueFull`] when `pool.max_waiting` are waiting.
    pub fn join(&self) -> Result<Place, NoPermit> {
        if !self.gate.join(self.max_waiting) {
            return Err(NoPermit::QueueFull);
        }
        let (reply, receiver) = oneshot::channel();
        let place = Place {
            gate: Arc::clone(&self.gate),
            receiver,
        };
        self.pool.do_send(Acquire { reply });
        Ok(place)
    }

    /// The count behind the pool.
    pub fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// Whether the pool's actor is alive.
    pub fn is_alive(&self) -> bool {
        self.pool.connected()
    }
}

/// The pools of the process, one a provider key, made when a key is first used.
pub struct ProviderPools {
    pools: DashMap<Arc<str>, PoolHandle>,
    arbiter: actix::ArbiterHandle,
    max_waiting: usize,
}

impl ProviderPools {
    /// No pool yet; their actors will live on `arbiter`. `max_waiting` bounds the line of each.
    pub fn new(arbiter: actix::ArbiterHandle, max_waiting: usize) -> Self {
        Self {
            pools: DashMap::new(),
            arbiter,
            max_waiting,
        }
    }

    /// The pool of the provider key named `key` (a name, never the key itself), with its concurrency limit.
    pub fn pool(&self, key: &Arc<str>, limit: usize) -> PoolHandle {
        if let Some(pool) = self.pools.get(key) {
            return pool.clone();
        }
        let make = || {
            let gate = Gate::new(limit);
            let actor = ProviderPool {
                gate: Arc::clone(&gate),
                line: VecDeque::new(),
            };
            let pool = ProviderPool::start_in_arbiter(&self.arbiter, move |_| actor);
            PoolHandle {
                gate,
                pool,
                max_waiting: self.max_waiting,
            }
        };
        self.pools
            .entry(Arc::clone(key))
            .or_insert_with(make)
            .clone()
    }

    /// Whether every pool's actor is alive.
    pub fn are_alive(&self) -> bool {
        self.pools.iter().all(|pool| pool.is_alive())
    }

    /// Permits out and requests waiting, over all pools.
    pub fn load(&self) -> (usize, usize) {
        let add =
            |(out, waiting),
             pool: dashmap::mapref::multiple::RefMulti<'_, Arc<str>, PoolHandle>| {
                (out + pool.gate.in_use(), waiting + pool.gate.waiting())
            };
        self.pools.iter().fold((0, 0), add)
    }
}

#[cfg(test)]
#[path = "provider_pool_tests.rs"]
mod tests;
