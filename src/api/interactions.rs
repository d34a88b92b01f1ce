//! `POST /v1/interactions`, and `/v1beta/interactions`, where Google's Node SDK calls: Gemini Interactions.

use actix_web::HttpResponse;

use super::generation::Call;
use crate::plan::Work;
use crate::vocabulary::CallerSurface;

pub(super) async fn create(call: Call) -> HttpResponse {
    call.answer(Work::Generate, CallerSurface::Interactions)
        .await
}
