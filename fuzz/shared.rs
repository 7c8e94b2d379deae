//! The targets of `tools/tests/fuzz.rs`, for the coverage-guided fuzzer.

#![allow(dead_code)]

#[path = "../tests/common/conversation.rs"]
mod conversation;
#[path = "../tools/tests/fuzz/targets.rs"]
mod targets;

/// Runs the target with this name on these bytes.
pub fn run(name: &str, bytes: &[u8]) {
    let (_, target) = targets::TARGETS.into_iter().find(|(known, _)| *known == name).expect("a target of this name");
    target(bytes);
}
