//! The rules of a race, as a value: events in, actions out. No clock, no I/O, no actor.
//!
//! Flex is tried first when there is a flex leg. Until its start proof it may be given up for the settled tier; the
//! settled tier commits at its status line, and before that may be re-hit, then passed on along the chain. One attempt
//! is in flight at a time, beside it at most a flex attempt that is being closed; and at most one commits.

use std::time::Duration;

use crate::backoff::RetryPolicy;
use crate::classify::{self, Loss};
use crate::error::Failure;
use crate::leg::Side;

/// The number of an attempt within its race, from 1.
pub type AttemptNumber = u32;

/// What has happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// The permit asked for is there.
    Granted,
    /// The permit asked for will not come.
    NoPermit(Failure),
    /// The attempt has an answer that may be given: the start proof (flex), or a status 200 (settled).
    Started(AttemptNumber),
    /// Flex answered with the caller's own error; its text is still being read.
    Refusing(AttemptNumber),
    /// The attempt is over and its connection free or closed. `None` when it was cancelled or its answer was given.
    Ended(AttemptNumber, Option<Failure>),
    /// `start_within` has passed.
    Deadline,
    /// The wait before a re-hit is over.
    WaitOver,
    /// The caller is gone.
    CallerLeft,
}

/// What to do now.
#[derive(Debug, Clone)]
pub enum Action {
    /// Get a permit for this side on this route; answer with [`Event::Granted`] or [`Event::NoPermit`].
    Acquire(Side, usize),
    /// Send an attempt with the permit at hand.
    Send(AttemptNumber, Side, usize),
    /// Close the attempt's connection; it will report [`Event::Ended`].
    Cancel(AttemptNumber),
    /// The same for flex at its deadline, but what follows goes first.
    GiveUp(AttemptNumber),
    /// Let the permit go and wait before this re-hit; the second part is the provider's hint.
    Wait(u32, Option<Duration>),
    /// Give the caller this attempt's answer.
    Commit(AttemptNumber),
    /// Give the caller this failure.
    Refuse(Failure),
    /// Nothing more will happen.
    Stop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    Acquiring(Side),
    /// An attempt is in flight and has not committed.
    InFlight(Side),
    /// Flex answered with the caller's own error: the deadline no longer counts.
    Refusing,
    Waiting,
    Committed,
    /// The caller left; the attempt in flight is being cancelled.
    Leaving,
    Over,
}

/// One request's race.
#[derive(Debug, Clone)]
pub struct Race {
    phase: Phase,
    retry: Option<RetryPolicy>,
    routes: usize,
    route: usize,
    attempts: AttemptNumber,
    rehits_on_route: u32,
    rehits: u32,
    loss: Option<Loss>,
}

impl Race {
    /// A race over `routes` settled legs, with a flex leg or without; and the first thing to do.
    pub fn new(has_flex: bool, routes: usize, retry: Option<RetryPolicy>) -> (Self, Action) {
        let side = if has_flex { Side::Flex } else { Side::Settled };
        let race = Self {
            phase: Phase::Acquiring(side),
            retry,
            routes,
            route: 0,
            attempts: 0,
            rehits_on_route: 0,
            rehits: 0,
            loss: None,
        };
        (race, Action::Acquire(side, 0))
    }

    /// Why flex lost, once it has.
    pub fn loss(&self) -> Option<Loss> {
        self.loss
    }

    /// Re-hits run so far, over the whole chain.
    pub fn rehits(&self) -> u32 {
        self.rehits
    }

    /// The route of the settled tier that is being tried.
    pub fn route(&self) -> usize {
        self.route
    }

    /// Whether the attempt in flight is the flex leg, not yet given up.
    pub fn is_racing_flex(&self) -> bool {
        self.phase == Phase::InFlight(Side::Flex)
    }

    /// Whether the deadline still counts: flex has neither started nor failed.
    pub fn awaits_flex(&self) -> bool {
        matches!(
            self.phase,
            Phase::Acquiring(Side::Flex) | Phase::InFlight(Side::Flex)
        )
    }

    /// Whether nothing more will happen.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Takes one event. An event that this phase does not expect, a late one of an earlier attempt for example,
    /// changes nothing.
    pub fn on(&mut self, event: Event) -> Vec<Action> {
        match event {
            Event::Granted => self.on_granted(),
            Event::NoPermit(failure) => self.on_no_permit(failure),
            Event::Started(attempt) if attempt == self.attempts => self.on_started(),
            Event::Refusing(attempt) if attempt == self.attempts => self.on_refusing(),
            Event::Ended(attempt, failure) if attempt == self.attempts => self.on_ended(failure),
            Event::Started(_) | Event::Refusing(_) | Event::Ended(..) => Vec::new(),
            Event::Deadline => self.on_deadline(),
            Event::WaitOver => self.on_wait_over(),
            Event::CallerLeft => self.on_caller_left(),
        }
    }

    fn on_granted(&mut self) -> Vec<Action> {
        let Phase::Acquiring(side) = self.phase else {
            return Vec::new();
        };
        vec![self.send(side)]
    }

    fn on_no_permit(&mut self, failure: Failure) -> Vec<Action> {
        match self.phase {
            Phase::Acquiring(Side::Flex) => {
                self.loss = classify::flex_loss(&failure);
                vec![self.acquire()]
            }
            Phase::Acquiring(Side::Settled) => self.after_settled(failure),
            _ => Vec::new(),
        }
    }

    fn on_started(&mut self) -> Vec<Action> {
        let Phase::InFlight(_) = self.phase else {
            return Vec::new();
        };
        self.phase = Phase::Committed;
        vec![Action::Commit(self.attempts)]
    }

    fn on_refusing(&mut self) -> Vec<Action> {
        if self.phase == Phase::InFlight(Side::Flex) {
            self.phase = Phase::Refusing;
        }
        Vec::new()
    }

    fn on_ended(&mut self, failure: Option<Failure>) -> Vec<Action> {
        match self.phase {
            Phase::Committed | Phase::Leaving => self.stop(Vec::new()),
            // An attempt that ends without an answer or a reason has died.
            Phase::InFlight(Side::Settled) => self.after_settled(failure.unwrap_or(Failure::Died)),
            Phase::InFlight(Side::Flex) => self.after_flex(failure.unwrap_or(Failure::Died)),
            Phase::Refusing => self.stop(vec![Action::Refuse(failure.unwrap_or(Failure::Died))]),
            Phase::Acquiring(_) | Phase::Waiting | Phase::Over => Vec::new(),
        }
    }

    fn on_deadline(&mut self) -> Vec<Action> {
        match self.phase {
            Phase::Acquiring(Side::Flex) => {
                self.loss = Some(Loss::Deadline);
                vec![self.acquire()]
            }
            Phase::InFlight(Side::Flex) => {
                self.loss = Some(Loss::Deadline);
                // The settled tier takes over flex's permit, so it need not wait until flex is closed.
                vec![Action::GiveUp(self.attempts), self.acquire()]
            }
            _ => Vec::new(),
        }
    }

    fn on_wait_over(&mut self) -> Vec<Action> {
        if self.phase != Phase::Waiting {
            return Vec::new();
        }
        self.rehits += 1;
        self.rehits_on_route += 1;
        vec![self.acquire()]
    }

    fn on_caller_left(&mut self) -> Vec<Action> {
        match self.phase {
            Phase::InFlight(_) | Phase::Refusing | Phase::Committed => {
                self.phase = Phase::Leaving;
                vec![Action::Cancel(self.attempts)]
            }
            Phase::Acquiring(_) | Phase::Waiting => self.stop(Vec::new()),
            Phase::Leaving | Phase::Over => Vec::new(),
        }
    }

    fn after_flex(&mut self, failure: Failure) -> Vec<Action> {
        match classify::flex_loss(&failure) {
            Some(loss) => {
                self.loss = Some(loss);
                vec![self.acquire()]
            }
            None => self.stop(vec![Action::Refuse(failure)]),
        }
    }

    fn after_settled(&mut self, failure: Failure) -> Vec<Action> {
        let budget = self.retry.map_or(0, |retry| retry.count);
        if self.rehits_on_route < budget && classify::is_retried(&failure) {
            self.phase = Phase::Waiting;
            return vec![Action::Wait(
                self.rehits_on_route + 1,
                failure.retry_after(),
            )];
        }
        if self.route + 1 < self.routes && classify::advances_chain(&failure) {
            self.route += 1;
            self.rehits_on_route = 0;
            return vec![self.acquire()];
        }
        self.stop(vec![Action::Refuse(failure)])
    }

    fn acquire(&mut self) -> Action {
        self.phase = Phase::Acquiring(Side::Settled);
        Action::Acquire(Side::Settled, self.route)
    }

    fn send(&mut self, side: Side) -> Action {
        self.phase = Phase::InFlight(side);
        self.attempts += 1;
        Action::Send(self.attempts, side, self.route)
    }

    fn stop(&mut self, mut actions: Vec<Action>) -> Vec<Action> {
        self.phase = Phase::Over;
        actions.push(Action::Stop);
        actions
    }
}

#[cfg(test)]
#[path = "race_tests.rs"]
mod tests;
