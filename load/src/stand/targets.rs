//! The three programs that a load can be sent to: the router, the pass-through, the simulator itself.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;

use super::program::Program;
use super::requests::{PROVIDER_KEY, ROUTER_KEY};

/// How long a program may take until it accepts connections.
const START: Duration = Duration::from_secs(10);

/// How a router is to be set up.
#[derive(Debug, Clone)]
pub struct RouterSettings {
    /// Worker threads.
    pub workers: usize,
    /// Whether each of them stays on a core of its own.
    pub pinned: bool,
    /// Where OpenAI is simulated.
    pub openai: SocketAddr,
    /// Where Gemini is simulated.
    pub gemini: SocketAddr,
    /// Attempts that each provider key runs at one time.
    pub concurrency: usize,
    /// `log.filter`.
    pub log_filter: &'static str,
    /// The core it is bound to.
    pub core: Option<usize>,
}

/// A running program that accepts connections.
pub struct Target {
    /// The program.
    pub program: Program,
    /// Where it listens.
    pub address: SocketAddr,
    /// Its configuration, taken away with it.
    _file: Option<ScratchFile>,
}

impl Target {
    /// Starts a router.
    ///
    /// # Errors
    /// When it does not start, or does not accept connections in time.
    pub async fn router(settings: &RouterSettings) -> io::Result<Self> {
        let address = free_address()?;
        let file = ScratchFile::write(address.port(), &configuration(settings, address))?;
        let path = file.0.to_string_lossy().into_owned();
        let program = Program::start("startline", &["serve", "--config", &path], settings.core)?;
        Self::ready(program, address, Some(file)).await
    }

    /// Starts a pass-through to one upstream.
    ///
    /// # Errors
    /// When it does not start, or does not accept connections in time.
    pub async fn pass_through(
        upstream: SocketAddr,
        workers: usize,
        core: Option<usize>,
    ) -> io::Result<Self> {
        let address = free_address()?;
        let (listen, workers) = (address.to_string(), workers.to_string());
        let upstream = format!("http://{upstream}");
        let arguments = [
            "--listen",
            &listen,
            "--upstream",
            &upstream,
            "--workers",
            &workers,
        ];
        let program = Program::start("pass_through", &arguments, core)?;
        Self::ready(program, address, None).await
    }

    /// Starts a simulator that remembers nothing, on every loopback address.
    ///
    /// # Errors
    /// When it does not start, or does not accept connections in time.
    pub async fn simulator(core: Option<usize>) -> io::Result<Self> {
        let address = free_address()?;
        let listen = format!("0.0.0.0:{}", address.port());
        let program = Program::start("simulator", &["--quiet", "--listen", &listen], core)?;
        Self::ready(program, address, None).await
    }

    async fn ready(
        mut program: Program,
        address: SocketAddr,
        file: Option<ScratchFile>,
    ) -> io::Result<Self> {
        let deadline = Instant::now() + START;
        while !accepts(address).await {
            program.check_alive()?;
            if Instant::now() > deadline {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "a program accepts no connections",
                ));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(Self {
            program,
            address,
            _file: file,
        })
    }
}

/// Whether somebody listens there. A connection to a free port can meet itself, when its own port is the same.
async fn accepts(address: SocketAddr) -> bool {
    match TcpStream::connect(address).await {
        Ok(stream) => stream.local_addr().is_ok_and(|own| own != address),
        Err(_) => false,
    }
}

/// A free port of 127.0.0.1; it stays free unless another program takes it in the next moment.
fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

fn configuration(settings: &RouterSettings, listen: SocketAddr) -> String {
    let RouterSettings {
        workers,
        pinned,
        openai,
        gemini,
        concurrency,
        log_filter,
        ..
    } = settings;
    format!(
        "[server]\nlisten = \"{listen}\"\nworkers = {workers}\npin_workers = {pinned}\n\
         [providers.openai]\nbase_url = \"http://{openai}\"\napi_key = \"{PROVIDER_KEY}\"\nconcurrency = {concurrency}\n\
         [providers.gemini]\nbase_url = \"http://{gemini}\"\napi_key = \"{PROVIDER_KEY}\"\nconcurrency = {concurrency}\n\
         [keys]\nrouter = [{{ key = \"{ROUTER_KEY}\", label = \"load\" }}]\n\
         [log]\nfilter = \"{log_filter}\"\n"
    )
}

struct ScratchFile(PathBuf);

impl ScratchFile {
    fn write(port: u16, text: &str) -> io::Result<Self> {
        let name = format!("startline-load-{}-{port}.toml", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text)?;
        Ok(Self(path))
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
