#![no_main]

#[path = "../shared.rs"]
mod shared;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| shared::run("hash-files", bytes));
