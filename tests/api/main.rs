//! The router from outside: real sockets, a simulated provider.

mod bad_input;
mod broken;
mod byte_identity;
mod calls;
mod client;
mod cost;
mod error_shape;
mod escalation;
mod events;
mod headers;
mod leaving;
mod requests;
mod retry;
mod rig;
mod smoke;
mod streams;
mod timeouts;
