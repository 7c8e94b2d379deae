//! The target `openings` of `tools/tests/fuzz/targets.rs`, for the coverage-guided fuzzer.

#![no_main]

#[path = "../shared.rs"]
mod shared;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| shared::run("openings", bytes));
