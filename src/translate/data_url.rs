//! Data URLs, in which callers send images and documents.

/// The media type and the data of a data URL in base64; `None` for any other text.
pub(super) fn base64_of(url: &str) -> Option<(&str, &str)> {
    let (kind, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = kind.strip_suffix(";base64")?;
    Some((media_type.split(';').next().unwrap_or_default(), data))
}

/// Whether it is an address that a provider can fetch.
pub(super) fn is_http(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}
