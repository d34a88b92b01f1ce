//! The layers that settings come from, later ones beating earlier ones: the embedded file, a file, the environment.
//! A layer is checked against the embedded file before it is laid over it, so that an unknown key is refused under
//! the name of the file or variable it stands in.

use figment::value::{Dict, Map, Value};
use figment::{Metadata, Profile, Provider};

use super::error::Problem;

/// How the names of environment variables begin.
pub(super) const PREFIX: &str = "STARTLINE__";
const ENVIRONMENT: &str = "environment";

/// One source of settings.
pub(super) struct Layer {
    name: String,
    values: Dict,
}

impl Layer {
    /// Reads a file's text; `name` is what errors call it.
    pub(super) fn from_toml(name: &str, text: &str) -> Result<Self, Problem> {
        match toml::from_str(text) {
            Ok(values) => Ok(Self {
                name: name.to_owned(),
                values,
            }),
            Err(error) => Err(not_toml(name, text, &error)),
        }
    }

    /// Takes the variables that begin with [`PREFIX`]. What a value may look like is decided by the default of its
    /// key: a text is taken as it is, anything else is read as TOML.
    pub(super) fn from_environment(
        variables: &[(String, String)],
        defaults: &Dict,
    ) -> Result<Self, Vec<Problem>> {
        let mut values = Dict::new();
        let mut problems = Vec::new();
        for (name, text) in variables {
            let Some(key) = name.strip_prefix(PREFIX) else {
                continue;
            };
            let path: Vec<String> = key.split("__").map(str::to_lowercase).collect();
            match variable_value(name, text, &path, defaults) {
                Ok(value) => insert(&mut values, &path, value),
                Err(problem) => problems.push(problem),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            name: ENVIRONMENT.to_owned(),
            values,
        })
    }

    /// Every key that the embedded file does not have.
    pub(super) fn unknown_keys(&self, defaults: &Dict) -> Vec<Problem> {
        let mut problems = Vec::new();
        collect_unknown(
            &self.name,
            &mut Vec::new(),
            &self.values,
            defaults,
            &mut problems,
        );
        problems
    }

    /// The values themselves.
    pub(super) fn values(&self) -> &Dict {
        &self.values
    }
}

impl Provider for Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.name.clone())
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Ok(Profile::Default.collect(self.values.clone()))
    }
}

/// What an error calls the place of a key: the file, or the variable.
pub(super) fn place(metadata: Option<&Metadata>, key: &str) -> String {
    match metadata {
        Some(metadata) if metadata.name == ENVIRONMENT => {
            format!("{PREFIX}{}", key.replace('.', "__").to_uppercase())
        }
        Some(metadata) => metadata.name.clone().into_owned(),
        None => "settings".to_owned(),
    }
}

/// The text of a TOML error shows the line it stands in, and that may hold a key: only the number is taken.
fn not_toml(name: &str, text: &str, error: &toml::de::Error) -> Problem {
    let before = error
        .span()
        .map_or("", |span| text.get(..span.start).unwrap_or(""));
    let line = before.matches('\n').count() + 1;
    Problem::new(
        name,
        format!("line {line}"),
        format!("not TOML: {}", error.message()),
    )
}

fn variable_value(
    name: &str,
    text: &str,
    path: &[String],
    defaults: &Dict,
) -> Result<Value, Problem> {
    let key = path.join(".");
    let refuse = |rule: &str| Problem::new(name, key.clone(), rule.to_owned());
    match lookup(defaults, path) {
        None => Err(refuse("unknown key: config/startline.toml lists every key")),
        Some(Value::Dict(..)) => Err(refuse("is a section: name one of its keys")),
        Some(Value::String(..)) => Ok(Value::from(text)),
        Some(_) => match toml::from_str::<Dict>(&format!("value = {text}")) {
            Ok(mut document) if document.len() == 1 => {
                document.remove("value").ok_or_else(|| refuse("no value"))
            }
            _ => Err(refuse("must be a TOML value, such as 8, true or [ ]")),
        },
    }
}

fn lookup<'a>(values: &'a Dict, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let value = values.get(first)?;
    if rest.is_empty() {
        return Some(value);
    }
    lookup(value.as_dict()?, rest)
}

fn insert(values: &mut Dict, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        values.insert(first.clone(), value);
        return;
    }
    let section = values
        .entry(first.clone())
        .or_insert_with(|| Value::from(Dict::new()));
    if let Value::Dict(_, inner) = section {
        insert(inner, rest, value);
    }
}

fn collect_unknown(
    name: &str,
    path: &mut Vec<String>,
    values: &Dict,
    defaults: &Dict,
    problems: &mut Vec<Problem>,
) {
    for (key, value) in values {
        path.push(key.clone());
        match (defaults.get(key), value) {
            (None, _) => {
                let known: Vec<&str> = defaults.keys().map(String::as_str).collect();
                let rule = format!("unknown key; known here: {}", known.join(", "));
                problems.push(Problem::new(name, path.join("."), rule));
            }
            (Some(Value::Dict(_, inner_defaults)), Value::Dict(_, inner)) => {
                collect_unknown(name, path, inner, inner_defaults, problems);
            }
            _ => {}
        }
        path.pop();
    }
}
