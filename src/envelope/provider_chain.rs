//! `provider`: the routes to try, in order.

use super::shown::shown;
use crate::errors::{Code, Rejection};
use crate::json::{decoded_string, elements_of};
use crate::vocabulary::Route;

const LONGEST_CHAIN: usize = 3;

/// Reads the value of `provider`.
pub(super) fn parse(value: &[u8]) -> Result<Vec<Route>, Rejection> {
    if value.first() != Some(&b'[') {
        return Err(invalid(format!("provider is {}.", shown(value))));
    }
    let elements: Vec<&[u8]> = elements_of(value).take(LONGEST_CHAIN + 1).collect();
    if elements.is_empty() {
        return Err(invalid("provider is empty.".to_owned()));
    }
    if elements.len() > LONGEST_CHAIN {
        return Err(invalid("provider names more than three routes.".to_owned()));
    }
    let mut chain = Vec::with_capacity(elements.len());
    for element in elements {
        let Some(route) = decoded_string(element)
            .as_deref()
            .and_then(Route::from_name)
        else {
            return Err(invalid(format!(
                "provider names {}, which is no route.",
                shown(element)
            )));
        };
        if chain.contains(&route) {
            return Err(invalid(format!("provider names {} twice.", route.name())));
        }
        chain.push(route);
    }
    Ok(chain)
}

fn invalid(what: String) -> Rejection {
    Rejection::new(Code::InvalidProviderChain, what).with_param("provider")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_keeps_its_order() {
        assert_eq!(
            parse(br#"["google","vertex"]"#).unwrap(),
            [Route::Google, Route::Vertex]
        );
        assert_eq!(parse(br#"[ "op\u0065nai" ]"#).unwrap(), [Route::Openai]);
        assert_eq!(
            parse(br#"["anthropic","bedrock","cloudflare"]"#)
                .unwrap()
                .len(),
            3
        );
    }

    #[test]
    fn anything_but_one_to_three_different_routes_is_refused() {
        for value in [
            "null",
            "\"openai\"",
            "{}",
            "[]",
            "[ ]",
            "[1]",
            "[null]",
            "[[\"openai\"]]",
            "[\"\"]",
            "[\"OpenAI\"]",
            "[\"gemini\"]",
            "[\"openai \"]",
            "[\"openai\",\"openai\"]",
            "[\"openai\",\"\\u006fpenai\"]",
            "[\"openai\",\"google\",\"vertex\",\"bedrock\"]",
            "[\"openai\",2]",
        ] {
            let rejection = parse(value.as_bytes()).unwrap_err();
            assert_eq!(
                (rejection.code(), rejection.param()),
                (Code::InvalidProviderChain, Some("provider")),
                "{value}"
            );
        }
    }
}
