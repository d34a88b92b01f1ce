//! The two sides of the demo: simulated providers, and a router in front of them with a key made for this run. Neither
//! the environment nor any file has a say in the settings.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::web::Data;
use startline_load::simulator::{Seen, Simulator};

use super::observed::Call;
use crate::catalogue::Catalogue;
use crate::keys::RouterKey;
use crate::router::Router;
use crate::settings::{self, BaseUrl, SecretText, Settings, SettingsError};
use crate::startup::{Application, StartError};

/// How long a provider may take to notice that a call is over.
const PROVIDER_NOTICES: Duration = Duration::from_secs(1);

/// Two workers show that requests of one router run on several threads.
const WORKERS: usize = 2;

/// Why there is no demo.
#[derive(Debug, thiserror::Error)]
pub(super) enum StageError {
    #[error("the simulated providers do not start: {0}")]
    Simulator(#[from] io::Error),
    #[error("the address of the simulated providers: {0}")]
    Address(String),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Router(#[from] StartError),
}

pub(super) struct Stage {
    simulator: Simulator,
    address: SocketAddr,
    router: Data<Router>,
    server: ServerHandle,
    key: RouterKey,
}

impl Stage {
    /// Starts both sides. Needs a running actix `System`.
    pub(super) fn set() -> Result<Self, StageError> {
        let simulator = Simulator::start(Default::default())?;
        let key = RouterKey::generate(&mut rand::rng());
        let settings = scratch_settings(&simulator.base_url(), &key)?;
        let application = Application::build(settings)?;
        let (address, router, server) = (
            application.address(),
            application.router(),
            application.handle(),
        );
        actix_rt::spawn(application.run());
        Ok(Self {
            simulator,
            address,
            router,
            server,
            key,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn key(&self) -> &str {
        self.key.reveal()
    }

    pub(super) fn catalogue(&self) -> Arc<Catalogue> {
        self.router.catalogue.current()
    }

    /// What the providers saw of the request with this id, once each call is over on their side too.
    pub(super) async fn calls(&self, id: &str) -> Vec<Call> {
        let are_over = |seen: &[Seen]| {
            let mut own = seen.iter().filter(|call| call.id.as_deref() == Some(id));
            own.all(|call| call.finished_at.is_some() || call.closed.is_some())
        };
        self.simulator.wait_for(are_over, PROVIDER_NOTICES).await;
        let seen = self.simulator.seen_by_id(id);
        seen.iter().map(Call::new).collect()
    }

    /// Stops the router; the simulator goes with the value.
    pub(super) async fn strike(self) {
        self.server.stop(false).await;
    }
}

fn scratch_settings(providers_at: &str, key: &RouterKey) -> Result<Settings, StageError> {
    let mut settings = Settings::load(None, &[])?;
    settings.server.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    settings.server.workers = WORKERS;
    let base_url = BaseUrl::parse(providers_at).map_err(StageError::Address)?;
    let providers = &mut settings.providers;
    for provider in [
        &mut providers.openai,
        &mut providers.gemini,
        &mut providers.anthropic,
    ] {
        provider.base_url = base_url.clone();
        provider.api_key = SecretText::new("simulated");
    }
    settings.keys.router.push(settings::RouterKey {
        key: Some(SecretText::new(key.reveal())),
        sha256: None,
        label: "demo".to_owned(),
        start_within: None,
    });
    Ok(settings)
}
