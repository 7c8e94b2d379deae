//! Tengen: a Gomoku, Renju and Caro engine.
//!
//! The house is built in floors; a floor uses only those below it.

pub mod base;
pub mod board;
pub mod engine;
pub mod eval;
pub mod protocol;
pub mod search;
pub mod tools;
