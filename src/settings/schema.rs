//! The settings as types, one struct a section of `config/startline.toml`, whose comments say what each key means.
//! Nothing here has a default: the embedded file is the only place that knows them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::value::{self, BaseUrl, SecretText};
use crate::vocabulary::Provider;

/// Everything that can be set.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The listening side.
    pub server: Server,
    /// How long to wait for whom.
    pub timeouts: Timeouts,
    /// Bounds on memory and rates.
    pub limits: Limits,
    /// Permits and connections towards the providers.
    pub pool: Pool,
    /// Where the providers are.
    pub providers: Providers,
    /// Whom to trust.
    pub tls: Tls,
    /// Router keys of this installation.
    pub keys: Keys,
    /// The log.
    pub log: Log,
    /// The model catalogue.
    pub catalogue: CatalogueFile,
}

/// Section `[server]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Address that callers connect to.
    #[serde(deserialize_with = "value::address")]
    pub listen: SocketAddr,
    /// Worker threads; 0 is one a core. See [`Server::worker_count`].
    pub workers: usize,
    /// Whether each worker stays on a core of its own.
    pub pin_workers: bool,
    /// Address that callers know the router by, for `doc_url`.
    #[serde(deserialize_with = "value::url_or_none")]
    pub public_url: Option<BaseUrl>,
    /// Bytes of one request body.
    #[serde(deserialize_with = "value::size")]
    pub max_body: usize,
    /// For a whole request body.
    #[serde(deserialize_with = "value::duration")]
    pub body_timeout: Duration,
    /// Bytes of all request bodies together.
    #[serde(deserialize_with = "value::size")]
    pub bodies_in_flight: usize,
    /// For an idle connection of a caller.
    #[serde(deserialize_with = "value::duration")]
    pub keep_alive: Duration,
    /// For the head of a request.
    #[serde(deserialize_with = "value::duration")]
    pub head_timeout: Duration,
    /// For running requests after SIGTERM.
    #[serde(deserialize_with = "value::duration")]
    pub shutdown_timeout: Duration,
    /// Connections of callers per worker.
    pub max_connections: usize,
    /// Connections waiting to be accepted.
    pub backlog: u32,
    /// Address of the operations endpoints, where it is another one.
    #[serde(deserialize_with = "value::address_or_none")]
    pub operations_listen: Option<SocketAddr>,
}

impl Server {
    /// The number of worker threads to start.
    pub fn worker_count(&self) -> usize {
        if self.workers > 0 {
            return self.workers;
        }
        std::thread::available_parallelism().map_or(1, |cores| cores.get())
    }
}

/// Section `[timeouts]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    /// Opening a connection: DNS, TCP and TLS together.
    #[serde(deserialize_with = "value::duration")]
    pub connect: Duration,
    /// Until the status line of a streamed answer.
    #[serde(deserialize_with = "value::duration")]
    pub response_head: Duration,
    /// Until the status line of a whole answer.
    #[serde(deserialize_with = "value::duration")]
    pub response_head_whole: Duration,
    /// Between two pieces of an answer.
    #[serde(deserialize_with = "value::duration")]
    pub idle: Duration,
    /// For one attempt; `None` is off.
    #[serde(deserialize_with = "value::duration_or_off")]
    pub total: Option<Duration>,
    /// For the text of a provider's error.
    #[serde(deserialize_with = "value::duration")]
    pub error_body: Duration,
    /// Silence before a comment goes to a streaming caller.
    #[serde(deserialize_with = "value::duration")]
    pub heartbeat: Duration,
}

/// Section `[limits]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a whole answer.
    #[serde(deserialize_with = "value::size")]
    pub response_max: usize,
    /// Bytes of one event.
    #[serde(deserialize_with = "value::size")]
    pub event_max: usize,
    /// Bytes of an error body that are kept.
    #[serde(deserialize_with = "value::size")]
    pub error_body_max: usize,
    /// Bytes of a prelude, whatever the request's size.
    #[serde(deserialize_with = "value::size")]
    pub prelude_max: usize,
    /// Pieces in the channel between an attempt and its caller.
    pub body_channel: usize,
    /// Requests with a bad key per client address and minute.
    pub auth_failures_per_minute: u32,
    /// Requests per org and second; 0 is no limit.
    pub org_requests_per_second: u32,
}

/// Section `[pool]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// Requests that wait for a permit of one provider key.
    pub max_waiting: usize,
    /// For a permit.
    #[serde(deserialize_with = "value::duration")]
    pub max_wait: Duration,
    /// For an idle connection to a provider.
    #[serde(deserialize_with = "value::duration")]
    pub keep_alive: Duration,
    /// Before a race's deadline, when a connection is opened for its standard leg; `None` is off.
    #[serde(deserialize_with = "value::duration_or_off")]
    pub connect_ahead: Option<Duration>,
    /// Age at which a connection to a provider is retired.
    #[serde(deserialize_with = "value::duration")]
    pub lifetime: Duration,
}

/// Section `[providers]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Providers {
    /// OpenAI.
    pub openai: ProviderSettings,
    /// The Gemini API.
    pub gemini: ProviderSettings,
    /// Anthropic.
    pub anthropic: ProviderSettings,
}

impl Providers {
    /// The settings of one provider.
    pub fn of(&self, provider: Provider) -> &ProviderSettings {
        match provider {
            Provider::Openai => &self.openai,
            Provider::Gemini => &self.gemini,
            Provider::Anthropic => &self.anthropic,
        }
    }
}

/// One section `[providers.…]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSettings {
    /// Where the provider is.
    pub base_url: BaseUrl,
    /// The provider key; empty when there is none.
    pub api_key: SecretText,
    /// Attempts at one time with this key.
    pub concurrency: usize,
}

/// Section `[tls]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// Which authorities are trusted.
    pub roots: super::roots::Roots,
}

/// Section `[keys]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// The router keys.
    pub router: Vec<RouterKey>,
}

/// One entry of `keys.router`: exactly one of `key` and `sha256` is there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouterKey {
    /// The key itself.
    pub key: Option<SecretText>,
    /// SHA-256 of the whole key, 64 hex digits.
    pub sha256: Option<String>,
    /// A name for people.
    #[serde(default)]
    pub label: String,
    /// The key's default for requests that carry no `start_within`.
    pub start_within: Option<String>,
}

/// Section `[log]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// For people or for machines.
    pub format: LogFormat,
    /// Levels per module, in the words of `tracing_subscriber::EnvFilter`.
    pub filter: String,
    /// Lines that wait to be written.
    pub waiting_lines: usize,
}

/// How a log line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One readable line an event.
    Text,
    /// One JSON object an event.
    Json,
}

/// Section `[catalogue]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueFile {
    /// A file in place of the built-in catalogue.
    #[serde(deserialize_with = "value::path_or_none")]
    pub path: Option<PathBuf>,
}
