use super::observed::{Call, Outcome};
use super::*;
use crate::price::MicroUsd;
use crate::vocabulary::CallerSurface;

const PAPER: Look = Look {
    live: false,
    colours: false,
};

fn observed() -> Observed {
    Observed {
        outcome: Outcome::Won,
        reason: "flex_won".to_owned(),
        event_stream: true,
        tier: Some("flex".to_owned()),
        start: Some(Duration::from_millis(123)),
        cost: Some(MicroUsd(15_000)),
        saved: Some(MicroUsd(15_000)),
        calls: vec![Call {
            tier: "flex".to_owned(),
            status: Some(200),
        }],
        rehits: None,
        contradictions: Vec::new(),
    }
}

#[test]
fn the_script_covers_all_endpoints_streamed_and_not() {
    let scenes = script::scenes();
    assert!(scenes.len() >= 14, "{}", scenes.len());
    for surface in [
        CallerSurface::Responses,
        CallerSurface::Chat,
        CallerSurface::Interactions,
        CallerSurface::Messages,
    ] {
        for streams in [true, false] {
            let covered = |scene: &Scene| scene.surface == surface && scene.streams == streams;
            assert!(
                scenes.iter().any(covered),
                "{surface:?}, streamed: {streams}"
            );
        }
    }
}

#[test]
fn a_row_that_is_as_expected_has_no_differences() {
    let scenes = script::scenes();
    assert_eq!(
        scenes[0].expected.differences(&observed()),
        Vec::<String>::new()
    );
}

#[test]
fn every_deviation_is_named() {
    let expected = script::scenes().remove(0).expected;
    type Deviation = fn(&mut Observed);
    let deviations: [(Deviation, &str); 7] = [
        (|seen| seen.outcome = Outcome::Lost, "outcome"),
        (|seen| seen.reason = "flex_deadline".to_owned(), "reason"),
        (|seen| seen.tier = None, "served tier"),
        (|seen| seen.calls.clear(), "what the provider saw"),
        (|seen| seen.rehits = Some(1), "re-hits"),
        (
            |seen| seen.start = Some(Duration::from_millis(5_001)),
            "starting when the deadline passed",
        ),
        (|seen| seen.contradictions.push("cost".to_owned()), "cost"),
    ];
    for (deviate, name) in deviations {
        let mut seen = observed();
        deviate(&mut seen);
        let differences = expected.differences(&seen);
        assert_eq!(differences.len(), 1, "{name}: {differences:?}");
        assert!(differences[0].starts_with(name), "{differences:?}");
    }
}

#[test]
fn no_line_is_wider_than_120_columns() {
    let scenes = script::scenes();
    for scene in &scenes {
        let row = Row {
            number: 22,
            scene,
            observed: Observed {
                outcome: scene.expected.outcome,
                reason: scene.expected.reason.to_owned(),
                tier: scene.expected.tier.map(str::to_owned),
                ..observed()
            },
            differences: Vec::new(),
        };
        let line = table::line(&row, PAPER);
        assert!(line.trim_end().chars().count() <= 120, "{line}");
        assert!(line.contains(scene.expected.reason), "{line}");
    }
    assert!(
        table::opening("127.0.0.1:65535", &scenes, PAPER)
            .lines()
            .all(|line| line.chars().count() <= 120)
    );
}

#[test]
fn colours_are_left_out_where_they_are_not_wanted() {
    let scenes = script::scenes();
    let row = Row {
        number: 1,
        scene: &scenes[0],
        observed: observed(),
        differences: vec!["outcome".to_owned()],
    };
    assert!(!table::line(&row, PAPER).contains('\x1b'));
    let colours = Look {
        live: false,
        colours: true,
    };
    assert!(table::line(&row, colours).contains('\x1b'));
}

#[actix_web::test]
async fn a_scene_that_goes_otherwise_is_counted_and_one_that_does_not_is_not() {
    let stage = Stage::set().unwrap();
    let mut scenes = script::scenes();
    scenes.truncate(2);
    scenes[1].expected.outcome = Outcome::Lost;
    let mut out = Vec::new();
    let tally = perform(&stage, scenes, PAPER, &mut out).await;
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("✓  1 ") && text.contains("✗  2 "), "{text}");
    assert!(text.contains("outcome is Won, expected Lost"), "{text}");
    assert_eq!(tally.otherwise(), 1, "{tally}");
    assert!(tally.to_string().contains("2 races won, 0 lost"), "{tally}");
    stage.strike().await;
}
