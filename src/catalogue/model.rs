//! One model of the catalogue.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::price::PriceList;
use crate::vocabulary::{Provider, Route};

/// A level of reasoning effort, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// No reasoning.
    None,
    /// The least there is with reasoning.
    Minimal,
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// More.
    Xhigh,
    /// All the model can.
    Max,
}

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The alias that callers use; never a dated snapshot.
    pub id: String,
    /// `owned_by` in the listing.
    pub owner: String,
    /// Whose surface it is served over.
    pub provider: Provider,
    /// Its id by route name; the direct route is always there.
    pub routes: BTreeMap<&'static str, String>,
    /// Whether the provider has a flex tier for it.
    pub flex: bool,
    /// The most output tokens an answer can have; `None` where it is not known.
    pub max_output_tokens: Option<u32>,
    /// Levels of effort it accepts, lowest first; `None` where that is not known.
    pub efforts: Option<Vec<Effort>>,
    /// Parameters of which it refuses every value but the default.
    pub refuses: BTreeSet<String>,
    /// Last day before or on which the provider turns it off.
    pub shutdown: Option<Date>,
    /// When these lines were last compared with their source.
    pub checked_on: Date,
    /// Where they come from.
    pub source: String,
    /// List prices, as far as they are known.
    pub prices: PriceList,
}

impl Model {
    /// Its id on a route; `None` when the route does not serve it, as far as the catalogue knows.
    pub fn id_on(&self, route: Route) -> Option<&str> {
        self.routes.get(route.name()).map(String::as_str)
    }
}

impl Provider {
    /// The route that leads straight to the provider.
    pub fn direct_route(self) -> Route {
        match self {
            Self::Openai => Route::Openai,
            Self::Gemini => Route::Google,
            Self::Anthropic => Route::Anthropic,
        }
    }
}
