//! Floor 6: finding better numbers by games and by data.

pub mod cli;
pub mod duel;
pub mod network;
pub mod selfplay;
pub mod spsa;
