//! `/healthz`: the process answers. `/readyz`: it can serve; it cannot while it drains, or when an actor that requests
//! depend on has died.

use actix_web::{HttpResponse, Resource, guard, web};

use super::not_routed;
use crate::router::Router;

pub(super) fn resource(path: &'static str) -> Resource {
    web::resource(path)
        .guard(guard::Any(guard::Get()).or(guard::Head()))
        .default_service(web::route().to(not_routed::only_get))
}

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
