//! The router from outside: real sockets, a simulated provider.

mod bad_input;
mod byte_identity;
mod client;
mod connections;
mod cost;
mod error_shape;
mod headers;
mod keys;
mod pool;
mod provider_errors;
mod reads;
mod requests;
mod rig;
mod smoke;
mod streams;
