//! What the load runs share: the programs that they start beside themselves, a caller on raw sockets, the requests
//! that are sent, and how figures are taken and shown.

pub mod caller;
pub mod figures;
pub mod machine;
pub mod oha;
pub mod program;
pub mod requests;
pub mod targets;
