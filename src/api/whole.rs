//! The body of an answer in one piece: collected, checked, and only then given a status.

use bytes::{Bytes, BytesMut};
use startline_actors::body::{BodyEnd, BodyReceiver, Relay};
use startline_actors::error::Break;
use startline_actors::leg::Side;

use crate::errors::{Code, ProviderFault, Rejection, from_break};
use crate::vocabulary::{Provider, ProviderSurface};
use crate::wire::assembly;

/// Collects an answer. A document comes back byte for byte; the stream of a flex leg is put together.
///
/// # Errors
/// 502 for an answer that breaks off, that fails inside, that outgrows `response_max`, or that cannot be put together.
pub async fn collect(
    body: BodyReceiver,
    side: Side,
    surface: ProviderSurface,
    provider: Provider,
    response_max: usize,
) -> Result<Bytes, Rejection> {
    let collected = gather(body, provider, response_max).await?;
    if side == Side::Settled {
        return Ok(collected);
    }
    assembly::assemble(surface, &collected).map_err(|error| {
        tracing::warn!(%error, "a flex stream could not be put together");
        let what = format!(
            "The stream of {} could not be put together: {error}.",
            provider.word()
        );
        Rejection::new(Code::UpstreamInvalidResponse, what).with_provider(provider)
    })
}

async fn gather(
    mut body: BodyReceiver,
    provider: Provider,
    response_max: usize,
) -> Result<Bytes, Rejection> {
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    loop {
        let piece = match body.recv().await {
            Some(Relay::Bytes(piece)) => piece,
            Some(Relay::End(BodyEnd::Complete)) => break,
            Some(Relay::End(BodyEnd::Failed { fault, .. })) => {
                return Err(ProviderFault { provider, fault }.rejection());
            }
            Some(Relay::End(BodyEnd::Broken(cause))) => return Err(from_break(cause, provider)),
            None => return Err(from_break(Break::Died, provider)),
        };
        if first.len() + whole.len() + piece.len() > response_max {
            return Err(from_break(Break::Oversized, provider));
        }
        if first.is_empty() && whole.is_empty() {
            first = piece;
            continue;
        }
        if whole.is_empty() {
            whole.extend_from_slice(&std::mem::take(&mut first));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(if whole.is_empty() {
        first
    } else {
        whole.freeze()
    })
}
