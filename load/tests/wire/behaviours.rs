//! What a script can ask for, one by one.

use std::time::{Duration, Instant};

use serde_json::json;
use startline_load::simulator::{
    Behaviour, Cut, CutHow, Fault, How, Rule, Script, Silence, Simulator,
};

use crate::client::{
    names, outline, post, post_scripted, read_to_end, send, surfaces, usual_headers,
};

#[test]
fn a_status_has_the_vendors_body_and_the_scripted_hints() {
    let simulator = Simulator::start_default();
    let behaviour = Behaviour {
        status: Some(429),
        retry_after: Some("1.5".into()),
        retry_after_ms: Some(1500),
        error_message: Some("full".into()),
        headers: [("x-should-retry".to_owned(), "false".to_owned())].into(),
        ..Behaviour::default()
    };
    let words = [
        "rate_limit_exceeded",
        "rate_limit_exceeded",
        "rate_limit_exceeded",
        "rate_limit_error",
    ];
    for ((path, body), word) in surfaces(true).into_iter().zip(words) {
        let answer = post_scripted(&simulator, path, &body, behaviour.clone());
        assert_eq!(answer.status, 429);
        assert!(
            answer.text().contains(word) && answer.text().contains("full"),
            "{path}"
        );
        assert_eq!(answer.header("retry-after"), Some("1.5"));
        assert_eq!(answer.header("retry-after-ms"), Some("1500"));
        assert_eq!(answer.header("x-should-retry"), Some("false"));
    }
    let flex = json!({"model": "gpt-5.2", "input": "x", "service_tier": "flex"});
    let answer = post_scripted(
        &simulator,
        "/v1/responses",
        &flex,
        Behaviour {
            status: Some(429),
            ..Behaviour::default()
        },
    );
    assert_eq!(answer.json()["error"]["code"], "resource_unavailable");
}

#[test]
fn a_fault_before_the_start_comes_behind_the_prelude_in_each_vendors_words() {
    let simulator = Simulator::start_default();
    let expected = [
        "response.created response.in_progress error response.failed",
        "{\"error\":",
        "interaction.created interaction.status_update error",
        "message_start error",
    ];
    let behaviour = Behaviour {
        fault: Some(Fault::BeforeStart),
        ..Behaviour::default()
    };
    for ((path, body), expected) in surfaces(true).into_iter().zip(expected) {
        let answer = post_scripted(&simulator, path, &body, behaviour.clone());
        let found = if path.contains("chat") {
            answer.text().to_owned()
        } else {
            names(&answer)
        };
        assert!(
            found.trim_start_matches("data: ").starts_with(expected),
            "{path}: {found}"
        );
        assert!(
            !found.contains("completed") && answer.status == 200,
            "{path}"
        );
    }
    let bare = Behaviour {
        fault_bare: true,
        ..behaviour
    };
    let (path, body) = &surfaces(true)[0];
    let answer = post_scripted(&simulator, path, body, bare);
    assert_eq!(
        names(&answer),
        "response.created response.in_progress error"
    );
}

#[test]
fn a_fault_can_be_the_first_event() {
    let simulator = Simulator::start_default();
    let behaviour = Behaviour {
        fault: Some(Fault::First),
        ..Behaviour::default()
    };
    for (path, body) in surfaces(true) {
        let answer = post_scripted(&simulator, path, &body, behaviour.clone());
        let events = answer.events();
        assert!(!events[0].data["error"].is_null() && answer.whole, "{path}");
    }
}

#[test]
fn a_fault_after_the_start_comes_behind_the_first_delta() {
    let simulator = Simulator::start_default();
    let behaviour = Behaviour {
        fault: Some(Fault::AfterStart),
        fault_code: Some("server_error".into()),
        ..Behaviour::default()
    };
    for (path, body) in surfaces(true) {
        let answer = post_scripted(&simulator, path, &body, behaviour.clone());
        assert!(
            answer.text().contains("server_error") && answer.text().matches("elta").count() >= 1,
            "{path}"
        );
    }
    let (path, body) = &surfaces(true)[0];
    let events = post_scripted(&simulator, path, body, behaviour).events();
    assert_eq!(events.len(), 7);
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event.data["sequence_number"], json!(number));
    }
}

#[test]
fn delays_are_kept_and_a_document_waits_for_all_of_them() {
    let simulator = Simulator::start_default();
    let behaviour = Behaviour {
        head_delay_ms: 40,
        start_delay_ms: 60,
        event_delay_ms: 10,
        deltas: Some(4),
        ..Behaviour::default()
    };
    for stream in [true, false] {
        for (path, body) in surfaces(stream) {
            let begun = Instant::now();
            let answer = post_scripted(&simulator, path, &body, behaviour.clone());
            assert!(
                answer.whole && begun.elapsed() >= Duration::from_millis(140),
                "{path} {:?}",
                begun.elapsed()
            );
            assert!(
                begun.elapsed() < Duration::from_millis(600),
                "{path} {:?}",
                begun.elapsed()
            );
        }
    }
    let seen = simulator.seen();
    let head = seen[0].answered_at.unwrap().duration_since(seen[0].at);
    assert!(
        head >= Duration::from_millis(40) && head < Duration::from_millis(90),
        "{head:?}"
    );
}

#[test]
fn a_wait_is_filled_with_signs_of_life() {
    let simulator = Simulator::start_default();
    let behaviour = Behaviour {
        start_delay_ms: 95,
        keepalive_ms: 20,
        ..Behaviour::default()
    };
    let signs = [
        "event: keepalive\n",
        ": keepalive\n",
        ": keepalive\n",
        "event: ping\n",
    ];
    for ((path, body), sign) in surfaces(true).into_iter().zip(signs) {
        let begun = Instant::now();
        let answer = post_scripted(&simulator, path, &body, behaviour.clone());
        assert!(answer.text().matches(sign).count() >= 4, "{path}");
        assert!(begun.elapsed() >= Duration::from_millis(95));
    }
    let (path, body) = &surfaces(true)[0];
    let events = post_scripted(&simulator, path, body, behaviour).events();
    assert!(
        events
            .iter()
            .enumerate()
            .all(|(number, event)| event.data["sequence_number"] == json!(number))
    );
}

#[test]
fn a_cut_stops_the_body_at_its_byte_in_its_way() {
    let simulator = Simulator::start_default();
    let cut = |at, how| Behaviour {
        cut: Some(Cut {
            at: Some(at),
            how,
            ..Cut::default()
        }),
        ..Behaviour::default()
    };
    for stream in [true, false] {
        for (path, body) in surfaces(stream) {
            for how in [CutHow::Fin, CutHow::Rst] {
                let answer = post_scripted(&simulator, path, &body, cut(33, how));
                assert!(!answer.whole, "{path}");
                // A reset may overtake what was sent before it.
                assert!(answer.body.len() == 33 || how == CutHow::Rst, "{path}");
                let last = simulator.seen().pop().unwrap();
                let closed = last.closed.unwrap();
                assert_eq!(
                    closed.how,
                    if how == CutHow::Fin {
                        How::Fin
                    } else {
                        How::Rst
                    }
                );
                assert!(!closed.by_other_side_before_end && last.sent_body.len() == 33);
            }
        }
    }
}

#[test]
fn a_cut_before_the_terminal_event_leaves_just_that_out() {
    let simulator = Simulator::start_default();
    let cut = Cut {
        before_terminal: true,
        ..Cut::default()
    };
    let behaviour = Behaviour {
        cut: Some(cut),
        ..Behaviour::default()
    };
    let last = [
        "response.output_item.done",
        "content",
        "step.stop",
        "message_delta",
    ];
    for ((path, body), last) in surfaces(true).into_iter().zip(last) {
        let answer = post_scripted(&simulator, path, &body, behaviour.clone());
        assert_eq!(outline(&answer.events()).last().unwrap(), last, "{path}");
        assert!(!answer.whole);
    }
}

#[test]
fn a_script_is_found_in_header_prompt_model_and_rule_in_this_order() {
    let simulator = Simulator::start_default();
    let status = |status| {
        Script::any(Behaviour {
            status: Some(status),
            ..Behaviour::default()
        })
    };
    simulator.rule(Rule {
        model: Some("gpt-5.2*".into()),
        times: Some(4),
        script: status(504),
        ..Rule::default()
    });
    let (path, mut body) = surfaces(false)[1].clone();
    assert_eq!(post(&simulator, path, &body).status, 504);
    body["model"] = json!("gpt-5.2--full");
    assert_eq!(post(&simulator, path, &body).status, 429);
    body["messages"][0]["content"] = json!(format!("hello {}", status(500).marker()));
    assert_eq!(post(&simulator, path, &body).status, 500);
    let scripted = Behaviour {
        status: Some(418),
        ..Behaviour::default()
    };
    assert_eq!(post_scripted(&simulator, path, &body, scripted).status, 418);
}

#[test]
fn a_dropped_request_gets_no_byte() {
    let simulator = Simulator::start_default();
    for how in [How::Fin, How::Rst] {
        let (path, body) = &surfaces(true)[2];
        let behaviour = Behaviour {
            drop: Some(how),
            ..Behaviour::default()
        };
        assert_eq!(post_scripted(&simulator, path, body, behaviour).status, 0);
        let last = simulator.seen().pop().unwrap();
        assert_eq!((last.closed.unwrap().how, last.status_sent), (how, None));
    }
}

#[test]
fn a_silence_keeps_the_connection_open_where_it_was_asked_for() {
    let simulator = Simulator::start_default();
    let started = [
        "output_item.added",
        "\"role\"",
        "step.start",
        "content_block_start",
    ];
    for (number, (path, body)) in surfaces(true).into_iter().enumerate() {
        for silent in [Silence::Head, Silence::Queued, Silence::Started] {
            let script = Script::any(Behaviour {
                silent: Some(silent),
                ..Behaviour::default()
            });
            let headers = format!("{}x-sim: {}\r\n", usual_headers(path), script.json());
            let stream = send(&simulator, path, &headers, &body.to_string());
            stream
                .set_read_timeout(Some(Duration::from_millis(60)))
                .unwrap();
            let answer = read_to_end(stream);
            assert_eq!(answer.status == 0, silent == Silence::Head, "{path}");
            assert_eq!(
                answer.text().contains(started[number]),
                silent == Silence::Started,
                "{path} {silent:?}"
            );
            assert!(!answer.whole);
        }
    }
}
