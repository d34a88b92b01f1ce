//! The settings of one process: the embedded `config/startline.toml`, over it the file named with `--config`, over
//! that the environment. Unknown keys and bad values are refused with file or variable, key and rule; all of them at
//! one time, so that an operator puts everything right in one go.

mod error;
mod layer;
mod roots;
mod rules;
mod schema;
mod value;

#[cfg(test)]
mod readme_tests;
#[cfg(test)]
mod tests;

use std::path::Path;

use figment::Figment;

use self::layer::Layer;

pub use self::error::{Problem, SettingsError};
pub use self::roots::{Roots, RootsError};
pub use self::schema::{
    CatalogueFile, Keys, Limits, Log, LogFormat, Pool, ProviderSettings, Providers, RouterKey,
    Server, Settings, Timeouts, Tls,
};
pub use self::value::{BaseUrl, SecretText};

/// Every key with its default and what it means; `startline.toml` in the `config` folder.
pub const DEFAULTS: &str = include_str!("../../config/startline.toml");

const DEFAULTS_NAME: &str = "config/startline.toml (built in)";

impl Settings {
    /// Reads the settings. `environment` is what [`process_environment`] gives, or pairs of a test's own.
    pub fn load(
        config: Option<&Path>,
        environment: &[(String, String)],
    ) -> Result<Self, SettingsError> {
        let defaults = Layer::from_toml(DEFAULTS_NAME, DEFAULTS).map_err(one)?;
        let mut layers = Vec::new();
        if let Some(path) = config {
            layers.push(read_file(path)?);
        }
        layers.push(
            Layer::from_environment(environment, defaults.values())
                .map_err(SettingsError::Refused)?,
        );
        let unknown: Vec<Problem> = layers
            .iter()
            .flat_map(|layer| layer.unknown_keys(defaults.values()))
            .collect();
        if !unknown.is_empty() {
            return Err(SettingsError::Refused(unknown));
        }
        let mut figment = Figment::from(defaults);
        for layer in layers {
            figment = figment.merge(layer);
        }
        let mut settings = extract(&figment)?;
        settings.take_provider_keys(environment, &figment)?;
        Ok(settings)
    }

    /// A provider key that is not set comes from the variable that the vendor's own SDK reads. Whatever its source,
    /// it must be something that a header can carry.
    fn take_provider_keys(
        &mut self,
        environment: &[(String, String)],
        figment: &Figment,
    ) -> Result<(), SettingsError> {
        let providers = [
            (
                "providers.openai.api_key",
                &mut self.providers.openai,
                "OPENAI_API_KEY",
            ),
            (
                "providers.gemini.api_key",
                &mut self.providers.gemini,
                "GEMINI_API_KEY",
            ),
            (
                "providers.anthropic.api_key",
                &mut self.providers.anthropic,
                "ANTHROPIC_API_KEY",
            ),
        ];
        for (key, provider, variable) in providers {
            let mut place = layer::place(figment.find_metadata(key), key);
            let found = environment.iter().find(|(name, _)| name == variable);
            if let (true, Some((name, text))) = (provider.api_key.is_empty(), found) {
                provider.api_key = SecretText::new(text.trim());
                place = name.clone();
            }
            if !provider
                .api_key
                .expose()
                .bytes()
                .all(|byte| byte.is_ascii_graphic())
            {
                let rule = "must be printable ASCII without spaces";
                return Err(one(Problem::new(place, key, rule)));
            }
        }
        Ok(())
    }
}

/// The variables of this process that settings may come from. One that is not UTF-8 reads as a bad value.
pub fn process_environment() -> Vec<(String, String)> {
    let all = std::env::vars_os();
    all.map(|(name, value)| {
        (
            name.to_string_lossy().into_owned(),
            value.to_string_lossy().into_owned(),
        )
    })
    .collect()
}

fn read_file(path: &Path) -> Result<Layer, SettingsError> {
    let name = path.display().to_string();
    match std::fs::read_to_string(path) {
        Ok(text) => Layer::from_toml(&name, &text).map_err(one),
        Err(error) => Err(SettingsError::Unreadable {
            path: name,
            reason: error.to_string(),
        }),
    }
}

fn extract(figment: &Figment) -> Result<Settings, SettingsError> {
    let settings: Settings = match figment.extract() {
        Ok(settings) => settings,
        Err(error) => {
            return Err(SettingsError::Refused(
                error
                    .into_iter()
                    .map(|one| Problem::from_figment(&one))
                    .collect(),
            ));
        }
    };
    let broken = rules::broken(&settings);
    if broken.is_empty() {
        return Ok(settings);
    }
    let problem = |(key, rule): (String, String)| {
        let place = layer::place(figment.find_metadata(holder(&key)), holder(&key));
        Problem::new(place, key, rule)
    };
    Err(SettingsError::Refused(
        broken.into_iter().map(problem).collect(),
    ))
}

fn one(problem: Problem) -> SettingsError {
    SettingsError::Refused(vec![problem])
}

/// The key of the list that an entry stands in; any other key itself. A list is set as one.
fn holder(key: &str) -> &str {
    match key.rsplit_once('.') {
        Some((list, entry)) if entry.bytes().all(|digit| digit.is_ascii_digit()) => list,
        _ => key,
    }
}
