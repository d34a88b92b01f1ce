//! The last line of the demo: how many races were won and lost, and what that saved.

use std::fmt;

use super::observed::Outcome;
use super::table::Row;

/// Counts over all rows.
#[derive(Debug, Default)]
pub(super) struct Tally {
    requests: usize,
    won: usize,
    lost: usize,
    served: usize,
    failed: usize,
    refused: usize,
    otherwise: usize,
    saved: u64,
    /// What the races that flex won have cost.
    flex_cost: u64,
}

impl Tally {
    pub(super) fn add(&mut self, row: &Row<'_>) {
        self.requests += 1;
        self.otherwise += usize::from(!row.differences.is_empty());
        match row.observed.outcome {
            Outcome::Won => self.won += 1,
            Outcome::Lost => self.lost += 1,
            Outcome::Served => self.served += 1,
            Outcome::Failed | Outcome::NoAnswer => self.failed += 1,
            Outcome::Refused(_) => self.refused += 1,
        }
        if let (Some(saved), Some(cost)) = (row.observed.saved, row.observed.cost) {
            self.saved += saved.0;
            self.flex_cost += cost.0;
        }
    }

    /// Requests that did not go as scripted.
    pub(super) fn otherwise(&self) -> usize {
        self.otherwise
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} requests: {} races won, {} lost; {} served in the tier they named, {} failed after their start, {} \
             refused.\nFlex saved {} µUSD of the {} µUSD that its races would have cost on standard. ",
            self.requests,
            self.won,
            self.lost,
            self.served,
            self.failed,
            self.refused,
            self.saved,
            self.saved + self.flex_cost,
        )?;
        match self.otherwise {
            0 => formatter.write_str("All as scripted."),
            count => write!(formatter, "{count} otherwise than scripted (✗)."),
        }
    }
}
