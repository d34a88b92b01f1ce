//! The members of JSON objects and the elements of arrays, as pieces of the text they stand in.

use std::borrow::Cow;
use std::ops::Range;

use super::cursor::{Cursor, Malformed};

/// Top-level fields that a body may have. No vendor's format has a hundred.
const MOST_FIELDS: usize = 4096;

/// A top-level field: where it stands in the body.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// What stands between the quotes of the name.
    name: Range<usize>,
    /// The name, when it is written with escapes.
    decoded: Option<Box<str>>,
    value: Range<usize>,
}

impl Member {
    /// The name, decoded.
    pub(crate) fn name<'a>(&'a self, body: &'a [u8]) -> &'a str {
        match &self.decoded {
            Some(decoded) => decoded,
            // The body has been found to be UTF-8 and a name begins and ends at a quote.
            None => std::str::from_utf8(&body[self.name.clone()]).unwrap_or_default(),
        }
    }

    pub(crate) fn is_named(&self, body: &[u8], name: &str) -> bool {
        match &self.decoded {
            Some(decoded) => **decoded == *name,
            None => body[self.name.clone()] == *name.as_bytes(),
        }
    }

    /// The JSON text of the value.
    pub(crate) fn value<'a>(&self, body: &'a [u8]) -> &'a [u8] {
        &body[self.value.clone()]
    }

    /// The name as it is written, quotes included.
    pub(crate) fn quoted_name<'a>(&self, body: &'a [u8]) -> &'a [u8] {
        &body[self.name.start - 1..self.name.end + 1]
    }
}

/// Validates a whole body and finds its top-level fields.
pub(crate) fn top_level(body: &[u8]) -> Result<Vec<Member>, Malformed> {
    if let Err(error) = std::str::from_utf8(body) {
        return Err(Malformed {
            at: error.valid_up_to(),
            what: "it is not UTF-8",
        });
    }
    let mut cursor = Cursor::new(body);
    cursor.skip_whitespace();
    if !cursor.takes(b'{') {
        return cursor.fail("an object is expected");
    }
    let members = members_to_the_end(body, &mut cursor)?;
    cursor.skip_whitespace();
    if cursor.peek().is_some() {
        return cursor.fail("something follows the object");
    }
    Ok(members)
}

fn members_to_the_end(body: &[u8], cursor: &mut Cursor<'_>) -> Result<Vec<Member>, Malformed> {
    let mut members = Vec::with_capacity(16);
    cursor.skip_whitespace();
    if cursor.takes(b'}') {
        return Ok(members);
    }
    loop {
        cursor.skip_whitespace();
        let name = cursor.name()?;
        let value = cursor.value(1)?;
        if members.len() == MOST_FIELDS {
            return cursor.fail("it has more than 4,096 top-level fields");
        }
        let decoded = match decoded_name(&body[name.clone()]) {
            Cow::Owned(text) => Some(text.into_boxed_str()),
            Cow::Borrowed(_) => None,
        };
        members.push(Member {
            name,
            decoded,
            value,
        });
        cursor.skip_whitespace();
        if cursor.takes(b'}') {
            return Ok(members);
        }
        if !cursor.takes(b',') {
            return cursor.fail("a comma or a closing brace is expected");
        }
    }
}

/// The text of a name. One that no text can express (a lone half of a surrogate pair) stays as it is written: it is
/// nobody's name.
fn decoded_name(written: &[u8]) -> Cow<'_, str> {
    let plain = || Cow::Borrowed(std::str::from_utf8(written).unwrap_or_default());
    if memchr::memchr(b'\\', written).is_none() {
        return plain();
    }
    let quoted = [b"\"", written, b"\""].concat();
    match serde_json::from_slice::<String>(&quoted) {
        Ok(text) => Cow::Owned(text),
        Err(_) => plain(),
    }
}

/// The text of a JSON string; `None` for any other value and for a lone half of a surrogate pair.
pub(crate) fn decoded_string(value: &[u8]) -> Option<String> {
    if value.first() != Some(&b'"') {
        return None;
    }
    serde_json::from_slice(value).ok()
}

/// Names and values of an object, which has to be a value of a validated text; nothing for any other value.
pub(crate) fn members_of(object: &[u8]) -> impl Iterator<Item = (Cow<'_, str>, &[u8])> {
    members_as_written(object).map(|(name, value)| (decoded_name(name), value))
}

/// Like [`members_of`], with what stands between the quotes of the names.
pub(crate) fn members_as_written(object: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut cursor = Cursor::new(object);
    let mut more = cursor.takes(b'{');
    std::iter::from_fn(move || {
        if !more {
            return None;
        }
        cursor.skip_whitespace();
        let name = cursor.name().ok()?;
        let value = cursor.value(0).ok()?;
        cursor.skip_whitespace();
        more = cursor.takes(b',');
        Some((&object[name], &object[value]))
    })
}

/// The elements of an array, which has to be a value of a validated text; nothing for any other value.
pub(crate) fn elements_of(array: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut cursor = Cursor::new(array);
    let mut more = cursor.takes(b'[');
    std::iter::from_fn(move || {
        if !more {
            return None;
        }
        cursor.skip_whitespace();
        let value = cursor.value(0).ok()?;
        cursor.skip_whitespace();
        more = cursor.takes(b',');
        Some(&array[value])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_where_they_stand() {
        let body = b" { \"a\" : 1 , \"b\\u0063\" : [ { } ] , \"\" : \"x\" } ";
        let members = top_level(body).unwrap();
        let found: Vec<(&str, &[u8])> = members
            .iter()
            .map(|m| (m.name(body), m.value(body)))
            .collect();
        assert_eq!(
            found,
            [
                ("a", &b"1"[..]),
                ("bc", &b"[ { } ]"[..]),
                ("", &b"\"x\""[..])
            ]
        );
        assert_eq!(members[1].quoted_name(body), b"\"b\\u0063\"");
        assert!(members[1].is_named(body, "bc") && !members[1].is_named(body, "b"));
    }

    #[test]
    fn what_is_not_one_object_is_refused() {
        for body in [
            "",
            " ",
            "[]",
            "null",
            "\"a\"",
            "1",
            "{} {}",
            "{}x",
            "{,}",
            "{\"a\":1,}",
            "\u{feff}{}",
        ] {
            assert!(top_level(body.as_bytes()).is_err(), "{body}");
        }
        assert!(top_level(b"{}").unwrap().is_empty());
        assert_eq!(
            top_level(b"{\"a\":\"\xff\"}").unwrap_err(),
            Malformed {
                at: 6,
                what: "it is not UTF-8"
            }
        );
    }

    #[test]
    fn a_name_that_is_no_text_is_nobodys() {
        let body = b"{\"\\ud800\": 1}";
        assert_eq!(top_level(body).unwrap()[0].name(body), "\\ud800");
    }

    #[test]
    fn the_number_of_fields_is_bounded() {
        let body = |fields: usize| format!("{{{}}}", vec!["\"a\":1"; fields].join(","));
        assert!(top_level(body(MOST_FIELDS).as_bytes()).is_ok());
        assert!(top_level(body(MOST_FIELDS + 1).as_bytes()).is_err());
    }

    #[test]
    fn pieces_of_objects_and_arrays_come_in_order() {
        let members: Vec<_> = members_of(b"{ \"a\" : 1 , \"\\u0062\" : [2] }").collect();
        assert_eq!(
            members,
            [
                (Cow::Borrowed("a"), &b"1"[..]),
                (Cow::Borrowed("b"), &b"[2]"[..])
            ]
        );
        let elements: Vec<_> = elements_of(b"[ 1 , \"a,b\" , [ ] ]").collect();
        assert_eq!(elements, [&b"1"[..], &b"\"a,b\""[..], &b"[ ]"[..]]);
        assert_eq!(
            elements_of(b"[ ]").count() + members_of(b"{ }").count() + elements_of(b"{}").count(),
            0
        );
    }
}
