//! The router from outside: real sockets, a simulated provider.

mod broken;
mod calls;
mod client;
mod escalation;
mod events;
mod leaving;
mod retry;
mod rig;
mod smoke;
mod timeouts;
mod truncation;
