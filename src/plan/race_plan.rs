//! From a decision to legs that can be sent: for each route the provider's address, its key, the headers and the body.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use actix_web::http::header::HeaderMap;
use bytes::Bytes;
use serde::Serialize;
use startline_actors::leg::{FlexLeg, Leg, RacePlan, UpstreamRequest};

use super::{Decision, FLEX, Facts, decide, is_native, prelude_max, provider_surface, upstream};
use crate::catalogue::Catalogue;
use crate::envelope::{Envelope, Override, asks_for_background, first_native_only};
use crate::errors::{Code, Rejection};
use crate::keys::{KeyHolder, no_provider_key};
use crate::router::Router;
use crate::translate::{self, Given, Refused, Request, Translation};
use crate::vocabulary::{Provider, Route};
use crate::wire;

/// What is asked of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// An answer of the model.
    Generate,
    /// How many tokens a request to a Claude model has.
    CountTokens,
}

/// A planned request.
pub struct Planned {
    /// What is raced.
    pub race: RacePlan,
    /// What was decided.
    pub decision: Decision,
    /// Present when the provider speaks another format than the caller.
    pub translation: Option<Translation>,
}

/// Plans a request of `holder`.
///
/// # Errors
/// The first check that fails, in the documented order.
pub fn plan(
    work: Work,
    envelope: &Envelope,
    holder: &KeyHolder,
    caller: &HeaderMap,
    router: &Router,
) -> Result<Planned, Rejection> {
    let catalogue = router.catalogue.current();
    if work == Work::CountTokens && catalogue.provider_of(envelope.model()) != Provider::Anthropic {
        let what = "Tokens are counted for Claude models only.";
        return Err(Rejection::new(Code::ProviderModelMismatch, what).with_param("model"));
    }
    let chat_only_parameter = first_native_only(envelope);
    let translated = translated(envelope, &catalogue, chat_only_parameter.is_some());
    let facts = Facts {
        caller: envelope.surface(),
        model: envelope.model(),
        start_within: envelope.start_within(),
        chain: envelope.provider_chain(),
        chat_only_parameter,
        background: asks_for_background(envelope),
        untranslatable: translated.as_ref().and_then(|read| read.as_ref().err()),
    };
    let has_key = |route| router.keys.provider_key(&holder.org, route).is_some();
    let decision = decide(&facts, &catalogue, &has_key)?;
    let (translated, translation) = translated.and_then(Result::ok).unzip();
    let legs = Legs {
        work,
        envelope,
        holder,
        caller,
        router,
        catalogue: &catalogue,
        decision: &decision,
        translated: translated.as_ref(),
    };
    let race = legs.race()?;
    Ok(Planned {
        race,
        decision,
        translation,
    })
}

/// The request in the provider's format, when that is another one than the caller's.
fn translated(
    envelope: &Envelope,
    catalogue: &Catalogue,
    native_chat: bool,
) -> Option<Result<(Request, Translation), Refused>> {
    let (caller, model) = (envelope.surface(), envelope.model());
    let surface = provider_surface(caller, catalogue.provider_of(model), native_chat);
    (!is_native(caller, surface)).then(|| {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let given = Given {
            id: format!("{:032x}", rand::random::<u128>()),
            created_at: now.as_secs(),
        };
        translate::read(envelope, surface, catalogue.get(model), given)
    })
}

/// A translated request as it goes upstream.
#[derive(Serialize)]
struct Translated<'a> {
    #[serde(flatten)]
    request: Cow<'a, Request>,
    service_tier: &'static str,
    stream: bool,
}

/// Whether a refusal is one of the duration or tier word, and not of the rest of the request.
pub fn is_about_start_within(code: Code) -> bool {
    matches!(
        code,
        Code::AutoUnsupportedForGemini
            | Code::FlexUnsupportedForAnthropic
            | Code::FlexUnsupportedOnCloud
            | Code::FlexModelNotCapable
            | Code::TierUnsupportedOnRoute
            | Code::FlexUnsupportedChatParams
    )
}

struct Legs<'a> {
    work: Work,
    envelope: &'a Envelope,
    holder: &'a KeyHolder,
    caller: &'a HeaderMap,
    router: &'a Router,
    catalogue: &'a Catalogue,
    decision: &'a Decision,
    translated: Option<&'a Request>,
}

impl Legs<'_> {
    fn race(&self) -> Result<RacePlan, Rejection> {
        let tiers = self.decision.tiers;
        let mut settled = Vec::with_capacity(self.decision.routes.len());
        for route in &self.decision.routes {
            settled.push(self.settled_leg(*route, tiers.settled)?);
        }
        let flex = match tiers.flex_within {
            None => None,
            Some(start_within) => {
                let leg = self.flex_leg(&settled[0]);
                let most = self.router.settings.limits.prelude_max;
                let prelude_max = prelude_max(leg.request.body.len(), most);
                Some(FlexLeg {
                    leg,
                    start_within,
                    prelude_max,
                })
            }
        };
        Ok(RacePlan {
            flex,
            settled,
            retry: self.envelope.retry(),
        })
    }

    fn settled_leg(&self, route: Route, tier: &'static str) -> Result<Leg, Rejection> {
        let streams = self.envelope.streams();
        let key = self
            .router
            .keys
            .provider_key(&self.holder.org, route)
            .ok_or_else(|| no_provider_key(route))?;
        let Decision {
            provider, surface, ..
        } = *self.decision;
        let of_caller = match self.translated {
            Some(Request::Messages(_)) => Cow::Owned(upstream::without_version(self.caller)),
            _ => Cow::Borrowed(self.caller),
        };
        let headers = upstream::headers(provider, key.reveal(), &of_caller, streams)
            .map_err(|_| no_provider_key(route))?;
        Ok(Leg {
            route: route.name().into(),
            pool: self.router.pool(provider, &key),
            request: UpstreamRequest {
                uri: self.router.address(provider, self.path()),
                headers: headers.into(),
                body: self.body(route, tier, streams),
            },
            streams,
            dialect: wire::dialect(surface),
        })
    }

    /// The same call in the flex tier, streamed whatever the caller asked for.
    fn flex_leg(&self, settled: &Leg) -> Leg {
        let mut leg = settled.clone();
        leg.request.body = self.body(self.decision.routes[0], FLEX, true);
        if !leg.streams {
            upstream::ask_for_stream(Arc::make_mut(&mut leg.request.headers));
            leg.streams = true;
        }
        leg
    }

    fn path(&self) -> &'static str {
        match self.work {
            Work::Generate => upstream::path(self.decision.surface),
            Work::CountTokens => upstream::COUNT_TOKENS_PATH,
        }
    }

    fn body(&self, route: Route, tier: &'static str, streams: bool) -> Bytes {
        if let Some(request) = self.translated {
            return self.translated_body(request, route, tier, streams);
        }
        let mut overrides = Vec::with_capacity(3);
        if self.work == Work::Generate {
            overrides.push(("service_tier", Override::Json(format!("\"{tier}\"").into())));
        }
        if let Some(id) = self.other_id_on(route) {
            overrides.push(("model", Override::Text(id.to_owned())));
        }
        if streams != self.envelope.streams() {
            overrides.push((
                "stream",
                Override::Json(if streams { "true" } else { "false" }.into()),
            ));
        }
        self.envelope.render(&overrides)
    }

    fn translated_body(
        &self,
        request: &Request,
        route: Route,
        tier: &'static str,
        streams: bool,
    ) -> Bytes {
        let mut request = Cow::Borrowed(request);
        if let Some(id) = self.other_id_on(route) {
            request.to_mut().set_model(id);
        }
        let body = Translated {
            request,
            service_tier: tier,
            stream: streams,
        };
        // Strings, numbers and maps with strings as keys can always be written.
        serde_json::to_vec(&body).unwrap_or_default().into()
    }

    /// The model's id on a route that knows it under another one.
    fn other_id_on(&self, route: Route) -> Option<&str> {
        let model = self.envelope.model();
        let id = self.catalogue.get(model)?.id_on(route)?;
        (id != model).then_some(id)
    }
}
