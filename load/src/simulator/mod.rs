//! A simulator of the providers: OpenAI Responses and Chat, Gemini Interactions, Anthropic Messages, on one address.
//!
//! It speaks HTTP/1.1 on raw sockets, so that every byte, every pause and every way of closing can be scripted, and it
//! notices at once when the other side closes. What a request gets is decided by the first of these that is there: an
//! `x-sim` header with a [`Script`], a `[[sim {…}]]` marker in any text of the body, the end of the model's name
//! (`gpt-5.2--silent`, see [`presets`]), a [`Rule`]; otherwise a short text, at once. A request that the vendor would
//! refuse is refused first, whatever the script says.

mod admin;
mod answer;
mod anthropic;
mod asked;
mod closings;
mod connection;
mod events;
mod gemini;
mod http;
mod ids;
mod journal;
mod openai;
mod output;
mod pieces;
mod plan;
mod player;
pub mod presets;
mod respond;
mod rules;
mod schema;
pub mod script;
mod server;
mod stamped;
mod vendor;

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

pub use journal::{Closed, Seen};
pub use rules::Rule;
pub use script::{Behaviour, Content, Cut, CutHow, Fault, Framing, How, Numbers, Script, Silence};

use closings::Closings;
use journal::Journal;
use rules::Rules;
use server::State;

/// How a simulator is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Address and port; port 0 takes a free one.
    pub listen: String,
    /// Threads of its own.
    pub threads: usize,
    /// Whether requests are remembered.
    pub record: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:0".to_owned(),
            threads: 1,
            record: true,
        }
    }
}

/// A running simulator. It has its own threads, so it runs beside any runtime; dropping it stops it.
pub struct Simulator {
    runtime: Option<Runtime>,
    state: Arc<State>,
    address: SocketAddr,
}

impl Simulator {
    /// Starts one. Fails when the address cannot be used.
    pub fn start(options: Options) -> io::Result<Self> {
        let unreadable =
            || io::Error::new(io::ErrorKind::InvalidInput, "the address names no host");
        let wanted = options
            .listen
            .to_socket_addrs()?
            .next()
            .ok_or_else(unreadable)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(options.threads.max(1))
            .thread_name("simulator")
            .enable_all()
            .build()?;
        let listener = {
            let _inside = runtime.enter();
            server::bind(wanted)?
        };
        let address = listener.local_addr()?;
        let (orders, received) = mpsc::unbounded_channel();
        let state = Arc::new(State {
            journal: Journal::new(options.record),
            rules: Rules::default(),
            closings: Closings::start()?,
            started: Instant::now(),
            orders,
        });
        runtime.spawn(server::accept(listener, state.clone(), received));
        Ok(Self {
            runtime: Some(runtime),
            state,
            address,
        })
    }

    /// Starts one on a free port of the loopback address.
    pub fn start_default() -> Self {
        Self::start(Options::default()).expect("the loopback address has a free port")
    }

    /// `http://` with address and port, without a slash at the end.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request since the start or the last [`clear`](Self::clear), in the order of arrival.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.journal.seen()
    }

    /// The requests whose script has this id.
    pub fn seen_by_id(&self, id: &str) -> Vec<Seen> {
        self.seen()
            .into_iter()
            .filter(|seen| seen.id.as_deref() == Some(id))
            .collect()
    }

    /// Forgets what was seen, the rules and the counted attempts.
    pub fn clear(&self) {
        self.state.journal.clear();
        self.state.rules.clear();
        self.state.rules.forget_attempts();
    }

    /// Adds a standing order.
    pub fn rule(&self, rule: Rule) {
        self.state.rules.add(rule);
    }

    /// Requests that are being answered.
    pub fn open_requests(&self) -> usize {
        self.state.journal.open_requests()
    }

    /// Connections that are open.
    pub fn open_connections(&self) -> usize {
        self.state.journal.open_connections()
    }

    /// Refuses new connections, or accepts them again on the same port. Comes back when it is so.
    pub async fn refuse_connections(&self, refuse: bool) {
        self.state.refuse(refuse).await;
    }

    /// Waits until what was seen fulfils the condition; false when the time is over first. Needs a tokio runtime.
    pub async fn wait_for(&self, condition: impl Fn(&[Seen]) -> bool, timeout: Duration) -> bool {
        self.state.journal.wait_for(condition, timeout).await
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
