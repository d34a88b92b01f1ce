//! From `start_within` to the provider's own word for a tier. The table of the documentation, cell by cell.

use std::time::Duration;

use super::PlanRefusal;
use super::refusal::shown;
use crate::vocabulary::{Provider, StartWithin};

/// The word of the half-price tier, at both providers that have one.
pub const FLEX: &str = "flex";

/// What a request asks a provider for: the values of `service_tier`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiers {
    /// How long flex may take to start; `None` when there is no race.
    pub flex_within: Option<Duration>,
    /// The settled tier's word.
    pub settled: &'static str,
}

/// The tiers of a request, or the refusal of a cell that has none.
pub fn tiers(
    start_within: StartWithin,
    provider: Provider,
    model: &str,
) -> Result<Tiers, PlanRefusal> {
    let plain = |settled| Tiers {
        flex_within: None,
        settled,
    };
    Ok(match (start_within, provider) {
        (StartWithin::Default, _) => plain(standard(provider)),
        (StartWithin::Priority, Provider::Anthropic) => plain("auto"),
        (StartWithin::Priority, _) => plain("priority"),
        (StartWithin::Auto, Provider::Gemini) => {
            return Err(PlanRefusal::AutoUnsupportedForGemini {
                model: shown(model),
            });
        }
        (StartWithin::Auto, _) => plain("auto"),
        (StartWithin::Within(_), Provider::Anthropic) => {
            return Err(PlanRefusal::FlexUnsupportedForAnthropic {
                model: shown(model),
            });
        }
        (StartWithin::Within(duration), _) => Tiers {
            flex_within: Some(duration),
            settled: standard(provider),
        },
    })
}

/// The provider's word for its ordinary tier.
fn standard(provider: Provider) -> &'static str {
    match provider {
        Provider::Openai => "default",
        Provider::Gemini => "standard",
        Provider::Anthropic => "standard_only",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn settled(start_within: StartWithin, provider: Provider) -> Result<&'static str, PlanRefusal> {
        tiers(start_within, provider, "m").map(|tiers| tiers.settled)
    }

    #[test]
    fn default_is_each_providers_ordinary_tier() {
        assert_eq!(
            settled(StartWithin::Default, Provider::Openai),
            Ok("default")
        );
        assert_eq!(
            settled(StartWithin::Default, Provider::Gemini),
            Ok("standard")
        );
        assert_eq!(
            settled(StartWithin::Default, Provider::Anthropic),
            Ok("standard_only")
        );
    }

    #[test]
    fn priority_is_auto_on_anthropic_which_refuses_the_word_priority() {
        assert_eq!(
            settled(StartWithin::Priority, Provider::Openai),
            Ok("priority")
        );
        assert_eq!(
            settled(StartWithin::Priority, Provider::Gemini),
            Ok("priority")
        );
        assert_eq!(
            settled(StartWithin::Priority, Provider::Anthropic),
            Ok("auto")
        );
    }

    #[test]
    fn auto_exists_everywhere_but_on_gemini() {
        assert_eq!(settled(StartWithin::Auto, Provider::Openai), Ok("auto"));
        assert_eq!(settled(StartWithin::Auto, Provider::Anthropic), Ok("auto"));
        let refusal = settled(StartWithin::Auto, Provider::Gemini).unwrap_err();
        assert_eq!(
            refusal,
            PlanRefusal::AutoUnsupportedForGemini {
                model: "m".to_owned()
            }
        );
    }

    #[test]
    fn a_duration_races_flex_and_settles_on_the_ordinary_tier() {
        let raced = |provider| tiers(StartWithin::Within(MINUTE), provider, "m");
        assert_eq!(
            raced(Provider::Openai),
            Ok(Tiers {
                flex_within: Some(MINUTE),
                settled: "default"
            })
        );
        assert_eq!(
            raced(Provider::Gemini),
            Ok(Tiers {
                flex_within: Some(MINUTE),
                settled: "standard"
            })
        );
        let refusal = raced(Provider::Anthropic).unwrap_err();
        assert_eq!(
            refusal,
            PlanRefusal::FlexUnsupportedForAnthropic {
                model: "m".to_owned()
            }
        );
    }
}
