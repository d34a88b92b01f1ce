//! Parameters that the router cannot serve whatever the model is.

use super::Envelope;

/// Whether a request has `background: true`: its answer would have to be fetched later, from an endpoint that is not
/// routed.
pub fn asks_for_background(envelope: &Envelope) -> bool {
    envelope
        .fields()
        .any(|(name, value)| name == "background" && value == b"true")
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::vocabulary::CallerSurface;

    fn asked(value: &str) -> bool {
        let body =
            format!(r#"{{"model":"m","start_within":"default","input":1,"background":{value}}}"#);
        asks_for_background(
            &Envelope::parse(Bytes::from(body), CallerSurface::Responses, None).unwrap(),
        )
    }

    #[test]
    fn only_a_background_that_is_true_counts() {
        assert!(asked("true"));
        assert!(
            asked("true,\"background\":false"),
            "a provider may read the first of two"
        );
        for value in ["false", "null", "\"true\"", "1"] {
            assert!(!asked(value), "{value}");
        }
    }
}
