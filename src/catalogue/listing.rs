//! The catalogue as `GET /v1/models` shows it: OpenAI's list, extended by a `flexinference` block.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::{Catalogue, Model};
use crate::vocabulary::Provider;

/// The answer of `GET /v1/models`.
#[derive(Debug, Clone, Serialize)]
pub struct Listing<'a> {
    object: &'static str,
    /// The models, in the catalogue's order.
    pub data: Vec<ModelEntry<'a>>,
}

/// The answer of `GET /v1/models/{id}`.
#[derive(Debug, Clone, Serialize)]
pub struct ModelEntry<'a> {
    /// The alias.
    pub id: &'a str,
    object: &'static str,
    /// When the catalogue was last checked, in Unix seconds; the same for every model.
    pub created: i64,
    /// Who makes it.
    pub owned_by: &'a str,
    /// The day the provider turns it off, as OpenAI's own listing has it; absent while no day is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shutdown_date: Option<Date>,
    /// What the router can do with it.
    pub flexinference: FlexBlock,
}

/// What the router can do with a model.
#[derive(Debug, Clone, Serialize)]
pub struct FlexBlock {
    /// Whether a duration races flex for it.
    pub flex_race: bool,
    /// The tier words it can be asked for, and `flex` where it can be raced.
    pub tiers: Vec<&'static str>,
    /// The routes that are taken when the request names none.
    pub providers: [&'static str; 1],
    open_source: bool,
}

impl Catalogue {
    /// Every model.
    pub fn listing(&self) -> Listing<'_> {
        Listing {
            object: "list",
            data: self.models().iter().map(|model| self.show(model)).collect(),
        }
    }

    /// One model; `None` for an unknown id or a dated snapshot.
    pub fn entry(&self, id: &str) -> Option<ModelEntry<'_>> {
        self.get(id).map(|model| self.show(model))
    }

    fn show<'a>(&self, model: &'a Model) -> ModelEntry<'a> {
        ModelEntry {
            id: &model.id,
            object: "model",
            created: midnight(self.checked_on),
            owned_by: &model.owner,
            shutdown_date: model.shutdown,
            flexinference: FlexBlock {
                flex_race: model.flex,
                tiers: tiers(model),
                providers: [model.provider.direct_route().name()],
                open_source: false,
            },
        }
    }
}

fn tiers(model: &Model) -> Vec<&'static str> {
    let mut tiers = vec!["default", "priority"];
    if model.provider != Provider::Gemini {
        tiers.push("auto");
    }
    if model.flex {
        tiers.push("flex");
    }
    tiers
}

fn midnight(day: Date) -> i64 {
    TimeZone::UTC
        .to_timestamp(day.at(0, 0, 0, 0))
        .map_or(0, |moment| moment.as_second())
}
