//! The clock. Everything that asks for the time takes it from here.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;
// The standard library has no clock there.
#[cfg(target_family = "wasm")]
pub use web_time::Instant;
