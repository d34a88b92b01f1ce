//! The simulator over real sockets: what it says on each surface, what it refuses, how it pauses, cuts and closes.

mod behaviours;
mod client;
mod closing;
mod refusals;
mod shapes;
mod speed;
mod surfaces;
