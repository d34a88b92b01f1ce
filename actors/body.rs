//! The bounded channel between an attempt and the caller's connection.

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::error::{Break, Fault};

/// What travels from an attempt to the caller's connection.
#[derive(Debug)]
pub enum Relay {
    /// Bytes to pass on: whole events, or a piece of a document.
    Bytes(Bytes),
    /// The last message. A channel that closes without one is a [`Break::Died`].
    End(BodyEnd),
}

/// How a committed answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyEnd {
    /// Whole.
    Complete,
    /// The provider's own failure frame has been passed on.
    Failed {
        /// What the provider said.
        fault: Fault,
        /// Whether it used its surface's terminal form.
        terminal: bool,
    },
    /// It stops here.
    Broken(Break),
}

/// The caller's end. Dropping it cancels the attempt.
pub type BodyReceiver = mpsc::Receiver<Relay>;
