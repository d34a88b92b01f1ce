//! `/healthz`: the process answers. `/readyz`: it can serve; it cannot while it drains, or when an actor that requests
//! depend on has died.

use actix_web::{HttpResponse, web};

use crate::router::Router;

pub(super) async fn alive() -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain").body("ok\n")
}

pub(super) async fn ready(router: web::Data<Router>) -> HttpResponse {
    if router.is_ready() {
        return HttpResponse::Ok()
            .content_type("text/plain")
            .body("ready\n");
    }
    HttpResponse::ServiceUnavailable()
        .content_type("text/plain")
        .body("not ready\n")
}
