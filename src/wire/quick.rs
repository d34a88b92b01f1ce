//! The type of an event's JSON without reading the JSON: most events of a stream only have to be recognised as none of
//! the few that matter.

use memchr::memchr;

/// The string under the top-level key `key` if it is the first or the last member, written without whitespace or
/// escapes, as the vendors write it. `None` means unknown, never absent. Exact when `data` is a whole JSON object.
pub fn type_at_an_end<'a>(data: &'a [u8], key: &str) -> Option<&'a [u8]> {
    type_at_the_front(data, key).or_else(|| type_at_the_back(data, key))
}

fn type_at_the_front<'a>(data: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let after_key = data.strip_prefix(b"{\"")?.strip_prefix(key.as_bytes())?;
    let value = after_key.strip_prefix(b"\":\"")?;
    let word = &value[..memchr(b'"', value)?];
    (!word.contains(&b'\\')).then_some(word)
}

/// The last `"` before the closing brace ends the last member's string. A quote inside a string is escaped, so the text
/// between it and the one before is that string, and what stands before it is its key.
fn type_at_the_back<'a>(data: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let body = data.strip_suffix(b"\"}")?;
    let open = memchr::memrchr(b'"', body)?;
    let word = &body[open + 1..];
    let before = body[..open]
        .strip_suffix(b"\":")?
        .strip_suffix(key.as_bytes())?;
    let is_a_key = matches!(before, [.., b',' | b'{', b'"']);
    (is_a_key && !word.contains(&b'\\')).then_some(word)
}
