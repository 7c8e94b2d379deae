//! Replays `protocol-fixtures/` against the built binary, one test per group.

#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod common;
mod transcript;

use transcript::{Dress, play_group};

#[test]
fn mandatory() {
    play_group("a", Dress::Plain);
}

#[test]
fn mandatory_with_crlf_and_lower_case() {
    play_group("a", Dress::Disguised);
}

#[test]
fn optional() {
    play_group("o", Dress::Plain);
}

#[test]
fn rules() {
    play_group("r", Dress::Plain);
}

#[test]
fn yixin_dialect() {
    play_group("y", Dress::Plain);
}

#[test]
fn hostile() {
    play_group("h", Dress::Plain);
}

#[test]
fn piped_scripts_and_interruptions() {
    play_group("p", Dress::Plain);
}
