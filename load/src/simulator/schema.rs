//! The smallest JSON that a JSON schema accepts, for structured answers and for the arguments of calls.

use serde_json::{Map, Value, json};

const DEEPEST: usize = 32;

/// An instance of the schema. `words` goes into strings that may hold anything.
pub(super) fn instance(schema: &Value, words: &str) -> Value {
    Instance {
        root: schema,
        words,
    }
    .of(schema, 0)
}

struct Instance<'a> {
    root: &'a Value,
    words: &'a str,
}

impl Instance<'_> {
    fn of(&self, schema: &Value, depth: usize) -> Value {
        if depth > DEEPEST {
            return Value::Null;
        }
        if let Some(target) = schema["$ref"]
            .as_str()
            .and_then(|reference| self.resolve(reference))
        {
            return self.of(target, depth + 1);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
            return first.clone();
        }
        for several in ["anyOf", "oneOf", "allOf"] {
            if let Some(first) = schema[several]
                .as_array()
                .and_then(|schemas| schemas.first())
            {
                return self.of(first, depth + 1);
            }
        }
        match type_of(schema) {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" => self.string(schema),
            "integer" => json!(lowest(schema).ceil() as i64),
            "number" => json!(lowest(schema)),
            "boolean" => json!(true),
            _ => Value::Null,
        }
    }

    fn resolve(&self, reference: &str) -> Option<&Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let Some(properties) = schema["properties"].as_object() else {
            return json!({});
        };
        let required = schema["required"].as_array();
        let mut fields = Map::new();
        for (name, property) in properties {
            if required.is_none_or(|names| names.iter().any(|known| known == name)) {
                fields.insert(name.clone(), self.of(property, depth + 1));
            }
        }
        Value::Object(fields)
    }

    fn array(&self, schema: &Value, depth: usize) -> Value {
        let length = schema["minItems"].as_u64().unwrap_or(0).min(64);
        Value::Array(
            (0..length)
                .map(|_| self.of(&schema["items"], depth + 1))
                .collect(),
        )
    }

    fn string(&self, schema: &Value) -> Value {
        let text = match schema["format"].as_str() {
            Some("date") => "2026-11-30",
            Some("time") => "12:00:00Z",
            Some("date-time") => "2026-11-30T12:00:00Z",
            Some("email") => "someone@example.com",
            Some("uri") => "https://example.com/",
            Some("uuid") => "00000000-0000-4000-8000-000000000000",
            _ => self.words,
        };
        let longest = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
        let mut fitting: String = text
            .chars()
            .take(usize::try_from(longest).unwrap_or(usize::MAX))
            .collect();
        let shortest = schema["minLength"].as_u64().unwrap_or(0).min(4096) as usize;
        while fitting.chars().count() < shortest {
            fitting.push('x');
        }
        Value::String(fitting)
    }
}

fn type_of(schema: &Value) -> &str {
    let named = match &schema["type"] {
        Value::Array(types) => types
            .iter()
            .find_map(|kind| kind.as_str().filter(|kind| *kind != "null")),
        kind => kind.as_str(),
    };
    match named {
        Some(name) => name,
        None if schema.get("properties").is_some() => "object",
        None if schema.get("items").is_some() => "array",
        None => "null",
    }
}

fn lowest(schema: &Value) -> f64 {
    if let Some(minimum) = schema["minimum"].as_f64() {
        return minimum;
    }
    if let Some(minimum) = schema["exclusiveMinimum"].as_f64() {
        return minimum.floor() + 1.0;
    }
    schema["maximum"]
        .as_f64()
        .map_or(1.0, |maximum| maximum.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_fields_are_filled_by_type_and_references_are_followed() {
        let schema = json!({
            "type": "object", "required": ["city", "days", "unit", "tags", "where"],
            "properties": {
                "city": {"type": "string"}, "days": {"type": "integer", "minimum": 2}, "unit": {"enum": ["C", "F"]},
                "tags": {"type": "array", "minItems": 1, "items": {"type": ["null", "boolean"]}},
                "where": {"$ref": "#/$defs/place"}, "left_out": {"type": "string"}
            },
            "$defs": {"place": {"anyOf": [{"const": 7}]}}
        });
        let expected = json!({"city": "Oslo", "days": 2, "unit": "C", "tags": [true], "where": 7});
        assert_eq!(instance(&schema, "Oslo"), expected);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"properties": {"next": {"$ref": "#"}}});
        assert!(instance(&schema, "x").is_object());
    }
}
