//! Connections that are opened shortly before a race's deadline, so that losing it costs no handshake.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use actix_tls::connect::ConnectInfo;
use awc::http::Uri;
use awc::http::uri::Authority;
use futures::FutureExt;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{sleep, timeout};

use crate::transport::{Opener, Stream};

/// The ready connections of one worker, by host and port.
///
/// There are as many as races that expect to need one: opened when one is expected, taken by the next request that
/// finds no idle connection, closed when nobody has taken it for `keep`.
pub(crate) struct ReadyConnections {
    origins: RefCell<HashMap<Authority, Origin>>,
    opener: Opener,
    /// Bounds the opening of one.
    connect: Duration,
    keep: Duration,
}

#[derive(Default)]
struct Origin {
    expected: usize,
    opening: usize,
    ready: VecDeque<(u64, Stream)>,
    last_number: u64,
}

/// Says that a connection will soon be needed, as long as it lives.
pub struct Expectation {
    authority: Authority,
    connections: Rc<ReadyConnections>,
}

impl Drop for Expectation {
    fn drop(&mut self) {
        self.connections
            .with(&self.authority, |origin| origin.expected -= 1);
    }
}

impl ReadyConnections {
    pub(crate) fn new(opener: Opener, connect: Duration, keep: Duration) -> Rc<Self> {
        Rc::new(Self {
            origins: RefCell::default(),
            opener,
            connect,
            keep,
        })
    }

    /// Sees to it that there is a connection for each expectation.
    pub(crate) fn expect(self: &Rc<Self>, uri: &Uri) -> Option<Expectation> {
        let authority = uri.authority()?.clone();
        let is_short = self.with(&authority, |origin| {
            origin.expected += 1;
            let is_short = origin.ready.len() + origin.opening < origin.expected;
            origin.opening += usize::from(is_short);
            is_short
        });
        if is_short {
            let connections = Rc::clone(self);
            actix_rt::spawn(connections.keep_one(authority.clone(), uri.clone()));
        }
        Some(Expectation {
            authority,
            connections: Rc::clone(self),
        })
    }

    /// The one that was opened last and is still open.
    pub(crate) fn take(&self, authority: &Authority) -> Option<Stream> {
        loop {
            let (_, mut stream) = self.with(authority, |origin| origin.ready.pop_back())?;
            if is_open(&mut stream) {
                return Some(stream);
            }
        }
    }

    /// Opens a connection, and closes it if nobody has taken it in time.
    async fn keep_one(self: Rc<Self>, authority: Authority, uri: Uri) {
        let opened = timeout(self.connect, self.opener.open(ConnectInfo::new(uri))).await;
        let number = self.with(&authority, |origin| {
            origin.opening -= 1;
            let Ok(Ok(stream)) = opened else {
                tracing::debug!("a connection could not be opened ahead of need");
                return None;
            };
            origin.last_number += 1;
            origin.ready.push_back((origin.last_number, stream));
            Some(origin.last_number)
        });
        let Some(number) = number else { return };
        sleep(self.keep).await;
        self.with(&authority, |origin| {
            origin.ready.retain(|(ready, _)| *ready != number);
        });
    }

    fn with<T>(&self, authority: &Authority, change: impl FnOnce(&mut Origin) -> T) -> T {
        let mut origins = self.origins.borrow_mut();
        if let Some(origin) = origins.get_mut(authority) {
            return change(origin);
        }
        change(origins.entry(authority.clone()).or_default())
    }
}

/// A provider has nothing to say before it was asked: bytes, the end and an error all make a connection useless.
fn is_open(stream: &mut Stream) -> bool {
    let mut byte = [0; 1];
    let mut buffer = ReadBuf::new(&mut byte);
    let read = poll_fn(|context| Pin::new(&mut *stream).poll_read(context, &mut buffer));
    read.now_or_never().is_none()
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::LocalSet;

    use super::*;

    const KEEP: Duration = Duration::from_millis(200);

    /// A provider that accepts, and what is ready for it.
    struct Stand {
        provider: TcpListener,
        uri: Uri,
        connections: Rc<ReadyConnections>,
    }

    impl Stand {
        async fn new() -> Self {
            let provider = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = provider.local_addr().unwrap();
            let uri = Uri::try_from(format!("http://{address}/v1")).unwrap();
            let connections =
                ReadyConnections::new(Opener::new(None), Duration::from_secs(1), KEEP);
            Self {
                provider,
                uri,
                connections,
            }
        }

        fn expect(&self) -> Expectation {
            self.connections.expect(&self.uri).unwrap()
        }

        /// The provider's end of the next connection.
        async fn accept(&self) -> TcpStream {
            self.provider.accept().await.unwrap().0
        }

        /// Waits until nothing is being opened.
        async fn settle(&self) {
            while self.count(|origin| origin.opening) > 0 {
                sleep(KEEP / 100).await;
            }
        }

        fn count(&self, count: impl Fn(&Origin) -> usize) -> usize {
            let authority = self.uri.authority().unwrap();
            self.connections.with(authority, |origin| count(origin))
        }

        fn take(&self) -> Option<Stream> {
            self.connections.take(self.uri.authority().unwrap())
        }

        fn ready(&self) -> usize {
            self.count(|origin| origin.ready.len())
        }

        async fn nobody_connects(&self) -> bool {
            timeout(KEEP / 4, self.provider.accept()).await.is_err()
        }
    }

    async fn on_a_worker(test: impl Future<Output = ()>) {
        LocalSet::new().run_until(test).await;
    }

    #[tokio::test]
    async fn each_expectation_has_a_connection_and_one_that_is_ready_counts() {
        on_a_worker(async {
            let stand = Stand::new().await;
            let _two = [stand.expect(), stand.expect()];
            let _ends = [stand.accept().await, stand.accept().await];
            stand.settle().await;
            assert!(stand.take().is_some());
            drop(stand.expect());
            assert!(
                !stand.nobody_connects().await,
                "two are expected and one is ready"
            );
        })
        .await;
    }

    #[tokio::test]
    async fn an_expectation_that_is_over_leaves_its_connection_to_the_next() {
        on_a_worker(async {
            let stand = Stand::new().await;
            drop(stand.expect());
            let _end = stand.accept().await;
            stand.settle().await;
            let _next = stand.expect();
            assert!(stand.nobody_connects().await);
            assert!(stand.take().is_some());
            assert!(stand.take().is_none());
        })
        .await;
    }

    #[tokio::test]
    async fn a_connection_that_the_provider_has_closed_or_spoken_on_is_not_taken() {
        on_a_worker(async {
            let stand = Stand::new().await;
            let _expected = [stand.expect(), stand.expect(), stand.expect()];
            let open = stand.accept().await;
            drop(stand.accept().await);
            let spoken = stand.accept().await;
            stand.settle().await;
            spoken.writable().await.unwrap();
            spoken
                .try_write(b"HTTP/1.1 408 Request Timeout\r\n\r\n")
                .unwrap();
            sleep(KEEP / 10).await;
            assert!(stand.take().is_some());
            assert_eq!(stand.ready(), 0);
            drop(open);
        })
        .await;
    }

    #[tokio::test]
    async fn a_connection_that_nobody_takes_is_closed() {
        on_a_worker(async {
            let stand = Stand::new().await;
            let _expected = stand.expect();
            let mut end = stand.accept().await;
            let mut byte = [0; 1];
            let read = timeout(2 * KEEP, end.read(&mut byte)).await;
            assert_eq!(read.expect("it is still open").unwrap(), 0);
            assert_eq!(stand.ready(), 0);
        })
        .await;
    }

    #[tokio::test]
    async fn a_provider_that_cannot_be_reached_costs_nothing() {
        on_a_worker(async {
            let mut stand = Stand::new().await;
            stand.uri = Uri::from_static("http://127.0.0.1:1/v1");
            let _expected = stand.expect();
            stand.settle().await;
            assert!(stand.take().is_none());
        })
        .await;
    }
}
