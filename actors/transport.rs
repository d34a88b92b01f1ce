//! Connections to the providers: TCP, over it TLS where the address asks for it, `TCP_NODELAY`, and notes of what
//! passes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use actix_rt::net::{ActixStream, Ready, TcpStream};
use actix_service::Service;
use actix_tls::connect::rustls_0_23::reexports::{AsyncTlsStream, ClientConfig};
use actix_tls::connect::rustls_0_23::{TlsConnector, TlsConnectorService};
use actix_tls::connect::{ConnectError, ConnectInfo, Connection, Connector, ConnectorService};
use awc::http::Uri;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::notes::{Notes, note};

/// Opens connections.
#[derive(Clone)]
pub(crate) struct Opener {
    tcp: ConnectorService,
    tls: Option<TlsConnectorService>,
}

impl Opener {
    /// Opens connections over TLS when there are settings for it.
    pub(crate) fn new(tls: Option<Arc<ClientConfig>>) -> Self {
        Self {
            tcp: Connector::default().service(),
            tls: tls.map(TlsConnector::service),
        }
    }

    /// Opens one to the host and port of `to`.
    pub(crate) async fn open(&self, to: ConnectInfo<Uri>) -> Result<Stream, ConnectError> {
        let (tcp, uri) = self.tcp.call(to).await?.into_parts();
        tcp.set_nodelay(true).map_err(ConnectError::Io)?;
        let tcp = NotedStream { tcp };
        let Some(tls) = &self.tls else {
            return Ok(Stream::Plain(tcp));
        };
        let secured = tls.call(Connection::new(uri, tcp)).await;
        let (stream, _) = secured.map_err(ConnectError::Io)?.into_parts();
        Ok(Stream::Tls(Box::new(stream)))
    }
}

/// A connection to a provider.
#[derive(Debug)]
pub(crate) enum Stream {
    Plain(NotedStream),
    Tls(Box<AsyncTlsStream<NotedStream>>),
}

impl Stream {
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => &stream.tcp,
            Self::Tls(stream) => &stream.get_ref().0.tcp,
        }
    }
}

/// Calls the same of whichever stream it is.
macro_rules! of_either {
    ($stream:expr, $method:ident($($argument:expr),*)) => {
        match $stream.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).$method($($argument),*),
            Stream::Tls(stream) => Pin::new(stream.as_mut()).$method($($argument),*),
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        of_either!(self, poll_read(context, buffer))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        of_either!(self, poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_either!(self, poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        of_either!(self, poll_shutdown(context))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        of_either!(self, poll_write_vectored(context, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
        }
    }
}

impl ActixStream for Stream {
    fn poll_read_ready(&self, context: &mut Context<'_>) -> Poll<io::Result<Ready>> {
        ActixStream::poll_read_ready(self.tcp(), context)
    }

    fn poll_write_ready(&self, context: &mut Context<'_>) -> Poll<io::Result<Ready>> {
        ActixStream::poll_write_ready(self.tcp(), context)
    }
}

/// A TCP connection that takes notes.
#[derive(Debug)]
pub(crate) struct NotedStream {
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
            note(Notes::note_closed);
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
