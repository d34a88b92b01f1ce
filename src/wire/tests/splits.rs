//! What must hold for every body, wherever it is split or cut.

use startline_actors::leg::{Ending, Progress};

use super::replay::{Run, run, run_watched, verdict_byte_by_byte};
use crate::vocabulary::ProviderSurface;

/// Splits `body` in two at every byte position, and into single bytes, and checks that the verdict comes with the piece
/// that brings its last byte and that the same bytes are handed out. Gives the outcome of the unsplit body.
pub fn check_every_two_piece_split(name: &str, surface: ProviderSurface, body: &[u8]) -> Run {
    check_two_piece_splits(name, surface, body, 1..body.len())
}

/// The same at some positions.
pub fn check_two_piece_splits(
    name: &str,
    surface: ProviderSurface,
    body: &[u8],
    positions: impl IntoIterator<Item = usize>,
) -> Run {
    let unsplit = run(surface, [body]);
    let (verdict, at) = verdict_byte_by_byte(surface, body);
    assert_eq!(verdict, unsplit.progress, "{name}, byte by byte");
    let in_bytes = run(surface, body.chunks(1));
    assert!(
        in_bytes == unsplit,
        "{name}, byte by byte: {:?}",
        in_bytes.ending
    );
    for position in positions {
        let (first, second) = body.split_at(position);
        let split = run_watched(surface, [first, second], |fed, progress| {
            let decided = at.is_some_and(|offset| fed >= offset);
            let expected = if decided { &verdict } else { &Progress::Queued };
            assert_eq!(
                progress, expected,
                "{name}, split at {position}, after {fed}"
            );
        });
        assert!(
            split == unsplit,
            "{name}, at {position}: {:?}",
            split.ending
        );
    }
    unsplit
}

/// Cuts `body` at every byte: before the terminal event's last byte it is never complete, and what is handed out is
/// always a beginning of the body; from then on nothing of the terminal event is held back.
pub fn check_every_truncation(
    name: &str,
    surface: ProviderSurface,
    body: &[u8],
    terminal_end: usize,
) {
    for cut in 0..=body.len() {
        let outcome = run(surface, [&body[..cut]]);
        assert!(
            body[..cut].starts_with(&outcome.relayed),
            "{name}, cut at {cut}"
        );
        if cut < terminal_end {
            assert_ne!(outcome.ending, Ending::Complete, "{name}, cut at {cut}");
        } else if outcome.ending == Ending::Complete {
            assert!(
                outcome.relayed.len() >= terminal_end,
                "{name}, cut at {cut}"
            );
        }
    }
}

#[test]
fn a_refusal_is_final_and_what_follows_is_only_passed_on() {
    let body = b"data: {\"type\":\"error\",\"code\":\"first\",\"message\":\"m\"}\n\n\
        data: {\"type\":\"response.output_item.added\",\"output_index\":0}\n\n\
        data: {\"type\":\"error\",\"code\":\"second\",\"message\":\"m\"}\n\n";
    let outcome =
        check_every_two_piece_split("refusal first", ProviderSurface::OpenaiResponses, body);
    let Progress::Refused(fault) = outcome.progress else {
        panic!("not refused: {:?}", outcome.progress);
    };
    assert_eq!(fault.code.as_deref(), Some("first"));
    assert_eq!(outcome.relayed, body);
}

#[test]
fn a_start_and_a_failure_in_one_chunk_are_a_start() {
    let body = b"data: {\"type\":\"response.output_item.added\",\"output_index\":0}\n\n\
        data: {\"type\":\"error\",\"code\":\"late\",\"message\":\"m\"}\n\n";
    let outcome = run(ProviderSurface::OpenaiResponses, [body.as_slice()]);
    assert_eq!(outcome.progress, Progress::Started);
    assert!(matches!(
        outcome.ending,
        Ending::Failed {
            terminal: false,
            ..
        }
    ));
}

#[test]
fn an_answer_nested_deeper_than_parsers_like_is_still_complete() {
    let deep = format!("{}{}", "[".repeat(4000), "]".repeat(4000));
    let body =
        format!("data: {{\"response\":{{\"tools\":{deep}}},\"type\":\"response.completed\"}}\n\n");
    let outcome = run(ProviderSurface::OpenaiResponses, [body.as_bytes()]);
    assert_eq!(
        (outcome.progress, outcome.ending),
        (Progress::Started, Ending::Complete)
    );
}
