//! Which vendor's module answers for a surface.

use super::answer::{Answer, Body, Refusal};
use super::asked::{Asked, Surface};
use super::http::Request;
use super::output::Output;
use super::script::Behaviour;
use super::{anthropic, gemini, openai};

/// The headers that come with every answer.
pub(super) fn headers(surface: Surface) -> String {
    match surface {
        Surface::Responses | Surface::Chat => openai::headers(),
        Surface::Interactions => gemini::headers(),
        Surface::Messages | Surface::CountTokens => anthropic::headers(),
    }
}

/// Refuses a request whose key the vendor would not take.
pub(super) fn check_key(surface: Surface, request: &Request) -> Result<(), Refusal> {
    match surface {
        Surface::Responses | Surface::Chat => openai::checks::key(request),
        Surface::Interactions => gemini::checks::key(request),
        Surface::Messages | Surface::CountTokens => anthropic::checks::key(request),
    }
}

/// Refuses a request whose body the vendor would not take.
pub(super) fn check(asked: &Asked, request: &Request) -> Result<(), Refusal> {
    match asked.surface {
        Surface::Responses => openai::checks::responses(&asked.body),
        Surface::Chat => openai::chat_checks::chat(&asked.body),
        Surface::Interactions => gemini::checks::interactions(&asked.body),
        Surface::Messages => anthropic::checks::messages(&asked.body, request),
        Surface::CountTokens => anthropic::checks::count_tokens(&asked.body, request),
    }
}

/// The body is no JSON object.
pub(super) fn not_json(surface: Surface) -> Refusal {
    let message = "We could not parse the JSON body of your request.";
    match surface {
        Surface::Interactions => Refusal::new(400, message).code("invalid_request"),
        _ => Refusal::new(400, message),
    }
}

/// A refusal in the vendor's form.
pub(super) fn refusal(surface: Surface, refusal: &Refusal) -> Answer {
    let body = match surface {
        Surface::Responses | Surface::Chat => openai::error_body(refusal),
        Surface::Interactions => gemini::error_body(refusal),
        Surface::Messages | Surface::CountTokens => anthropic::error_body(refusal),
    };
    let mut answer = Answer::document(refusal.status, body.into_bytes());
    answer.headers = headers(surface);
    answer
}

/// The refusal that a scripted status stands for.
pub(super) fn scripted_status(status: u16, asked: &Asked, behaviour: &Behaviour) -> Answer {
    let meant = match asked.surface {
        Surface::Responses | Surface::Chat => openai::scripted(status, asked, behaviour),
        Surface::Interactions => gemini::scripted(status, behaviour),
        Surface::Messages | Surface::CountTokens => anthropic::scripted(status, behaviour),
    };
    refusal(asked.surface, &meant)
}

/// The answer to a request that is in order.
pub(super) fn answer(asked: &Asked, behaviour: &Behaviour, output: &Output) -> Answer {
    let mut answer = match asked.surface {
        Surface::Responses => openai::responses::answer(asked, behaviour, output),
        Surface::Chat => openai::chat::answer(asked, behaviour, output),
        Surface::Interactions => gemini::interactions::answer(asked, behaviour, output),
        Surface::Messages => anthropic::messages::answer(asked, behaviour, output),
        Surface::CountTokens => anthropic::counted(output),
    };
    if matches!(answer.body, Body::Document(_)) && answer.status != 200 {
        return answer;
    }
    answer.headers = headers(asked.surface);
    answer
}
