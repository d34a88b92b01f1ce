//! Tests over whole streams: fixtures of our own, recordings where they are at hand, and random framing.
