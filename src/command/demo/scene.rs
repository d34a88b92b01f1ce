//! One request of the demo, what the simulated provider does with it, and what must come of it.

use std::time::Duration;

use startline_load::simulator::{Behaviour, Script};

use super::observed::{Observed, Outcome};
use crate::vocabulary::CallerSurface;

/// The shortest duration there is, so that the demo is short.
pub(super) const SHORTEST: &str = "00h-00m-05s";
const DEADLINE: Duration = Duration::from_secs(5);
/// How much later than the deadline the standard tier may have started, on a busy machine.
const SLACK: Duration = Duration::from_secs(1);

/// The router key that a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Good,
    /// Of the right form, but nobody's.
    NeverIssued,
}

pub(super) struct Scene {
    pub(super) title: &'static str,
    pub(super) surface: CallerSurface,
    pub(super) model: &'static str,
    pub(super) start_within: Option<&'static str>,
    pub(super) streams: bool,
    pub(super) retries: Option<u32>,
    pub(super) key: Key,
    pub(super) script: Script,
    pub(super) expected: Expected,
}

/// What must come of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected {
    pub(super) outcome: Outcome,
    pub(super) reason: &'static str,
    /// In the provider's word.
    pub(super) tier: Option<&'static str>,
    /// The calls that the provider saw, each the tier asked for and how it ended.
    pub(super) calls: &'static [&'static str],
    pub(super) rehits: Option<u32>,
}

impl Scene {
    /// A streamed request on the model that the surface is for. What is expected has still to be said.
    pub(super) fn new(
        title: &'static str,
        surface: CallerSurface,
        start_within: &'static str,
        expected: Expected,
    ) -> Self {
        let model = match surface {
            CallerSurface::Responses | CallerSurface::Chat => "gpt-5.5",
            CallerSurface::Interactions => "gemini-3.5-flash",
            CallerSurface::Messages => "claude-opus-5",
        };
        Self {
            title,
            surface,
            model,
            start_within: Some(start_within),
            streams: true,
            retries: None,
            key: Key::Good,
            script: Script::default(),
            expected,
        }
    }

    pub(super) fn whole(self) -> Self {
        Self {
            streams: false,
            ..self
        }
    }

    pub(super) fn flex(mut self, behaviour: Behaviour) -> Self {
        self.script.flex = vec![behaviour];
        self
    }

    /// What successive calls in the settled tier get.
    pub(super) fn settled<const N: usize>(mut self, behaviours: [Behaviour; N]) -> Self {
        self.script.settled = behaviours.into();
        self
    }
}

impl Expected {
    /// Every way in which what happened is not what was expected.
    pub(super) fn differences(&self, observed: &Observed) -> Vec<String> {
        let mut differences = observed.contradictions.clone();
        let mut compare =
            |what: &str, expected: &dyn std::fmt::Debug, got: &dyn std::fmt::Debug| {
                let (expected, got) = (format!("{expected:?}"), format!("{got:?}"));
                if expected != got {
                    differences.push(format!("{what} is {got}, expected {expected}"));
                }
            };
        compare("outcome", &self.outcome, &observed.outcome);
        compare("reason", &self.reason, &observed.reason);
        compare("served tier", &self.tier, &observed.tier.as_deref());
        let calls: Vec<String> = observed.calls.iter().map(ToString::to_string).collect();
        compare("what the provider saw", &self.calls, &calls);
        compare("re-hits", &self.rehits, &observed.rehits);
        compare(
            "starting when the deadline passed",
            &(self.reason == "flex_deadline"),
            &observed.start.is_some_and(started_at_the_deadline),
        );
        differences
    }
}

fn started_at_the_deadline(start: Duration) -> bool {
    start >= DEADLINE && start < DEADLINE + SLACK
}
