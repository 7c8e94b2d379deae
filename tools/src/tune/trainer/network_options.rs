//! The options of `tengen-tune network`. Floor 6.

use super::Training;
use crate::arena::terms::parse_rule;
use anyhow::{Result, ensure};
use std::path::PathBuf;
use tengen::base::Rule;

/// What to train on, and how.
#[derive(clap::Args, Debug)]
pub struct NetworkArguments {
    /// Rule: 0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro with exactly five. Games of other rules are left out.
    #[arg(long, value_parser = parse_rule)]
    pub rule: Rule,
    /// Learn from the games of all rules as if they were of this one: a beginning for networks of rules with few games.
    #[arg(long)]
    pub any_rule: bool,
    /// Files of game records; see tengen-data selfplay.
    #[arg(long, required = true, num_args = 1..)]
    pub records: Vec<PathBuf>,
    /// Passes over the games.
    #[arg(long, default_value_t = 10)]
    pub epochs: u32,
    /// Games a step.
    #[arg(long, default_value_t = 128)]
    pub batch: usize,
    /// Largest learning rate.
    #[arg(long, default_value_t = 0.002)]
    pub rate: f32,
    /// Share of the search's score in what is to be foretold, 0 to 1; the rest is the game's result.
    #[arg(long, default_value_t = 0.7)]
    pub score_share: f32,
    /// How much of a position's score is that of the next position in the game, and so on, 0 to 1; 0: all its own.
    #[arg(long, default_value_t = 0.0)]
    pub trace: f32,
    /// Weight of the policy beside the value.
    #[arg(long, default_value_t = 0.3)]
    pub policy: f32,
    /// Most games to use.
    #[arg(long)]
    pub games: Option<usize>,
    /// Same seed, same network.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads: one or two.
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
    /// Where the state is kept after every epoch; the same command goes on from there after an interruption.
    #[arg(long)]
    pub checkpoint: Option<PathBuf>,
    /// Begin with the network of an earlier run's checkpoint, or with a finished one (.tnn), perhaps of another rule.
    #[arg(long)]
    pub from: Option<PathBuf>,
    /// Where the network goes.
    #[arg(long)]
    pub out: PathBuf,
}

impl NetworkArguments {
    /// What was typed, checked.
    ///
    /// # Errors
    /// When it makes no sense.
    pub fn training(&self) -> Result<Training> {
        ensure!(self.epochs >= 1 && self.batch >= 1, "--epochs and --batch are at least 1");
        ensure!((0.0..=1.0).contains(&self.score_share), "--score-share is 0 to 1");
        ensure!((0.0..=1.0).contains(&self.trace), "--trace is 0 to 1");
        ensure!(self.rate > 0.0 && self.rate < 1.0, "--rate is above 0 and below 1");
        ensure!(self.policy >= 0.0, "--policy is not negative");
        Ok(Training {
            records: self.records.clone(),
            rule: self.rule,
            any_rule: self.any_rule,
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate,
            score_share: self.score_share,
            trace: self.trace,
            policy: self.policy,
            games: self.games.unwrap_or(usize::MAX),
            seed: self.seed,
            threads: self.threads,
            checkpoint: self.checkpoint.clone(),
            from: self.from.clone(),
            out: self.out.clone(),
        })
    }
}
