//! The checks of a body, in the order of the specification: the first that fails answers.

use bytes::Bytes;

use super::shown::shown;
use super::{Envelope, provider_chain, required, retry, start_within};
use crate::errors::{Code, Rejection};
use crate::json::{Member, decoded_string, top_level};
use crate::vocabulary::{CallerSurface, StartWithin};

/// Fields that decide something here: standing twice they would be read differently here and at the provider.
const UNIQUE: [&str; 6] = [
    "model",
    "stream",
    "start_within",
    "retry",
    "provider",
    "include_cost",
];
/// Longest model name, in bytes.
const LONGEST_MODEL: usize = 512;
const MODEL_PREFIX: &str = "models/";

pub(super) fn parse(
    body: Bytes,
    surface: CallerSurface,
    key_default: Option<&str>,
) -> Result<Envelope, Rejection> {
    let members = top_level(&body).map_err(|malformed| {
        invalid_json(format!(
            "The body is not valid JSON: {} at byte {}.",
            malformed.what, malformed.at
        ))
    })?;
    let fields = Fields {
        body: &body,
        members: &members,
    };
    fields.refuse_duplicates()?;
    let written_model = fields.model()?;
    let start_within = fields.start_within(key_default)?;
    fields.refuse_service_tier()?;
    let retry = fields.find("retry").map(retry::parse).transpose()?;
    let provider_chain = fields
        .find("provider")
        .map(provider_chain::parse)
        .transpose()?;
    let include_cost = fields.include_cost()?;
    let streams = fields.stream()?;
    required::check(surface, |name| fields.find(name))?;
    let stripped = written_model.strip_prefix(MODEL_PREFIX).map(str::to_owned);
    let start_within_came_from_key = fields.find("start_within").is_none();
    Ok(Envelope {
        surface,
        model_was_prefixed: stripped.is_some(),
        model: stripped.unwrap_or(written_model),
        start_within,
        start_within_came_from_key,
        retry,
        provider_chain,
        include_cost,
        streams,
        members,
        body,
    })
}

/// The top-level fields of a body that is being checked.
struct Fields<'a> {
    body: &'a [u8],
    members: &'a [Member],
}

impl<'a> Fields<'a> {
    fn find(&self, name: &str) -> Option<&'a [u8]> {
        let last = self
            .members
            .iter()
            .rfind(|member| member.is_named(self.body, name))?;
        Some(last.value(self.body))
    }

    fn refuse_duplicates(&self) -> Result<(), Rejection> {
        let mut seen = [false; UNIQUE.len()];
        for member in self.members {
            let Some(place) = UNIQUE
                .iter()
                .position(|name| member.is_named(self.body, name))
            else {
                continue;
            };
            if seen[place] {
                return Err(invalid_json(format!("{} stands twice.", UNIQUE[place]))
                    .with_param(UNIQUE[place]));
            }
            seen[place] = true;
        }
        Ok(())
    }

    fn model(&self) -> Result<String, Rejection> {
        let missing = |what: String| Rejection::new(Code::MissingModel, what).with_param("model");
        let Some(value) = self.find("model") else {
            return Err(missing("model is missing.".to_owned()));
        };
        let Some(model) = decoded_string(value) else {
            return Err(missing(format!("model is {}.", shown(value))));
        };
        if model
            .strip_prefix(MODEL_PREFIX)
            .unwrap_or(&model)
            .trim()
            .is_empty()
        {
            return Err(missing("model is empty.".to_owned()));
        }
        if model.len() > LONGEST_MODEL {
            return Err(missing(format!("model is {} bytes long.", model.len())));
        }
        Ok(model)
    }

    fn start_within(&self, key_default: Option<&str>) -> Result<StartWithin, Rejection> {
        if let Some(value) = self.find("start_within") {
            return Self::written_start_within(value);
        }
        let Some(text) = key_default else {
            let missing = Rejection::new(Code::MissingStartWithin, "start_within is missing.");
            return Err(missing.with_param("start_within"));
        };
        start_within::parse(text).map_err(|why| {
            invalid_start_within(format!("{text:?} is {why}.")).because_of_key_default()
        })
    }

    fn written_start_within(value: &[u8]) -> Result<StartWithin, Rejection> {
        let Some(text) = decoded_string(value) else {
            return Err(invalid_start_within(format!(
                "start_within is {}.",
                shown(value)
            )));
        };
        start_within::parse(&text).map_err(|why| {
            invalid_start_within(format!("start_within is {}, which is {why}.", shown(value)))
        })
    }

    fn refuse_service_tier(&self) -> Result<(), Rejection> {
        match self.find("service_tier") {
            None => Ok(()),
            Some(value) => {
                let what = format!("service_tier was sent as {}.", shown(value));
                Err(Rejection::new(Code::ServiceTierNotAllowed, what).with_param("service_tier"))
            }
        }
    }

    fn include_cost(&self) -> Result<bool, Rejection> {
        match self.find("include_cost") {
            None | Some(b"false") => Ok(false),
            Some(b"true") => Ok(true),
            Some(other) => {
                let what = format!("include_cost is {}.", shown(other));
                Err(Rejection::new(Code::InvalidIncludeCost, what).with_param("include_cost"))
            }
        }
    }

    fn stream(&self) -> Result<bool, Rejection> {
        match self.find("stream") {
            None | Some(b"false" | b"null") => Ok(false),
            Some(b"true") => Ok(true),
            Some(other) => {
                let what = format!("stream is {}.", shown(other));
                Err(Rejection::new(Code::InvalidStream, what).with_param("stream"))
            }
        }
    }
}

fn invalid_json(what: String) -> Rejection {
    Rejection::new(Code::InvalidJson, what)
}

fn invalid_start_within(what: String) -> Rejection {
    Rejection::new(Code::InvalidStartWithin, what).with_param("start_within")
}
