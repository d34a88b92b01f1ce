//! The router from outside: real sockets, a simulated provider.

mod client;
mod rig;
mod smoke;
