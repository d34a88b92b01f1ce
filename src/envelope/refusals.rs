//! Parameters that the router cannot serve whatever the model is.

use super::Envelope;
use crate::errors::{Code, Rejection};

/// Refuses `background: true`: its answer would have to be fetched later, from an endpoint that is not routed.
///
/// # Errors
///
/// `unsupported_parameter`.
pub fn refuse_background(envelope: &Envelope) -> Result<(), Rejection> {
    let asked = envelope
        .fields()
        .any(|(name, value)| name == "background" && value == b"true");
    if !asked {
        return Ok(());
    }
    let what =
        "background is true, and the router has no retrieve endpoint to fetch the answer from.";
    Err(Rejection::new(Code::UnsupportedParameter, what).with_param("background"))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::vocabulary::CallerSurface;

    fn outcome(value: &str) -> Result<(), Rejection> {
        let body =
            format!(r#"{{"model":"m","start_within":"default","input":1,"background":{value}}}"#);
        refuse_background(
            &Envelope::parse(Bytes::from(body), CallerSurface::Responses, None).unwrap(),
        )
    }

    #[test]
    fn only_a_background_that_is_true_is_refused() {
        assert_eq!(outcome("true").unwrap_err().param(), Some("background"));
        assert_eq!(
            outcome("true,\"background\":false").unwrap_err().code(),
            Code::UnsupportedParameter
        );
        for value in ["false", "null", "\"true\"", "1"] {
            assert_eq!(outcome(value), Ok(()), "{value}");
        }
    }
}
