//! Which behaviour a request gets: header, marker, model name, rule, in this order; and the counting of attempts.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memmem;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::presets;
use super::script::{Behaviour, Script};

const MARKER: &str = "[[sim ";

/// A standing order for requests without a script of their own. The first rule that fits is used.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rule {
    /// The model; a `*` at the end stands for any ending; none fits all.
    pub model: Option<String>,
    /// The value of `service_tier`; none fits all.
    pub tier: Option<String>,
    /// How many requests it serves before it is gone; none is for ever.
    pub times: Option<u32>,
    /// What they get.
    pub script: Script,
}

/// The behaviour chosen for a request.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub(super) behaviour: Behaviour,
    /// The script's id.
    pub(super) id: Option<String>,
}

/// The rules and the attempts counted so far.
#[derive(Default)]
pub(super) struct Rules {
    any: AtomicBool,
    rules: Mutex<Vec<Rule>>,
    attempts: Mutex<HashMap<(String, bool), usize>>,
}

/// What of a request matters for the choice.
pub(super) struct Question<'a> {
    pub(super) header: Option<&'a str>,
    pub(super) raw: &'a [u8],
    pub(super) body: &'a Value,
    pub(super) model: &'a str,
    pub(super) tier: Option<&'a str>,
}

impl Rules {
    pub(super) fn add(&self, rule: Rule) {
        self.rules.lock().expect("no holder panics").push(rule);
        self.any.store(true, Ordering::Release);
    }

    pub(super) fn clear(&self) {
        self.rules.lock().expect("no holder panics").clear();
        self.any.store(false, Ordering::Release);
    }

    pub(super) fn forget_attempts(&self) {
        self.attempts.lock().expect("no holder panics").clear();
    }

    /// The behaviour for this request, or what is wrong with its script.
    pub(super) fn choose(&self, question: &Question) -> Result<Option<Chosen>, String> {
        if let Some(text) = question.header {
            return self.read(text, question.tier).map(Some);
        }
        if memmem::find(question.raw, MARKER.as_bytes()).is_some()
            && let Some(text) = marker_in(question.body)
        {
            return self.read(text, question.tier).map(Some);
        }
        if let Some(script) = presets::of_model(question.model) {
            return Ok(Some(self.pick(script, question.model, question.tier)));
        }
        if !self.any.load(Ordering::Acquire) {
            return Ok(None);
        }
        Ok(self.by_rule(question))
    }

    /// Reads a script at the beginning of the text; what follows it does not matter.
    fn read(&self, text: &str, tier: Option<&str>) -> Result<Chosen, String> {
        let mut scripts = serde_json::Deserializer::from_str(text).into_iter::<Script>();
        match scripts.next() {
            Some(Ok(script)) => {
                let own_text = &text[..scripts.byte_offset()];
                Ok(self.pick(script, own_text, tier))
            }
            Some(Err(error)) => Err(format!("the simulator cannot read the script: {error}")),
            None => Err("the simulator found no script".to_owned()),
        }
    }

    fn pick(&self, script: Script, fallback_name: &str, tier: Option<&str>) -> Chosen {
        let flex = tier == Some("flex");
        let side = script.side(flex);
        let behaviour = match side {
            [] => Behaviour::default(),
            [only] => only.clone(),
            several => {
                let name = script.id.as_deref().unwrap_or(fallback_name);
                let attempt = self.count(name, flex);
                several[attempt.min(several.len() - 1)].clone()
            }
        };
        Chosen {
            behaviour,
            id: script.id,
        }
    }

    /// How many attempts of this name came before.
    fn count(&self, name: &str, flex: bool) -> usize {
        let mut attempts = self.attempts.lock().expect("no holder panics");
        let count = attempts.entry((name.to_owned(), flex)).or_insert(0);
        *count += 1;
        *count - 1
    }

    fn by_rule(&self, question: &Question) -> Option<Chosen> {
        let mut rules = self.rules.lock().expect("no holder panics");
        let place = rules.iter().position(|rule| rule.fits(question))?;
        let rule = &mut rules[place];
        let script = rule.script.clone();
        let name = format!("rule for {}", rule.model.as_deref().unwrap_or("*"));
        if let Some(times) = &mut rule.times {
            *times = times.saturating_sub(1);
            if *times == 0 {
                rules.remove(place);
            }
        }
        drop(rules);
        Some(self.pick(script, &name, question.tier))
    }
}

impl Rule {
    fn fits(&self, question: &Question) -> bool {
        let model_fits = match self.model.as_deref() {
            None => true,
            Some(pattern) => match pattern.strip_suffix('*') {
                Some(beginning) => question.model.starts_with(beginning),
                None => question.model == pattern,
            },
        };
        model_fits
            && self
                .tier
                .as_deref()
                .is_none_or(|tier| question.tier == Some(tier))
    }
}

/// The text behind the last marker in any string of the body: a later turn overrules an earlier one.
fn marker_in(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => text.rfind(MARKER).map(|at| &text[at + MARKER.len()..]),
        Value::Array(entries) => entries.iter().rev().find_map(marker_in),
        Value::Object(fields) => fields.values().rev().find_map(marker_in),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn choose(rules: &Rules, body: &Value, tier: Option<&str>) -> Option<Chosen> {
        let raw = body.to_string();
        let question = Question {
            header: None,
            raw: raw.as_bytes(),
            body,
            model: "gpt-5.2",
            tier,
        };
        rules.choose(&question).unwrap()
    }

    #[test]
    fn a_marker_is_found_in_a_prompt_and_its_list_is_consumed_by_attempts() {
        let rules = Rules::default();
        let script =
            r#"{"id":"x","settled":[{"status":503},{"status":429}],"flex":{"status":500}}"#;
        let body = json!({"input": [{"role": "user", "content": format!("hello [[sim {script}]] there")}]});
        let mut statuses = Vec::new();
        for tier in [None, Some("flex"), None, Some("default")] {
            let chosen = choose(&rules, &body, tier).unwrap();
            assert_eq!(chosen.id.as_deref(), Some("x"));
            statuses.push(chosen.behaviour.status.unwrap());
        }
        assert_eq!(statuses, [503, 500, 429, 429]);
    }

    #[test]
    fn a_rule_is_gone_after_its_times() {
        let rules = Rules::default();
        let script = Script::any(Behaviour {
            status: Some(500),
            ..Behaviour::default()
        });
        rules.add(Rule {
            model: Some("gpt-5*".into()),
            times: Some(1),
            script,
            ..Rule::default()
        });
        assert!(choose(&rules, &json!({}), None).is_some());
        assert!(choose(&rules, &json!({}), None).is_none());
    }

    #[test]
    fn a_script_that_cannot_be_read_is_reported() {
        let question = Question {
            header: Some(r#"{"any":{"x":1}}"#),
            raw: b"",
            body: &Value::Null,
            model: "m",
            tier: None,
        };
        assert!(
            Rules::default()
                .choose(&question)
                .unwrap_err()
                .contains('x')
        );
    }
}
