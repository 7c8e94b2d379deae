//! Better numbers for the engine, found by games or by fitting to recorded games.

pub mod arrays;
pub mod duel;
mod factor_model;
pub mod fit_eval;
pub mod held_out;
pub mod logistic;
pub mod numbers;
pub mod paired_games;
mod samples;
pub mod screen;
pub mod spsa;
pub mod trainer;
mod trajectory_chart;
pub mod tune_options;
