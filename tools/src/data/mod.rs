//! Data for matches and training, made by the engine itself. Floor 6.

pub mod cli;
pub mod files;
pub mod openings;
pub mod record;
pub mod selfplay;
