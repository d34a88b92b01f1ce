use jiff::civil::{Date, date};

use super::*;

fn price(text: &str) -> Price {
    Price::parse(text).unwrap()
}

fn prices(input: &str, cached: &str, output: &str) -> Prices {
    Prices {
        input: price(input),
        cached: Some(price(cached)),
        cache_write: None,
        output: price(output),
    }
}

fn period(from: Option<Date>, until: Option<Date>, standard: Prices) -> Period {
    let tiers = TierPrices {
        standard: Some(standard),
        ..TierPrices::default()
    };
    Period {
        from,
        until,
        prices: tiers,
        steps: Vec::new(),
    }
}

#[test]
fn cached_and_written_tokens_are_part_of_the_input() {
    let all = Prices {
        cache_write: Some(price("5")),
        ..prices("4", "0.4", "20")
    };
    let tokens = Tokens {
        input: 1_000,
        cached: 600,
        cache_write: 100,
        output: 50,
    };
    let expected = 600 * 400_000 + 100 * 5_000_000 + 300 * 4_000_000 + 50 * 20_000_000;
    assert_eq!(cost(&all, &tokens), Some(PicoUsd(expected)));
}

#[test]
fn writing_to_a_cache_costs_what_input_costs_where_the_list_has_no_price_for_it() {
    let tokens = Tokens {
        input: 100,
        cached: 0,
        cache_write: 40,
        output: 0,
    };
    assert_eq!(
        cost(&prices("4", "0.4", "20"), &tokens),
        Some(PicoUsd(100 * 4_000_000))
    );
}

#[test]
fn an_answer_that_read_from_a_cache_of_unknown_price_has_no_price() {
    let unknown = Prices {
        cached: None,
        ..prices("30", "0", "180")
    };
    assert_eq!(
        cost(
            &unknown,
            &Tokens {
                input: 10,
                cached: 1,
                ..Tokens::default()
            }
        ),
        None
    );
    assert_eq!(
        cost(
            &unknown,
            &Tokens {
                input: 10,
                ..Tokens::default()
            }
        ),
        Some(PicoUsd(300_000_000))
    );
}

#[test]
fn counts_that_contradict_each_other_do_not_go_below_zero() {
    let tokens = Tokens {
        input: 10,
        cached: 20,
        cache_write: 0,
        output: 0,
    };
    assert_eq!(
        cost(&prices("4", "0.4", "20"), &tokens),
        Some(PicoUsd(20 * 400_000))
    );
}

#[test]
fn a_long_request_pays_the_steps_price_for_all_its_tokens() {
    let mut period = period(None, None, prices("2", "0.2", "10"));
    let above = TierPrices {
        standard: Some(prices("4", "0.4", "15")),
        ..TierPrices::default()
    };
    period.steps.push(Step {
        above_input_tokens: 272_000,
        prices: above,
    });
    let list = PriceList {
        periods: vec![period],
    };
    let day = date(2026, 11, 30);
    let cost_of = |input| {
        list.cost(
            PriceTier::Standard,
            day,
            &Tokens {
                input,
                output: 1,
                ..Tokens::default()
            },
        )
    };
    assert_eq!(
        cost_of(272_000),
        Some(PicoUsd(272_000 * 2_000_000 + 10_000_000))
    );
    assert_eq!(
        cost_of(272_001),
        Some(PicoUsd(272_001 * 4_000_000 + 15_000_000))
    );
}

#[test]
fn a_tier_that_the_step_does_not_name_has_no_price_there() {
    let mut period = period(None, None, prices("2", "0.2", "10"));
    period.prices.flex = Some(prices("1", "0.1", "5"));
    let above = TierPrices {
        standard: Some(prices("4", "0.4", "15")),
        ..TierPrices::default()
    };
    period.steps.push(Step {
        above_input_tokens: 100,
        prices: above,
    });
    let list = PriceList {
        periods: vec![period],
    };
    assert!(
        list.prices(PriceTier::Flex, date(2026, 1, 1), 100)
            .is_some()
    );
    assert!(
        list.prices(PriceTier::Flex, date(2026, 1, 1), 101)
            .is_none()
    );
}

#[test]
fn the_day_decides_between_two_periods_and_before_the_first_there_is_no_price() {
    let first = period(
        Some(date(2026, 7, 1)),
        Some(date(2026, 12, 31)),
        prices("0.75", "0.075", "3.75"),
    );
    let second = period(Some(date(2027, 1, 1)), None, prices("1.50", "0.15", "7.50"));
    let list = PriceList {
        periods: vec![first, second],
    };
    let input_price = |day| {
        list.prices(PriceTier::Standard, day, 1)
            .map(|prices| prices.input)
    };
    assert_eq!(input_price(date(2026, 6, 30)), None);
    assert_eq!(input_price(date(2026, 12, 31)), Some(price("0.75")));
    assert_eq!(input_price(date(2027, 1, 1)), Some(price("1.50")));
}

#[test]
fn the_providers_words_for_the_served_tier_are_understood() {
    let words = [
        ("default", PriceTier::Standard),
        ("standard", PriceTier::Standard),
        ("flex", PriceTier::Flex),
    ];
    for (word, tier) in words {
        assert_eq!(PriceTier::of_served(word), Some(tier));
    }
    assert_eq!(PriceTier::of_served("priority"), Some(PriceTier::Priority));
    assert_eq!(PriceTier::of_served("auto"), None);
}
