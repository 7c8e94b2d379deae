//! Options and files of `tengen-tune eval` and `tengen-tune order`, which fit numbers of the evaluation to training games.

use super::factor_model::Descent;
use super::samples::Group;
use super::{fit_eval, fit_order};
use crate::command_line::share;
use crate::output_file;
use anyhow::{Context, Result, ensure};
use std::io::Write as _;
use std::path::PathBuf;
use tengen::eval::classical_weights::{self, WeightSet, Weights};

/// Options of both fits.
#[derive(clap::Args, Debug)]
pub struct FitArguments {
    /// Files of games made by `tengen-data selfplay`. Numbers of rules without games are not changed.
    #[arg(required = true)]
    pub games: Vec<PathBuf>,
    /// The file with the numbers; created from the hand-set ones if it does not exist.
    #[arg(long, default_value = "src/eval/classical.weights")]
    pub out: PathBuf,
    /// Passes over the games.
    #[arg(long, default_value_t = 30)]
    pub epochs: usize,
    /// Positions in a step.
    #[arg(long, default_value_t = 4096)]
    pub batch: usize,
    /// Seed of the order of the positions. The same seed gives the same numbers.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Options of `eval`.
#[derive(clap::Args, Debug)]
pub struct EvalArguments {
    /// Options of both fits.
    #[command(flatten)]
    pub fit: FitArguments,
    /// Share of the search's score in the target, 0 to 1; the rest is the result of the game.
    #[arg(long, default_value_t = 0.6, value_parser = share)]
    pub score_share: f32,
}

/// Options of `order`.
#[derive(clap::Args, Debug)]
pub struct OrderArguments {
    /// Options of both fits.
    #[command(flatten)]
    pub fit: FitArguments,
    /// Number of games of each rule from which one position is searched, to learn from the best moves in the search tree;
    /// 0: learn from the moves chosen in the games.
    #[arg(long, default_value_t = 4000)]
    pub trees: usize,
    /// Nodes of these searches.
    #[arg(long, default_value_t = 20_000)]
    pub nodes: u64,
}

/// Fits the values of points and threats.
///
/// # Errors
/// When an option is invalid, or a file cannot be read or written.
pub fn run_eval(typed: &EvalArguments) -> Result<()> {
    let settings = fit_eval::Settings { descent: descent(&typed.fit, 1.0), score_share: typed.score_share };
    run(&typed.fit, |sets| {
        let report = fit_eval::fit(&typed.fit.games, &settings, sets)?;
        Ok(std::io::stdout().write_all(report.as_bytes())?)
    })
}

/// Fits the scores of moves.
///
/// # Errors
/// When an option is invalid, or a file cannot be read or written.
pub fn run_order(typed: &OrderArguments) -> Result<()> {
    let trees = (typed.trees, typed.nodes);
    let settings = fit_order::Settings { descent: descent(&typed.fit, 0.03), trees };
    run(&typed.fit, |sets| {
        for group in Group::ALL {
            std::io::stdout().write_all(fit_order::fit(&typed.fit.games, group, &settings, sets)?.as_bytes())?;
        }
        Ok(())
    })
}

/// The gradient descent of these options, at this rate.
fn descent(typed: &FitArguments, rate: f32) -> Descent {
    Descent { epochs: typed.epochs, batch: typed.batch, rate, seed: typed.seed }
}

/// Reads the file, fits its numbers and writes it.
fn run(typed: &FitArguments, fit: impl Fn(&mut [Weights]) -> Result<()>) -> Result<()> {
    ensure!(typed.batch > 0, "--batch must be at least 1");
    ensure!(typed.epochs > 0, "--epochs must be at least 1");
    output_file::expect_folder(&typed.out)?;
    let mut sets = WeightSet::ALL.map(Weights::hand_set);
    if typed.out.exists() {
        let bytes = std::fs::read(&typed.out).with_context(|| typed.out.display().to_string())?;
        let old = classical_weights::decode(&bytes)
            .with_context(|| format!("there are no weights in {}", typed.out.display()))?;
        sets.clone_from_slice(&old);
    }
    fit(&mut sets)?;
    output_file::write(&typed.out, classical_weights::encode(&sets))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::selfplay::{self, Kind, Series};
    use tengen::base::{Rule, Size};

    fn fit_arguments(games: Vec<PathBuf>, out: PathBuf) -> FitArguments {
        FitArguments { games, out, epochs: 3, batch: 16, seed: 1 }
    }

    #[test]
    fn fitting_is_repeatable_and_leaves_other_rules_alone() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games");
        let kinds = vec![Kind { rule: Rule::Standard, size: Size::square(12).unwrap(), weight: 1 }];
        selfplay::run(&Series { kinds, games: 60, nodes: 60, seed: 3, labels: None }, &games, 1).unwrap();
        let fit = |name: &str| {
            let out = folder.path().join(name);
            run_eval(&EvalArguments { fit: fit_arguments(vec![games.clone()], out.clone()), score_share: 0.5 })
                .unwrap();
            let order = OrderArguments { fit: fit_arguments(vec![games.clone()], out.clone()), trees: 60, nodes: 2000 };
            run_order(&order).unwrap();
            std::fs::read(out).unwrap()
        };
        let bytes = fit("first");
        assert_eq!(bytes, fit("second"));
        let sets = classical_weights::decode(&bytes).unwrap();
        for set in WeightSet::ALL {
            let (fitted, hand_set) = (&sets[set.index()], Weights::hand_set(set));
            let is_fitted = set == WeightSet::Standard;
            assert_eq!(*fitted != hand_set, is_fitted, "{set:?}");
            assert_eq!(fitted.value != hand_set.value && fitted.order != hand_set.order, is_fitted, "{set:?}");
        }
    }

    #[test]
    fn a_file_that_holds_no_weights_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("notes.txt");
        std::fs::write(&out, "no weights").unwrap();
        let games = vec![folder.path().join("none")];
        assert!(run_eval(&EvalArguments { fit: fit_arguments(games, out.clone()), score_share: 0.5 }).is_err());
        assert_eq!(std::fs::read(out).unwrap(), b"no weights");
    }
}
