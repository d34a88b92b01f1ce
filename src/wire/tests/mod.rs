//! Tests over whole streams: fixtures of our own, recordings where they are at hand, and random framing.

mod assembling;
mod documents;
mod failure_frames;
mod fixtures;
mod framing;
mod measuring;
mod recordings;
mod replay;
mod speed;
mod splits;
mod verdicts;

pub(crate) use recordings::captures;
