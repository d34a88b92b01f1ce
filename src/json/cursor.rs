//! A validator of JSON text that builds nothing: it walks over the bytes once and says where values begin and end. The
//! grammar is RFC 8259's; nesting is bounded, which serde_json's way of skipping a value is not.

use std::ops::Range;

/// Levels of nesting that are accepted.
pub(crate) const DEEPEST: u32 = 128;

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Offset in bytes.
    pub(crate) at: usize,
    /// What is wrong there, to follow "is not valid JSON:".
    pub(crate) what: &'static str,
}

/// A place in a text.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn fail<T>(&self, what: &'static str) -> Result<T, Malformed> {
        Err(Malformed { at: self.at, what })
    }

    pub(crate) fn skip_whitespace(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Steps over `byte` if it is next.
    pub(crate) fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Steps over a member's name and its colon. Gives back what stands between the quotes.
    pub(crate) fn name(&mut self) -> Result<Range<usize>, Malformed> {
        if self.peek() != Some(b'"') {
            return self.fail("a field name in double quotes is expected");
        }
        let quoted = self.string()?;
        self.skip_whitespace();
        if !self.takes(b':') {
            return self.fail("a colon is expected");
        }
        self.skip_whitespace();
        Ok(quoted.start + 1..quoted.end - 1)
    }

    /// Steps over the value that begins here, which lies `depth` levels deep. Gives back its place.
    pub(crate) fn value(&mut self, depth: u32) -> Result<Range<usize>, Malformed> {
        let start = self.at;
        let mut open = Open {
            objects: 0,
            levels: 0,
            room: DEEPEST.saturating_sub(depth),
        };
        loop {
            let begins_a_value = match self.peek() {
                Some(bracket @ (b'{' | b'[')) => self.enter(bracket, &mut open)?,
                _ => {
                    self.scalar()?;
                    false
                }
            };
            if !begins_a_value && !self.leave(&mut open)? {
                return Ok(start..self.at);
            }
        }
    }

    /// Steps over an opening bracket; says whether a value follows, and not the closing bracket at once.
    fn enter(&mut self, bracket: u8, open: &mut Open) -> Result<bool, Malformed> {
        if open.levels == open.room {
            return self.fail("it is nested deeper than 128 levels");
        }
        self.at += 1;
        self.skip_whitespace();
        let is_object = bracket == b'{';
        if self.takes(if is_object { b'}' } else { b']' }) {
            return Ok(false);
        }
        open.push(is_object);
        if is_object {
            self.name()?;
        }
        Ok(true)
    }

    /// After a value: steps over closing brackets up to the next comma; says whether a value follows.
    fn leave(&mut self, open: &mut Open) -> Result<bool, Malformed> {
        while open.levels > 0 {
            self.skip_whitespace();
            let in_object = open.in_object();
            if self.takes(b',') {
                self.skip_whitespace();
                if in_object {
                    self.name()?;
                }
                return Ok(true);
            }
            if !self.takes(if in_object { b'}' } else { b']' }) {
                return self.fail("a comma or a closing bracket is expected");
            }
            open.pop();
        }
        Ok(false)
    }

    fn scalar(&mut self) -> Result<(), Malformed> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| ()),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            _ => self.fail("a value is expected"),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Malformed> {
        if !self.bytes[self.at..].starts_with(word) {
            return self.fail("a value is expected");
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), Malformed> {
        self.takes(b'-');
        let begins_with_zero = self.peek() == Some(b'0');
        let digits = self.digits()?;
        if begins_with_zero && digits > 1 {
            return self.fail("a number has no leading zero");
        }
        if self.takes(b'.') {
            self.digits()?;
        }
        if self.takes(b'e') || self.takes(b'E') {
            let _ = self.takes(b'+') || self.takes(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<usize, Malformed> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start {
            return self.fail("a digit is expected");
        }
        Ok(self.at - start)
    }

    /// Steps over a string. Gives back its place, quotes included.
    fn string(&mut self) -> Result<Range<usize>, Malformed> {
        let start = self.at;
        self.at += 1;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(start..self.at);
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fail("a control character in a string has to be escaped"),
                None => return self.fail("a string does not end"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Malformed> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6).unwrap_or_default();
                if digits.len() != 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return self.fail("\\u needs four hexadecimal digits");
                }
                self.at += 6;
            }
            _ => return self.fail("an unknown escape stands in a string"),
        }
        Ok(())
    }
}

/// The containers that are open, innermost in the lowest bit: 1 is an object, 0 an array.
struct Open {
    objects: u128,
    levels: u32,
    room: u32,
}

impl Open {
    fn push(&mut self, is_object: bool) {
        self.objects = self.objects << 1 | u128::from(is_object);
        self.levels += 1;
    }

    fn pop(&mut self) {
        self.objects >>= 1;
        self.levels -= 1;
    }

    fn in_object(&self) -> bool {
        self.objects & 1 == 1
    }
}

/// How many bytes from the start mean nothing special inside a string.
fn plain_run(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (place, word) in words.iter().enumerate() {
        let plain = plain_bytes(u64::from_le_bytes(*word));
        if plain < 8 {
            return 8 * place + plain;
        }
    }
    let plain = rest.iter().position(|byte| is_special(*byte));
    8 * words.len() + plain.unwrap_or(rest.len())
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// How many of the eight bytes of `word`, from the lowest, come before the first special one. A subtraction sets the
/// high bit of a byte that is smaller than what is taken from it; a borrow spoils only the bytes above.
fn plain_bytes(word: u64) -> usize {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const HIGH_BITS: u64 = EACH << 7;
    let smaller = |word: u64, than: u8| word.wrapping_sub(EACH * u64::from(than)) & !word;
    let equal = |byte: u8| smaller(word ^ (EACH * u64::from(byte)), 1);
    let special = (smaller(word, 0x20) | equal(b'"') | equal(b'\\')) & HIGH_BITS;
    (special.trailing_zeros() / 8) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Result<(), Malformed> {
        let mut cursor = Cursor::new(text.as_bytes());
        cursor.value(0)?;
        if cursor.at < text.len() {
            cursor.fail("something follows")
        } else {
            Ok(())
        }
    }

    #[test]
    fn legal_texts_are_accepted() {
        for text in [
            "null",
            "true",
            "false",
            "0",
            "-0",
            "-1.5e+10",
            "1E400",
            "123",
            "\"\"",
            "\"a\\u00e9\\n\"",
            "[]",
            "{}",
            "[ 1 , [ ] , { \"a\" : { } } ]",
            "{\"a\":[1,2,{\"b\":null}],\"c\":\"d\"}",
            "\"\\ud800\"",
            "\"\u{7f}é\"",
        ] {
            assert_eq!(whole(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn illegal_texts_are_refused_as_serde_json_refuses_them() {
        for text in [
            "",
            "nul",
            "NaN",
            "Infinity",
            "-",
            "01",
            "1.",
            ".5",
            "1e",
            "+1",
            "'a'",
            "\"a",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\u12",
            "\"\n\"",
            "[1,]",
            "[1 2]",
            "[",
            "]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{1:2}",
            "[}",
            "{]",
            "{\"a\":1]",
            "[1}",
            "true false",
            "{} {}",
            "\"\\",
            "\"a\\",
            "/* */1",
            "tru",
            "[,1]",
        ] {
            assert!(whole(text).is_err(), "{text}");
            assert!(
                serde_json::from_str::<serde_json::Value>(text).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn the_128th_level_is_the_last() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(whole(&nested(128)), Ok(()));
        assert!(whole(&nested(129)).is_err());
        assert!(whole(&nested(100_000)).is_err());
        let objects = |levels: usize| "{\"a\":".repeat(levels) + "1" + &"}".repeat(levels);
        assert_eq!(whole(&objects(128)), Ok(()));
        assert!(whole(&objects(129)).is_err());
    }

    #[test]
    fn a_special_byte_is_found_at_every_offset() {
        // Plain bytes, the neighbours of the special ones among them.
        let fillings = [b'a', 0x20, 0x21, 0x23, 0x5b, 0x5d, 0x7f, 0x80, 0xc3, 0xff];
        for (length, filling) in (0..100).flat_map(|length| fillings.map(|byte| (length, byte))) {
            for special in [b'"', b'\\', 0x1f, 0x00] {
                let mut text = vec![filling; length];
                text.push(special);
                text.extend_from_slice(&[filling; 40]);
                assert_eq!(plain_run(&text), length);
            }
            assert_eq!(plain_run(&vec![filling; length]), length);
        }
    }

    #[test]
    fn a_text_cut_anywhere_is_refused() {
        let text = "{\"a\":[1.5,-2e3,true,null,\"x\\u0041\\n\"],\"b\":{\"c\":{}}}";
        for end in 0..text.len() {
            assert!(whole(&text[..end]).is_err(), "{}", &text[..end]);
        }
    }
}
