//! A vendor's seal on its thoughts: it goes back to that vendor with the history, and to no other. Wherever another
//! format carries it, it is marked with whose it is.

/// Before the signature of a thought of Gemini's.
const GEMINI: &str = "gemini:";

/// Before the id of a reasoning item of OpenAI's, a colon and its encrypted content.
const OPENAI: &str = "openai:";

/// Before the signature of a thinking block of Anthropic's.
const ANTHROPIC: &str = "anthropic:";

/// Before the data of a thinking block that Anthropic does not show.
const ANTHROPIC_REDACTED: &str = "anthropic-redacted:";

/// Between the id of a call and the seal on the thoughts that led to it.
const RIDES: &str = "~";

/// A signature of Gemini's, marked as such.
pub(super) fn of_gemini(signature: &str) -> String {
    format!("{GEMINI}{signature}")
}

/// The signature, if it is Gemini's.
pub(super) fn to_gemini(seal: &str) -> Option<&str> {
    seal.strip_prefix(GEMINI)
}

/// A reasoning item of OpenAI's, marked as such.
pub(super) fn of_openai(id: &str, encrypted_content: &str) -> String {
    format!("{OPENAI}{id}:{encrypted_content}")
}

/// The id and the encrypted content, if it is OpenAI's.
pub(super) fn to_openai(seal: &str) -> Option<(&str, &str)> {
    seal.strip_prefix(OPENAI)?.split_once(':')
}

/// A signature of Anthropic's, marked as such.
pub(super) fn of_anthropic(signature: &str) -> String {
    format!("{ANTHROPIC}{signature}")
}

/// The signature, if it is Anthropic's.
pub(super) fn to_anthropic(seal: &str) -> Option<&str> {
    seal.strip_prefix(ANTHROPIC)
}

/// The data of a redacted thinking block, marked as such.
pub(super) fn of_redacted(data: &str) -> String {
    format!("{ANTHROPIC_REDACTED}{data}")
}

/// The data, if it is that of a redacted thinking block.
pub(super) fn to_redacted(seal: &str) -> Option<&str> {
    seal.strip_prefix(ANTHROPIC_REDACTED)
}

/// Whether it was marked here, and is not a vendor's own as it came.
pub(super) fn is_marked(seal: &str) -> bool {
    [GEMINI, OPENAI, ANTHROPIC, ANTHROPIC_REDACTED]
        .iter()
        .any(|mark| seal.starts_with(mark))
}

/// The id of a call, for a format that has no place for thoughts: the seal rides in it, since every client gives a
/// call's id back as it came. Only Gemini asks for its seals; others are left behind.
pub(super) fn signed(call_id: &str, seal: Option<&str>) -> String {
    match seal {
        Some(seal) if to_gemini(seal).is_some() => format!("{call_id}{RIDES}{seal}"),
        _ => call_id.to_owned(),
    }
}

/// The id of a call as its vendor gave it, and the seal that rode in it.
pub(super) fn unsigned(call_id: &str) -> (&str, Option<&str>) {
    let rides = call_id.match_indices(RIDES).map(|(place, _)| place);
    for place in rides {
        let (id, seal) = (&call_id[..place], &call_id[place + RIDES.len()..]);
        if to_gemini(seal).is_some() {
            return (id, Some(seal));
        }
    }
    (call_id, None)
}
