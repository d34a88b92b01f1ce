use std::time::Duration;

use super::*;

const WITHIN: StartWithin = StartWithin::Within(Duration::from_secs(30));

fn catalogue() -> Catalogue {
    Catalogue::parse(
        r#"
        checked_on = "2026-11-30"
        [sources]
        here = "a test"
        [[model]]
        id = "gpt-fast"
        owner = "openai"
        provider = "openai"
        flex = true
        checked_on = "2026-11-30"
        source = "here"
        [[model]]
        id = "gemini-fast"
        owner = "google"
        provider = "gemini"
        flex = true
        checked_on = "2026-11-30"
        source = "here"
        [[model]]
        id = "llama-open"
        owner = "meta"
        provider = "openai"
        routes = { cloudflare = "@cf/meta/llama-open" }
        flex = false
        checked_on = "2026-11-30"
        source = "here"
        "#,
    )
    .unwrap()
}

fn facts(caller: CallerSurface, model: &str, start_within: StartWithin) -> Facts<'_> {
    Facts {
        caller,
        model,
        start_within,
        chain: None,
        chat_only_parameter: None,
        background: false,
        untranslatable: None,
    }
}

fn decided(facts: Facts<'_>) -> Result<Decision, PlanRefusal> {
    decide(&facts, &catalogue(), &|_| true)
}

fn with_chain(
    model: &str,
    start_within: StartWithin,
    chain: &[Route],
) -> Result<Decision, PlanRefusal> {
    decided(Facts {
        chain: Some(chain),
        ..facts(CallerSurface::Responses, model, start_within)
    })
}

#[test]
fn each_vendors_own_endpoint_reaches_its_own_models() {
    let pairs = [
        (
            CallerSurface::Responses,
            "gpt-x",
            ProviderSurface::OpenaiResponses,
            Route::Openai,
            "default",
        ),
        (
            CallerSurface::Chat,
            "gpt-x",
            ProviderSurface::OpenaiChat,
            Route::Openai,
            "default",
        ),
        (
            CallerSurface::Interactions,
            "gemini-x",
            ProviderSurface::GeminiInteractions,
            Route::Google,
            "standard",
        ),
        (
            CallerSurface::Messages,
            "claude-x",
            ProviderSurface::AnthropicMessages,
            Route::Anthropic,
            "standard_only",
        ),
    ];
    for (caller, model, surface, route, settled) in pairs {
        let facts = Facts {
            chat_only_parameter: (caller == CallerSurface::Chat).then_some("seed"),
            ..facts(caller, model, StartWithin::Default)
        };
        let decision = decided(facts).unwrap();
        assert_eq!(decision.surface, surface);
        assert_eq!(decision.routes, [route]);
        assert_eq!(
            decision.tiers,
            Tiers {
                flex_within: None,
                settled
            }
        );
    }
}

#[test]
fn a_duration_on_a_capable_model_is_a_race() {
    let openai = decided(facts(CallerSurface::Responses, "gpt-fast", WITHIN)).unwrap();
    assert_eq!(
        openai.tiers,
        Tiers {
            flex_within: Some(Duration::from_secs(30)),
            settled: "default"
        }
    );
    let gemini = decided(facts(CallerSurface::Interactions, "gemini-fast", WITHIN)).unwrap();
    assert_eq!(
        gemini.tiers,
        Tiers {
            flex_within: Some(Duration::from_secs(30)),
            settled: "standard"
        }
    );
}

#[test]
fn a_tier_word_needs_no_listed_model_and_a_duration_does() {
    assert!(
        decided(facts(
            CallerSurface::Responses,
            "gpt-fast-2026-01-01",
            StartWithin::Priority
        ))
        .is_ok()
    );
    for model in ["gpt-fast-2026-01-01", "gpt-unknown", "llama-open"] {
        let refusal = decided(facts(CallerSurface::Responses, model, WITHIN)).unwrap_err();
        assert_eq!(
            refusal,
            PlanRefusal::FlexModelNotCapable {
                model: model.to_owned()
            }
        );
    }
}

#[test]
fn a_route_that_does_not_serve_the_model_is_named_before_anything_else() {
    let refusal = with_chain(
        "gemini-fast",
        StartWithin::Auto,
        &[Route::Google, Route::Openai],
    )
    .unwrap_err();
    let expected = PlanRefusal::ProviderModelMismatch {
        route: Route::Openai,
        model: "gemini-fast".to_owned(),
        provider: Provider::Gemini,
    };
    assert_eq!(refusal, expected);
    let refusal = with_chain("claude-x", WITHIN, &[Route::Google]).unwrap_err();
    assert!(matches!(
        refusal,
        PlanRefusal::ProviderModelMismatch {
            route: Route::Google,
            ..
        }
    ));
}

#[test]
fn a_duration_on_claude_is_refused_as_claude_even_on_a_clouds_route() {
    for chain in [&[Route::Anthropic][..], &[Route::Bedrock]] {
        let refusal = with_chain("claude-x", WITHIN, chain).unwrap_err();
        assert_eq!(
            refusal,
            PlanRefusal::FlexUnsupportedForAnthropic {
                model: "claude-x".to_owned()
            }
        );
    }
}

#[test]
fn a_duration_with_a_cloud_first_is_refused_before_the_models_capability_is_looked_at() {
    for model in ["gpt-fast", "gpt-unknown"] {
        let refusal = with_chain(model, WITHIN, &[Route::Foundry, Route::Openai]).unwrap_err();
        assert_eq!(
            refusal,
            PlanRefusal::FlexUnsupportedOnCloud {
                route: Route::Foundry
            }
        );
    }
}

#[test]
fn priority_and_auto_need_every_route_to_have_them() {
    for word in [StartWithin::Priority, StartWithin::Auto] {
        let refusal = with_chain("gpt-x", word, &[Route::Openai, Route::Foundry]).unwrap_err();
        assert_eq!(
            refusal,
            PlanRefusal::TierUnsupportedOnRoute {
                route: Route::Foundry
            }
        );
    }
}

#[test]
fn a_route_that_the_catalogue_lists_for_a_model_serves_it() {
    let refusal = with_chain("llama-open", StartWithin::Default, &[Route::Cloudflare]).unwrap_err();
    assert_eq!(
        refusal,
        PlanRefusal::RouteNotImplemented {
            route: Route::Cloudflare
        }
    );
    let refusal = with_chain("gpt-fast", StartWithin::Default, &[Route::Cloudflare]).unwrap_err();
    assert!(matches!(refusal, PlanRefusal::ProviderModelMismatch { .. }));
}

#[test]
fn a_chat_only_parameter_excludes_a_race_and_nothing_else() {
    let chat = |start_within| Facts {
        chat_only_parameter: Some("seed"),
        ..facts(CallerSurface::Chat, "gpt-fast", start_within)
    };
    let refusal = decided(chat(WITHIN)).unwrap_err();
    assert_eq!(
        refusal,
        PlanRefusal::FlexUnsupportedChatParams {
            parameter: "seed".to_owned()
        }
    );
    assert!(decided(chat(StartWithin::Default)).is_ok());
}

#[test]
fn a_key_is_needed_for_every_route_named_not_only_the_first() {
    let chain = [Route::Google, Route::Vertex];
    let request = facts(
        CallerSurface::Interactions,
        "gemini-fast",
        StartWithin::Default,
    );
    let request = Facts {
        chain: Some(&chain),
        ..request
    };
    let refusal = decide(&request, &catalogue(), &|route| route == Route::Google).unwrap_err();
    assert_eq!(
        refusal,
        PlanRefusal::MissingKey {
            route: Route::Vertex
        }
    );
    let refusal = decide(&request, &catalogue(), &|_| false).unwrap_err();
    assert_eq!(
        refusal,
        PlanRefusal::MissingKey {
            route: Route::Google
        }
    );
}

#[test]
fn a_missing_key_is_told_before_what_cannot_be_served_yet() {
    let request = facts(CallerSurface::Chat, "claude-x", StartWithin::Default);
    let refusal = decide(&request, &catalogue(), &|_| false).unwrap_err();
    assert_eq!(
        refusal,
        PlanRefusal::MissingKey {
            route: Route::Anthropic
        }
    );
}

#[test]
fn every_endpoint_serves_every_vendors_models() {
    let callers = [
        CallerSurface::Responses,
        CallerSurface::Chat,
        CallerSurface::Interactions,
        CallerSurface::Messages,
    ];
    for caller in callers {
        for (model, surface) in [
            ("gpt-x", ProviderSurface::OpenaiResponses),
            ("gemini-x", ProviderSurface::GeminiInteractions),
            ("claude-x", ProviderSurface::AnthropicMessages),
        ] {
            let decision = decided(facts(caller, model, StartWithin::Default)).unwrap();
            assert_eq!(decision.surface, surface, "{caller:?}, {model}");
        }
    }
}

#[test]
fn a_race_for_a_chat_caller_is_run_over_responses() {
    let decision = decided(facts(CallerSurface::Chat, "gpt-fast", WITHIN)).unwrap();
    assert_eq!(decision.surface, ProviderSurface::OpenaiResponses);
}

#[test]
fn a_chat_request_goes_to_chat_only_when_responses_cannot_carry_it() {
    let surface = |facts| decided(facts).unwrap().surface;
    let chat = |model| facts(CallerSurface::Chat, model, StartWithin::Priority);
    assert_eq!(surface(chat("gpt-x")), ProviderSurface::OpenaiResponses);
    let refused = Refused::new(
        "new_field",
        "The Responses API has no counterpart for `new_field`.",
    );
    let unknown = Facts {
        untranslatable: Some(&refused),
        ..chat("gpt-x")
    };
    assert_eq!(surface(unknown), ProviderSurface::OpenaiChat);
}

#[test]
fn what_cannot_be_translated_is_refused_before_a_key_is_looked_for() {
    let refused = Refused::new("seed", "The Responses API has no counterpart for `seed`.");
    for (model, start_within) in [("gpt-fast", WITHIN), ("claude-x", StartWithin::Default)] {
        let facts = Facts {
            untranslatable: Some(&refused),
            ..facts(CallerSurface::Chat, model, start_within)
        };
        let refusal = decide(&facts, &catalogue(), &|_| false).unwrap_err();
        assert_eq!(refusal, PlanRefusal::Untranslatable(refused.clone()));
    }
}

#[test]
fn a_refusal_repeats_no_more_than_a_line_of_the_models_name() {
    let refusal =
        decided(facts(CallerSurface::Responses, &"x".repeat(10_000), WITHIN)).unwrap_err();
    assert!(refusal.to_string().len() < 200);
    assert!(refusal.to_string().ends_with('.'));
}

#[test]
fn a_prelude_is_bounded_by_the_body_and_by_the_setting() {
    assert_eq!(prelude_max(0, 64 << 20), 1 << 20);
    assert_eq!(prelude_max(1_000, 64 << 20), 12_000 + (1 << 20));
    assert_eq!(prelude_max(32 << 20, 64 << 20), 64 << 20);
    assert_eq!(prelude_max(usize::MAX, 64 << 20), 64 << 20);
}
