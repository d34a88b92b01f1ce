//! The requests of the demo: every way a race can end, the tier words, a retry, failures, and requests that the router
//! refuses before anybody is called.

use startline_load::simulator::{Behaviour, Cut, Fault, Numbers, Silence};

use super::observed::Outcome;
use super::scene::{Expected, Key, SHORTEST, Scene};
use crate::vocabulary::CallerSurface::{Chat, Interactions, Messages, Responses};

/// Long after every deadline of the demo, ms.
const TOO_LATE: u64 = 30_000;

/// All of them. They run at the same time.
pub(super) fn scenes() -> Vec<Scene> {
    let mut scenes = won();
    scenes.extend(refused_by_flex());
    scenes.extend(too_late());
    scenes.extend(tier_words());
    scenes.extend(failures());
    scenes.extend(bad_requests());
    scenes
}

/// An answer of a few thousand tokens, so that prices show.
fn usual() -> Behaviour {
    Behaviour {
        start_delay_ms: 120,
        event_delay_ms: 20,
        usage: Some(Numbers {
            input: 2_400,
            output: 600,
            ..Numbers::default()
        }),
        ..Behaviour::default()
    }
}

fn won() -> Vec<Scene> {
    let won = Expected {
        outcome: Outcome::Won,
        reason: "flex_won",
        tier: Some("flex"),
        calls: &["flex 200"],
        rehits: None,
    };
    let slowly = Behaviour {
        start_delay_ms: 1_200,
        ..usual()
    };
    vec![
        Scene::new("flex starts in time", Responses, SHORTEST, won).flex(usual()),
        Scene::new("flex starts in time", Responses, SHORTEST, won)
            .flex(slowly.clone())
            .whole(),
        Scene::new("flex starts in time", Interactions, SHORTEST, won).flex(slowly),
        Scene::new("flex starts in time", Interactions, SHORTEST, won)
            .flex(usual())
            .whole(),
    ]
}

fn lost(reason: &'static str, tier: &'static str, calls: &'static [&'static str]) -> Expected {
    Expected {
        outcome: Outcome::Lost,
        reason,
        tier: Some(tier),
        calls,
        rehits: None,
    }
}

fn refused_by_flex() -> Vec<Scene> {
    let with_status = |status| Behaviour {
        status: Some(status),
        ..Behaviour::default()
    };
    let inside_the_stream = Behaviour {
        fault: Some(Fault::BeforeStart),
        ..Behaviour::default()
    };
    let scenes = vec![
        Scene::new(
            "flex has no capacity",
            Responses,
            SHORTEST,
            lost("flex_capacity", "default", &["flex 429", "default 200"]),
        )
        .flex(with_status(429))
        .whole(),
        Scene::new(
            "flex is down",
            Interactions,
            SHORTEST,
            lost(
                "flex_upstream_error",
                "standard",
                &["flex 503", "standard 200"],
            ),
        )
        .flex(with_status(503)),
        Scene::new(
            "flex is refused inside its stream",
            Responses,
            SHORTEST,
            lost("flex_not_started", "default", &["flex 200", "default 200"]),
        )
        .flex(inside_the_stream),
    ];
    with_usual_standard(scenes)
}

fn too_late() -> Vec<Scene> {
    let late = Behaviour {
        start_delay_ms: TOO_LATE,
        ..usual()
    };
    let silent = |silence| Behaviour {
        silent: Some(silence),
        keepalive_ms: 1_000,
        ..usual()
    };
    let openai = lost("flex_deadline", "default", &["flex cut", "default 200"]);
    let gemini = lost("flex_deadline", "standard", &["flex cut", "standard 200"]);
    let scenes = vec![
        Scene::new("flex would start too late", Responses, SHORTEST, openai).flex(late.clone()),
        Scene::new("flex would start too late", Interactions, SHORTEST, gemini)
            .flex(late)
            .whole(),
        Scene::new("flex queues in silence", Responses, SHORTEST, openai)
            .flex(silent(Silence::Queued)),
        Scene::new("flex never sends a status", Interactions, SHORTEST, gemini)
            .flex(silent(Silence::Head)),
    ];
    with_usual_standard(scenes)
}

fn with_usual_standard(scenes: Vec<Scene>) -> Vec<Scene> {
    let scenes = scenes.into_iter();
    scenes.map(|scene| scene.settled([usual()])).collect()
}

fn tier_words() -> Vec<Scene> {
    let served = |tier, calls| Expected {
        outcome: Outcome::Served,
        reason: "tier_direct",
        tier: Some(tier),
        calls,
        rehits: None,
    };
    let down = Behaviour {
        status: Some(503),
        ..Behaviour::default()
    };
    let retried = Expected {
        rehits: Some(2),
        ..served("default", &["default 503", "default 503", "default 200"])
    };
    vec![
        Scene::new(
            "priority",
            Responses,
            "priority",
            served("priority", &["priority 200"]),
        )
        .settled([usual()])
        .whole(),
        Scene::new("auto", Chat, "auto", served("default", &["auto 200"]))
            .settled([usual()])
            .whole(),
        Scene::new(
            "default on Chat",
            Chat,
            "default",
            served("default", &["default 200"]),
        )
        .settled([usual()]),
        Scene::new(
            "default on Claude",
            Messages,
            "default",
            served("standard", &["standard_only 200"]),
        )
        .settled([usual()]),
        Scene::new(
            "priority on Claude",
            Messages,
            "priority",
            served("standard", &["auto 200"]),
        )
        .settled([usual()])
        .whole(),
        Scene {
            retries: Some(3),
            ..Scene::new("two re-hits, then an answer", Responses, "default", retried)
                .settled([down.clone(), down, usual()])
                .whole()
        },
    ]
}

fn failures() -> Vec<Scene> {
    let failed = |reason, tier, calls| Expected {
        outcome: Outcome::Failed,
        reason,
        tier,
        calls,
        rehits: None,
    };
    let torn = Behaviour {
        cut: Some(Cut {
            before_terminal: true,
            ..Cut::default()
        }),
        ..usual()
    };
    let overloaded = Behaviour {
        fault: Some(Fault::AfterStart),
        fault_code: Some("overloaded_error".to_owned()),
        ..usual()
    };
    vec![
        Scene::new(
            "flex starts, then its stream is cut",
            Responses,
            SHORTEST,
            failed("upstream_stream_failed", None, &["flex 200"]),
        )
        .flex(torn),
        Scene::new(
            "the provider fails in the middle of a stream",
            Messages,
            "default",
            failed("overloaded_error", Some("standard"), &["standard_only 200"]),
        )
        .settled([overloaded]),
    ]
}

fn bad_requests() -> Vec<Scene> {
    let refused = |status, reason| Expected {
        outcome: Outcome::Refused(status),
        reason,
        tier: None,
        calls: &[],
        rehits: None,
    };
    vec![
        Scene {
            start_within: None,
            ..Scene::new(
                "no start_within",
                Responses,
                SHORTEST,
                refused(400, "missing_start_within"),
            )
        },
        Scene::new(
            "a duration on Claude",
            Messages,
            SHORTEST,
            refused(400, "flex_unsupported_for_anthropic"),
        ),
        Scene {
            key: Key::NeverIssued,
            ..Scene::new(
                "a key that nobody has",
                Interactions,
                SHORTEST,
                refused(401, "invalid_api_key"),
            )
        },
    ]
}
