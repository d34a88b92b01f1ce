//! `POST /v1/messages/count_tokens`: passed through for Claude models. Nothing is generated, so nothing is raced, and
//! `start_within` is not asked for.

use actix_web::HttpResponse;

use super::generation::Call;
use crate::plan::Work;
use crate::vocabulary::CallerSurface;

pub(super) async fn create(call: Call) -> HttpResponse {
    call.answer(Work::CountTokens, CallerSurface::Messages)
        .await
}
