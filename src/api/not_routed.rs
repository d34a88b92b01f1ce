//! Everything that is no endpoint of ours: 404 with the way to the right place, 405 with the methods of the path.

use actix_web::http::Method;
use actix_web::{HttpRequest, HttpResponse, web};

use super::exchange::Exchange;
use crate::errors::{Code, EnvelopeKind, Rejection};
use crate::router::Router;

/// Beginnings of the vendors' other endpoints.
const VENDOR_PATHS: [&str; 18] = [
    "/v1/responses/",
    "/v1/chat/completions/",
    "/v1/completions",
    "/v1/interactions/",
    "/v1beta/",
    "/v1/messages/",
    "/v1/embeddings",
    "/v1/files",
    "/v1/batches",
    "/v1/conversations",
    "/v1/images",
    "/v1/audio",
    "/v1/moderations",
    "/v1/uploads",
    "/v1/vector_stores",
    "/v1/fine_tuning",
    "/v1/assistants",
    "/v1/threads",
];
/// Paths of ours without their version.
const UNVERSIONED: [&str; 5] = [
    "/responses",
    "/chat/completions",
    "/interactions",
    "/messages",
    "/models",
];

pub(super) async fn refuse(request: HttpRequest, router: web::Data<Router>) -> HttpResponse {
    let what = match request.path() {
        path if UNVERSIONED.iter().any(|known| path.starts_with(known)) => {
            "The path lacks its version: the base URL of this router ends in /v1."
        }
        path if path.starts_with("/v1/v1/") || path.starts_with("/v1/v1beta/") => {
            "The path has its version twice: leave /v1 out of the base URL of this SDK, which adds it itself."
        }
        path if VENDOR_PATHS.iter().any(|known| path.starts_with(known)) => {
            "This endpoint of the vendor is not routed: call the provider."
        }
        _ => "There is no such endpoint.",
    };
    show(&request, &router, Rejection::new(Code::NotFound, what))
}

pub(super) async fn only_post(request: HttpRequest, router: web::Data<Router>) -> HttpResponse {
    show(&request, &router, wrong_method(request.method(), "POST"))
}

pub(super) async fn only_get(request: HttpRequest, router: web::Data<Router>) -> HttpResponse {
    show(
        &request,
        &router,
        wrong_method(request.method(), "GET, HEAD"),
    )
}

fn wrong_method(method: &Method, allowed: &'static str) -> Rejection {
    let shown: String = method.as_str().chars().take(16).collect();
    let what = format!("The method {shown} does not exist here.");
    Rejection::new(Code::MethodNotAllowed, what).with_allow(allowed)
}

fn show(request: &HttpRequest, router: &Router, rejection: Rejection) -> HttpResponse {
    let exchange = Exchange::new(EnvelopeKind::of_path(request.path()));
    exchange
        .refuse(&rejection.into(), router.public_url())
        .finish()
}
