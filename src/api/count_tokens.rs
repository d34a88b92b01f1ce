//! `POST /v1/messages/count_tokens`: passed through for Claude models. Nothing is generated, so nothing is raced, and
//! `start_within` is not asked for.

use actix_web::{HttpRequest, HttpResponse, web};

use super::generation::generate;
use crate::plan::Work;
use crate::router::Router;
use crate::vocabulary::CallerSurface;
use crate::worker::Worker;

pub(super) async fn create(
    request: HttpRequest,
    payload: web::Payload,
    router: web::Data<Router>,
    worker: web::Data<Worker>,
) -> HttpResponse {
    generate(
        Work::CountTokens,
        CallerSurface::Messages,
        request,
        payload,
        router,
        worker,
    )
    .await
}
