//! Texts cut into the deltas in which they are streamed.

use super::script::Behaviour;

const USUAL_DELTAS: usize = 8;

/// Cuts a text as the behaviour says: so many deltas, of so many bytes; in words otherwise.
pub(super) fn split(text: &str, behaviour: &Behaviour) -> Vec<String> {
    match (behaviour.deltas, behaviour.delta_bytes) {
        (Some(count), Some(bytes)) => repeated(text, count.saturating_mul(bytes), bytes),
        (Some(count), None) => evenly(text, count.max(1)),
        (None, Some(bytes)) => repeated(text, text.len(), bytes),
        (None, None) => words(text),
    }
}

/// The text, over and over until it is long enough, in pieces of about `bytes`, never inside a character.
fn repeated(text: &str, length: usize, bytes: usize) -> Vec<String> {
    let text = if text.is_empty() { "x" } else { text };
    let bytes = bytes.max(1);
    let mut whole = text.repeat(length.div_ceil(text.len()));
    whole.truncate(floor_boundary(&whole, length));
    while whole.len() < length {
        whole.push('x');
    }
    let mut pieces = Vec::with_capacity(length / bytes + 1);
    let mut rest = whole.as_str();
    while !rest.is_empty() {
        let mut at = bytes.min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        pieces.push(rest[..at].to_owned());
        rest = &rest[at..];
    }
    pieces
}

/// The text in so many pieces; one that is too short for that is repeated.
fn evenly(text: &str, count: usize) -> Vec<String> {
    let long_enough = if text.chars().count() < count {
        repeated(text, count * 4, count * 4).concat()
    } else {
        text.into()
    };
    let mut pieces = Vec::with_capacity(count);
    let mut from = 0;
    for number in 1..=count {
        let end = floor_boundary(&long_enough, long_enough.len() * number / count);
        pieces.push(long_enough[from..end].to_owned());
        from = end;
    }
    pieces
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut boundary = at.min(text.len());
    while !text.is_char_boundary(boundary) {
        boundary -= 1;
    }
    boundary
}

/// Words with the space before them, the last delta takes what is left.
fn words(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(' ') {
        if at > from && pieces.len() + 1 < USUAL_DELTAS {
            pieces.push(text[from..at].to_owned());
            from = at;
        }
    }
    pieces.push(text[from..].to_owned());
    pieces
}

/// The arguments of a call in the pieces in which they are streamed.
pub(super) fn argument_deltas(arguments: &str) -> Vec<&str> {
    let mut middle = arguments.len() / 2;
    while !arguments.is_char_boundary(middle) {
        middle += 1;
    }
    let (first, second) = arguments.split_at(middle);
    if first.is_empty() {
        vec![second]
    } else {
        vec![first, second]
    }
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text is plain data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_falls_inside_a_character() {
        let text = "aé🙂b";
        for size in 1..9 {
            let by_bytes = Behaviour {
                delta_bytes: Some(size),
                ..Behaviour::default()
            };
            assert_eq!(split(text, &by_bytes).concat(), text);
            let by_count = Behaviour {
                deltas: Some(size),
                ..Behaviour::default()
            };
            let pieces = split(text, &by_count);
            assert_eq!(pieces.len(), size);
            assert!(pieces.concat().starts_with(text));
        }
    }
}
