//! The endpoints, one file each, and what they share: the intake of a body, the course of a generation, the two ways
//! of answering.

mod answer;
mod chat;
mod cost;
mod count_tokens;
mod errors_page;
mod exchange;
mod generation;
mod health;
pub mod intake;
mod interactions;
mod messages;
mod models;
mod not_routed;
mod responses;
mod streamed;
mod whole;

use actix_web::dev::{HttpServiceFactory, Service};
use actix_web::web::{self, ServiceConfig};
use actix_web::{Resource, Route, guard};

/// Every endpoint; the operations' ones only where they have no address of their own.
///
/// Each path is a resource of its own, with and without a slash at its end: a list of paths, or a pattern, would be
/// matched by regular expression, for every request.
pub fn routes(config: &mut ServiceConfig, with_operations: bool) {
    for path in ["/v1/responses", "/v1/responses/"] {
        config.service(generating(path, web::post().to(responses::create)));
    }
    for path in ["/v1/chat/completions", "/v1/chat/completions/"] {
        config.service(generating(path, web::post().to(chat::create)));
    }
    for path in [
        "/v1/interactions",
        "/v1/interactions/",
        "/v1beta/interactions",
        "/v1beta/interactions/",
    ] {
        config.service(generating(path, web::post().to(interactions::create)));
    }
    for path in ["/v1/messages", "/v1/messages/"] {
        config.service(generating(path, web::post().to(messages::create)));
    }
    for path in ["/v1/messages/count_tokens", "/v1/messages/count_tokens/"] {
        config.service(generating(path, web::post().to(count_tokens::create)));
    }
    for path in ["/v1/models", "/v1/models/"] {
        config.service(get_only(path).route(read().to(models::list)));
    }
    for path in ["/errors", "/errors/"] {
        config.service(get_only(path).route(read().to(errors_page::show)));
    }
    if with_operations {
        operations(config);
    }
    for path in ["/v1/models/{id:[^/]+}", "/v1/models/{id:[^/]+}/"] {
        config.service(get_only(path).route(read().to(models::one)));
    }
    config.default_service(web::route().to(not_routed::refuse));
}

/// The endpoints of operations, on an address of their own.
pub fn operations_routes(config: &mut ServiceConfig) {
    operations(config);
    config.default_service(web::route().to(not_routed::refuse));
}

fn operations(config: &mut ServiceConfig) {
    for path in ["/healthz", "/healthz/"] {
        config.service(get_only(path).route(read().to(health::alive)));
    }
    for path in ["/readyz", "/readyz/"] {
        config.service(get_only(path).route(read().to(health::ready)));
    }
}

fn generating(path: &'static str, route: Route) -> impl HttpServiceFactory {
    let resource = web::resource(path).route(route);
    let resource = resource.default_service(web::route().to(not_routed::only_post));
    resource.wrap_fn(|mut request, service| {
        generation::take_headers(&mut request);
        service.call(request)
    })
}

fn get_only(path: &'static str) -> Resource {
    web::resource(path).default_service(web::route().to(not_routed::only_get))
}

/// GET, and HEAD beside it.
fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}
