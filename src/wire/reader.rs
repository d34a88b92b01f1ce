//! Reads an event stream for its start, its failure and its end: the framer, and what one surface makes of an event.

use bytes::Bytes;
use startline_actors::error::Fault;
use startline_actors::leg::{AnswerReader, Ending, Progress, Reading};

use super::event::Event;
use super::fault;
use super::sse::Framer;
use super::stray::{StrayDocument, begins_a_document};

/// What one event says about its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sign {
    /// Nothing that matters here.
    Nothing,
    /// The provider has started.
    Start,
    /// The terminal event of a good answer.
    Done {
        /// Whether it proves a start by itself.
        starts: bool,
    },
    /// The provider says that it failed.
    Fault {
        /// What it says.
        fault: Fault,
        /// Whether this is the surface's terminal form.
        terminal: bool,
    },
}

/// A surface's reading of one event's data. `started` says that the start proof is already there, so that only a
/// terminal event or a failure is of interest.
pub type Sense = fn(data: &[u8], started: bool) -> Sign;

/// The reader of an event stream.
pub struct StreamReader {
    framer: Framer,
    sense: Sense,
    standing: Standing,
    stray: StrayDocument,
    oversized: bool,
    rest: Bytes,
}

impl StreamReader {
    /// A reader at the beginning of a body. `event_max` is the most bytes that one event may have.
    pub fn new(sense: Sense, event_max: usize) -> Self {
        Self {
            framer: Framer::new(event_max),
            sense,
            standing: Standing {
                progress: Progress::Queued,
                ending: None,
            },
            stray: StrayDocument::default(),
            oversized: false,
            rest: Bytes::new(),
        }
    }

    /// A document in place of an event refuses as soon as it is whole: the blank line after it may never come.
    fn look_for_a_stray_document(&mut self, whole: &Bytes) {
        if !whole.is_empty() {
            self.stray = StrayDocument::default();
        }
        let tail = self.framer.tail();
        if !begins_a_document(tail) {
            return;
        }
        if let Some(length) = self.stray.follow(tail) {
            self.standing.refuse_document(&tail[..length]);
        }
    }
}

impl AnswerReader for StreamReader {
    /// A failure before the start is final for `progress`; the framing goes on, because a settled tier passes the
    /// provider's own failure frames on.
    fn read(&mut self, bytes: Bytes) -> Reading {
        let (sense, standing) = (self.sense, &mut self.standing);
        let framed = self
            .framer
            .push(bytes, |block| standing.take_block(block, sense));
        if framed.oversized {
            self.oversized = true;
        } else if self.standing.progress == Progress::Queued {
            self.look_for_a_stray_document(&framed.whole);
        }
        let progress = match (&self.standing.progress, self.oversized) {
            (Progress::Refused(_), _) | (_, false) => self.standing.progress.clone(),
            (_, true) => Progress::Oversized,
        };
        Reading {
            whole: framed.whole,
            progress,
        }
    }

    fn end(&mut self) -> Ending {
        let text_length = self.framer.tail().len();
        let tail = self.framer.take_tail();
        let text = &tail[tail.len() - text_length..];
        let last = Event::parse(text);
        let decided_before = self.standing.is_decided();
        if !self.oversized {
            self.standing.take_block(text, self.sense);
        }
        if self.standing.is_decided() && may_be_passed_on(&last, decided_before) {
            self.rest = tail.clone();
        }
        self.standing.ending.clone().unwrap_or(Ending::Truncated)
    }

    fn rest(&mut self) -> Bytes {
        std::mem::take(&mut self.rest)
    }
}

/// Whether an event without its blank line belongs to the answer: it is the terminal one, or it came after that and is
/// not cut inside its data.
fn may_be_passed_on(last: &Event<'_>, decided_before: bool) -> bool {
    if !decided_before {
        return true;
    }
    match &last.data {
        Some(data) => data.as_ref() == b"[DONE]" || is_json(data),
        None => last.name.is_none(),
    }
}

/// Whether `text` is one whole JSON value, however deep.
pub fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

/// What the events so far add up to.
#[derive(Debug)]
struct Standing {
    progress: Progress,
    ending: Option<Ending>,
}

impl Standing {
    fn take_block(&mut self, block: &[u8], sense: Sense) {
        if begins_a_document(block) {
            let length = StrayDocument::default()
                .follow(block)
                .unwrap_or(block.len());
            self.refuse_document(&block[..length]);
            return;
        }
        let Some(data) = Event::parse(block).data else {
            return;
        };
        let started = self.progress != Progress::Queued;
        match sense(&data, started) {
            Sign::Nothing => {}
            Sign::Start => self.start(),
            Sign::Done { starts } => self.finish(starts),
            Sign::Fault { fault, terminal } => self.fail(fault, terminal),
        }
    }

    fn start(&mut self) {
        if self.progress == Progress::Queued {
            self.progress = Progress::Started;
        }
    }

    fn finish(&mut self, starts: bool) {
        if starts {
            self.start();
        }
        if !self.is_decided() {
            self.ending = Some(Ending::Complete);
        }
    }

    /// The first words of a failure count; a terminal frame after them only makes them terminal.
    fn fail(&mut self, fault: Fault, terminal: bool) {
        if self.progress == Progress::Queued && !self.is_decided() {
            self.progress = Progress::Refused(fault.clone());
        }
        match &mut self.ending {
            None => self.ending = Some(Ending::Failed { fault, terminal }),
            Some(Ending::Failed {
                terminal: known, ..
            }) => *known |= terminal,
            Some(_) => {}
        }
    }

    fn refuse_document(&mut self, document: &[u8]) {
        let fault = match serde_json::from_slice(document) {
            Ok(value) => fault::from_document(&value),
            Err(_) => Fault {
                message: "the body is not an event stream".to_owned(),
                code: None,
            },
        };
        self.fail(fault, false);
    }

    fn is_decided(&self) -> bool {
        matches!(
            self.ending,
            Some(Ending::Complete | Ending::Failed { terminal: true, .. })
        )
    }
}
