//! Better numbers for the engine, found by games or by fitting to recorded games.

pub mod duel;
mod factor_model;
pub mod fit;
pub mod fit_eval;
pub mod fit_order;
pub mod logistic;
pub mod numbers;
pub mod paired_games;
pub mod referee;
pub mod regret;
mod samples;
pub mod screen;
pub mod spsa;
pub mod trainer;
mod trajectory_chart;
mod tree_choices;
pub mod tune_options;
