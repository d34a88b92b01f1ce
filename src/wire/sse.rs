//! Cuts a server-sent event stream into blocks, on bytes. A block is everything up to and including a blank line: one
//! event, or only comments. Line ends are LF, CR LF or CR. What is whole is given back as it came, without a copy when
//! a chunk ends on a border; the unfinished tail is kept, with a bound.

use bytes::{Bytes, BytesMut};
use memchr::memchr2;

/// The most bytes that one event may have, unless configured otherwise: 64 MiB.
pub const EVENT_MAX: usize = 64 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The event framer. Feed it chunks, split anywhere.
#[derive(Debug)]
pub struct Framer {
    tail: BytesMut,
    scan: Scan,
    event_max: usize,
    at_start: bool,
    oversized: bool,
}

/// What a chunk completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Framed {
    /// All blocks that are whole now.
    pub whole: Bytes,
    /// A block outgrew the bound; nothing more will come.
    pub oversized: bool,
}

impl Framer {
    /// A framer at the beginning of a stream. `event_max` is the most bytes that one block may have.
    pub fn new(event_max: usize) -> Self {
        Self {
            tail: BytesMut::new(),
            scan: Scan::default(),
            event_max,
            at_start: true,
            oversized: false,
        }
    }

    /// Takes the next bytes and calls `each` for every block that they complete, in order, without its byte order mark.
    pub fn push(&mut self, chunk: Bytes, mut each: impl FnMut(&[u8])) -> Framed {
        if self.oversized {
            return Framed {
                whole: Bytes::new(),
                oversized: true,
            };
        }
        let direct = self.tail.is_empty();
        if !direct {
            self.tail.extend_from_slice(&chunk);
        }
        let buffer: &[u8] = if direct { &chunk } else { &self.tail };
        self.scan.skip_split_line_feed(buffer);
        while let Some(block) = self.scan.next_block(buffer) {
            if block.len() > self.event_max {
                self.oversized = true;
                self.scan.block_start = block.start;
                break;
            }
            let text = &buffer[block];
            each(if self.at_start {
                without_byte_order_mark(text)
            } else {
                text
            });
            self.at_start = false;
        }
        let border = self.scan.rebase();
        let whole = if direct {
            self.tail.extend_from_slice(&chunk[border..]);
            if border == chunk.len() {
                chunk
            } else {
                chunk.slice(..border)
            }
        } else {
            self.tail.split_to(border).freeze()
        };
        self.oversized |= self.tail.len() > self.event_max;
        if self.oversized {
            self.tail = BytesMut::new();
        }
        Framed {
            whole,
            oversized: self.oversized,
        }
    }

    /// The unfinished block, without a byte order mark.
    pub fn tail(&self) -> &[u8] {
        if self.at_start {
            return without_byte_order_mark(&self.tail);
        }
        &self.tail
    }

    /// Takes the unfinished block out, in the bytes that came, byte order mark included. For the end of the body.
    pub fn take_tail(&mut self) -> Bytes {
        self.scan = Scan::default();
        self.tail.split().freeze()
    }
}

fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Calls `each` for every block of `stream`, which starts on a border; the last one may lack its blank line.
pub fn for_each_block(stream: &[u8], mut each: impl FnMut(&[u8])) {
    let text = without_byte_order_mark(stream);
    let mut scan = Scan::default();
    while let Some(block) = scan.next_block(text) {
        each(&text[block]);
    }
    let rest = &text[scan.block_start..];
    if !rest.is_empty() {
        each(rest);
    }
}

/// Where the search for the next blank line stands; all positions count from the start of the unfinished block.
#[derive(Debug, Default)]
struct Scan {
    block_start: usize,
    line_start: usize,
    at: usize,
    /// The bytes so far end with a CR: a LF that comes next belongs to it.
    after_cr: bool,
}

impl Scan {
    /// Takes the LF of a CR LF that was split between two chunks.
    fn skip_split_line_feed(&mut self, buffer: &[u8]) {
        if !self.after_cr || self.at >= buffer.len() {
            return;
        }
        self.after_cr = false;
        if buffer[self.at] != b'\n' {
            return;
        }
        if self.block_start == self.at {
            self.block_start += 1;
        }
        self.at += 1;
        self.line_start = self.at;
    }

    fn next_block(&mut self, buffer: &[u8]) -> Option<std::ops::Range<usize>> {
        while let Some(offset) = memchr2(b'\n', b'\r', &buffer[self.at..]) {
            let line_end = self.at + offset;
            let blank = line_end == self.line_start;
            self.at = line_end + 1;
            if buffer[line_end] == b'\r' {
                match buffer.get(self.at) {
                    Some(b'\n') => self.at += 1,
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
            self.line_start = self.at;
            if blank {
                let block = self.block_start..self.at;
                self.block_start = self.at;
                return Some(block);
            }
        }
        self.at = buffer.len();
        None
    }

    /// Makes the last border the new zero and says where it was.
    fn rebase(&mut self) -> usize {
        let border = self.block_start;
        self.at = self.at.saturating_sub(border);
        self.line_start = self.line_start.saturating_sub(border);
        self.block_start = 0;
        border
    }
}
