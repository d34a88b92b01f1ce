//! The log: `tracing` events to standard error, as text for people or as JSON for machines.

use std::io::{self, BufWriter, Write};
use std::thread;
use std::time::Duration;

use tracing::Subscriber;
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::util::SubscriberInitExt;

use crate::settings::{Log, LogFormat};

/// How long lines gather after a write. A thread that is woken for each line costs a request more than the line does.
const GATHERING: Duration = Duration::from_millis(10);

/// The log could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// `log.filter` cannot be read.
    #[error("log.filter: {0}")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    /// Something else has set up a log in this process.
    #[error("a log is already set up")]
    AlreadySet(#[from] tracing_subscriber::util::TryInitError),
}

/// The running log. Dropping it writes what is still waiting.
pub struct RunningLog {
    dropped: ErrorCounter,
    _writer: WorkerGuard,
}

impl Drop for RunningLog {
    fn drop(&mut self) {
        let dropped = self.dropped.dropped_lines();
        if dropped > 0 {
            eprintln!("startline: {dropped} lines of the log were dropped (log.waiting_lines)");
        }
    }
}

/// Sets up the log of the process. Lines are written by a thread of their own, many at a time, so that no request waits
/// for whoever reads them; keep what comes back for as long as anything is to be logged.
pub fn init(log: &Log) -> Result<RunningLog, TelemetryError> {
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(log.waiting_lines)
        .lossy(true)
        .finish(Gathered(BufWriter::new(io::stderr())));
    let dropped = writer.error_counter();
    subscriber(log, writer)?.try_init()?;
    Ok(RunningLog {
        dropped,
        _writer: guard,
    })
}

/// A writer that lets lines gather after each flush, which the log's thread asks for when no line waits any longer.
struct Gathered<W>(W);

impl<W: Write> Write for Gathered<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.0.flush();
        thread::sleep(GATHERING);
        flushed
    }
}

/// A log that writes to `writer`.
pub fn subscriber<W>(
    log: &Log,
    writer: W,
) -> Result<Box<dyn Subscriber + Send + Sync>, TelemetryError>
where
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    let filter = EnvFilter::try_new(&log.filter)?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer);
    Ok(match log.format {
        LogFormat::Text => Box::new(builder.finish()),
        LogFormat::Json => Box::new(
            builder
                .json()
                .flatten_event(true)
                .with_current_span(true)
                .finish(),
        ),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(format: LogFormat, filter: &str) -> String {
        let page = Page::default();
        let writer = page.clone();
        let log = Log {
            format,
            filter: filter.to_owned(),
            waiting_lines: 1,
        };
        let subscriber = subscriber(&log, move || writer.clone()).unwrap();
        tracing::subscriber::with_default(subscriber, || {
            let _request = tracing::info_span!("request", request_id = "r1").entered();
            tracing::info!(attempts = 2, "race decided");
            tracing::debug!("only when asked for");
        });
        String::from_utf8(page.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_json_line_has_the_fields_of_the_event_and_of_its_span() {
        let text = logged(LogFormat::Json, "info");
        assert_eq!(text.lines().count(), 1);
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line["message"], "race decided");
        assert_eq!(line["attempts"], 2);
        assert_eq!(line["span"]["request_id"], "r1");
    }

    #[test]
    fn a_text_line_is_readable() {
        let text = logged(LogFormat::Text, "info");
        assert!(
            text.contains("race decided") && text.contains("request_id"),
            "{text}"
        );
    }

    #[test]
    fn the_filter_decides_what_is_logged() {
        assert_eq!(logged(LogFormat::Json, "debug").lines().count(), 2);
        assert_eq!(logged(LogFormat::Json, "error"), "");
    }

    #[test]
    fn a_filter_that_cannot_be_read_is_an_error() {
        let log = Log {
            format: LogFormat::Text,
            filter: "startline=loud".to_owned(),
            waiting_lines: 1,
        };
        let error = subscriber(&log, io::sink).err().unwrap();
        assert!(error.to_string().starts_with("log.filter"));
    }
}
