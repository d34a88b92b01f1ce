//! One request, from its plan to its end.

use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use actix::{
    Actor, ActorContext, ActorFuture, ActorFutureExt, Addr, AsyncContext, Context, Handler,
    SpawnHandle, WrapFuture,
};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::Span;

use crate::backoff;
use crate::error::{Failure, NoPermit};
use crate::http_actor::{Begin, Surroundings};
use crate::leg::{Leg, RacePlan, Side};
use crate::live::Counted;
use crate::outcome::{Committed, Course, Outcome, Refused};
use crate::permit::Permit;
use crate::race::{Action, AttemptNumber, Event, Race};
use crate::ready::Expectation;
use crate::retry_scheduler::{Schedule, WaitOver};
use crate::tier_attempt::{Answer, AttemptEnd, Cancel, Order, Report, TierAttempt};

/// One actor a request.
///
/// Owns the race's rules, the permit between attempts, and the place where the outcome goes. Receives the reports of
/// its attempts, the end of waits, and notices when the caller drops the other end of the reply. Sends attempts, one
/// at a time. Stops when the last attempt is over and the outcome is given, or the caller has left.
pub struct RaceSupervisor {
    race: Race,
    first: Option<Action>,
    plan: RacePlan,
    checked_at: Instant,
    reply: Option<oneshot::Sender<Outcome>>,
    surroundings: Rc<Surroundings>,
    /// Shared with the attempt in flight, and at a deadline with flex and standard both.
    permit: Option<Rc<Permit>>,
    line: Option<Line>,
    attempt: Option<Addr<TierAttempt>>,
    answer: Option<(Side, Answer)>,
    connection: Option<Expectation>,
    span: Span,
    _counted: Counted,
}

/// A place in the line for a permit.
struct Line {
    place: SpawnHandle,
    limit: Option<SpawnHandle>,
}

impl RaceSupervisor {
    pub(crate) fn new(begin: Begin, surroundings: Rc<Surroundings>) -> Self {
        let Begin {
            plan,
            checked_at,
            reply,
            span,
        } = begin;
        let (race, first) = Race::new(plan.flex.is_some(), plan.settled.len(), plan.retry);
        Self {
            race,
            first: Some(first),
            plan,
            checked_at,
            reply: Some(reply),
            permit: None,
            line: None,
            attempt: None,
            answer: None,
            connection: None,
            span,
            _counted: surroundings.live.race(),
            surroundings,
        }
    }

    fn on(&mut self, event: Event, context: &mut Context<Self>) {
        let span = self.span.clone();
        let _entered = span.enter();
        for action in self.race.on(event) {
            if let Some(event) = self.carry_out(action, context) {
                self.on(event, context);
            }
        }
    }

    /// Carries out one action; gives back what happened at once.
    fn carry_out(&mut self, action: Action, context: &mut Context<Self>) -> Option<Event> {
        match action {
            Action::Acquire(side, route) => return self.acquire(side, route, context),
            Action::Send(number, side, route) => self.send(number, side, route, context),
            Action::Cancel(_) => self.cancel(),
            Action::GiveUp(_) => self.give_up(context),
            Action::Wait(rehit, hint) => self.wait(rehit, hint, context),
            Action::Commit(_) => self.commit(),
            Action::Refuse(failure) => self.refuse(failure),
            Action::Stop => context.stop(),
        }
        None
    }

    fn leg(&self, side: Side, route: usize) -> &Leg {
        match (&self.plan.flex, side) {
            (Some(flex), Side::Flex) => &flex.leg,
            _ => &self.plan.settled[route],
        }
    }

    fn acquire(&mut self, side: Side, route: usize, context: &mut Context<Self>) -> Option<Event> {
        let pool = self.leg(side, route).pool.clone();
        if self
            .permit
            .as_ref()
            .is_some_and(|permit| permit.is_of(pool.gate()))
        {
            return Some(Event::Granted);
        }
        self.permit = None;
        if self.line.is_none() {
            self.permit = pool.try_acquire().map(Rc::new);
            if self.permit.is_some() {
                return Some(Event::Granted);
            }
            match pool.join() {
                Ok(place) => {
                    let place = place.into_actor(self).map(|outcome, supervisor, context| {
                        supervisor.on_turn(outcome, context);
                    });
                    self.line = Some(Line {
                        place: context.spawn(place),
                        limit: None,
                    });
                }
                Err(refusal) => return Some(Event::NoPermit(Failure::NoPermit(refusal))),
            }
        }
        // A flex leg waits until its deadline; at the deadline the settled leg takes over its place.
        if side == Side::Settled {
            let limit = context.run_later(
                self.surroundings.bounds.pool_max_wait,
                |supervisor, context| {
                    supervisor.on_turn(Err(NoPermit::Waited), context);
                },
            );
            if let Some(line) = &mut self.line {
                line.limit = Some(limit);
            }
        }
        None
    }

    fn on_turn(&mut self, outcome: Result<Permit, NoPermit>, context: &mut Context<Self>) {
        if let Some(line) = self.line.take() {
            context.cancel_future(line.place);
            if let Some(limit) = line.limit {
                context.cancel_future(limit);
            }
        }
        match outcome {
            Ok(permit) => {
                self.permit = Some(Rc::new(permit));
                self.on(Event::Granted, context);
            }
            Err(refusal) => self.on(Event::NoPermit(Failure::NoPermit(refusal)), context),
        }
    }

    fn send(
        &mut self,
        number: AttemptNumber,
        side: Side,
        route: usize,
        context: &mut Context<Self>,
    ) {
        let Some(permit) = self.permit.clone() else {
            debug_assert!(false, "a race sends only after its permit was granted");
            return;
        };
        // Flex is sent once; the settled tier may be sent again.
        let (leg, prelude_max) = match (side, self.plan.flex.take()) {
            (Side::Flex, Some(flex)) => (flex.leg, flex.prelude_max),
            _ => (self.plan.settled[route].clone(), 0),
        };
        let order = Order {
            number,
            side,
            leg,
            prelude_max,
            permit,
            supervisor: context.address().recipient(),
        };
        self.attempt = Some(TierAttempt::new(order, Rc::clone(&self.surroundings)).start());
        if side == Side::Settled {
            self.connection = None;
        }
    }

    /// Shortly before the deadline, a connection is opened for what comes after it.
    fn await_deadline(&self, deadline: Instant, context: &mut Context<Self>) {
        if let Some(ahead) = self.surroundings.bounds.connect_ahead {
            let ahead = self.surroundings.deadlines.at(deadline - ahead);
            context.spawn(ahead.into_actor(self).map(|(), supervisor, _| {
                supervisor.expect_connection();
            }));
        }
        let deadline = self.surroundings.deadlines.at(deadline);
        context.spawn(deadline.into_actor(self).map(|(), supervisor, context| {
            supervisor.on(Event::Deadline, context);
        }));
    }

    fn expect_connection(&mut self) {
        if self.race.awaits_flex() {
            let uri = &self.leg(Side::Settled, self.race.route()).request.uri;
            self.connection = self.surroundings.client.expect(uri);
        }
    }

    fn cancel(&mut self) {
        self.answer = None;
        if let Some(attempt) = self.attempt.take() {
            attempt.do_send(Cancel);
        }
    }

    /// Closing a connection takes as long as sending a request, and many deadlines may fall together: it waits until the
    /// worker has looked for others that are due, and has sent what comes after them.
    fn give_up(&mut self, context: &mut Context<Self>) {
        if let Some(attempt) = self.attempt.take() {
            let given_up = GivenUp(attempt);
            let closed = async move {
                tokio::task::yield_now().await;
                next_turn().await;
                drop(given_up);
            };
            context.spawn(closed.into_actor(self));
        }
    }

    fn wait(&mut self, rehit: u32, hint: Option<Duration>, context: &mut Context<Self>) {
        self.permit = None;
        let Some(policy) = self.plan.retry else {
            return;
        };
        let after = backoff::wait(policy, rehit, hint, rand::random());
        tracing::debug!(rehit, ?after, "waiting before a re-hit");
        let waiter = context.address().downgrade().recipient();
        self.surroundings
            .scheduler
            .do_send(Schedule { after, waiter });
    }

    fn commit(&mut self) {
        // An answer may take long; no other leg will be sent.
        self.plan.flex = None;
        self.plan.settled = Vec::new();
        let (Some((side, answer)), Some(reply)) = (self.answer.take(), self.reply.take()) else {
            return;
        };
        let course = self.course();
        // A caller that leaves in this very moment drops the body's other end, which ends the attempt.
        let _ = reply.send(Outcome::Committed(Committed {
            side,
            answer,
            course,
        }));
    }

    fn refuse(&mut self, failure: Failure) {
        let course = self.course();
        if let Some(reply) = self.reply.take() {
            let _ = reply.send(Outcome::Refused(Refused { failure, course }));
        }
    }

    fn course(&self) -> Course {
        Course {
            route: self.race.route(),
            loss: self.race.loss(),
            rehits: self.race.rehits(),
        }
    }
}

impl Actor for RaceSupervisor {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.spawn(CallerWatch);
        if let Some(flex) = &self.plan.flex {
            let deadline = self.checked_at + flex.start_within;
            self.await_deadline(deadline, context);
        }
        let Some(first) = self.first.take() else {
            return;
        };
        if let Some(event) = self.carry_out(first, context) {
            self.on(event, context);
        }
    }
}

impl Handler<Report> for RaceSupervisor {
    type Result = ();

    fn handle(&mut self, report: Report, context: &mut Self::Context) {
        match report {
            Report::Started(number, answer) => {
                let side = if self.race.is_racing_flex() {
                    Side::Flex
                } else {
                    Side::Settled
                };
                self.answer = Some((side, answer));
                self.on(Event::Started(number), context);
                // An answer that came too late is dropped, and its attempt with it.
                self.answer = None;
            }
            Report::Refusing(number) => self.on(Event::Refusing(number), context),
            Report::Ended(number, end) => {
                let failure = match end {
                    AttemptEnd::Failed(failure) => Some(failure),
                    AttemptEnd::Died => Some(Failure::Died),
                    AttemptEnd::Body(_) | AttemptEnd::Cancelled => None,
                };
                self.on(Event::Ended(number, failure), context);
            }
        }
    }
}

impl Handler<WaitOver> for RaceSupervisor {
    type Result = ();

    fn handle(&mut self, WaitOver: WaitOver, context: &mut Self::Context) {
        self.on(Event::WaitOver, context);
    }
}

/// A flex attempt after its deadline. Dropping it, or the supervisor with it, closes the connection.
struct GivenUp(Addr<TierAttempt>);

impl Drop for GivenUp {
    fn drop(&mut self) {
        self.0.do_send(Cancel);
    }
}

/// Waits until all that is ready now has been polled.
async fn next_turn() {
    let mut has_waited = false;
    poll_fn(|task| {
        if has_waited {
            return Poll::Ready(());
        }
        has_waited = true;
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Notices that the caller has dropped the other end of the reply.
struct CallerWatch;

impl ActorFuture<RaceSupervisor> for CallerWatch {
    type Output = ();

    fn poll(
        self: Pin<&mut Self>,
        supervisor: &mut RaceSupervisor,
        context: &mut Context<RaceSupervisor>,
        task: &mut TaskContext<'_>,
    ) -> Poll<()> {
        let Some(reply) = &mut supervisor.reply else {
            return Poll::Ready(());
        };
        match reply.poll_closed(task) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => {
                supervisor.on(Event::CallerLeft, context);
                Poll::Ready(())
            }
        }
    }
}
