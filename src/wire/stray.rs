//! A JSON document where an event should be. Providers and their front doors have been seen to write a bare error
//! object into a stream that they had opened with status 200.

/// Follows a JSON document byte by byte until its outermost bracket closes.
#[derive(Debug, Default)]
pub struct StrayDocument {
    read: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    closed_at: Option<usize>,
}

/// Whether a block begins as a JSON document does. No field name of an event stream begins so.
pub fn begins_a_document(block: &[u8]) -> bool {
    matches!(block.first(), Some(b'{' | b'['))
}

impl StrayDocument {
    /// Reads on in `text`, whose beginning has been seen before. Gives the length of the document once it is closed.
    pub fn follow(&mut self, text: &[u8]) -> Option<usize> {
        while self.closed_at.is_none() && self.read < text.len() {
            self.step(text[self.read]);
            self.read += 1;
            if self.depth == 0 {
                self.closed_at = Some(self.read);
            }
        }
        self.closed_at
    }

    fn step(&mut self, byte: u8) {
        if self.escaped {
            self.escaped = false;
            return;
        }
        match byte {
            b'\\' if self.in_string => self.escaped = true,
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
    }
}
