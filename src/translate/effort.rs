//! Reasoning effort in a model's own levels.

use serde::Deserialize;
use serde_json::Value;

use super::{Dropped, Refused};
use crate::catalogue::{Effort, Model};

const PATH: &str = "reasoning.effort";

/// What was asked for, and what the model has for it.
pub(super) struct Level {
    pub(super) asked: Effort,
    /// The nearest level: the next above, else the highest. `None` for a model whose levels are not known.
    pub(super) nearest: Option<Effort>,
}

/// Reads an effort for a model; one that is clamped is noted.
pub(super) fn level(
    given: &Value,
    model: Option<&Model>,
    dropped: &mut Dropped,
) -> Result<Level, Refused> {
    let asked = Effort::deserialize(given).map_err(|_| {
        let what =
            "The effort must be `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`.";
        Refused::new(PATH, what)
    })?;
    let levels = model.and_then(|model| model.efforts.as_deref());
    let nearest = levels.and_then(|levels| {
        let above = levels.iter().find(|level| **level >= asked);
        above.or(levels.last()).copied()
    });
    if nearest.is_some_and(|nearest| nearest != asked) {
        dropped.note(PATH);
    }
    Ok(Level { asked, nearest })
}
