//! How a body is played: which bytes after which pause, where it stops, and what happens then. Pure.

use std::ops::Range;
use std::time::Duration;

use super::answer::{Beat, Body};
use super::events::{Class, EventStream, Mark};
use super::script::{Behaviour, CutHow, Silence};

/// Bytes to send after a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) pause: Duration,
    pub(super) bytes: Range<usize>,
}

/// What comes behind the last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// The body is whole.
    End,
    /// Nothing more comes but signs of life, so far apart; the first is told how many events came before.
    Hang(Option<(Beat, Duration, usize)>),
    /// The connection is closed in the middle.
    Fin,
    /// The connection is reset in the middle.
    Rst,
}

/// A body, ready to be played.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) body: Vec<u8>,
    pub(super) steps: Vec<Step>,
    pub(super) after: After,
}

impl Plan {
    pub(super) fn of(body: Body, behaviour: &Behaviour) -> Self {
        let (bytes, mut steps, mut after, terminal_at) = match body {
            Body::Document(bytes) => {
                let steps = vec![Step {
                    pause: Duration::ZERO,
                    bytes: 0..bytes.len(),
                }];
                let last = bytes.len().saturating_sub(1);
                (bytes, steps, After::End, last)
            }
            Body::Events(mut stream, beat) => {
                if behaviour.no_terminal_newline {
                    stream.end_after_json();
                }
                let terminal_at = start_of_terminal(&stream.marks);
                let (steps, after) = steps_of(&stream, beat, behaviour);
                (stream.bytes, steps, after, terminal_at)
            }
        };
        if let Some(cut) = &behaviour.cut {
            let at = if cut.before_terminal {
                terminal_at
            } else {
                cut.at.unwrap_or(usize::MAX)
            };
            if at < steps.last().map_or(0, |step| step.bytes.end) {
                steps.retain(|step| step.bytes.start < at);
                if let Some(last) = steps.last_mut() {
                    last.bytes.end = last.bytes.end.min(at);
                }
                after = match cut.how {
                    CutHow::Fin => After::Fin,
                    CutHow::Rst => After::Rst,
                    CutHow::Stall => After::Hang(None),
                };
            }
        }
        if let Some(size) = behaviour.chunk {
            steps = pieces(
                &steps,
                size.max(1),
                Duration::from_millis(behaviour.trickle_ms),
            );
        }
        Self {
            body: bytes,
            steps,
            after,
        }
    }

    /// Whether it can go out in one write, at once.
    pub(super) fn is_immediate(&self) -> bool {
        self.after == After::End && matches!(&self.steps[..], [step] if step.pause.is_zero())
    }
}

fn start_of_terminal(marks: &[Mark]) -> usize {
    let place = marks
        .iter()
        .position(|mark| mark.class == Class::Terminal)
        .unwrap_or(marks.len());
    place.checked_sub(1).map_or(0, |before| marks[before].end)
}

/// The steps of an event stream: events without a pause between them go out together.
fn steps_of(stream: &EventStream, beat: Beat, behaviour: &Behaviour) -> (Vec<Step>, After) {
    let keepalive = Duration::from_millis(behaviour.keepalive_ms);
    let waited = keepalive * u32::try_from(stream.beats(behaviour)).unwrap_or(0);
    let mut pause_of_start =
        Some(Duration::from_millis(behaviour.start_delay_ms).saturating_sub(waited));
    let mut steps: Vec<Step> = Vec::new();
    let mut from = 0;
    for (place, mark) in stream.marks.iter().enumerate() {
        if is_silent_before(behaviour.silent, mark.class, pause_of_start.is_some()) {
            let beats = (behaviour.keepalive_ms > 0).then_some((beat, keepalive, place));
            return (steps, After::Hang(beats));
        }
        let pause = match mark.class {
            Class::Prelude | Class::Trailer => Duration::ZERO,
            Class::Beat => keepalive,
            _ => pause_of_start
                .take()
                .unwrap_or(Duration::from_millis(behaviour.event_delay_ms)),
        };
        match steps.last_mut() {
            Some(last) if pause.is_zero() => last.bytes.end = mark.end,
            _ => steps.push(Step {
                pause,
                bytes: from..mark.end,
            }),
        }
        from = mark.end;
    }
    (steps, After::End)
}

fn is_silent_before(silent: Option<Silence>, class: Class, nothing_started: bool) -> bool {
    match silent {
        Some(Silence::Queued) => class != Class::Prelude,
        Some(Silence::Started) => {
            !matches!(class, Class::Prelude | Class::Beat) && !nothing_started
        }
        _ => false,
    }
}

/// Cuts the steps into pieces of `size` bytes.
fn pieces(steps: &[Step], size: usize, trickle: Duration) -> Vec<Step> {
    let mut cut = Vec::new();
    for step in steps {
        let mut start = step.bytes.start;
        while start < step.bytes.end {
            let end = (start + size).min(step.bytes.end);
            let pause = if start == step.bytes.start {
                step.pause.max(trickle)
            } else {
                trickle
            };
            cut.push(Step {
                pause,
                bytes: start..end,
            });
            start = end;
        }
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::super::script::Cut;
    use super::*;

    fn stream(behaviour: &Behaviour) -> Body {
        let mut stream = EventStream::new(behaviour);
        for class in [
            Class::Prelude,
            Class::Prelude,
            Class::Part,
            Class::Delta,
            Class::Terminal,
            Class::Trailer,
        ] {
            stream.json(class, None, "{}");
        }
        Body::Events(stream, Beat::Comment)
    }

    /// The ends of the steps in events, and their pauses.
    fn steps(behaviour: &Behaviour) -> (Vec<(usize, u64)>, After) {
        let plan = Plan::of(stream(behaviour), behaviour);
        let event = "data: {}\n\n".len();
        let steps = plan
            .steps
            .iter()
            .map(|step| (step.bytes.end / event, step.pause.as_millis() as u64))
            .collect();
        (steps, plan.after)
    }

    #[test]
    fn without_a_script_all_goes_out_at_once() {
        assert!(Plan::of(stream(&Behaviour::default()), &Behaviour::default()).is_immediate());
    }

    #[test]
    fn the_start_and_every_later_event_have_their_own_pauses() {
        let behaviour = Behaviour {
            start_delay_ms: 100,
            event_delay_ms: 7,
            ..Behaviour::default()
        };
        assert_eq!(
            steps(&behaviour),
            (vec![(2, 0), (3, 100), (4, 7), (6, 7)], After::End)
        );
    }

    #[test]
    fn a_silence_begins_where_it_was_asked_for() {
        let behaviour = Behaviour {
            silent: Some(Silence::Queued),
            ..Behaviour::default()
        };
        assert_eq!(steps(&behaviour), (vec![(2, 0)], After::Hang(None)));
        let behaviour = Behaviour {
            silent: Some(Silence::Started),
            keepalive_ms: 5,
            ..Behaviour::default()
        };
        let beats = Some((Beat::Comment, Duration::from_millis(5), 3));
        assert_eq!(steps(&behaviour), (vec![(3, 0)], After::Hang(beats)));
    }

    #[test]
    fn a_cut_stops_before_the_terminal_event_or_at_a_byte() {
        let before_terminal = Cut {
            before_terminal: true,
            how: CutHow::Rst,
            ..Cut::default()
        };
        let behaviour = Behaviour {
            cut: Some(before_terminal),
            ..Behaviour::default()
        };
        assert_eq!(steps(&behaviour), (vec![(4, 0)], After::Rst));
        let behaviour = Behaviour {
            cut: Some(Cut {
                at: Some(3),
                ..Cut::default()
            }),
            ..Behaviour::default()
        };
        let plan = Plan::of(stream(&behaviour), &behaviour);
        assert_eq!(
            plan.steps,
            [Step {
                pause: Duration::ZERO,
                bytes: 0..3
            }]
        );
    }
}
