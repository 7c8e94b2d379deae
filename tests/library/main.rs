//! Tests of the library in one program, so that they are linked once and run side by side: nothing here measures time
//! without allowing for a busy machine. Each module says what it checks.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../common/mod.rs"]
mod common;

mod analysis;
mod announced_wins;
mod board_against_oracle;
mod claims;
mod damaged_proofs;
mod forced_wins;
mod foul_explanation;
mod games;
mod levels;
mod network;
mod proof_starts;
mod root_claims;
mod session_model;
mod shape_cases;
mod verifier_fouls;
