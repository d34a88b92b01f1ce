//! Behaviours that the end of a model's name asks for: `gpt-5.2--silent`, or `gpt-5.2--flex-silent` for the flex leg
//! alone, `gpt-5.2--settled-down` for the others alone.

use super::script::{Behaviour, Cut, CutHow, Fault, How, Script, Silence};

/// The names, in the order of [`behaviour`].
pub const NAMES: [&str; 10] = [
    "silent", "mute", "slow", "full", "down", "cut", "reset", "lost", "failed", "broken",
];

/// The script that the model's name asks for.
pub(super) fn of_model(model: &str) -> Option<Script> {
    let (_, ending) = model.rsplit_once("--")?;
    if let Some(name) = ending.strip_prefix("flex-") {
        return Some(Script {
            flex: vec![behaviour(name)?],
            ..Script::default()
        });
    }
    if let Some(name) = ending.strip_prefix("settled-") {
        return Some(Script {
            settled: vec![behaviour(name)?],
            ..Script::default()
        });
    }
    behaviour(ending).map(Script::any)
}

/// The behaviour of this name.
pub fn behaviour(name: &str) -> Option<Behaviour> {
    let nothing = Behaviour::default;
    let before_terminal = |how| {
        Some(Cut {
            before_terminal: true,
            how,
            ..Cut::default()
        })
    };
    let behaviour = match name {
        "silent" => Behaviour {
            silent: Some(Silence::Queued),
            ..nothing()
        },
        "mute" => Behaviour {
            silent: Some(Silence::Head),
            ..nothing()
        },
        "slow" => Behaviour {
            start_delay_ms: 2_000,
            event_delay_ms: 50,
            ..nothing()
        },
        "full" => Behaviour {
            status: Some(429),
            ..nothing()
        },
        "down" => Behaviour {
            status: Some(503),
            ..nothing()
        },
        "cut" => Behaviour {
            cut: before_terminal(CutHow::Fin),
            ..nothing()
        },
        "reset" => Behaviour {
            cut: before_terminal(CutHow::Rst),
            ..nothing()
        },
        "lost" => Behaviour {
            drop: Some(How::Rst),
            ..nothing()
        },
        "failed" => Behaviour {
            fault: Some(Fault::BeforeStart),
            ..nothing()
        },
        "broken" => Behaviour {
            fault: Some(Fault::AfterStart),
            ..nothing()
        },
        _ => return None,
    };
    Some(behaviour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_and_can_be_meant_for_one_side() {
        for name in NAMES {
            assert!(behaviour(name).is_some(), "{name}");
            let script = of_model(&format!("gpt-5.2--flex-{name}")).unwrap();
            assert_eq!((script.flex.len(), script.settled.len()), (1, 0));
        }
        assert!(of_model("gpt-5.2").is_none());
    }
}
