//! The program itself as a child process: its settings, its output as it comes, its signals, its end.

use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use startline::keys::RouterKey;
use startline_load::simulator::Simulator;
use tokio::sync::watch;

const PATIENCE: Duration = Duration::from_secs(20);

/// A directory that is gone with the test.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "startline-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file and gives its path.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program with nothing of this process's environment.
pub fn startline(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_startline"));
    command.args(arguments).env_clear();
    command
}

/// Runs a command that ends by itself: its exit status, standard output, standard error.
pub fn run(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// `startline serve`, running. Killed when it is dropped.
pub struct Serving {
    child: Child,
    stdout: watch::Receiver<Said>,
    stderr: watch::Receiver<Said>,
    pub address: SocketAddr,
    pub key: String,
}

/// What has come out of a pipe so far.
#[derive(Default)]
struct Said {
    text: String,
    is_over: bool,
}

/// `serve` with a provider and one key, by the environment alone.
pub fn serve(simulator: &Simulator, key: &str) -> Command {
    let mut command = startline(&["serve"]);
    let url = simulator.base_url();
    for (name, value) in [
        ("SERVER__LISTEN", "127.0.0.1:0"),
        ("SERVER__WORKERS", "1"),
        ("LOG__FORMAT", "json"),
        ("PROVIDERS__OPENAI__BASE_URL", &url),
        ("PROVIDERS__GEMINI__BASE_URL", &url),
        ("PROVIDERS__ANTHROPIC__BASE_URL", &url),
        ("PROVIDERS__OPENAI__API_KEY", "sk-simulated"),
        ("PROVIDERS__GEMINI__API_KEY", "AIza-simulated"),
        ("PROVIDERS__ANTHROPIC__API_KEY", "sk-ant-simulated"),
    ] {
        command.env(format!("STARTLINE__{name}"), value);
    }
    if !key.is_empty() {
        let router = format!("[{{ key = \"{key}\", label = \"test\" }}]");
        command.env("STARTLINE__KEYS__ROUTER", router);
    }
    command
}

pub fn new_key() -> String {
    RouterKey::generate(&mut rand::rng()).reveal().to_owned()
}

impl Serving {
    /// Starts it and waits until it listens.
    pub async fn start(command: &mut Command, key: &str) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = follow(child.stdout.take().unwrap());
        let stderr = follow(child.stderr.take().unwrap());
        let mut serving = Self {
            child,
            stdout,
            stderr,
            address: SocketAddr::from(([0, 0, 0, 0], 0)),
            key: key.to_owned(),
        };
        serving.logged("listening").await;
        serving.address = address_in(&serving.log());
        serving
    }

    /// Waits until this stands in the log.
    pub async fn logged(&mut self, text: &str) {
        let reading = self
            .stderr
            .wait_for(|said| said.text.contains(text) || said.is_over);
        let found = tokio::time::timeout(PATIENCE, reading).await;
        let is_there = matches!(&found, Ok(Ok(said)) if said.text.contains(text));
        drop(found);
        assert!(is_there, "{text:?} is not in the log: {}", self.log());
    }

    pub fn log(&self) -> String {
        self.stderr.borrow().text.clone()
    }

    pub fn printed(&self) -> String {
        self.stdout.borrow().text.clone()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let order = format!("kill -{name} {}", self.child.id());
        let sent = Command::new("sh").args(["-c", &order]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for its end.
    pub async fn end(&mut self) -> ExitStatus {
        let reading = self.stderr.wait_for(|said| said.is_over);
        let ended = tokio::time::timeout(PATIENCE, reading).await.is_ok();
        assert!(ended, "it does not end: {}", self.log());
        self.child.wait().unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address in the line that says that the router listens, whatever the format of the log.
fn address_in(log: &str) -> SocketAddr {
    let line = log.lines().find(|line| line.contains("listening")).unwrap();
    let at = line.find("127.0.0.1:").unwrap();
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == ':';
    let end = line[at..]
        .find(|letter| !is_part(letter))
        .unwrap_or(line.len() - at);
    line[at..at + end].parse().unwrap()
}

fn follow(mut pipe: impl Read + Send + 'static) -> watch::Receiver<Said> {
    let (sender, receiver) = watch::channel(Said::default());
    std::thread::spawn(move || {
        let mut buffer = [0; 64 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            let text = String::from_utf8_lossy(&buffer[..count]).into_owned();
            sender.send_modify(|said| said.text.push_str(&text));
        }
        sender.send_modify(|said| said.is_over = true);
    });
    receiver
}
