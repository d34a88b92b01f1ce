//! Why a request cannot be planned. The texts are for the caller: one sentence that says what was wrong, to which the
//! error catalogue adds the rule and an example.

use crate::errors::{Code, Rejection};
use crate::translate::Refused;
use crate::vocabulary::{Provider, Route};

/// Letters of a model's name that an error repeats.
const SHOWN: usize = 100;

/// A caller's word as an error shows it: never more than a line of it.
pub(super) fn shown(word: &str) -> String {
    word.chars().take(SHOWN).collect()
}

/// A request that is refused before anything goes to a provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanRefusal {
    /// A named route does not serve the model.
    #[error("The route {:?} does not serve {model:?}, which is a model of {}.", .route.name(), .provider.word())]
    ProviderModelMismatch {
        /// The first such route.
        route: Route,
        /// The model asked for.
        model: String,
        /// Whose it is.
        provider: Provider,
    },
    /// `auto` on a Gemini model.
    #[error("{model:?} is a Gemini model, and Gemini has no tier `auto`.")]
    AutoUnsupportedForGemini {
        /// The model asked for.
        model: String,
    },
    /// A duration on a Claude model, whatever the route.
    #[error("{model:?} is a Claude model, and Claude has no flex tier to race.")]
    FlexUnsupportedForAnthropic {
        /// The model asked for.
        model: String,
    },
    /// A duration whose first route is a cloud's.
    #[error("The first route, {:?}, serves the standard tier only.", .route.name())]
    FlexUnsupportedOnCloud {
        /// The first route.
        route: Route,
    },
    /// A duration on a model that is not marked flex-capable.
    #[error("{model:?} is not a model that flex can be raced for.")]
    FlexModelNotCapable {
        /// The model asked for.
        model: String,
    },
    /// `priority` or `auto` with a cloud's route anywhere in the chain.
    #[error("The route {:?} serves the standard tier only.", .route.name())]
    TierUnsupportedOnRoute {
        /// The first such route.
        route: Route,
    },
    /// A duration with a parameter that only native Chat Completions has.
    #[error("{parameter:?} exists in native Chat Completions only, where flex is not raced.")]
    FlexUnsupportedChatParams {
        /// The first such parameter.
        parameter: String,
    },
    /// The answer is to be fetched later.
    #[error(
        "background is true, and the router has no retrieve endpoint to fetch the answer from."
    )]
    Background,
    /// The provider's format cannot carry the request.
    #[error("{}", .0.what)]
    Untranslatable(Refused),
    /// There is no key for a route of the plan.
    #[error("There is no provider key for the route {:?}.", .route.name())]
    MissingKey {
        /// The first such route.
        route: Route,
    },
    /// A route that cannot be served yet.
    #[error("The route {:?} cannot be served yet.", .route.name())]
    RouteNotImplemented {
        /// The first such route.
        route: Route,
    },
}

impl PlanRefusal {
    fn code(&self) -> Code {
        match self {
            Self::ProviderModelMismatch { .. } => Code::ProviderModelMismatch,
            Self::AutoUnsupportedForGemini { .. } => Code::AutoUnsupportedForGemini,
            Self::FlexUnsupportedForAnthropic { .. } => Code::FlexUnsupportedForAnthropic,
            Self::FlexUnsupportedOnCloud { .. } => Code::FlexUnsupportedOnCloud,
            Self::FlexModelNotCapable { .. } => Code::FlexModelNotCapable,
            Self::TierUnsupportedOnRoute { .. } => Code::TierUnsupportedOnRoute,
            Self::FlexUnsupportedChatParams { .. } => Code::FlexUnsupportedChatParams,
            Self::Background | Self::Untranslatable(_) => Code::UnsupportedParameter,
            Self::MissingKey { route } => Code::no_key_for(*route),
            Self::RouteNotImplemented { .. } => Code::NotImplemented,
        }
    }

    /// The field that stands in the way.
    fn param(&self) -> String {
        let field = match self {
            Self::ProviderModelMismatch { .. }
            | Self::RouteNotImplemented { .. }
            | Self::MissingKey { .. } => "provider",
            Self::FlexUnsupportedChatParams { parameter } => parameter,
            Self::Background => "background",
            Self::Untranslatable(refused) => &refused.param,
            _ => "start_within",
        };
        field.to_owned()
    }
}

impl From<PlanRefusal> for Rejection {
    fn from(refusal: PlanRefusal) -> Self {
        Self::new(refusal.code(), refusal.to_string()).with_param(refusal.param())
    }
}
