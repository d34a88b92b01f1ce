//! The moments at which a caller leaves while the provider is at work for it.

use serde_json::{Value, json};

use crate::calls::{Call, Endpoint};

/// One moment, as a request and what must have happened to it.
pub struct Situation {
    pub name: &'static str,
    call: Call,
    script: Value,
    pub moment: Moment,
}

/// What must have happened before the caller leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The provider has been called so often, and has not answered the last call.
    Called(usize),
    /// The provider has been called so often, and has sent at least the status line of its last answer.
    Answered(usize),
    /// The caller has read this.
    Received(&'static str),
}

impl Moment {
    /// How often the provider has been called by then.
    pub fn calls(self, raced_and_lost: bool) -> usize {
        match self {
            Self::Called(calls) | Self::Answered(calls) => calls,
            Self::Received(_) if raced_and_lost => 2,
            Self::Received(_) => 1,
        }
    }
}

impl Situation {
    /// The request, with a script of its own.
    pub fn call(&self, id: &str) -> Call {
        let mut script = self.script.clone();
        script["id"] = json!(id);
        self.call.clone().scripted(script)
    }

    /// How often the provider has been called when the caller leaves.
    pub fn calls(&self) -> usize {
        self.moment.calls(self.script["flex"]["status"] == 503)
    }
}

pub fn situations() -> Vec<Situation> {
    let mut situations = of_the_settled_tier();
    situations.extend(of_a_race());
    situations
}

fn of_the_settled_tier() -> Vec<Situation> {
    use Endpoint::{Chat, Interactions, Messages, Responses};
    use Moment::{Answered, Called, Received};
    let silent = json!({"settled": {"silent": "head"}});
    let begun = json!({"settled": {"silent": "started"}});
    let flowing = json!({"settled": {"deltas": 5000, "event_delay_ms": 3}});
    let half = json!({"settled": {"cut": {"at": 40, "how": "stall"}}});
    let again = json!({"settled": [{"status": 503, "retry_after_ms": 1}, {"silent": "head"}]});
    let whole = Call::new;
    let streamed = |endpoint| Call::new(endpoint).streamed(true);
    vec![
        situation(
            "before a whole answer",
            whole(Responses),
            &silent,
            Called(1),
        ),
        situation("before a stream", streamed(Messages), &silent, Called(1)),
        situation(
            "in a silent stream",
            streamed(Chat),
            &begun,
            Received("data: "),
        ),
        situation(
            "in a flowing stream",
            streamed(Messages),
            &flowing,
            Received("content_block_delta"),
        ),
        situation("in a whole answer", whole(Interactions), &half, Answered(1)),
        situation("in a re-hit", whole(Chat).retried(2), &again, Called(2)),
    ]
}

fn of_a_race() -> Vec<Situation> {
    use Endpoint::{Interactions, Responses};
    use Moment::{Answered, Called, Received};
    let flex = |behaviour| json!({"flex": behaviour});
    let lost = |behaviour| json!({"flex": {"status": 503}, "settled": behaviour});
    let silent = |place: &str| json!({"silent": place});
    let refusing = json!({"status": 400, "cut": {"at": 10, "how": "stall"}});
    let whole = |endpoint| Call::new(endpoint).raced();
    let streamed = |endpoint| Call::new(endpoint).raced().streamed(true);
    vec![
        situation(
            "before flex answers",
            whole(Responses),
            &flex(silent("head")),
            Called(1),
        ),
        situation(
            "in the queue of flex",
            streamed(Interactions),
            &flex(silent("queued")),
            Answered(1),
        ),
        situation(
            "in a stream of flex",
            streamed(Responses),
            &flex(silent("started")),
            Received("output_item.added"),
        ),
        situation(
            "while flex is put together",
            whole(Interactions),
            &flex(silent("started")),
            Answered(1),
        ),
        situation(
            "while flex refuses",
            whole(Responses),
            &flex(refusing),
            Answered(1),
        ),
        situation(
            "before standard answers",
            whole(Responses),
            &lost(silent("head")),
            Called(2),
        ),
        situation(
            "in a stream of standard",
            streamed(Interactions),
            &lost(silent("started")),
            Received("step.start"),
        ),
    ]
}

fn situation(name: &'static str, call: Call, script: &Value, moment: Moment) -> Situation {
    Situation {
        name,
        call,
        script: script.clone(),
        moment,
    }
}
