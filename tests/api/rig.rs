//! A router and a simulated provider behind it, for one test.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use actix_web::dev::ServerHandle;
use actix_web::web::Data;
use serde_json::Value;
use startline::keys::RouterKey;
use startline::router::Router;
use startline::settings::{self, BaseUrl, SecretText, Settings};
use startline::startup::Application;
use startline_load::simulator::{Options, Seen, Simulator};

use crate::client::{self, Answer, Connection};

/// How long the last actor may take to go.
const SETTLING: Duration = Duration::from_secs(2);

/// Held by a test that measures time, and by one that keeps the whole machine busy for long.
pub static MACHINE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

pub struct Rig {
    pub simulator: Simulator,
    pub address: SocketAddr,
    pub router: Data<Router>,
    pub key: String,
    server: ServerHandle,
}

impl Rig {
    /// A rig with the default settings.
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// A rig whose settings are changed first. Needs an actix system, as `#[actix_web::test]` gives.
    pub async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let options = Options {
            listen: "127.0.0.1:0".to_owned(),
            threads: 1,
            record: true,
        };
        let simulator = Simulator::start(options).unwrap();
        let key = RouterKey::generate(&mut rand::rng()).reveal().to_owned();
        let mut settings = Settings::load(None, &[]).unwrap();
        settings.server.listen = "127.0.0.1:0".parse().unwrap();
        settings.server.workers = 1;
        let base_url = BaseUrl::parse(&simulator.base_url()).unwrap();
        let providers = &mut settings.providers;
        for (provider, api_key) in [
            (&mut providers.openai, "sk-simulated"),
            (&mut providers.gemini, "AIza-simulated"),
            (&mut providers.anthropic, "sk-ant-simulated"),
        ] {
            provider.base_url = base_url.clone();
            provider.api_key = SecretText::new(api_key);
        }
        settings.keys.router.push(settings::RouterKey {
            key: Some(SecretText::new(key.as_str())),
            sha256: None,
            label: "test".to_owned(),
            start_within: None,
        });
        change(&mut settings);
        let application = Application::build(settings).unwrap();
        let (address, router, server) = (
            application.address(),
            application.router(),
            application.handle(),
        );
        actix_rt::spawn(application.run());
        Self {
            simulator,
            address,
            router,
            key,
            server,
        }
    }

    /// Sends a request with the rig's key and reads the whole answer.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[], body.to_string().as_bytes())
            .await
    }

    /// The same with a method, headers and bytes of the test's own.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        self.open(method, path, headers, body).await.answer().await
    }

    /// Sends a request and leaves the answer to the test.
    pub async fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Connection {
        let mut connection = Connection::open(self.address).await;
        let authorization = format!("Bearer {}", self.key);
        let mut all = vec![
            ("authorization", authorization.as_str()),
            ("content-type", "application/json"),
        ];
        all.extend_from_slice(headers);
        connection
            .write(&client::request(method, path, &all, body))
            .await;
        connection
    }

    /// The last body that the provider sent, once it has noted it down.
    pub async fn last_sent_body(&self) -> String {
        let is_noted = |seen: &[Seen]| seen.last().is_some_and(|seen| !seen.sent_body.is_empty());
        assert!(self.simulator.wait_for(is_noted, SETTLING).await);
        let body = self.simulator.seen().pop().unwrap().sent_body;
        String::from_utf8(body.into()).unwrap()
    }

    /// Waits until nothing of any request is left: no actor, no permit, no body, no request at the provider; then stops.
    pub async fn settle(self) {
        let deadline = Instant::now() + SETTLING;
        while !self.is_quiet() {
            assert!(
                Instant::now() < deadline,
                "something is left: {}",
                self.what_is_left()
            );
            actix_rt::time::sleep(Duration::from_millis(2)).await;
        }
        self.server.stop(false).await;
    }

    /// Whether nothing of any request is left.
    pub fn is_quiet(&self) -> bool {
        let live = &self.router.live;
        live.races() == 0
            && live.attempts() == 0
            && self.router.permits() == (0, 0)
            && self.router.bodies.held() == 0
            && self.router.in_flight() == 0
            && self.simulator.open_requests() == 0
    }

    fn what_is_left(&self) -> String {
        format!(
            "{} races, {} attempts, permits {:?}, {} bytes of bodies, {} requests, {} at the provider",
            self.router.live.races(),
            self.router.live.attempts(),
            self.router.permits(),
            self.router.bodies.held(),
            self.router.in_flight(),
            self.simulator.open_requests(),
        )
    }
}

/// A text with a script for the simulator in it.
pub fn scripted(script: &Value) -> String {
    format!("Hello [[sim {script}]]")
}
