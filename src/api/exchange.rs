//! One request from arrival to answer: its id, its envelope, and the key it comes with.

use std::fmt::Write;
use std::net::SocketAddr;
use std::time::SystemTime;

use actix_web::http::StatusCode;
use actix_web::http::header::{
    ALLOW, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
};
use actix_web::{HttpResponse, HttpResponseBuilder};

use crate::errors::{AnyError, Code, EnvelopeKind, Rejection};
use crate::keys::{self, KeyHolder};
use crate::router::Router;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Where Anthropic's SDKs look for it.
const ANTHROPIC_REQUEST_ID: HeaderName = HeaderName::from_static("request-id");
/// The word of the vendors' SDKs for whether to repeat a request.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// A request's identity towards its caller.
pub(super) struct Exchange {
    id: String,
    kind: EnvelopeKind,
}

impl Exchange {
    pub(super) fn new(kind: EnvelopeKind) -> Self {
        let mut id = String::with_capacity(36);
        // Writing to a String does not fail.
        let _ = write!(id, "req_{:032x}", rand::random::<u128>());
        Self { id, kind }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Lets the caller in.
    ///
    /// # Errors
    /// 503 while the service drains; 401 without a good key; 429 after too many bad ones, or over the org's rate.
    pub(super) fn admit(
        &self,
        headers: &HeaderMap,
        peer: Option<SocketAddr>,
        router: &Router,
    ) -> Result<KeyHolder, Rejection> {
        if router.is_draining() {
            return Err(
                Rejection::new(Code::ShuttingDown, "The router is being stopped.")
                    .with_retry_after(1),
            );
        }
        let holder = match keys::admit(headers, router.keys.as_ref(), SystemTime::now()) {
            Ok(holder) => holder,
            Err(rejection) if rejection.status() == StatusCode::UNAUTHORIZED.as_u16() => {
                router.limits.after_failed_key(peer.map(|peer| peer.ip()))?;
                return Err(rejection);
            }
            Err(rejection) => return Err(rejection),
        };
        router.limits.of_org(&holder.org)?;
        Ok(holder)
    }

    /// An answer with the request's ids.
    pub(super) fn answer(&self, status: StatusCode) -> HttpResponseBuilder {
        let mut answer = HttpResponse::build(status);
        answer.insert_header((REQUEST_ID, self.id.as_str()));
        if self.kind == EnvelopeKind::Anthropic {
            answer.insert_header((ANTHROPIC_REQUEST_ID, self.id.as_str()));
        }
        answer
    }

    /// Adds the request's ids to the headers of an answer.
    pub(super) fn sign(&self, headers: &mut HeaderMap) {
        let Ok(id) = HeaderValue::from_str(&self.id) else {
            return;
        };
        if self.kind == EnvelopeKind::Anthropic {
            headers.insert(ANTHROPIC_REQUEST_ID, id.clone());
        }
        headers.insert(REQUEST_ID, id);
    }

    /// The answer to a request that failed, in the envelope of its endpoint.
    pub(super) fn refuse(
        &self,
        error: &AnyError,
        public_url: Option<&str>,
    ) -> HttpResponseBuilderWithBody {
        let rendered = error.render(self.kind, public_url, &self.id);
        let status =
            StatusCode::from_u16(rendered.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut answer = self.answer(status);
        answer.insert_header((CONTENT_TYPE, "application/json"));
        if let Some(seconds) = rendered.retry_after {
            answer.insert_header((RETRY_AFTER, seconds));
        }
        if let Some(methods) = rendered.allow {
            answer.insert_header((ALLOW, methods));
        }
        if rendered.is_final && status.is_server_error() {
            answer.insert_header((SHOULD_RETRY, "false"));
        }
        HttpResponseBuilderWithBody {
            answer,
            body: rendered.body,
        }
    }
}

/// An answer to which headers may still be added.
pub(super) struct HttpResponseBuilderWithBody {
    pub(super) answer: HttpResponseBuilder,
    body: bytes::Bytes,
}

impl HttpResponseBuilderWithBody {
    pub(super) fn finish(mut self) -> HttpResponse {
        self.answer.body(self.body)
    }
}
