//! Passes a body that is not an event stream through as it comes, and says at its end whether it was a whole JSON
//! document: the HTTP client reports a cut body as complete.

use bytes::{Bytes, BytesMut};
use startline_actors::leg::{AnswerReader, Ending, Progress, Reading};

use super::reader::is_json;

/// The most bytes of a body that is not streamed, unless configured otherwise: 64 MiB.
pub const RESPONSE_MAX: usize = 64 << 20;

/// The reader of a document. It never proves a start.
pub struct DocumentReader {
    pieces: Vec<Bytes>,
    length: usize,
    response_max: usize,
}

impl DocumentReader {
    /// A reader at the beginning of a body. `response_max` is the most bytes that it may have.
    pub fn new(response_max: usize) -> Self {
        Self {
            pieces: Vec::new(),
            length: 0,
            response_max,
        }
    }
}

impl AnswerReader for DocumentReader {
    fn read(&mut self, bytes: Bytes) -> Reading {
        self.length = self.length.saturating_add(bytes.len());
        if self.length > self.response_max {
            self.pieces = Vec::new();
            return Reading {
                whole: Bytes::new(),
                progress: Progress::Oversized,
            };
        }
        self.pieces.push(bytes.clone());
        Reading {
            whole: bytes,
            progress: Progress::Queued,
        }
    }

    fn end(&mut self) -> Ending {
        let pieces = std::mem::take(&mut self.pieces);
        let whole = match pieces.as_slice() {
            [one] => is_json(one),
            several => is_json(&joined(several)),
        };
        if whole {
            Ending::Complete
        } else {
            Ending::Truncated
        }
    }
}

fn joined(pieces: &[Bytes]) -> BytesMut {
    let mut document = BytesMut::with_capacity(pieces.iter().map(Bytes::len).sum());
    for piece in pieces {
        document.extend_from_slice(piece);
    }
    document
}
