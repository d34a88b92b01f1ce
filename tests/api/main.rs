//! The router from outside: real sockets, a simulated provider.

mod bad_input;
mod byte_identity;
mod client;
mod cost;
mod error_shape;
mod headers;
mod requests;
mod rig;
mod smoke;
mod streams;
