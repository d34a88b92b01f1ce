//! An event stream as it is written: the bytes, and where each event begins, so that pauses and cuts can be placed.

use super::script::Behaviour;

/// What an event is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// It only says that the request exists, or that somebody is still there.
    Prelude,
    /// A sign of life while the request waits, sent after a pause of its own.
    Beat,
    /// A part of the answer.
    Part,
    /// A part that brings a piece of text, arguments or reasoning.
    Delta,
    /// The event that makes the answer whole, or says that it failed.
    Terminal,
    /// What follows it.
    Trailer,
}

/// One event: where it ends and what it is for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) end: usize,
    pub(super) class: Class,
}

/// An event stream, written.
#[derive(Debug, Default)]
pub(super) struct EventStream {
    pub(super) bytes: Vec<u8>,
    pub(super) marks: Vec<Mark>,
    crlf: bool,
    comments: bool,
    multiline: bool,
    /// How many deltas there are.
    deltas: usize,
    /// Where the last JSON ends.
    json_end: usize,
}

impl EventStream {
    pub(super) fn new(behaviour: &Behaviour) -> Self {
        let mut stream = Self {
            bytes: Vec::with_capacity(4096),
            crlf: behaviour.crlf,
            comments: behaviour.comments,
            multiline: behaviour.multiline,
            ..Self::default()
        };
        if behaviour.bom {
            stream.bytes.extend_from_slice("\u{feff}".as_bytes());
        }
        stream
    }

    /// Adds an event whose data is JSON.
    pub(super) fn json(&mut self, class: Class, name: Option<&str>, data: &str) {
        self.event(class, name, data);
        self.json_end = self.bytes.len() - if self.crlf { 4 } else { 2 };
    }

    /// Adds an event.
    pub(super) fn event(&mut self, class: Class, name: Option<&str>, data: &str) {
        if self.comments {
            self.line(&[": a comment"]);
            self.line(&[]);
        }
        if let Some(name) = name {
            self.line(&["event: ", name]);
        }
        if self.comments {
            self.line(&[":"]);
        }
        match data.strip_prefix('{') {
            // The space between two tokens is the one place where JSON may hold a line break.
            Some(rest) if self.multiline => {
                self.line(&["data: {"]);
                self.line(&["data: ", rest]);
            }
            _ => self.line(&["data: ", data]),
        }
        self.line(&[]);
        self.mark(class);
    }

    /// Adds a comment that stands alone, as a sign of life.
    pub(super) fn comment_beat(&mut self) {
        self.line(&[": keepalive"]);
        self.line(&[]);
        self.mark(Class::Beat);
    }

    /// How many signs of life fit into the wait before the first item.
    pub(super) fn beats(&self, behaviour: &Behaviour) -> u64 {
        match behaviour.keepalive_ms {
            0 => 0,
            pause => behaviour.start_delay_ms.saturating_sub(1) / pause,
        }
    }

    /// Whether the event just written is the first delta.
    pub(super) fn is_at_first_delta(&self) -> bool {
        self.deltas == 1
            && self
                .marks
                .last()
                .is_some_and(|mark| mark.class == Class::Delta)
    }

    /// Cuts everything behind the first delta; behind the first part, if there is no delta.
    pub(super) fn keep_first_delta(&mut self) {
        let first = |class| {
            self.marks
                .iter()
                .position(|mark: &Mark| mark.class == class)
        };
        let Some(place) = first(Class::Delta).or_else(|| first(Class::Part)) else {
            return;
        };
        self.marks.truncate(place + 1);
        self.bytes.truncate(self.marks[place].end);
    }

    /// Cuts everything behind the last JSON.
    pub(super) fn end_after_json(&mut self) {
        let end = self.json_end;
        self.bytes.truncate(end);
        self.marks.retain(|mark| mark.end < end);
        self.marks.push(Mark {
            end,
            class: Class::Terminal,
        });
    }

    fn mark(&mut self, class: Class) {
        self.deltas += usize::from(class == Class::Delta);
        self.marks.push(Mark {
            end: self.bytes.len(),
            class,
        });
    }

    fn line(&mut self, parts: &[&str]) {
        for part in parts {
            self.bytes.extend_from_slice(part.as_bytes());
        }
        self.bytes
            .extend_from_slice(if self.crlf { b"\r\n" } else { b"\n" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_can_end_right_after_its_last_json() {
        let mut stream = EventStream::new(&Behaviour {
            crlf: true,
            ..Behaviour::default()
        });
        stream.json(Class::Part, None, "{\"a\":1}");
        stream.json(Class::Terminal, Some("end"), "{}");
        stream.event(Class::Trailer, None, "[DONE]");
        stream.end_after_json();
        assert_eq!(
            stream.bytes,
            b"data: {\"a\":1}\r\n\r\nevent: end\r\ndata: {}"
        );
        assert_eq!(stream.marks.last().unwrap().end, stream.bytes.len());
    }
}
