//! `POST /v1/responses`: OpenAI Responses.

use actix_web::HttpResponse;

use super::generation::Call;
use crate::plan::Work;
use crate::vocabulary::CallerSurface;

pub(super) async fn create(call: Call) -> HttpResponse {
    call.answer(Work::Generate, CallerSurface::Responses).await
}
