//! Programs around the Tengen engine: matches between brains, games and openings as data, tuning and training, and the
//! review of finished games.
//!
//! | module | program | what it does |
//! |---|---|---|
//! | [`arena`] | `tengen-match` | matches between brains that speak the Gomocup protocol |
//! | [`data`] | `tengen-data` | balanced openings, games of the engine against itself, files of them |
//! | [`tune`] | `tengen-tune` | better numbers: SPSA for the search, fitting for the evaluation, training for the networks |
//! | [`review`] | `tengen-review` | every move of a finished game, judged; where lost games turned |
//!
//! All may use [`parallel`], which starts threads for searches, and does items of work on several of them with the results
//! in order; [`progress`], which shows the progress of a long job; [`output_file`], which writes files; [`state_file`], from
//! which interrupted runs go on; [`command_line`], which starts the programs; and [`experiments`], the record of what was tried.
//!
//! A module uses those above it, never one below.

pub mod parallel;

pub mod progress;

pub mod output_file;

pub mod state_file;

pub mod command_line;

pub mod experiments;

pub mod arena;

pub mod data;

pub mod tune;

pub mod review;
