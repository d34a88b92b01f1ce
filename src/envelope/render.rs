//! The body that goes upstream: the caller's fields as they were written, without the router's own, with a few set.

use std::borrow::Cow;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::Envelope;

/// The router's own fields, which no provider sees.
const OURS: [&str; 4] = ["start_within", "retry", "provider", "include_cost"];

/// What becomes of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Override {
    /// It is set to this JSON text.
    Json(Cow<'static, str>),
    /// It is set to this string.
    Text(String),
    /// It is left out.
    Remove,
}

impl Override {
    fn json(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Json(json) => Some(Cow::Borrowed(json)),
            Self::Text(text) => Some(Cow::Owned(json_string(text))),
            Self::Remove => None,
        }
    }
}

impl Envelope {
    /// The caller's fields, without the router's own and without `left_out`; of a field that stands twice the last.
    pub fn to_map(&self, left_out: &[&str]) -> Map<String, Value> {
        let mut map = Map::new();
        for (name, json) in self.fields() {
            if OURS.contains(&name) || left_out.contains(&name) {
                continue;
            }
            let value = if name == "model" {
                Value::from(self.model())
            } else {
                serde_json::from_slice(json).unwrap_or_default()
            };
            map.insert(name.to_owned(), value);
        }
        map
    }

    /// Writes the upstream body. A field that is set stays where the caller wrote it, and is added at the end when
    /// the caller did not. Everything else is the caller's bytes, in the caller's order.
    pub fn render(&self, overrides: &[(&str, Override)]) -> Bytes {
        let mut object = Object::with_capacity(self.body.len() + 256);
        let mut written = vec![false; overrides.len()];
        for member in &self.members {
            let name = member.name(&self.body);
            if OURS.contains(&name) {
                continue;
            }
            if let Some(place) = overrides
                .iter()
                .position(|(overridden, _)| *overridden == name)
            {
                let first = !std::mem::replace(&mut written[place], true);
                if let Some(json) = overrides[place].1.json().filter(|_| first) {
                    object.write(member.quoted_name(&self.body), json.as_bytes());
                }
                continue;
            }
            if name == "model" && self.model_was_prefixed {
                object.write(
                    member.quoted_name(&self.body),
                    json_string(&self.model).as_bytes(),
                );
                continue;
            }
            object.write(member.quoted_name(&self.body), member.value(&self.body));
        }
        for ((name, overridden), already) in overrides.iter().zip(written) {
            if let Some(json) = overridden.json().filter(|_| !already) {
                object.write(json_string(name).as_bytes(), json.as_bytes());
            }
        }
        object.close()
    }
}

/// A JSON object that is being written.
struct Object {
    text: Vec<u8>,
}

impl Object {
    fn with_capacity(bytes: usize) -> Self {
        let mut text = Vec::with_capacity(bytes);
        text.push(b'{');
        Self { text }
    }

    fn write(&mut self, quoted_name: &[u8], json: &[u8]) {
        if self.text.len() > 1 {
            self.text.push(b',');
        }
        self.text.extend_from_slice(quoted_name);
        self.text.push(b':');
        self.text.extend_from_slice(json);
    }

    fn close(mut self) -> Bytes {
        self.text.push(b'}');
        Bytes::from(self.text)
    }
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::CallerSurface;

    fn rendered(body: &'static str, overrides: &[(&str, Override)]) -> String {
        let envelope = Envelope::parse(
            Bytes::from_static(body.as_bytes()),
            CallerSurface::Responses,
            None,
        )
        .unwrap();
        String::from_utf8(envelope.render(overrides).to_vec()).unwrap()
    }

    #[test]
    fn only_the_routers_fields_are_taken_out() {
        let body = r#" { "input" : [ 1.0, "\u00e9" ], "start_within":"auto", "x": {"provider":1}, "retry":{"count":1},
            "model":"m", "provider":["openai"], "include_cost":true, "x":2 } "#;
        let upstream = r#"{"input":[ 1.0, "\u00e9" ],"x":{"provider":1},"model":"m","x":2}"#;
        assert_eq!(rendered(body, &[]), upstream);
    }

    #[test]
    fn a_field_of_ours_written_with_escapes_is_taken_out_too() {
        assert_eq!(
            rendered(r#"{"model":"m","st\u0061rt_within":"auto","input":1}"#, &[]),
            r#"{"model":"m","input":1}"#
        );
    }

    #[test]
    fn fields_are_set_in_place_added_or_removed() {
        let body = r#"{"model":"m","stream":false,"n":1,"n":2,"start_within":"auto","input":1}"#;
        let overrides = [
            ("service_tier", Override::Json("\"flex\"".into())),
            ("stream", Override::Json("true".into())),
            ("model", Override::Text("a \"b\"".into())),
            ("n", Override::Remove),
            ("absent", Override::Remove),
        ];
        let upstream = r#"{"model":"a \"b\"","stream":true,"input":1,"service_tier":"flex"}"#;
        assert_eq!(rendered(body, &overrides), upstream);
    }

    #[test]
    fn a_field_that_stands_twice_is_set_once() {
        let body = r#"{"model":"m","n":1,"n":2,"start_within":"auto","input":1}"#;
        assert_eq!(
            rendered(body, &[("n", Override::Json("3".into()))]),
            r#"{"model":"m","n":3,"input":1}"#
        );
    }

    #[test]
    fn the_prefix_of_a_model_does_not_go_upstream() {
        let body = r#"{"model":"models/m","start_within":"auto","input":1}"#;
        assert_eq!(rendered(body, &[]), r#"{"model":"m","input":1}"#);
    }
}
