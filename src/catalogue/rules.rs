//! The rules a model must keep. They catch the slips of whoever edits the file by hand.

use super::model::Model;
use crate::price::{Period, Prices, TierPrices};
use crate::vocabulary::Provider;

/// Checks one model; the error is the broken rule.
pub(super) fn check(model: &Model) -> Result<(), String> {
    if model.id.is_empty()
        || model.id.contains(char::is_whitespace)
        || model.id.starts_with("models/")
    {
        return Err("id must be a word, without \"models/\" before it".to_owned());
    }
    if is_dated_snapshot(&model.id) {
        return Err("id must be an alias, not a dated snapshot".to_owned());
    }
    if model.owner.is_empty() {
        return Err("owner must not be empty".to_owned());
    }
    if model.flex && model.provider == Provider::Anthropic {
        return Err("flex must be false: Anthropic has no flex tier".to_owned());
    }
    if model.max_output_tokens == Some(0) {
        return Err(
            "max_output_tokens must be above zero; leave it out where it is unknown".to_owned(),
        );
    }
    if let Some(efforts) = &model.efforts
        && (efforts.is_empty() || !efforts.is_sorted_by(|lower, higher| lower < higher))
    {
        return Err("efforts must go from the lowest to the highest, each once".to_owned());
    }
    periods(model)
}

fn periods(model: &Model) -> Result<(), String> {
    for period in &model.prices.periods {
        one_period(model, period)?;
    }
    for pair in model.prices.periods.windows(2) {
        let apart =
            matches!((pair[0].until, pair[1].from), (Some(end), Some(start)) if end < start);
        if !apart {
            return Err(
                "periods of prices must follow each other by date, without overlap".to_owned(),
            );
        }
    }
    Ok(())
}

fn one_period(model: &Model, period: &Period) -> Result<(), String> {
    if let (Some(from), Some(until)) = (period.from, period.until)
        && from > until
    {
        return Err(format!(
            "a period of prices ends on {until}, before it begins on {from}"
        ));
    }
    if !period
        .steps
        .is_sorted_by(|lower, higher| lower.above_input_tokens < higher.above_input_tokens)
    {
        return Err("steps of prices must go from the lowest threshold to the highest".to_owned());
    }
    tiers(model, &period.prices)?;
    for step in &period.steps {
        if step.above_input_tokens == 0 {
            return Err("above_input_tokens must be above zero".to_owned());
        }
        tiers(model, &step.prices)?;
    }
    Ok(())
}

fn tiers(model: &Model, prices: &TierPrices) -> Result<(), String> {
    let Some(standard) = prices.standard else {
        return Err("prices need a standard tier".to_owned());
    };
    let Some(flex) = prices.flex else {
        return Ok(());
    };
    if !model.flex {
        return Err("has a price for flex but flex = false".to_owned());
    }
    if costs_more(&flex, &standard) {
        return Err("flex must not cost more than standard".to_owned());
    }
    Ok(())
}

fn costs_more(one: &Prices, other: &Prices) -> bool {
    one.input > other.input
        || one.output > other.output
        || (other.cached.is_some() && one.cached > other.cached)
}

/// `…-2026-04-23` (OpenAI) or `…-20251001` (Anthropic).
fn is_dated_snapshot(id: &str) -> bool {
    let digits = |part: &str, count: usize| {
        part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts: Vec<&str> = id.rsplitn(4, '-').collect();
    match parts.as_slice() {
        [day, month, year, _] if digits(day, 2) && digits(month, 2) && digits(year, 4) => true,
        [last, _, ..] => digits(last, 8),
        _ => false,
    }
}
