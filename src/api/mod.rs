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

use actix_web::web::{self, ServiceConfig};
use actix_web::{Route, guard};

/// Every endpoint; the operations' ones only where they have no address of their own.
pub fn routes(config: &mut ServiceConfig, with_operations: bool) {
    config
        .service(
            post_only(["/v1/responses", "/v1/responses/"]).route(web::post().to(responses::create)),
        )
        .service(
            post_only(["/v1/chat/completions", "/v1/chat/completions/"])
                .route(web::post().to(chat::create)),
        )
        .service(
            post_only([
                "/v1/interactions",
                "/v1/interactions/",
                "/v1beta/interactions",
                "/v1beta/interactions/",
            ])
            .route(web::post().to(interactions::create)),
        )
        .service(
            post_only(["/v1/messages", "/v1/messages/"]).route(web::post().to(messages::create)),
        )
        .service(
            post_only(["/v1/messages/count_tokens", "/v1/messages/count_tokens/"])
                .route(web::post().to(count_tokens::create)),
        )
        .service(get_only(["/v1/models", "/v1/models/"]).route(read().to(models::list)))
        .service(
            get_only(["/v1/models/{id:[^/]+}", "/v1/models/{id:[^/]+}/"])
                .route(read().to(models::one)),
        )
        .service(get_only(["/errors", "/errors/"]).route(read().to(errors_page::show)));
    if with_operations {
        operations_routes(config);
    }
    config.default_service(web::route().to(not_routed::refuse));
}

/// The endpoints of operations.
pub fn operations_routes(config: &mut ServiceConfig) {
    config
        .service(get_only(["/healthz", "/healthz/"]).route(read().to(health::alive)))
        .service(get_only(["/readyz", "/readyz/"]).route(read().to(health::ready)))
        .default_service(web::route().to(not_routed::refuse));
}

fn post_only<const N: usize>(paths: [&'static str; N]) -> actix_web::Resource {
    web::resource(paths.to_vec()).default_service(web::route().to(not_routed::only_post))
}

fn get_only<const N: usize>(paths: [&'static str; N]) -> actix_web::Resource {
    web::resource(paths.to_vec()).default_service(web::route().to(not_routed::only_get))
}

/// GET, and HEAD beside it.
fn read() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}
