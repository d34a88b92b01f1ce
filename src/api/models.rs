//! `GET /v1/models` and `GET /v1/models/{id}`: the catalogue, for callers with a key.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};

use super::exchange::Exchange;
use crate::errors::{Code, EnvelopeKind, Rejection};
use crate::router::Router;

pub(super) async fn list(request: HttpRequest, router: web::Data<Router>) -> HttpResponse {
    let exchange = Exchange::new(EnvelopeKind::Openai);
    if let Err(rejection) = exchange.admit(request.headers(), request.peer_addr(), &router) {
        return exchange
            .refuse(&rejection.into(), router.public_url())
            .finish();
    }
    exchange
        .answer(StatusCode::OK)
        .json(router.catalogue.current().listing())
}

pub(super) async fn one(
    request: HttpRequest,
    router: web::Data<Router>,
    id: web::Path<String>,
) -> HttpResponse {
    let exchange = Exchange::new(EnvelopeKind::Openai);
    if let Err(rejection) = exchange.admit(request.headers(), request.peer_addr(), &router) {
        return exchange
            .refuse(&rejection.into(), router.public_url())
            .finish();
    }
    let catalogue = router.catalogue.current();
    match catalogue.entry(id.trim_start_matches("models/")) {
        Some(entry) => exchange.answer(StatusCode::OK).json(entry),
        None => {
            let rejection = Rejection::new(
                Code::ModelNotFound,
                "The catalogue has no model with this id.",
            );
            exchange
                .refuse(&rejection.with_param("model").into(), router.public_url())
                .finish()
        }
    }
}
