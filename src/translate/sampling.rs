//! Sampling parameters, which newer models refuse.

use serde_json::Number;

use super::Refused;
use crate::catalogue::Model;

/// Whether `name` is to be sent: its default is left out towards a model that refuses it.
///
/// # Errors
/// Any other value towards such a model.
pub(super) fn is_sent(name: &str, value: &Number, model: Option<&Model>) -> Result<bool, Refused> {
    if !model.is_some_and(|model| model.refuses.contains(name)) {
        return Ok(true);
    }
    if value.as_f64() == Some(1.0) {
        return Ok(false);
    }
    let what = format!("This model takes no `{name}` but its default, 1.");
    Err(Refused::new(name, what))
}
