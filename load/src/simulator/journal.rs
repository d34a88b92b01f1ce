//! What the simulator saw and did, one [`Seen`] a request, and the counts of what is open right now.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::script::How;

/// One request, and what became of it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Its place among all requests since the start; `clear` does not set it back.
    pub serial: u64,
    /// When its last byte came: on Linux by the kernel's stamp, so that a busy simulator does not count.
    pub at: Instant,
    /// `openai.responses`, `openai.chat`, `gemini.interactions`, `anthropic.messages`, `anthropic.count_tokens`, or
    /// `none` for a path that nobody serves.
    pub surface: &'static str,
    /// Path and query.
    pub path: String,
    /// The headers in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, whole.
    pub body: Bytes,
    /// `model`, empty when there is none.
    pub model: String,
    /// `service_tier`.
    pub tier: Option<String>,
    /// Whether `stream` is true.
    pub stream: bool,
    /// The `id` of the script that decided, if it has one.
    pub id: Option<String>,
    /// Which connection brought it.
    pub connection: u64,
    /// The status line that was sent.
    pub status_sent: Option<u16>,
    /// When it was sent.
    pub answered_at: Option<Instant>,
    /// When the last byte of a whole answer was handed to the socket.
    pub finished_at: Option<Instant>,
    /// How the connection ended, on the last request it brought.
    pub closed: Option<Closed>,
    /// The bytes of the answer's body that were sent, without the transfer coding.
    pub sent_body: Bytes,
}

/// The end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    /// When it was noticed, or done.
    pub at: Instant,
    /// In order or by a reset.
    pub how: How,
    /// The other side did it, and before the answer was whole.
    pub by_other_side_before_end: bool,
}

impl Seen {
    /// The first header of this name, given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as JSON, null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(super) fn describe(&self, since: Instant) -> Value {
        let micros = |at: Instant| at.duration_since(since).as_micros() as u64;
        json!({
            "serial": self.serial, "at": micros(self.at), "surface": self.surface, "path": self.path,
            "headers": self.headers, "body": String::from_utf8_lossy(&self.body), "model": self.model,
            "tier": self.tier, "stream": self.stream, "id": self.id, "connection": self.connection,
            "status_sent": self.status_sent, "answered_at": self.answered_at.map(micros),
            "finished_at": self.finished_at.map(micros),
            "closed": self.closed.map(|closed| json!({
                "at": micros(closed.at), "how": closed.how,
                "by_other_side_before_end": closed.by_other_side_before_end,
            })),
            "sent_body": String::from_utf8_lossy(&self.sent_body),
        })
    }
}

/// All that is remembered.
pub(super) struct Journal {
    record: bool,
    entries: Mutex<Entries>,
    changes: watch::Sender<u64>,
    open_requests: AtomicUsize,
    open_connections: AtomicUsize,
}

#[derive(Default)]
struct Entries {
    /// The serial of the first entry that is still here.
    first: u64,
    seen: Vec<Seen>,
}

/// Counts one thing as open until it is dropped.
pub(super) struct Open<'a>(&'a AtomicUsize);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Journal {
    pub(super) fn new(record: bool) -> Self {
        Self {
            record,
            entries: Mutex::default(),
            changes: watch::Sender::new(0),
            open_requests: AtomicUsize::new(0),
            open_connections: AtomicUsize::new(0),
        }
    }

    pub(super) fn records(&self) -> bool {
        self.record
    }

    pub(super) fn request_opens(&self) -> Open<'_> {
        self.open_requests.fetch_add(1, Ordering::AcqRel);
        Open(&self.open_requests)
    }

    pub(super) fn connection_opens(&self) -> Open<'_> {
        self.open_connections.fetch_add(1, Ordering::AcqRel);
        Open(&self.open_connections)
    }

    pub(super) fn open_requests(&self) -> usize {
        self.open_requests.load(Ordering::Acquire)
    }

    pub(super) fn open_connections(&self) -> usize {
        self.open_connections.load(Ordering::Acquire)
    }

    /// Adds a request and gives its serial.
    pub(super) fn add(&self, mut seen: Seen) -> u64 {
        let mut entries = self.entries.lock().expect("no holder panics");
        let serial = entries.first + entries.seen.len() as u64;
        seen.serial = serial;
        entries.seen.push(seen);
        drop(entries);
        self.announce();
        serial
    }

    /// Changes a request that is still remembered.
    pub(super) fn update(&self, serial: u64, change: impl FnOnce(&mut Seen)) {
        let mut entries = self.entries.lock().expect("no holder panics");
        let Some(place) = serial.checked_sub(entries.first) else {
            return;
        };
        let Some(seen) = entries.seen.get_mut(place as usize) else {
            return;
        };
        change(seen);
        drop(entries);
        self.announce();
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.entries.lock().expect("no holder panics").seen.clone()
    }

    pub(super) fn clear(&self) {
        let mut entries = self.entries.lock().expect("no holder panics");
        entries.first += entries.seen.len() as u64;
        entries.seen.clear();
    }

    /// Waits until the condition holds; false when the time is over first.
    pub(super) async fn wait_for(
        &self,
        condition: impl Fn(&[Seen]) -> bool,
        timeout: Duration,
    ) -> bool {
        let mut changes = self.changes.subscribe();
        let holds = async {
            while !condition(&self.entries.lock().expect("no holder panics").seen) {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::time::timeout(timeout, holds).await.is_ok()
    }

    fn announce(&self) {
        self.changes
            .send_modify(|count| *count = count.wrapping_add(1));
    }
}
