//! The settings of a training run, which are the options of `tengen-tune network`.

use crate::command_line::{rules, share};
use anyhow::{Result, ensure};
use std::path::PathBuf;
use tengen::base::Rule;

/// The settings of a run.
#[derive(clap::Args, Clone, Debug)]
pub struct Training {
    /// The rule. Games under other rules are not used.
    #[arg(long, help = format!("Rule: {}. Games under other rules are not used", rules()))]
    pub rule: Rule,
    /// Learn from the games of all rules, each by its own rule, to get a start for rules with few games.
    #[arg(long)]
    pub any_rule: bool,
    /// Files of training games and labelled positions; see tengen-data selfplay and asked. Not needed with --epochs 0.
    #[arg(long, num_args = 1..)]
    pub records: Vec<PathBuf>,
    /// Passes over the games. 0 writes the network of --from as it is, as one of this rule.
    #[arg(long, default_value_t = 10)]
    pub epochs: u32,
    /// Games in a step, each with its labelled positions.
    #[arg(long, default_value_t = 128)]
    pub batch: usize,
    /// Largest learning rate.
    #[arg(long, default_value_t = 0.002)]
    pub rate: f32,
    /// Share of the search's score in the target of a position of a game, 0 to 1; the rest is the result of the game.
    #[arg(long, default_value_t = 0.7, value_parser = share)]
    pub score_share: f32,
    /// The same for quiet positions with a label of their own.
    #[arg(long, default_value_t = 0.85, value_parser = share)]
    pub label_share: f32,
    /// The same for labelled positions that a search asked about. They are not on the course of the game, so the result
    /// says less about them; 1 leaves it out.
    #[arg(long, default_value_t = 0.85, value_parser = share)]
    pub asked_share: f32,
    /// Share of the next position's score in a position's score, 0 to 1: the lambda of TD(lambda); 0: only its own score.
    /// Older records of training call it --trace.
    #[arg(long, alias = "trace", default_value_t = 0.0, value_parser = share)]
    pub lambda: f32,
    /// Weight of the policy's loss beside that of the value.
    #[arg(long, default_value_t = 0.3)]
    pub policy: f32,
    /// Learning rate of the matrix that makes the policy by the position, relative to the others; 0 leaves it as it is.
    #[arg(long, default_value_t = 1.0)]
    pub made_rate: f32,
    /// Largest number of games and labelled positions to use.
    #[arg(long)]
    pub games: Option<usize>,
    /// The same seed gives the same network.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Number of threads, one or two.
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
    /// File for the state after each epoch; after an interruption, the same command continues from it.
    #[arg(long)]
    pub checkpoint: Option<PathBuf>,
    /// Start from the checkpoint of another run, or from a finished network (.tnn), also of another rule.
    #[arg(long)]
    pub from: Option<PathBuf>,
    /// Output file.
    #[arg(long)]
    pub out: PathBuf,
}

impl Training {
    /// Checks the options.
    ///
    /// # Errors
    /// When one is out of range, or lacks another.
    pub fn check(&self) -> Result<()> {
        ensure!(self.epochs == 0 || !self.records.is_empty(), "--records is needed to learn from");
        ensure!(self.epochs > 0 || self.from.is_some(), "--epochs 0 needs --from");
        ensure!(self.epochs > 0 || self.checkpoint.is_none(), "--epochs 0 does not go with --checkpoint");
        ensure!(self.batch >= 1, "--batch must be at least 1");
        ensure!((1..=2).contains(&self.threads), "--threads must be 1 or 2");
        ensure!(self.rate > 0.0 && self.rate < 1.0, "--rate must be above 0 and below 1");
        ensure!(self.policy >= 0.0, "--policy must not be negative");
        ensure!((0.0..=1.0).contains(&self.made_rate), "--made-rate must be from 0 to 1");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};

    fn training(line: &str) -> Result<Training> {
        let command = Training::augment_args(Command::new("network").no_binary_name(true));
        let training = Training::from_arg_matches(&command.try_get_matches_from(line.split(' '))?)?;
        training.check()?;
        Ok(training)
    }

    /// Bug: any number was taken, and more than two did nothing.
    #[test]
    fn there_are_one_or_two_threads() {
        let threads = |threads: usize| training(&format!("--rule 0 --records a --out b --threads {threads}"));
        assert!(threads(1).is_ok() && threads(2).is_ok());
        assert!([0, 3].iter().all(|&wrong| threads(wrong).unwrap_err().to_string().contains("--threads")));
    }

    #[test]
    fn shares_are_from_0_to_1() {
        for option in ["--score-share", "--label-share", "--asked-share", "--lambda"] {
            let share = |share: &str| training(&format!("--rule 0 --records a --out b {option} {share}"));
            assert!(share("1").is_ok());
            let error = share("1.5").unwrap_err().to_string();
            assert!(error.contains(option) && error.contains("from 0 to 1"), "{error}");
        }
    }

    #[test]
    fn without_epochs_the_network_is_the_one_given_and_no_checkpoint() {
        let given = "--rule 9 --epochs 0 --out new.tnn --from old.tnn";
        assert_eq!(training(given).unwrap().epochs, 0);
        let message = |line: &str| training(line).unwrap_err().to_string();
        assert!(message(&format!("{given} --checkpoint state.bin")).contains("--checkpoint"));
        assert!(message("--rule 9 --epochs 0 --out new.tnn").contains("--from"));
        assert!(message("--rule 9 --epochs 1 --out new.tnn").contains("--records"));
    }
}
