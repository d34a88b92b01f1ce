//! A simulator of the providers.
