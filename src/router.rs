//! What the workers of one process share: settings, catalogue, keys, pools and counts.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::http::Uri;
use rustls::ClientConfig;
use rustls::crypto::ring;
use startline_actors::live::Live;
use startline_actors::provider_pool::{PoolHandle, ProviderPools};

use crate::api::intake::BodiesInFlight;
use crate::catalogue::{CatalogueError, CatalogueHandle};
use crate::keys::{
    ConfiguredKeys, ConfiguredProviderKey, ConfiguredRouterKey, KeyStore, KeysError, ProviderKey,
    Secret,
};
use crate::limits::Limits;
use crate::plan::upstream;
use crate::settings::{self, RootsError, Settings};
use crate::vocabulary::{Provider, ProviderSurface, Route};
use crate::worker::Worker;

/// Why the shared parts cannot be made from the settings.
#[derive(Debug, thiserror::Error)]
pub enum RouterError {
    /// The catalogue is not one.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A configured key is not one.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// There are no roots of trust.
    #[error(transparent)]
    Roots(#[from] RootsError),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// What the workers share.
pub struct Router {
    /// As they were read at the start.
    pub settings: Settings,
    /// The models.
    pub catalogue: CatalogueHandle,
    /// Router keys and provider keys.
    pub keys: Box<dyn KeyStore>,
    /// Rates of orgs and of failed authentication.
    pub limits: Limits,
    /// All request bodies in memory.
    pub bodies: Arc<BodiesInFlight>,
    /// Counts of races and attempts.
    pub live: Arc<Live>,
    /// TLS towards the providers.
    pub tls: Arc<ClientConfig>,
    addresses: HashMap<(Provider, &'static str), Uri>,
    pools: ProviderPools,
    workers: Mutex<Vec<Worker>>,
    draining: AtomicBool,
    in_flight: Arc<AtomicUsize>,
}

impl Router {
    /// Makes the shared parts. Needs a running actix `System`: the pools live on its arbiter.
    ///
    /// # Errors
    /// When catalogue, keys or TLS cannot be made from the settings.
    pub fn new(settings: Settings) -> Result<Self, RouterError> {
        Ok(Self {
            catalogue: CatalogueHandle::open(settings.catalogue.path.as_deref())?,
            keys: Box::new(configured_keys(&settings)?),
            limits: Limits::new(&settings.limits),
            bodies: BodiesInFlight::new(settings.server.bodies_in_flight),
            live: Arc::default(),
            tls: Arc::new(tls(settings.tls.roots)?),
            addresses: addresses(&settings),
            pools: ProviderPools::new(actix::Arbiter::current(), settings.pool.max_waiting),
            workers: Mutex::default(),
            draining: AtomicBool::new(false),
            in_flight: Arc::default(),
            settings,
        })
    }

    /// Where `provider` is reached under `path`.
    pub fn address(&self, provider: Provider, path: &'static str) -> Uri {
        match self.addresses.get(&(provider, path)) {
            Some(address) => address.clone(),
            None => self.settings.providers.of(provider).base_url.join(path),
        }
    }

    /// The pool of a provider key.
    pub fn pool(&self, provider: Provider, key: &ProviderKey) -> PoolHandle {
        self.pools
            .pool(key.id(), self.settings.providers.of(provider).concurrency)
    }

    /// The router's own address, for `doc_url`.
    pub fn public_url(&self) -> Option<&str> {
        self.settings
            .server
            .public_url
            .as_ref()
            .map(|url| url.as_str())
    }

    /// Counts a worker among those that must be alive.
    pub fn register(&self, worker: &Worker) {
        self.workers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(worker.clone());
    }

    /// Whether every actor that requests depend on is alive, and the service is not draining.
    pub fn is_ready(&self) -> bool {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        !self.is_draining() && self.pools.are_alive() && workers.iter().all(Worker::is_alive)
    }

    /// From now on new requests are refused.
    pub fn drain(&self) {
        self.draining.store(true, SeqCst);
    }

    /// Whether new requests are refused.
    pub fn is_draining(&self) -> bool {
        self.draining.load(SeqCst)
    }

    /// Requests that are being answered.
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(SeqCst)
    }

    /// Counts a request in, until the value is dropped.
    pub fn begin_request(&self) -> InFlight {
        self.in_flight.fetch_add(1, SeqCst);
        InFlight(Arc::clone(&self.in_flight))
    }

    /// Permits that are out and requests that wait for one.
    pub fn permits(&self) -> (usize, usize) {
        self.pools.load()
    }

    /// Reads the catalogue again; one that is not sound leaves the old one in place.
    pub fn reload_catalogue(&self) {
        match self.catalogue.reload() {
            Ok(()) => tracing::info!("catalogue read again"),
            Err(error) => tracing::error!(%error, "catalogue not read again, the old one stays"),
        }
    }
}

/// A request that is being answered.
pub struct InFlight(Arc<AtomicUsize>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

pub(crate) fn configured_keys(settings: &Settings) -> Result<ConfiguredKeys, KeysError> {
    let router_keys = settings.keys.router.iter().map(|configured| {
        let key = match (&configured.key, &configured.sha256) {
            (Some(key), _) => key.expose().to_owned(),
            (None, digest) => format!("sha256:{}", digest.as_deref().unwrap_or_default()),
        };
        ConfiguredRouterKey {
            key: Secret::new(key),
            label: configured.label.clone(),
            default_start_within: configured.start_within.clone(),
            expires_at: None,
            revoked: false,
        }
    });
    let providers = &settings.providers;
    let provider_keys = [
        (Route::Openai, &providers.openai),
        (Route::Google, &providers.gemini),
        (Route::Anthropic, &providers.anthropic),
    ];
    let provider_keys = provider_keys
        .into_iter()
        .filter(|(_, provider)| !provider.api_key.is_empty());
    let provider_keys = provider_keys.map(|(route, provider)| ConfiguredProviderKey {
        route,
        key: Secret::new(provider.api_key.expose().to_owned()),
    });
    ConfiguredKeys::new(router_keys.collect(), provider_keys.collect())
}

fn tls(roots: settings::Roots) -> Result<ClientConfig, RouterError> {
    let provider = Arc::new(ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots.store()?)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn addresses(settings: &Settings) -> HashMap<(Provider, &'static str), Uri> {
    let paths = [
        (
            Provider::Openai,
            upstream::path(ProviderSurface::OpenaiResponses),
        ),
        (
            Provider::Openai,
            upstream::path(ProviderSurface::OpenaiChat),
        ),
        (
            Provider::Gemini,
            upstream::path(ProviderSurface::GeminiInteractions),
        ),
        (
            Provider::Anthropic,
            upstream::path(ProviderSurface::AnthropicMessages),
        ),
        (Provider::Anthropic, upstream::COUNT_TOKENS_PATH),
    ];
    paths
        .map(|(provider, path)| {
            (
                (provider, path),
                settings.providers.of(provider).base_url.join(path),
            )
        })
        .into()
}
