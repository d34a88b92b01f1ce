//! `startline models`.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::{ConfigArguments, Failed};
use crate::catalogue::{CatalogueHandle, Model};
use crate::price::{Price, PriceTier, Prices, utc_day};

pub(super) fn run(config: &ConfigArguments, as_json: bool) -> Result<(), Failed> {
    let settings = config.settings().map_err(Failed::new)?;
    let catalogue = CatalogueHandle::open(settings.catalogue.path.as_deref())
        .map_err(Failed::new)?
        .current();
    if as_json {
        let models: Vec<Value> = catalogue.models().iter().map(to_json).collect();
        println!(
            "{}",
            serde_json::to_string_pretty(&models).map_err(Failed::new)?
        );
        return Ok(());
    }
    println!("USD per million tokens today, input / output\n");
    println!(
        "{:<24} {:<10} {:>16} {:>16} {:>16}",
        "model", "provider", "standard", "flex", "priority"
    );
    for model in catalogue.models() {
        let [standard, flex, priority] =
            [PriceTier::Standard, PriceTier::Flex, PriceTier::Priority]
                .map(|tier| prices_today(model, tier));
        println!(
            "{:<24} {:<10} {:>16} {:>16} {:>16}",
            model.id,
            model.provider.word(),
            pair(standard),
            if model.flex {
                pair(flex)
            } else {
                "no flex".to_owned()
            },
            pair(priority),
        );
    }
    Ok(())
}

fn prices_today(model: &Model, tier: PriceTier) -> Option<&Prices> {
    model.prices.prices(tier, utc_day(SystemTime::now()), 0)
}

fn pair(prices: Option<&Prices>) -> String {
    match prices {
        Some(prices) => format!("{} / {}", usd(prices.input), usd(prices.output)),
        None => "–".to_owned(),
    }
}

/// A price as a decimal number without zeros at its end.
fn usd(price: Price) -> String {
    let micro = price.micro_usd_per_million();
    let text = format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn to_json(model: &Model) -> Value {
    let tier = |tier| {
        prices_today(model, tier).map(|prices| {
            json!({
                "input": usd(prices.input),
                "cached_input": prices.cached.map(usd),
                "cache_write": prices.cache_write.map(usd),
                "output": usd(prices.output),
            })
        })
    };
    json!({
        "id": model.id,
        "provider": model.provider.word(),
        "routes": model.routes,
        "flex": model.flex,
        "max_output_tokens": model.max_output_tokens,
        "usd_per_million_tokens": {
            "standard": tier(PriceTier::Standard),
            "flex": tier(PriceTier::Flex),
            "priority": tier(PriceTier::Priority),
        },
        "checked_on": model.checked_on.to_string(),
        "source": model.source,
    })
}
