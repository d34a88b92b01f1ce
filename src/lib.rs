//! A deadline-aware router for LLM inference.
