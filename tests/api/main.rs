//! The router from outside: real sockets, a simulated provider.

mod bad_input;
mod byte_identity;
mod canary;
mod client;
mod command_line;
mod connections;
mod cost;
mod drain;
mod error_shape;
mod good_input;
mod headers;
mod keys;
mod pool;
mod process;
mod provider_errors;
mod reads;
mod requests;
mod rig;
mod smoke;
mod streams;
