//! The router from outside: real sockets, a simulated provider.

mod bad_input;
mod client;
mod error_shape;
mod rig;
mod smoke;
