//! Which headers of a provider's answer a caller gets: those that speak of the request and its limits. Those that
//! speak of the connection to the provider, or that only the router may set, stay behind.

use awc::http::header::{self, HeaderMap, HeaderName};

/// Where the provider's own request id is found in our answer.
pub const UPSTREAM_REQUEST_ID: &str = "x-flexinference-upstream-request-id";

/// Whether a caller gets a body in the provider's own bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Byte for byte.
    Unchanged,
    /// Assembled, or in another envelope or format.
    Changed,
}

/// Families of headers that never pass.
const STAY_FAMILIES: [&str; 6] = [
    "access-control-",
    "cf-",
    "x-envoy-",
    "x-amz-cf-",
    "x-cache",
    "x-flexinference-",
];

/// Headers that never pass: of one hop (RFC 9110, 7.6.1), of the connection to the provider and what stands in
/// between, for browsers, and those that the router sets itself.
fn stays(name: &str) -> bool {
    matches!(
        name,
        "alt-svc"
            | "connection"
            | "content-security-policy"
            | "cross-origin-opener-policy"
            | "date"
            | "expect-ct"
            | "keep-alive"
            | "nel"
            | "priority"
            | "proxy-authenticate"
            | "proxy-authentication-info"
            | "proxy-connection"
            | "report-to"
            | "request-id"
            | "server"
            | "server-timing"
            | "set-cookie"
            | "set-cookie2"
            | "strict-transport-security"
            | "te"
            | "trailer"
            | "transfer-encoding"
            | "upgrade"
            | "via"
            | "www-authenticate"
            | "x-accel-buffering"
            | "x-content-type-options"
            | "x-frame-options"
            | "x-powered-by"
            | "x-request-id"
            | "x-xss-protection"
    ) || STAY_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// Headers that describe the provider's bytes and are wrong for any others.
fn is_of_the_body(name: &str) -> bool {
    matches!(
        name,
        "content-length"
            | "content-encoding"
            | "content-type"
            | "content-digest"
            | "content-md5"
            | "digest"
            | "etag"
    )
}

/// Names under which providers give their request id; the first that is there counts.
const REQUEST_IDS: [&str; 2] = ["x-request-id", "request-id"];

/// Leaves of a provider's headers those that are for the caller. For a changed body the `content-type` stays behind
/// too: whoever changed it knows.
pub fn pass_on(headers: &mut HeaderMap, body: Body) {
    let of_one_hop = named_by_connection(headers);
    let id = REQUEST_IDS
        .iter()
        .find_map(|name| headers.get(*name))
        .cloned();
    headers.retain(|name, _| {
        let name = name.as_str();
        let is_of_one_hop = of_one_hop.iter().any(|named| named == name);
        let describes_other_bytes = body == Body::Changed && is_of_the_body(name);
        !(stays(name) || is_of_one_hop || describes_other_bytes)
    });
    if let Some(id) = id {
        headers.insert(HeaderName::from_static(UPSTREAM_REQUEST_ID), id);
    }
}

/// Headers that `connection` declares to be of this hop only.
fn named_by_connection(provider: &HeaderMap) -> Vec<String> {
    let mut named = Vec::new();
    for value in provider.get_all(header::CONNECTION) {
        let text = value.to_str().unwrap_or_default();
        named.extend(text.split(',').map(|name| name.trim().to_ascii_lowercase()));
    }
    named
}

#[cfg(test)]
mod tests {
    use awc::http::header::HeaderValue;

    use super::*;

    fn answer(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        headers
    }

    fn passed_on(mut headers: HeaderMap, body: Body) -> HeaderMap {
        pass_on(&mut headers, body);
        headers
    }

    fn names(headers: &HeaderMap) -> Vec<&str> {
        let mut names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn what_speaks_of_the_request_and_its_limits_passes() {
        let passing = [
            ("anthropic-organization-id", "o"),
            ("anthropic-ratelimit-tokens-remaining", "9"),
            ("content-length", "12"),
            ("content-type", "application/json"),
            ("openai-organization", "o"),
            ("openai-processing-ms", "255"),
            ("openai-version", "2020-10-01"),
            ("retry-after", "2"),
            ("retry-after-ms", "1500"),
            ("x-gemini-service-tier", "flex"),
            ("x-ratelimit-remaining-tokens", "10"),
            ("x-should-retry", "false"),
        ];
        let passed = passed_on(answer(&passing), Body::Unchanged);
        assert_eq!(names(&passed), passing.map(|(name, _)| name));
    }

    #[test]
    fn what_speaks_of_the_connection_or_is_ours_to_set_stays_behind() {
        let staying = [
            ("access-control-expose-headers", "X-Request-ID"),
            ("alt-svc", "h3=\":443\""),
            ("cf-cache-status", "DYNAMIC"),
            ("cf-ray", "1"),
            ("connection", "keep-alive"),
            ("date", "Mon, 30 Nov 2026 12:00:00 GMT"),
            ("keep-alive", "timeout=4"),
            ("server", "cloudflare"),
            ("set-cookie", "__cf_bm=1"),
            ("strict-transport-security", "max-age=1"),
            ("transfer-encoding", "chunked"),
            ("via", "1.1 google"),
            ("x-flexinference-cost", "1"),
        ];
        assert_eq!(
            names(&passed_on(answer(&staying), Body::Unchanged)),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn a_changed_body_loses_the_headers_that_described_the_old_one() {
        let described = answer(&[
            ("content-length", "12"),
            ("content-type", "text/event-stream"),
            ("etag", "1"),
        ]);
        assert_eq!(
            names(&passed_on(described, Body::Changed)),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn a_header_named_by_connection_is_of_one_hop() {
        let provider = answer(&[
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("x-kept", "1"),
        ]);
        assert_eq!(names(&passed_on(provider, Body::Unchanged)), ["x-kept"]);
    }

    #[test]
    fn the_providers_request_id_moves_to_a_header_of_its_own() {
        for name in REQUEST_IDS {
            let passed = passed_on(answer(&[(name, "req_1")]), Body::Changed);
            assert_eq!(names(&passed), [UPSTREAM_REQUEST_ID]);
            assert_eq!(passed.get(UPSTREAM_REQUEST_ID).unwrap(), "req_1");
        }
    }

    #[test]
    fn every_value_of_a_repeated_header_passes() {
        let passed = passed_on(
            answer(&[("x-warning", "a"), ("x-warning", "b")]),
            Body::Unchanged,
        );
        assert_eq!(passed.get_all("x-warning").count(), 2);
    }
}
