//! One HTTP request, until its status line.

use actix_http::error::ParseError;
use awc::ClientResponse;
use awc::error::{ConnectError, SendRequestError};

use crate::connector::Client;
use crate::error::Failure;
use crate::leg::UpstreamRequest;
use crate::notes::Notes;

/// Idle connections found closed before anything was written, one after the other, before this is a lost connection.
const STALE_CONNECTIONS: usize = 32;

/// Sends `request` and waits for the status line. A reused connection that turns out to be closed before a byte of the
/// request was written was never used: another one is taken.
pub(crate) async fn call(
    client: &Client,
    request: &UpstreamRequest,
    notes: &Notes,
) -> Result<ClientResponse, Failure> {
    for _ in 0..STALE_CONNECTIONS {
        notes.reset();
        let mut call = client.post(&request.uri);
        for (name, value) in request.headers.iter() {
            call.headers_mut().append(name.clone(), value.clone());
        }
        let error = match call.send_body(request.body.clone()).await {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        let failure = failure_of(&error);
        let was_stale =
            matches!(failure, Failure::ConnectionLost) && !notes.opened() && !notes.wrote();
        if !was_stale {
            return Err(failure);
        }
        tracing::debug!("an idle connection was closed; opening a fresh one");
    }
    Err(Failure::ConnectionLost)
}

fn failure_of(error: &SendRequestError) -> Failure {
    match error {
        SendRequestError::Connect(ConnectError::Disconnected) => Failure::ConnectionLost,
        SendRequestError::Connect(cause) => Failure::NeverOpened(cause_of(cause)),
        SendRequestError::Response(ParseError::Incomplete | ParseError::Io(_))
        | SendRequestError::Send(_) => Failure::ConnectionLost,
        SendRequestError::Response(_) => Failure::Invalid("its head cannot be read"),
        SendRequestError::Url(_) => Failure::NeverOpened("the provider's address cannot be used"),
        _ => Failure::ConnectionLost,
    }
}

fn cause_of(cause: &ConnectError) -> &'static str {
    match cause {
        ConnectError::Resolver(_) | ConnectError::NoRecords | ConnectError::Unresolved => {
            "its name was not found"
        }
        ConnectError::Timeout => "it took too long to open",
        _ => "it was refused, or TLS failed",
    }
}
