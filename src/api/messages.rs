//! `POST /v1/messages`: Anthropic Messages.

use actix_web::HttpResponse;

use super::generation::Call;
use crate::plan::Work;
use crate::vocabulary::CallerSurface;

pub(super) async fn create(call: Call) -> HttpResponse {
    call.answer(Work::Generate, CallerSurface::Messages).await
}
