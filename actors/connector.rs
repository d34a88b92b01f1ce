//! The way to the providers: an awc client whose transport sets `TCP_NODELAY` and takes notes.
//!
//! awc says neither whether a request travelled on a reused connection, nor whether a body was cut. The transport
//! knows both: it is polled inside the attempt's own task, so it writes into the notes of the attempt that is being
//! polled.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_rt::net::{ActixStream, Ready, TcpStream};
use actix_service::Service;
use actix_tls::connect::rustls_0_23::reexports::ClientConfig;
use actix_tls::connect::{ConnectError, ConnectInfo, Connection, Connector, ConnectorService};
use awc::http::Uri;
use futures::future::LocalBoxFuture;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

tokio::task_local! {
    static NOTES: Rc<Notes>;
}

/// What the transport saw while one attempt was polled.
#[derive(Debug, Default)]
pub struct Notes {
    opened: Cell<bool>,
    wrote: Cell<bool>,
    closed: Cell<bool>,
}

impl Notes {
    /// Forgets everything, before the next try.
    pub fn reset(&self) {
        self.opened.set(false);
        self.wrote.set(false);
        self.closed.set(false);
    }

    fn note_write(&self) {
        // Idle connections that turn out to be closed are passed over before the first write: not ours.
        if !self.wrote.replace(true) {
            self.closed.set(false);
        }
    }

    /// Whether a new connection was opened; otherwise the request travels on a reused one.
    pub fn opened(&self) -> bool {
        self.opened.get()
    }

    /// Whether any byte was written.
    pub fn wrote(&self) -> bool {
        self.wrote.get()
    }

    /// Whether the provider has closed its side.
    pub fn closed(&self) -> bool {
        self.closed.get()
    }

    /// Runs `work` so that the transport under it takes its notes here.
    pub async fn of<F: Future>(self: Rc<Self>, work: F) -> F::Output {
        NOTES.scope(self, work).await
    }
}

fn note(write: impl FnOnce(&Notes)) {
    // Outside an attempt (an idle connection that is checked, say) there is nobody to tell.
    let _ = NOTES.try_with(|notes| write(notes));
}

/// How the client reaches the providers.
#[derive(Clone)]
pub struct ClientSettings {
    /// Bounds TCP with DNS, and the TLS handshake, each.
    pub connect: Duration,
    /// How long an idle connection is kept; less than the providers keep theirs.
    pub idle_connection: Duration,
    /// How old a connection may grow.
    pub connection_lifetime: Duration,
    /// Roots of trust; its ALPN must offer HTTP/1.1 only.
    pub tls: Arc<ClientConfig>,
}

/// The client of one worker: HTTP/1.1, no timeout of its own, no limit (the pools have theirs), no redirects.
pub fn client(settings: &ClientSettings) -> awc::Client {
    let connector = awc::Connector::new()
        .connector(Transport {
            tcp: Connector::default().service(),
        })
        .rustls_0_23(Arc::clone(&settings.tls))
        .timeout(settings.connect)
        .handshake_timeout(settings.connect)
        .conn_keep_alive(settings.idle_connection)
        .conn_lifetime(settings.connection_lifetime)
        .limit(0);
    awc::Client::builder()
        .connector(connector)
        .disable_timeout()
        .disable_redirects()
        .no_default_headers()
        .finish()
}

/// Opens connections that take notes.
#[derive(Clone)]
struct Transport {
    tcp: ConnectorService,
}

impl Service<ConnectInfo<Uri>> for Transport {
    type Response = Connection<Uri, NotedStream>;
    type Error = ConnectError;
    type Future = LocalBoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&self, request: ConnectInfo<Uri>) -> Self::Future {
        let connecting = self.tcp.call(request);
        Box::pin(async move {
            let (tcp, uri) = connecting.await?.into_parts();
            tcp.set_nodelay(true).map_err(ConnectError::Io)?;
            note(|notes| notes.opened.set(true));
            Ok(Connection::new(uri, NotedStream { tcp }))
        })
    }
}

/// A TCP connection that takes notes.
#[derive(Debug)]
struct NotedStream {
    tcp: TcpStream,
}

impl AsyncRead for NotedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let room = buffer.remaining();
        ready!(Pin::new(&mut self.tcp).poll_read(context, buffer))?;
        if room > 0 && buffer.remaining() == room {
            note(|notes| notes.closed.set(true));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for NotedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.tcp).poll_write(context, bytes))?;
        note(Notes::note_write);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.tcp).poll_write_vectored(context, pieces))?;
        note(Notes::note_write);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }
}

impl ActixStream for NotedStream {
    fn poll_read_ready(&self, context: &mut Context<'_>) -> Poll<io::Result<Ready>> {
        ActixStream::poll_read_ready(&self.tcp, context)
    }

    fn poll_write_ready(&self, context: &mut Context<'_>) -> Poll<io::Result<Ready>> {
        ActixStream::poll_write_ready(&self.tcp, context)
    }
}
