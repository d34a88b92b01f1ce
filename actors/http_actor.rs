//! Where a request enters the actors of its worker.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix::{Actor, Addr, Context, Handler, Message};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::Span;

use crate::connector::Client;
use crate::deadlines::Deadlines;
use crate::leg::RacePlan;
use crate::live::Live;
use crate::outcome::Outcome;
use crate::race_supervisor::RaceSupervisor;
use crate::retry_scheduler::RetryScheduler;

/// The timeouts that rule an attempt. A flex leg before its start has none of them but its deadline.
#[derive(Debug, Clone)]
pub struct Timeouts {
    /// Until the status line of a streamed answer.
    pub response_head: Duration,
    /// Until the status line of an answer that is not streamed.
    pub response_head_whole: Duration,
    /// Between two bytes of a body; also how long a caller may not take what is there for it.
    pub idle: Duration,
    /// For the whole attempt; none if off.
    pub total: Option<Duration>,
    /// For the text of an error, once its status is known.
    pub error_body: Duration,
}

/// The bounds that hold for an attempt.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Bytes of an error's text that are read.
    pub error_body: usize,
    /// Bytes of one event of a stream.
    pub event: usize,
    /// Bytes of a document that is answered in one piece.
    pub document: usize,
    /// Pieces of a body that wait for a slow caller.
    pub body_channel: usize,
    /// How long before its deadline a race has a connection opened for its settled leg; none if off.
    pub connect_ahead: Option<Duration>,
    /// Longest wait of the settled tier for a permit.
    pub pool_max_wait: Duration,
}

/// What the races of a worker share.
pub struct Surroundings {
    /// The way to the providers.
    pub client: Client,
    /// The deadlines of races.
    pub deadlines: Rc<Deadlines>,
    /// Timers of re-hits.
    pub scheduler: Addr<RetryScheduler>,
    /// Timeouts of an attempt.
    pub timeouts: Timeouts,
    /// Bounds of an attempt.
    pub bounds: Bounds,
    /// Counts of the process.
    pub live: Arc<Live>,
}

/// Starts a race.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Begin {
    /// What to race.
    pub plan: RacePlan,
    /// When the request had been read and checked: the deadline counts from here.
    pub checked_at: Instant,
    /// Where the outcome goes. Dropping the other end is leaving.
    pub reply: oneshot::Sender<Outcome>,
    /// The request's span.
    pub span: Span,
}

/// One a worker.
///
/// Owns what the races of the worker share. Receives [`Begin`] and hands each request to a [`RaceSupervisor`] of its
/// own. Stops with its worker.
pub struct HttpActor {
    surroundings: Rc<Surroundings>,
}

impl HttpActor {
    /// An actor whose races share `surroundings`.
    pub fn new(surroundings: Surroundings) -> Self {
        Self {
            surroundings: Rc::new(surroundings),
        }
    }
}

impl Actor for HttpActor {
    type Context = Context<Self>;
}

impl Handler<Begin> for HttpActor {
    type Result = ();

    fn handle(&mut self, begin: Begin, _: &mut Self::Context) {
        RaceSupervisor::new(begin, Rc::clone(&self.surroundings)).start();
    }
}
