//! Tests of the built brain and of its commands in one program, so that they are linked once and run side by side. Each
//! module says what it checks.

#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod database;
mod explain;
#[cfg(target_os = "linux")]
mod files;
mod gui_session;
mod play;
mod replay;
mod solve_commands;
