//! What a supervisor gives back.

use crate::classify::Loss;
use crate::error::Failure;
use crate::leg::Side;
use crate::tier_attempt::Answer;

/// What came of a request.
#[derive(Debug)]
pub enum Outcome {
    /// An answer that may be given.
    Committed(Committed),
    /// A failure before any answer.
    Refused(Refused),
}

/// An answer that may be given.
#[derive(Debug)]
pub struct Committed {
    /// The part the serving leg played.
    pub side: Side,
    /// The answer.
    pub answer: Answer,
    /// How the race went.
    pub course: Course,
}

/// A failure before any answer.
#[derive(Debug)]
pub struct Refused {
    /// What went wrong, with the attempt that was the last.
    pub failure: Failure,
    /// How the race went.
    pub course: Course,
}

/// How a race went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Course {
    /// The route that was the last: its place in the chain.
    pub route: usize,
    /// Why flex lost, if it did.
    pub loss: Option<Loss>,
    /// Re-hits run, over the whole chain.
    pub rehits: u32,
}
