//! The router from outside: real sockets, a simulated provider.
