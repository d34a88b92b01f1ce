//! Bodies that are not event streams.

use bytes::Bytes;
use startline_actors::leg::{AnswerReader, Ending, Progress};

use crate::wire::document::DocumentReader;

const DOCUMENT: &[u8] =
    br#"{"id":"r","output":[{"text":"a \"}\" in it"}],"usage":{"input_tokens":-1.5e3}}"#;

fn ending_of(pieces: &[&[u8]]) -> Ending {
    let mut reader = DocumentReader::new(1 << 20);
    for piece in pieces {
        let reading = reader.read(Bytes::copy_from_slice(piece));
        assert_eq!(reading.whole, piece);
        assert_eq!(reading.progress, Progress::Queued);
    }
    reader.end()
}

#[test]
fn a_document_is_complete_at_its_last_byte_and_never_before() {
    for cut in 0..DOCUMENT.len() {
        assert_eq!(
            ending_of(&[&DOCUMENT[..cut]]),
            Ending::Truncated,
            "cut at {cut}"
        );
        let (first, second) = DOCUMENT.split_at(cut);
        assert_eq!(
            ending_of(&[first, second, b"\n"]),
            Ending::Complete,
            "split at {cut}"
        );
    }
}

#[test]
fn what_is_not_json_is_never_complete() {
    for body in [b"".as_slice(), b"<html></html>", b"{} {}", b"{\"a\":1}x"] {
        assert_eq!(ending_of(&[body]), Ending::Truncated, "{body:?}");
    }
}

#[test]
fn a_document_that_outgrows_its_bound_is_oversized() {
    let mut reader = DocumentReader::new(4);
    assert_eq!(
        reader.read(Bytes::from_static(b"[1,2")).progress,
        Progress::Queued
    );
    assert_eq!(
        reader.read(Bytes::from_static(b"]")).progress,
        Progress::Oversized
    );
    assert_eq!(
        reader.read(Bytes::from_static(b" ")).progress,
        Progress::Oversized
    );
}
