//! The way to the providers: an awc client over connections of our own, which take notes and can be opened ahead.

use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_service::Service;
use actix_tls::connect::rustls_0_23::reexports::ClientConfig;
use actix_tls::connect::{ConnectError, ConnectInfo, Connection};
use awc::http::Uri;
use awc::http::uri::{Authority, Scheme};
use futures::future::LocalBoxFuture;

use crate::notes::{Notes, note};
use crate::ready::{Expectation, ReadyConnections};
use crate::transport::{Opener, Stream};

/// How the client reaches the providers.
#[derive(Clone)]
pub struct ClientSettings {
    /// Bounds DNS, TCP and the TLS handshake together.
    pub connect: Duration,
    /// How long an idle connection is kept; less than the providers keep theirs.
    pub idle_connection: Duration,
    /// How old a connection may grow.
    pub connection_lifetime: Duration,
    /// Roots of trust; its ALPN must offer HTTP/1.1 only.
    pub tls: Arc<ClientConfig>,
}

/// The client of one worker: HTTP/1.1, no timeout of its own, no limit (the pools have theirs), no redirects.
pub struct Client {
    plain: Way,
    tls: Way,
}

/// A client for addresses of one scheme. awc believes both to be plain: TLS is part of the connection, so that a
/// connection can be opened ahead whole.
struct Way {
    awc: awc::Client,
    ready: Rc<ReadyConnections>,
}

impl Client {
    /// A client with nothing open.
    pub fn new(settings: &ClientSettings) -> Self {
        Self {
            plain: Way::new(settings, Opener::new(None)),
            tls: Way::new(settings, Opener::new(Some(Arc::clone(&settings.tls)))),
        }
    }

    pub(crate) fn post(&self, uri: &Uri) -> awc::ClientRequest {
        self.way(uri).awc.post(as_plain(uri))
    }

    /// Says that a request to `uri` is likely to follow soon.
    pub(crate) fn expect(&self, uri: &Uri) -> Option<Expectation> {
        self.way(uri).ready.expect(&as_plain(uri))
    }

    fn way(&self, uri: &Uri) -> &Way {
        if uri.scheme() == Some(&Scheme::HTTPS) {
            &self.tls
        } else {
            &self.plain
        }
    }
}

impl Way {
    fn new(settings: &ClientSettings, opener: Opener) -> Self {
        let ready =
            ReadyConnections::new(opener.clone(), settings.connect, settings.idle_connection);
        let transport = Transport {
            opener,
            ready: Rc::clone(&ready),
        };
        let connector = awc::Connector::new()
            .connector(transport)
            .timeout(settings.connect)
            .conn_keep_alive(settings.idle_connection)
            .conn_lifetime(settings.connection_lifetime)
            .limit(0);
        let awc = awc::Client::builder()
            .connector(connector)
            .disable_timeout()
            .disable_redirects()
            .no_default_headers()
            .finish();
        Self { awc, ready }
    }
}

/// `https://host/path` as `http://host:443/path`: the same place, without a word of TLS.
fn as_plain(uri: &Uri) -> Uri {
    if uri.scheme() != Some(&Scheme::HTTPS) {
        return uri.clone();
    }
    let mut parts = uri.clone().into_parts();
    parts.scheme = Some(Scheme::HTTP);
    parts.authority = parts.authority.map(with_port);
    // What was an address before is one after.
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

fn with_port(authority: Authority) -> Authority {
    if authority.port().is_some() {
        return authority;
    }
    Authority::try_from(format!("{authority}:443")).unwrap_or(authority)
}

/// Where awc's connections come from: one that is ready, or a new one.
#[derive(Clone)]
struct Transport {
    opener: Opener,
    ready: Rc<ReadyConnections>,
}

impl Service<ConnectInfo<Uri>> for Transport {
    type Response = Connection<Uri, Stream>;
    type Error = ConnectError;
    type Future = LocalBoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&self, to: ConnectInfo<Uri>) -> Self::Future {
        let Self { opener, ready } = self.clone();
        Box::pin(async move {
            let uri = to.request().clone();
            if let Some(stream) = uri.authority().and_then(|authority| ready.take(authority)) {
                return Ok(Connection::new(uri, stream));
            }
            let stream = opener.open(to).await?;
            note(Notes::note_opened);
            Ok(Connection::new(uri, stream))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_tls_keeps_its_place() {
        for (uri, plain) in [
            (
                "https://api.openai.com/v1/responses?a=b",
                "http://api.openai.com:443/v1/responses?a=b",
            ),
            ("https://localhost:8443/v1", "http://localhost:8443/v1"),
            ("https://[::1]/v1", "http://[::1]:443/v1"),
            ("http://localhost/v1", "http://localhost/v1"),
        ] {
            assert_eq!(as_plain(&Uri::from_static(uri)), Uri::from_static(plain));
        }
    }
}
