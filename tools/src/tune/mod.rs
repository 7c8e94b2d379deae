//! Floor 6: finding better numbers by games and by data.

pub mod cli;
pub mod duel;
pub mod eval;
pub mod fit;
mod model;
pub mod network;
pub mod order;
mod samples;
pub mod selfplay;
pub mod spsa;
mod tree;
