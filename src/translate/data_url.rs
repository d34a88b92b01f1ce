//! Images and documents as callers send them: data URLs, and addresses that a provider can fetch.

use super::Refused;

/// Where an image is.
pub(super) enum Image<'a> {
    /// In the request, in base64.
    Data { media_type: &'a str, data: &'a str },
    /// At an http address.
    Address(&'a str),
}

impl<'a> Image<'a> {
    /// Reads the address of an image.
    pub(super) fn read(url: &'a str) -> Result<Self, Refused> {
        if let Some((media_type, data)) = base64_of(url) {
            return Ok(Self::Data { media_type, data });
        }
        if url.starts_with("https://") || url.starts_with("http://") {
            return Ok(Self::Address(url));
        }
        let what = "An image must be an http address or a base64 data URL, as in `data:image/png;base64,…`.";
        Err(Refused::new("input", what))
    }
}

/// The media type and the data of a data URL in base64; `None` for any other text.
pub(super) fn base64_of(url: &str) -> Option<(&str, &str)> {
    let (kind, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = kind.strip_suffix(";base64")?;
    Some((media_type.split(';').next().unwrap_or_default(), data))
}
