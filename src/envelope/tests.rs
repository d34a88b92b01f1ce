//! Checks in their order.
