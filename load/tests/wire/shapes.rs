//! The shape of a body: line ends, chunks, framing, and the oddities of single vendors.

use startline_load::simulator::{Behaviour, Content, Framing, Simulator};

use crate::client::{names, post, post_scripted, surfaces};

#[test]
fn the_stream_can_end_without_its_last_line_breaks() {
    let simulator = Simulator::start_default();
    let behaviour = Behaviour {
        no_terminal_newline: true,
        ..Behaviour::default()
    };
    for (path, body) in surfaces(true) {
        let answer = post_scripted(&simulator, path, &body, behaviour.clone());
        assert!(answer.whole && answer.body.ends_with(b"}"), "{path}");
    }
}

#[test]
fn odd_streams_hold_the_same_events() {
    let simulator = Simulator::start_default();
    let odd = Behaviour {
        crlf: true,
        bom: true,
        comments: true,
        multiline: true,
        chunk: Some(7),
        ..Behaviour::default()
    };
    for (path, body) in surfaces(true) {
        let plain = post(&simulator, path, &body);
        let answer = post_scripted(&simulator, path, &body, odd.clone());
        assert!(answer.body.starts_with("\u{feff}".as_bytes()) && answer.whole);
        assert!(answer.text().contains("\r\n\r\n") && answer.text().contains(": a comment"));
        assert_eq!(names(&answer), names(&plain), "{path}");
    }
}

#[test]
fn what_was_sent_is_kept_byte_for_byte() {
    let simulator = Simulator::start_default();
    let chunked = Behaviour {
        chunk: Some(11),
        ..Behaviour::default()
    };
    for (path, body) in surfaces(true).into_iter().chain(surfaces(false)) {
        for behaviour in [Behaviour::default(), chunked.clone()] {
            let answer = post_scripted(&simulator, path, &body, behaviour);
            let last = simulator.seen().pop().unwrap();
            assert_eq!(last.sent_body, answer.body, "{path}");
            assert!(last.finished_at.is_some() && last.status_sent == Some(200));
        }
    }
}

#[test]
fn the_framing_can_be_chosen() {
    let simulator = Simulator::start_default();
    for framing in [Framing::Chunked, Framing::Length, Framing::Close] {
        for (path, body) in surfaces(true).into_iter().chain(surfaces(false)) {
            let behaviour = Behaviour {
                framing: Some(framing),
                ..Behaviour::default()
            };
            let answer = post_scripted(&simulator, path, &body, behaviour);
            assert!(answer.whole, "{path} {framing:?}");
            assert_eq!(
                answer.header("content-length").is_some(),
                framing == Framing::Length
            );
            assert_eq!(
                answer.header("transfer-encoding").is_some(),
                framing == Framing::Chunked
            );
        }
    }
}

#[test]
fn oddities_of_single_vendors_can_be_asked_for() {
    let simulator = Simulator::start_default();
    let [responses, _, interactions, messages] = surfaces(true);
    let twice = Behaviour {
        second_message_start: true,
        restated_input: Some(999),
        ..Behaviour::default()
    };
    let answer = post_scripted(&simulator, messages.0, &messages.1, twice);
    assert_eq!(answer.text().matches("event: message_start").count(), 2);
    assert!(answer.text().contains("\"input_tokens\":999"));
    let prefilled = Behaviour {
        prefilled: true,
        ..Behaviour::default()
    };
    let events = post_scripted(&simulator, interactions.0, &interactions.1, prefilled).events();
    assert!(
        events
            .iter()
            .any(|event| event.data["step"]["content"][0]["text"] == "You")
    );
    let no_added = Behaviour {
        no_item_added: true,
        ..Behaviour::default()
    };
    let answer = post_scripted(&simulator, responses.0, &responses.1, no_added);
    assert!(!answer.text().contains("output_item.added"));
    let unknown = Behaviour {
        unknown_events: true,
        ..Behaviour::default()
    };
    for (path, body) in surfaces(true) {
        let answer = post_scripted(&simulator, path, &body, unknown.clone());
        assert!(answer.text().contains("weather"), "{path}");
    }
}

#[test]
fn a_call_without_deltas_still_brings_its_arguments() {
    let simulator = Simulator::start_default();
    let behaviour = Behaviour {
        content: vec![Content::DeltaLessToolCall],
        ..Behaviour::default()
    };
    let (path, body) = &surfaces(true)[0];
    let answer = post_scripted(&simulator, path, body, behaviour);
    assert!(!answer.text().contains("arguments.delta"));
    let events = answer.events();
    let done = events
        .iter()
        .find(|event| event.name == "response.function_call_arguments.done")
        .unwrap();
    assert_eq!(done.data["arguments"], "{\"city\":\"Oslo\"}");
}

#[test]
fn a_raw_body_is_sent_as_it_is() {
    let simulator = Simulator::start_default();
    let behaviour = Behaviour {
        raw_body: Some("<html>busy</html>".into()),
        content_type: Some("text/html".into()),
        status: Some(502),
        ..Behaviour::default()
    };
    let (path, body) = &surfaces(true)[3];
    let answer = post_scripted(&simulator, path, body, behaviour);
    assert_eq!((answer.status, answer.text()), (502, "<html>busy</html>"));
    assert_eq!(answer.header("content-type"), Some("text/html"));
}
