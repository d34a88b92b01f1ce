use std::collections::HashSet;

use awc::http::header::HeaderMap;
use bytes::Bytes;

use super::*;
use crate::backoff::Backoff;
use crate::classify::Verdict;
use crate::error::{NoPermit, NotStarted, Refusal};

fn refused(status: u16, verdict: Verdict) -> Failure {
    let refusal = Refusal {
        status,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        verdict,
        retry_after: None,
    };
    Failure::Refused(Box::new(refusal))
}

fn retry(count: u32) -> Option<RetryPolicy> {
    Some(RetryPolicy {
        count,
        backoff: Backoff::Exponential,
        jitter: true,
    })
}

/// What an observer of a race has seen; the invariants are checked after every step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Seen {
    in_flight: Option<(AttemptNumber, Side)>,
    /// Flex, given up at the deadline: standard does not wait until it is closed.
    closing: Option<AttemptNumber>,
    cancelled: bool,
    caller_left: bool,
    answers: u32,
    flex_sent: u32,
    settled_sent: u32,
    waits: u32,
    deadline_passed: bool,
    stopped: bool,
}

impl Seen {
    fn event(&mut self, event: &Event) {
        match event {
            Event::CallerLeft => self.caller_left = true,
            Event::Deadline => self.deadline_passed = true,
            Event::Ended(attempt, _)
                if self.in_flight.is_some_and(|(number, _)| number == *attempt) =>
            {
                self.in_flight = None;
                self.cancelled = false;
            }
            Event::Ended(attempt, _) if self.closing == Some(*attempt) => self.closing = None,
            _ => {}
        }
    }

    fn action(&mut self, action: &Action, routes: usize) {
        assert!(!self.stopped, "an action after the end: {action:?}");
        match action {
            Action::Send(attempt, side, route) => {
                assert!(self.in_flight.is_none(), "two attempts in flight");
                assert!(!self.caller_left, "an attempt after the caller left");
                assert_eq!(self.answers, 0, "an attempt after the answer");
                assert!(*route < routes);
                self.in_flight = Some((*attempt, *side));
                match side {
                    Side::Flex => {
                        assert_eq!(self.settled_sent, 0, "flex after standard");
                        self.flex_sent += 1;
                    }
                    Side::Settled => self.settled_sent += 1,
                }
            }
            Action::Commit(attempt) => {
                let (number, side) = self.in_flight.expect("a commit without an attempt");
                assert_eq!(number, *attempt);
                assert!(!self.cancelled, "a commit of a cancelled attempt");
                assert!(
                    side == Side::Settled || !self.deadline_passed,
                    "flex committed after its deadline"
                );
                self.answer();
            }
            Action::Refuse(_) => self.answer(),
            Action::Cancel(attempt) => {
                assert_eq!(
                    self.in_flight.map(|(number, _)| number),
                    Some(*attempt),
                    "cancelled nothing"
                );
                assert!(self.caller_left, "cancelled for no reason");
                self.cancelled = true;
            }
            Action::GiveUp(attempt) => {
                assert!(self.deadline_passed, "given up for no reason");
                assert_eq!(self.in_flight.take(), Some((*attempt, Side::Flex)));
                self.closing = Some(*attempt);
            }
            Action::Wait(..) => {
                assert!(self.in_flight.is_none() && self.settled_sent > 0);
                self.waits += 1;
            }
            Action::Acquire(..) => assert!(self.in_flight.is_none() && !self.caller_left),
            Action::Stop => {
                assert!(
                    self.in_flight.is_none(),
                    "stopped with an attempt in flight"
                );
                assert!(
                    self.answers == 1 || self.caller_left,
                    "stopped without an answer"
                );
                self.stopped = true;
            }
        }
        assert!(self.flex_sent <= 1);
    }

    fn answer(&mut self) {
        self.answers += 1;
        assert_eq!(self.answers, 1, "two answers");
        assert!(!self.caller_left, "an answer after the caller left");
    }
}

fn events(current: AttemptNumber) -> Vec<Event> {
    let mut events = vec![
        Event::Granted,
        Event::NoPermit(Failure::NoPermit(NoPermit::QueueFull)),
        Event::Deadline,
        Event::WaitOver,
        Event::CallerLeft,
    ];
    // The current attempt and, late, the one before it.
    for attempt in [current, current.wrapping_sub(1)] {
        events.extend([
            Event::Started(attempt),
            Event::Refusing(attempt),
            Event::Ended(attempt, None),
            Event::Ended(attempt, Some(refused(503, Verdict::Transient))),
            Event::Ended(attempt, Some(refused(400, Verdict::Final))),
            Event::Ended(attempt, Some(Failure::ConnectionLost)),
        ]);
    }
    events
}

/// Follows every order of events up to `depth`, merging orders that led to the same race and the same observations.
fn explore(has_flex: bool, routes: usize, policy: Option<RetryPolicy>, depth: usize) -> usize {
    let (race, first) = Race::new(has_flex, routes, policy);
    let mut seen = Seen::default();
    seen.action(&first, routes);
    let mut frontier = vec![(race, seen)];
    let mut known = HashSet::new();
    let mut orders = 0;
    for _ in 0..depth {
        let mut next = Vec::new();
        for (race, seen) in &frontier {
            for event in events(race.attempts) {
                let (mut race, mut seen) = (race.clone(), seen.clone());
                seen.event(&event);
                for action in race.on(event) {
                    seen.action(&action, routes);
                }
                assert_eq!(race.is_over(), seen.stopped);
                orders += 1;
                if known.insert((format!("{race:?}"), seen.clone())) {
                    next.push((race, seen));
                }
            }
        }
        frontier = next;
    }
    orders
}

#[test]
fn no_order_of_events_breaks_a_race() {
    let mut orders = 0;
    for has_flex in [false, true] {
        for routes in [1, 3] {
            for policy in [None, retry(1), retry(5)] {
                orders += explore(has_flex, routes, policy, 8);
            }
        }
    }
    println!("{orders} steps explored");
    assert!(orders > 10_000);
}

/// Runs a race and writes what it does: `a` acquire, `F`/`S` send, `x` cancel, `g` give up, `w` wait, `C` commit, `R` refuse, `.` stop.
fn script(has_flex: bool, routes: usize, policy: Option<RetryPolicy>, events: &[Event]) -> String {
    let (mut race, first) = Race::new(has_flex, routes, policy);
    let mut actions = vec![first];
    for event in events {
        actions.extend(race.on(event.clone()));
    }
    let letter = |action: &Action| match action {
        Action::Acquire(..) => 'a',
        Action::Send(_, Side::Flex, _) => 'F',
        Action::Send(_, Side::Settled, _) => 'S',
        Action::Cancel(_) => 'x',
        Action::GiveUp(_) => 'g',
        Action::Wait(..) => 'w',
        Action::Commit(_) => 'C',
        Action::Refuse(_) => 'R',
        Action::Stop => '.',
    };
    actions.iter().map(letter).collect()
}

#[test]
fn a_proof_before_the_deadline_commits_flex_and_standard_is_never_sent() {
    let events = [
        Event::Granted,
        Event::Started(1),
        Event::Deadline,
        Event::Ended(1, None),
    ];
    assert_eq!(script(true, 1, None, &events), "aFC.");
}

#[test]
fn at_the_deadline_flex_is_given_up_and_standard_is_sent_at_once() {
    let lost = [
        Event::Granted,
        Event::Deadline,
        Event::Granted,
        Event::Ended(1, None),
        Event::Started(2),
    ];
    assert_eq!(script(true, 1, None, &lost), "aFgaSC");
}

#[test]
fn a_proof_that_comes_after_the_deadline_is_too_late() {
    let late = [
        Event::Granted,
        Event::Deadline,
        Event::Started(1),
        Event::Granted,
        Event::Started(1),
        Event::Ended(1, None),
    ];
    assert_eq!(script(true, 1, None, &late), "aFgaS");
}

#[test]
fn every_cause_of_the_list_escalates_and_no_other() {
    let escalating = [
        refused(429, Verdict::Transient),
        refused(429, Verdict::Spent),
        refused(408, Verdict::Transient),
        refused(500, Verdict::Transient),
        refused(529, Verdict::Transient),
        Failure::NeverOpened("refused"),
        Failure::ConnectionLost,
        Failure::NotStarted(NotStarted::Ended),
        Failure::NotStarted(NotStarted::NotAStream),
        Failure::Invalid("status 204"),
    ];
    for failure in escalating {
        let events = [
            Event::Granted,
            Event::Ended(1, Some(failure.clone())),
            Event::Granted,
        ];
        assert_eq!(script(true, 1, None, &events), "aFaS", "{failure:?}");
    }
    for status in [400, 401, 403, 404, 413, 422] {
        let events = [
            Event::Granted,
            Event::Refusing(1),
            Event::Ended(1, Some(refused(status, Verdict::Final))),
        ];
        assert_eq!(script(true, 1, None, &events), "aFR.", "{status}");
    }
}

#[test]
fn the_deadline_does_not_interrupt_the_reading_of_the_callers_own_error() {
    let failure = refused(400, Verdict::Final);
    let events = [
        Event::Granted,
        Event::Refusing(1),
        Event::Deadline,
        Event::Ended(1, Some(failure)),
    ];
    assert_eq!(script(true, 1, None, &events), "aFR.");
}

#[test]
fn waiting_for_a_permit_counts_against_the_deadline() {
    assert_eq!(
        script(true, 1, None, &[Event::Deadline, Event::Granted]),
        "aaS"
    );
}

#[test]
fn flex_and_the_escalation_never_count_against_the_retries() {
    let failure = || Some(refused(503, Verdict::Transient));
    let events = [
        Event::Granted,
        Event::Ended(1, failure()),
        Event::Granted,
        Event::Ended(2, failure()),
        Event::WaitOver,
        Event::Granted,
        Event::Ended(3, failure()),
        Event::WaitOver,
        Event::Granted,
        Event::Ended(4, failure()),
    ];
    assert_eq!(script(true, 1, retry(2), &events), "aFaSwaSwaSR.");
}

#[test]
fn what_is_never_retried_is_answered_at_once() {
    let final_failures = [
        refused(400, Verdict::Final),
        refused(401, Verdict::KeyRejected),
        refused(408, Verdict::Transient),
        refused(429, Verdict::Spent),
        Failure::TimedOut(Duration::from_secs(1)),
        Failure::ConnectionLost,
        Failure::Invalid("status 302"),
        Failure::Died,
    ];
    for failure in final_failures {
        let events = [Event::Granted, Event::Ended(1, Some(failure.clone()))];
        assert_eq!(script(false, 1, retry(5), &events), "aSR.", "{failure:?}");
    }
    let no_permit = [Event::NoPermit(Failure::NoPermit(NoPermit::Waited))];
    assert_eq!(script(false, 1, retry(5), &no_permit), "aR.");
}

#[test]
fn a_chain_tries_each_route_with_its_own_retries() {
    let failure = || Some(refused(503, Verdict::Transient));
    let (mut race, _) = Race::new(false, 2, retry(1));
    let mut routes = Vec::new();
    for event in [
        Event::Granted,
        Event::Ended(1, failure()),
        Event::WaitOver,
        Event::Granted,
        Event::Ended(2, failure()),
        Event::Granted,
        Event::Ended(3, failure()),
        Event::WaitOver,
        Event::Granted,
        Event::Ended(4, failure()),
    ] {
        for action in race.on(event) {
            if let Action::Send(_, _, route) = action {
                routes.push(route);
            }
        }
    }
    assert_eq!(routes, [0, 0, 1, 1]);
    assert_eq!(race.rehits(), 2);
    assert!(race.is_over());
}
