//! The validator beside serde_json's: a text that has been damaged in every place and way is accepted by both or by
//! neither.

use serde::de::IgnoredAny;

use super::members::top_level;

const WHOLE: &str = concat!(
    r#"{ "a" : [ 1 , -2.5e+3 , true , false , null , "x\"\\\u00e9\n" , { } , [ ] ] ,"#,
    r#" "é" : { "b" : { "c" : "dddddddddddddddddddddddddddddddddddddddd" } } , "" : 0 }"#,
);
const BYTES: &[u8] = b"\"\\{}[]:,0123456789.-+eEtfnu /x \n\r\t\x00\x1f\x7f\x80\xc3\xff";

fn agree(text: &[u8]) -> bool {
    // serde_json also takes what is no object, and skips strings without a look at their UTF-8.
    let theirs = serde_json::from_slice::<IgnoredAny>(text).is_ok()
        && std::str::from_utf8(text).is_ok()
        && text.trim_ascii_start().first() == Some(&b'{');
    top_level(text).is_ok() == theirs
}

#[test]
fn a_byte_replaced_inserted_or_removed_is_judged_as_serde_json_judges_it() {
    let whole = WHOLE.as_bytes();
    assert!(top_level(whole).is_ok());
    for place in 0..whole.len() {
        let (before, after) = (&whole[..place], &whole[place + 1..]);
        let removed = [before, after].concat();
        assert!(agree(&removed), "{}", String::from_utf8_lossy(&removed));
        for byte in BYTES {
            let replaced = [before, &[*byte], after].concat();
            assert!(agree(&replaced), "{}", String::from_utf8_lossy(&replaced));
            let inserted = [before, &[*byte], &whole[place..]].concat();
            assert!(agree(&inserted), "{}", String::from_utf8_lossy(&inserted));
        }
    }
}

#[test]
fn a_piece_moved_to_another_place_is_judged_as_serde_json_judges_it() {
    let whole = WHOLE.as_bytes();
    for start in (0..whole.len()).step_by(3) {
        for length in [1, 2, 5, 9] {
            let piece = &whole[start..whole.len().min(start + length)];
            for place in (0..whole.len()).step_by(2) {
                let moved = [&whole[..place], piece, &whole[place..]].concat();
                assert!(agree(&moved), "{}", String::from_utf8_lossy(&moved));
            }
        }
    }
}
