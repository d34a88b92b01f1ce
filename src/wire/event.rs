//! One server-sent event, read from its block.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The fields of an event that matter to us. `id`, `retry`, comments and unknown fields are left in the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event<'a> {
    /// The `event:` line, if there is one. A hint only: the data's own type decides.
    pub name: Option<&'a [u8]>,
    /// The `data:` lines, joined by a line feed. `None` without such a line.
    pub data: Option<Cow<'a, [u8]>>,
}

impl<'a> Event<'a> {
    /// Reads a block, with or without its closing blank line.
    pub fn parse(block: &'a [u8]) -> Self {
        let mut event = Self::default();
        let mut rest = block;
        while !rest.is_empty() {
            let end = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            event.take_line(&rest[..end]);
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        event
    }

    fn take_line(&mut self, line: &'a [u8]) {
        if let Some(value) = line.strip_prefix(b"data:") {
            self.add_data(without_leading_space(value));
            return;
        }
        let colon = memchr(b':', line).unwrap_or(line.len());
        let value = without_leading_space(line.get(colon + 1..).unwrap_or_default());
        match &line[..colon] {
            b"event" => self.name = Some(value),
            b"data" => self.add_data(value),
            _ => {}
        }
    }

    fn add_data(&mut self, value: &'a [u8]) {
        let Some(before) = &mut self.data else {
            self.data = Some(Cow::Borrowed(value));
            return;
        };
        let joined = before.to_mut();
        joined.push(b'\n');
        joined.extend_from_slice(value);
    }
}

fn without_leading_space(value: &[u8]) -> &[u8] {
    value.strip_prefix(b" ").unwrap_or(value)
}
