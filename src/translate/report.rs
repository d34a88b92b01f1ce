//! What a translation could not carry.

use crate::errors::{Code, Rejection};
use crate::vocabulary::ProviderSurface;

/// Characters of a field's name that are repeated.
const LONGEST_PARAM: usize = 80;

/// Paths of fields that were left out or clamped, in the order in which they were met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dropped(Vec<String>);

impl Dropped {
    /// Notes a path, once.
    pub fn note(&mut self, path: impl Into<String>) {
        let path = path.into();
        if !self.0.contains(&path) {
            self.0.push(path);
        }
    }

    /// The paths.
    pub fn paths(&self) -> &[String] {
        &self.0
    }

    /// The value of `x-flexinference-dropped`; `None` when everything was carried.
    pub fn header(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join(", "))
    }
}

/// A request that the target surface cannot carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The field.
    pub param: String,
    /// What is wrong with it: one sentence with its full stop.
    pub what: String,
}

impl Refused {
    /// A refusal of the field at `param`.
    pub fn new(param: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            param: param.into(),
            what: what.into(),
        }
    }

    /// The same, with the name that the field has in the caller's request.
    pub fn renamed(&self, param: &str) -> Self {
        let quoted = |name: &str| format!("`{name}`");
        Self {
            param: param.to_owned(),
            what: self.what.replace(&quoted(&self.param), &quoted(param)),
        }
    }

    /// A field that a provider's format has no counterpart for.
    pub fn towards(provider: ProviderSurface, param: impl Into<String>) -> Self {
        match provider {
            ProviderSurface::OpenaiResponses => Self::no_counterpart(param, "The Responses API"),
            _ => Self::of_another_vendor(param),
        }
    }

    /// A field that only the vendor of the caller's format knows.
    pub fn of_another_vendor(param: impl Into<String>) -> Self {
        Self::no_counterpart(param, "The API of this model")
    }

    /// A field that the target has no counterpart for.
    pub fn no_counterpart(param: impl Into<String>, target: &str) -> Self {
        // It may be a name that the caller made up.
        let param: String = param.into().chars().take(LONGEST_PARAM).collect();
        let what = format!("{target} has no counterpart for `{param}`.");
        Self { param, what }
    }
}

impl From<Refused> for Rejection {
    fn from(refused: Refused) -> Self {
        Self::new(Code::UnsupportedParameter, refused.what).with_param(refused.param)
    }
}
