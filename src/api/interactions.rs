//! `POST /v1/interactions`, and `/v1beta/interactions`, where Google's Node SDK calls: Gemini Interactions.

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
        Work::Generate,
        CallerSurface::Interactions,
        request,
        payload,
        router,
        worker,
    )
    .await
}
