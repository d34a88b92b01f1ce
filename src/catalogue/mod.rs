//! The models the router knows: who makes them, how they are reached, whether flex can be raced for them, what they
//! cost. Data, not code: `config/models.toml`, built in, or a file in its place that can be reloaded while serving.

mod error;
mod handle;
mod listing;
mod model;
mod raw;
mod rules;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use jiff::civil::Date;

use crate::vocabulary::Provider;

pub use self::error::CatalogueError;
pub use self::handle::CatalogueHandle;
pub use self::listing::{FlexBlock, Listing, ModelEntry};
pub use self::model::{Effort, Model};

/// The catalogue that is built in; `models.toml` in the `config` folder.
pub const BUILT_IN: &str = include_str!("../../config/models.toml");

/// A checked catalogue.
#[derive(Debug, Clone)]
pub struct Catalogue {
    checked_on: Date,
    models: Vec<Model>,
    positions: HashMap<String, usize>,
}

impl Catalogue {
    /// Reads a catalogue. The error names the model and the rule it breaks.
    pub fn parse(text: &str) -> Result<Self, CatalogueError> {
        let file: raw::RawFile =
            toml::from_str(text).map_err(|error| CatalogueError::File(error.to_string()))?;
        let mut catalogue = Self {
            checked_on: file.checked_on,
            models: Vec::new(),
            positions: HashMap::new(),
        };
        for (position, table) in file.model.into_iter().enumerate() {
            let name = table
                .get("id")
                .and_then(toml::Value::as_str)
                .map_or(format!("#{}", position + 1), str::to_owned);
            let refuse = |rule: String| CatalogueError::Model {
                model: name.clone(),
                rule,
            };
            let model = raw::model(table, &file.sources).map_err(refuse)?;
            if catalogue
                .positions
                .insert(model.id.clone(), position)
                .is_some()
            {
                return Err(refuse("is there twice".to_owned()));
            }
            catalogue.models.push(model);
        }
        Ok(catalogue)
    }

    /// The models, in the file's order.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// The model with this alias. A dated snapshot is not listed.
    pub fn get(&self, id: &str) -> Option<&Model> {
        self.positions
            .get(id)
            .map(|position| &self.models[*position])
    }

    /// Whose model this is: the catalogue's word, else by the id's beginning; what is nobody else's is OpenAI's.
    pub fn provider_of(&self, id: &str) -> Provider {
        if let Some(model) = self.get(id) {
            return model.provider;
        }
        if id.starts_with("gemini-") {
            return Provider::Gemini;
        }
        if id.starts_with("claude-") {
            return Provider::Anthropic;
        }
        Provider::Openai
    }

    /// Whether flex can be raced for this model: only for aliases that the catalogue marks.
    pub fn is_flex_capable(&self, id: &str) -> bool {
        self.get(id).is_some_and(|model| model.flex)
    }
}
