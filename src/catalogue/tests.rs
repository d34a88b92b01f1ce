use jiff::civil::date;
use serde_json::json;

use super::*;
use crate::price::{MicroUsd, PriceTier, Tokens, fee, saving};
use crate::vocabulary::Route;

const HEAD: &str = "checked_on = \"2026-11-30\"\n[sources]\nhere = \"a test\"\n";

fn one_model(lines: &str) -> String {
    format!(
        "{HEAD}[[model]]\nid = \"gpt-x\"\nowner = \"openai\"\nprovider = \"openai\"\nflex = true\n\
         checked_on = \"2026-11-30\"\nsource = \"here\"\n{lines}"
    )
}

fn refusal(lines: &str) -> String {
    Catalogue::parse(&one_model(lines)).unwrap_err().to_string()
}

fn built_in() -> Catalogue {
    Catalogue::parse(BUILT_IN).unwrap()
}

#[test]
fn the_built_in_catalogue_keeps_every_rule_and_names_all_three_providers() {
    let catalogue = built_in();
    assert!(catalogue.models().len() > 50);
    for provider in [Provider::Openai, Provider::Gemini, Provider::Anthropic] {
        assert!(
            catalogue
                .models()
                .iter()
                .any(|model| model.provider == provider)
        );
    }
}

#[test]
fn every_built_in_flex_price_is_half_of_standard_for_input_and_output() {
    let day = date(2026, 11, 30);
    let mut raced = 0;
    for model in built_in().models() {
        let Some(flex) = model.prices.prices(PriceTier::Flex, day, 1) else {
            continue;
        };
        let standard = model.prices.prices(PriceTier::Standard, day, 1).unwrap();
        let double = |price: crate::price::Price| price.micro_usd_per_million() * 2;
        assert_eq!(
            double(flex.input),
            standard.input.micro_usd_per_million(),
            "{}",
            model.id
        );
        assert_eq!(
            double(flex.output),
            standard.output.micro_usd_per_million(),
            "{}",
            model.id
        );
        raced += 1;
    }
    assert!(raced > 25, "{raced}");
}

#[test]
fn a_race_won_is_priced_from_the_catalogue_to_the_fee() {
    let catalogue = built_in();
    let prices = &catalogue.get("gpt-5.5").unwrap().prices;
    let tokens = Tokens {
        input: 10_000,
        cached: 4_000,
        cache_write: 0,
        output: 2_000,
    };
    let day = date(2026, 11, 30);
    let standard = prices.cost(PriceTier::Standard, day, &tokens).unwrap();
    let flex = prices.cost(PriceTier::Flex, day, &tokens).unwrap();
    assert_eq!(standard.to_micro_usd(), MicroUsd(92_000));
    let saved = saving(standard, flex);
    assert_eq!(saved, MicroUsd(46_000));
    assert_eq!(fee(saved, 20), MicroUsd(9_200));
}

#[test]
fn geminis_promotion_ends_with_the_year() {
    let catalogue = built_in();
    let prices = &catalogue.get("gemini-3.8-flash").unwrap().prices;
    let input_on = |day| {
        prices
            .prices(PriceTier::Standard, day, 1)
            .unwrap()
            .input
            .micro_usd_per_million()
    };
    assert_eq!(input_on(date(2026, 12, 31)), 750_000);
    assert_eq!(input_on(date(2027, 1, 1)), 1_500_000);
}

#[test]
fn a_long_request_to_an_openai_model_costs_twice_the_input_and_half_as_much_again_for_output() {
    let catalogue = built_in();
    let prices = &catalogue.get("gpt-5.4").unwrap().prices;
    let day = date(2026, 11, 30);
    let short = prices.prices(PriceTier::Flex, day, 272_000).unwrap();
    let long = prices.prices(PriceTier::Flex, day, 272_001).unwrap();
    assert_eq!(
        long.input.micro_usd_per_million(),
        2 * short.input.micro_usd_per_million()
    );
    assert_eq!(
        2 * long.output.micro_usd_per_million(),
        3 * short.output.micro_usd_per_million()
    );
}

#[test]
fn claude_is_never_flex_capable_and_an_openai_pro_model_without_flex_price_is_not_either() {
    let catalogue = built_in();
    for id in [
        "claude-opus-5-5",
        "gpt-5.2-pro",
        "gpt-5-pro",
        "gpt-4o",
        "no-such-model",
    ] {
        assert!(!catalogue.is_flex_capable(id), "{id}");
    }
    for id in [
        "gpt-5.5",
        "gpt-6.2-sol",
        "o3",
        "gemini-3.5-flash",
        "gemini-2.5-pro",
    ] {
        assert!(catalogue.is_flex_capable(id), "{id}");
    }
}

#[test]
fn the_provider_is_the_catalogues_word_before_the_ids_beginning() {
    let text = one_model("").replace("gpt-x", "gemini-lookalike");
    assert_eq!(
        Catalogue::parse(&text)
            .unwrap()
            .provider_of("gemini-lookalike"),
        Provider::Openai
    );
    let catalogue = built_in();
    assert_eq!(catalogue.provider_of("gemini-9-new"), Provider::Gemini);
    assert_eq!(catalogue.provider_of("claude-9-new"), Provider::Anthropic);
    assert_eq!(catalogue.provider_of("llama-9"), Provider::Openai);
}

#[test]
fn a_dated_snapshot_is_not_listed_and_its_alias_is() {
    let catalogue = built_in();
    assert!(catalogue.entry("gpt-5.5").is_some());
    for id in ["gpt-5.5-2026-04-23", "claude-haiku-4-5-20251001", ""] {
        assert!(catalogue.entry(id).is_none(), "{id}");
    }
    for id in ["gpt-x-2026-04-23", "gpt-x-20260423"] {
        let text = one_model("").replace("gpt-x", id);
        assert!(
            Catalogue::parse(&text)
                .unwrap_err()
                .to_string()
                .contains("not a dated snapshot"),
            "{id}"
        );
    }
}

#[test]
fn an_entry_looks_as_openais_does_with_our_block_in_it() {
    let catalogue = built_in();
    let shown = |id| serde_json::to_value(catalogue.entry(id).unwrap()).unwrap();
    let expected = json!({
        "id": "gpt-5.5", "object": "model", "created": 1_795_996_800, "owned_by": "openai",
        "flexinference": {
            "flex_race": true, "tiers": ["default", "priority", "auto", "flex"],
            "providers": ["openai"], "open_source": false,
        },
    });
    assert_eq!(shown("gpt-5.5"), expected);
    assert_eq!(
        shown("gemini-3.5-flash")["flexinference"]["tiers"],
        json!(["default", "priority", "flex"])
    );
    assert_eq!(
        shown("gemini-3.5-flash")["flexinference"]["providers"],
        json!(["google"])
    );
    assert_eq!(
        shown("claude-opus-5-5")["flexinference"]["tiers"],
        json!(["default", "priority", "auto"])
    );
    assert_eq!(shown("gpt-5.1")["shutdown_date"], "2027-04-01");
}

#[test]
fn the_listing_has_every_model_once() {
    let catalogue = built_in();
    let listing = serde_json::to_value(catalogue.listing()).unwrap();
    assert_eq!(listing["object"], "list");
    assert_eq!(
        listing["data"].as_array().unwrap().len(),
        catalogue.models().len()
    );
}

#[test]
fn a_model_has_its_own_id_on_its_direct_route_and_others_where_listed() {
    let catalogue = Catalogue::parse(&one_model("routes = { foundry = \"deployment\" }")).unwrap();
    let model = catalogue.get("gpt-x").unwrap();
    assert_eq!(model.id_on(Route::Openai), Some("gpt-x"));
    assert_eq!(model.id_on(Route::Foundry), Some("deployment"));
    assert_eq!(model.id_on(Route::Vertex), None);
}

#[test]
fn a_broken_rule_is_told_with_the_model() {
    let prices = |rest: &str| format!("[[model.prices]]\n{rest}");
    let standard = "standard = { input = \"1\", output = \"2\" }";
    let dearer = prices(&format!(
        "{standard}\nflex = {{ input = \"2\", output = \"2\" }}"
    ));
    let backwards = prices(&format!(
        "from = \"2026-02-01\"\nuntil = \"2026-01-01\"\n{standard}"
    ));
    let overlapping = format!("{}\n{}", prices(standard), prices(standard));
    let cases = [
        ("colour = 1", "unknown field `colour`"),
        (
            "max_output_tokens = 0",
            "max_output_tokens must be above zero",
        ),
        (
            "efforts = [\"high\", \"low\"]",
            "from the lowest to the highest",
        ),
        ("efforts = [\"huge\"]", "unknown variant `huge`"),
        ("routes = { moon = \"x\" }", "\"moon\" is not a route"),
        ("shutdown = \"2026-13-01\"", "shutdown"),
        (
            &prices("standard = { input = 1.5, output = \"2\" }"),
            "expected a string",
        ),
        (
            &prices("standard = { input = \"cheap\", output = \"2\" }"),
            "\"cheap\" must be USD",
        ),
        (
            &prices("flex = { input = \"1\", output = \"2\" }"),
            "need a standard tier",
        ),
        (&dearer, "flex must not cost more than standard"),
        (&backwards, "before it begins"),
        (&overlapping, "without overlap"),
    ];
    for (lines, rule) in cases {
        let text = refusal(lines);
        assert!(text.starts_with("catalogue: model gpt-x: "), "{text}");
        assert!(text.contains(rule), "{text}");
    }
}

#[test]
fn flex_on_claude_a_flex_price_without_flex_and_an_unknown_source_are_refused() {
    let claude = one_model("").replace("provider = \"openai\"", "provider = \"anthropic\"");
    assert!(
        Catalogue::parse(&claude)
            .unwrap_err()
            .to_string()
            .contains("no flex tier")
    );
    let prices = "[[model.prices]]\nstandard = { input = \"1\", output = \"2\" }\n\
                  flex = { input = \"1\", output = \"1\" }";
    let unmarked = one_model(prices).replace("flex = true", "flex = false");
    assert!(
        Catalogue::parse(&unmarked)
            .unwrap_err()
            .to_string()
            .contains("flex = false")
    );
    let unsourced = one_model("").replace("source = \"here\"", "source = \"there\"");
    assert!(
        Catalogue::parse(&unsourced)
            .unwrap_err()
            .to_string()
            .contains("not listed under [sources]")
    );
}

#[test]
fn a_model_that_is_there_twice_is_refused() {
    let twice = format!("{}{}", one_model(""), one_model("").replace(HEAD, ""));
    assert!(
        Catalogue::parse(&twice)
            .unwrap_err()
            .to_string()
            .contains("gpt-x: is there twice")
    );
}

#[test]
fn a_reload_takes_the_new_file_and_keeps_the_old_catalogue_when_the_new_one_is_bad() {
    let path =
        std::env::temp_dir().join(format!("startline-catalogue-{}.toml", std::process::id()));
    std::fs::write(&path, one_model("")).unwrap();
    let handle = CatalogueHandle::open(Some(&path)).unwrap();
    assert!(handle.current().get("gpt-x").is_some());

    std::fs::write(&path, one_model("").replace("gpt-x", "gpt-y")).unwrap();
    handle.reload().unwrap();
    assert!(handle.current().get("gpt-y").is_some());

    std::fs::write(&path, "not a catalogue").unwrap();
    assert!(handle.reload().is_err());
    assert!(handle.current().get("gpt-y").is_some());

    std::fs::remove_file(&path).unwrap();
    let error = handle.reload().unwrap_err();
    assert!(error.to_string().contains("startline-catalogue"), "{error}");
}
