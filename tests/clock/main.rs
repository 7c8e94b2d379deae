//! Tests that measure time, memory or threads. They take turns ([`common::alone`]), and nothing else runs beside them.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../common/mod.rs"]
mod common;

#[cfg(target_os = "linux")]
mod lateness;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod load;
#[cfg(target_os = "linux")]
mod pondering;
#[cfg(target_os = "linux")]
mod soak;
mod threads;
