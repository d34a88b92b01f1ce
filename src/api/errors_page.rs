//! `GET /errors`: the error codes, one page.

use actix_web::HttpResponse;

use crate::errors;

pub(super) async fn show() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .body(errors::page())
}
