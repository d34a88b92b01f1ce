//! The file's own shape, and its way into the checked types. One model at a time, so that an error can name it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use serde::Deserialize;

use super::model::{Effort, Model};
use crate::price::{Period, Price, PriceList, Prices, Step, TierPrices};
use crate::vocabulary::{Provider, Route};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFile {
    pub(super) checked_on: Date,
    pub(super) sources: BTreeMap<String, String>,
    pub(super) model: Vec<toml::Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawModel {
    id: String,
    owner: String,
    provider: Provider,
    #[serde(default)]
    routes: BTreeMap<String, String>,
    flex: bool,
    max_output_tokens: Option<u32>,
    efforts: Option<Vec<Effort>>,
    #[serde(default)]
    refuses: BTreeSet<String>,
    shutdown: Option<Date>,
    checked_on: Date,
    source: String,
    #[serde(default)]
    prices: Vec<RawPeriod>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPeriod {
    from: Option<Date>,
    until: Option<Date>,
    standard: Option<RawPrices>,
    flex: Option<RawPrices>,
    priority: Option<RawPrices>,
    #[serde(default)]
    steps: Vec<RawStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStep {
    above_input_tokens: u64,
    standard: Option<RawPrices>,
    flex: Option<RawPrices>,
    priority: Option<RawPrices>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPrices {
    input: String,
    cached: Option<String>,
    cache_write: Option<String>,
    output: String,
}

/// Reads one `[[model]]`. The error is the rule alone.
pub(super) fn model(
    table: toml::Table,
    sources: &BTreeMap<String, String>,
) -> Result<Model, String> {
    let raw: RawModel = table
        .try_into()
        .map_err(|error: toml::de::Error| error.to_string().trim().replace('\n', " "))?;
    let Some(source) = sources.get(&raw.source) else {
        return Err(format!(
            "source {:?} is not listed under [sources]",
            raw.source
        ));
    };
    let model = Model {
        routes: routes(&raw)?,
        prices: price_list(raw.prices)?,
        id: raw.id,
        owner: raw.owner,
        provider: raw.provider,
        flex: raw.flex,
        max_output_tokens: raw.max_output_tokens,
        efforts: raw.efforts,
        refuses: raw.refuses,
        shutdown: raw.shutdown,
        checked_on: raw.checked_on,
        source: source.clone(),
    };
    super::rules::check(&model)?;
    Ok(model)
}

fn routes(raw: &RawModel) -> Result<BTreeMap<&'static str, String>, String> {
    let mut routes = BTreeMap::from([(raw.provider.direct_route().name(), raw.id.clone())]);
    for (name, id) in &raw.routes {
        let route =
            Route::from_name(name).ok_or_else(|| format!("routes: {name:?} is not a route"))?;
        if id.is_empty() {
            return Err(format!("routes.{name} must not be empty"));
        }
        routes.insert(route.name(), id.clone());
    }
    Ok(routes)
}

fn price_list(raw: Vec<RawPeriod>) -> Result<PriceList, String> {
    let mut periods = Vec::with_capacity(raw.len());
    for period in raw {
        let mut steps = Vec::with_capacity(period.steps.len());
        for step in period.steps {
            let prices = tiers(step.standard, step.flex, step.priority)?;
            steps.push(Step {
                above_input_tokens: step.above_input_tokens,
                prices,
            });
        }
        let prices = tiers(period.standard, period.flex, period.priority)?;
        periods.push(Period {
            from: period.from,
            until: period.until,
            prices,
            steps,
        });
    }
    Ok(PriceList { periods })
}

fn tiers(
    standard: Option<RawPrices>,
    flex: Option<RawPrices>,
    priority: Option<RawPrices>,
) -> Result<TierPrices, String> {
    Ok(TierPrices {
        standard: standard.map(prices).transpose()?,
        flex: flex.map(prices).transpose()?,
        priority: priority.map(prices).transpose()?,
    })
}

fn prices(raw: RawPrices) -> Result<Prices, String> {
    let read = |text: &str| Price::parse(text).map_err(|error| format!("price {error}"));
    Ok(Prices {
        input: read(&raw.input)?,
        cached: raw.cached.as_deref().map(read).transpose()?,
        cache_write: raw.cache_write.as_deref().map(read).transpose()?,
        output: read(&raw.output)?,
    })
}
