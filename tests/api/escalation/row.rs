//! A row of a table: one request to one endpoint, and what may be said of its answer.

use futures::StreamExt;
use serde_json::{Value, json};

use crate::calls::{Call, Endpoint};
use crate::client::Answer;
use crate::events::{Ending, ending};
use crate::rig::Rig;

/// Rows that run at the same time.
const AT_ONCE: usize = 64;

/// One request to one endpoint.
pub struct Row {
    pub name: String,
    pub endpoint: Endpoint,
    pub streamed: bool,
    pub call: Call,
}

/// A row for each raced endpoint, streamed and not.
pub fn rows(name: &str, only: Option<Endpoint>, flex: &Value, settled: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    for endpoint in Endpoint::RACED {
        if only.is_some_and(|only| only != endpoint) {
            continue;
        }
        for streamed in [false, true] {
            let name = format!("{name}, {endpoint:?}, streamed: {streamed}");
            let script = json!({"id": name, "flex": flex, "settled": settled});
            rows.push(Row {
                call: Call::new(endpoint)
                    .raced()
                    .streamed(streamed)
                    .scripted(script),
                name,
                endpoint,
                streamed,
            });
        }
    }
    rows
}

impl Row {
    /// The tiers asked for at the provider, in their order.
    pub fn tiers(&self, rig: &Rig) -> Vec<String> {
        let seen = rig.simulator.seen_by_id(&self.name);
        seen.into_iter().map(|seen| seen.tier.unwrap()).collect()
    }

    pub fn check_headers(&self, answer: &Answer, applied: &str, flex_reason: &str, reason: &str) {
        for (name, value) in [
            ("x-flexinference-flex-requested", "true"),
            ("x-flexinference-flex-applied", applied),
            ("x-flexinference-flex-reason", flex_reason),
            ("x-flexinference-routing-reason", reason),
        ] {
            assert_eq!(answer.header(name), Some(value), "{}: {name}", self.name);
        }
        assert_eq!(
            answer.header("x-flexinference-retries"),
            None,
            "{}",
            self.name
        );
    }

    /// The caller has one whole answer, and it is this one.
    pub fn check_body(&self, answer: &Answer, text: &str, other: &str) {
        let body = answer.text();
        assert_eq!(answer.status, 200, "{}: {body}", self.name);
        assert!(answer.is_whole, "{}", self.name);
        assert!(
            body.contains(text) && !body.contains(other),
            "{}: {body}",
            self.name
        );
        if self.streamed {
            assert_eq!(
                ending(self.endpoint, &body),
                Ending::Complete,
                "{}",
                self.name
            );
        } else {
            assert!(answer.json().is_object(), "{}", self.name);
        }
    }
}

/// Runs the checks of a table.
pub async fn all(checks: impl Iterator<Item = impl Future<Output = ()>>) {
    let checks = futures::stream::iter(checks);
    checks.for_each_concurrent(AT_ONCE, |check| check).await;
}
