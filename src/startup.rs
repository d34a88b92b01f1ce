//! Puts the service together and runs it until it is told to stop.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::{App, HttpServer, web};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::api;
use crate::router::{Router, RouterError};
use crate::settings::Settings;
use crate::worker::Worker;

/// How often a draining service looks whether its last request has gone.
const DRAIN_TICK: Duration = Duration::from_millis(50);

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, #[source] io::Error),
    /// A part of the service cannot be made from the settings.
    #[error(transparent)]
    Router(#[from] RouterError),
    /// Anything else of the operating system's.
    #[error("the service cannot start: {0}")]
    System(#[from] io::Error),
}

/// The service, listening.
pub struct Application {
    address: SocketAddr,
    router: web::Data<Router>,
    server: Server,
    operations: Option<Server>,
}

impl Application {
    /// Binds the addresses and prepares the workers. Needs a running actix `System`.
    ///
    /// # Errors
    /// When an address is taken, or the settings cannot be put into practice.
    pub fn build(settings: Settings) -> Result<Self, StartError> {
        let listener = listen(settings.server.listen, settings.server.backlog)?;
        let operations_listener = settings
            .server
            .operations_listen
            .map(|address| listen(address, 128))
            .transpose()?;
        let router = web::Data::new(Router::new(settings)?);
        let address = listener.local_addr()?;
        let separate = operations_listener.is_some();
        let server = serve(&router, listener, separate)?;
        let operations = operations_listener
            .map(|listener| serve_operations(&router, listener))
            .transpose()?;
        Ok(Self {
            address,
            router,
            server,
            operations,
        })
    }

    /// The address callers connect to, with the port that was chosen if the setting said 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What the workers share.
    pub fn router(&self) -> web::Data<Router> {
        self.router.clone()
    }

    /// Stops the service from elsewhere.
    pub fn handle(&self) -> ServerHandle {
        self.server.handle()
    }

    /// Runs until the server is stopped through its handle.
    ///
    /// # Errors
    /// When the server fails.
    pub async fn run(self) -> io::Result<()> {
        if let Some(operations) = self.operations {
            actix_rt::spawn(operations);
        }
        self.server.await
    }

    /// Runs until a signal: SIGTERM lets running requests finish, SIGINT and every second signal cut them off, SIGHUP
    /// reads the catalogue again.
    ///
    /// # Errors
    /// When the server fails, or signals cannot be received.
    pub async fn run_until_signalled(self) -> io::Result<()> {
        let (router, handle) = (self.router(), self.handle());
        let signals = Signals::new()?;
        tokio::select! {
            outcome = self.run() => outcome,
            outcome = signals.obey(&router, &handle) => outcome,
        }
    }
}

fn listen(address: SocketAddr, backlog: u32) -> Result<TcpListener, StartError> {
    let open = || {
        let socket = match address {
            SocketAddr::V4(_) => tokio::net::TcpSocket::new_v4()?,
            SocketAddr::V6(_) => tokio::net::TcpSocket::new_v6()?,
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(backlog)?.into_std()
    };
    open().map_err(|error| StartError::Listen(address, error))
}

fn serve(router: &web::Data<Router>, listener: TcpListener, separate: bool) -> io::Result<Server> {
    let shared = router.clone();
    let settings = &router.settings.server;
    let workers = Arc::new(AtomicUsize::new(0));
    let server = HttpServer::new(move || {
        let worker = Worker::start(&shared, workers.fetch_add(1, Relaxed));
        shared.register(&worker);
        let app = App::new()
            .app_data(shared.clone())
            .app_data(web::Data::new(worker));
        app.configure(|config| api::routes(config, !separate))
    });
    let server = server
        .workers(settings.worker_count())
        .max_connections(settings.max_connections)
        .keep_alive(settings.keep_alive)
        .client_request_timeout(settings.head_timeout)
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        // Without it the first event of a stream waits 40 ms on a kept-alive connection.
        .tcp_nodelay(true)
        // Without it a caller who leaves is never noticed.
        .h1_allow_half_closed(false)
        .disable_signals()
        .listen(listener)?;
    Ok(server.run())
}

fn serve_operations(router: &web::Data<Router>, listener: TcpListener) -> io::Result<Server> {
    let shared = router.clone();
    let server = HttpServer::new(move || {
        App::new()
            .app_data(shared.clone())
            .configure(api::operations_routes)
    });
    Ok(server.workers(1).disable_signals().listen(listener)?.run())
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn obey(mut self, router: &Router, handle: &ServerHandle) -> io::Result<()> {
        loop {
            tokio::select! {
                _ = self.hang_up.recv() => router.reload_catalogue(),
                _ = self.interrupt.recv() => {
                    tracing::info!("interrupted: stopping at once");
                    return Ok(());
                }
                _ = self.terminate.recv() => break,
            }
        }
        tracing::info!(
            in_flight = router.in_flight(),
            "stopping: running requests may finish"
        );
        router.drain();
        // Stops accepting; the future is not awaited because idle connections would hold it up.
        drop(handle.stop(true));
        tokio::select! {
            () = drained(router) => tracing::info!("every request has finished"),
            _ = self.terminate.recv() => tracing::info!("second signal: stopping at once"),
            _ = self.interrupt.recv() => tracing::info!("second signal: stopping at once"),
        }
        Ok(())
    }
}

async fn drained(router: &Router) {
    let deadline = tokio::time::Instant::now() + router.settings.server.shutdown_timeout;
    while router.in_flight() > 0 && tokio::time::Instant::now() < deadline {
        actix_rt::time::sleep(DRAIN_TICK).await;
    }
    // The last answers may still be on their way from the write buffers to the sockets.
    actix_rt::time::sleep(DRAIN_TICK).await;
}
