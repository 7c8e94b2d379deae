//! The command line of `tengen-tune`, with a subcommand for each kind of numbers.

use super::arrays::{self, ArraysArguments};
use super::duel::{self, Duel};
use super::fit_eval::{self, EvalArguments};
use super::held_out::{self, HeldOutArguments};
use super::numbers::{book_checksum, overlap, parse_value};
use super::paired_games::{Allowance, Conditions};
use super::screen::{self, Design, Idea, Screening};
use super::spsa::{self, Settings, State, Tuned};
use super::trainer::network_options::Training;
use super::trajectory_chart;
use crate::arena::cancel::{RunEnd, interrupts};
use crate::arena::ground::Ground;
use crate::output_file;
use crate::progress::Progress;
use crate::state_file;
use anyhow::{Result, bail, ensure};
use clap::Parser;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use tengen::base::processors::processors;

/// Finds better numbers for the engine.
#[derive(Parser, Debug)]
#[command(name = "tengen-tune", version)]
#[allow(clippy::doc_markdown)] // Help texts, read by people.
pub enum Command {
    /// List the tunable numbers of the search: name, value, smallest and largest plausible value, meaning.
    Params,
    /// Tune numbers of the search by games of the engine against itself (SPSA). Needs a build with --features tune.
    ///
    /// The state of the run is kept in a file; after an interruption, the same command continues. Example:
    /// tengen-tune spsa --state run.json --param lmr_factor.renju --param iir --ground
    /// 4:15:books/renju_15.tuning.txt --pairs 10000 --nodes 5000
    Spsa(SpsaArguments),
    /// Estimate the effects of many ideas from the same games. Needs a build with --features tune.
    ///
    /// In each pair of games, each idea is drawn for one of the two engines. After an interruption, the same command
    /// continues, also with more pairs. Example: tengen-tune screen --state screen.json --idea iir=60 --idea
    /// lmr_factor=60,history_threats=35 --ground 4:15:books/renju_15.tuning.txt --pairs 2000 --nodes 10000
    Screen(ScreenArguments),
    /// Train a network on training games.
    ///
    /// Example: tengen-tune network --rule 0 --records games.tgr --epochs 10 --checkpoint run.ckpt --out freestyle.tnn
    Network(Training),
    /// Write positions as flat arrays, for training other structures than the network's with other tools.
    ///
    /// Example: tengen-tune arrays --rule 0 --records games.tgr --out arrays
    Arrays(ArraysArguments),
    /// Judge networks by labelled positions: loss, entropy of the targets, and the difference, by kind of position.
    ///
    /// The first network is the one that ships. Example: tengen-tune referee --rule 0 --records held-out.tgr --network new.tnn
    Referee(HeldOutArguments),
    /// Play a match between two sets of numbers. Needs a build with --features tune.
    ///
    /// Example: tengen-tune match --set iir=31 --ground 0:15:books/freestyle_15.tuning.txt --pairs 200
    Match(MatchArguments),
    /// Fit the values of points and threats of the classical evaluation to training games. Takes effect in the next build.
    ///
    /// Example: tengen-tune eval games-*.tgr
    Eval(EvalArguments),
}

/// Options of `spsa`.
#[derive(clap::Args, Debug)]
pub struct SpsaArguments {
    /// A number to tune: NAME, NAME.RULE (freestyle, standard, renju, caro, caro-exact), or either with =START. Repeat for each
    /// number.
    #[arg(long = "param", value_name = "NAME", required = true)]
    pub params: Vec<String>,
    /// Where and how to play.
    #[command(flatten)]
    pub games: GameArguments,
    /// Pairs of games in the whole run.
    #[arg(long, default_value_t = 10_000)]
    pub pairs: u64,
    /// How far the values move: the gain at the end of the run, in squared steps. Short runs need a larger gain.
    #[arg(long, default_value_t = spsa::GAIN)]
    pub gain: f64,
    /// The file with the state of the run.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
    /// Write a chart of the values over the run to this SVG file.
    #[arg(long, value_name = "FILE")]
    pub chart: Option<PathBuf>,
}

/// Options of `screen`.
#[derive(clap::Args, Debug)]
pub struct ScreenArguments {
    /// An idea: NAME=VALUE, or several of these separated by commas. NAME.RULE sets a number for one rule. Repeat for each
    /// idea.
    #[arg(long = "idea", value_name = "NAME=VALUE", required = true)]
    pub ideas: Vec<String>,
    /// Where and how to play.
    #[command(flatten)]
    pub games: GameArguments,
    /// Pairs of games in all.
    #[arg(long, default_value_t = 2000)]
    pub pairs: u64,
    /// The file with the games played.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
}

/// Options of `match`.
#[derive(clap::Args, Debug)]
pub struct MatchArguments {
    /// A number of the first side that differs from the shipped one. Repeat for each number.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub first: Vec<String>,
    /// The same for the second side; by default it has the shipped numbers.
    #[arg(long = "against", value_name = "NAME=VALUE")]
    pub second: Vec<String>,
    /// Where and how to play.
    #[command(flatten)]
    pub games: GameArguments,
    /// Pairs of games on each ground.
    #[arg(long, default_value_t = 100)]
    pub pairs: usize,
}

/// Where and how the games of the engine against itself are played.
#[derive(clap::Args, Debug)]
pub struct GameArguments {
    /// Where to play: rule number, size and a file of openings. Repeat for each ground.
    #[arg(long = "ground", value_name = "RULE:SIZE:FILE", required = true)]
    pub grounds: Vec<String>,
    /// Limits of the engines.
    #[command(flatten)]
    pub allowance: AllowanceArguments,
    /// The same seed gives the same games, with any number of threads.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Pairs played at the same time; default: all cores.
    #[arg(long)]
    pub concurrency: Option<usize>,
}

impl GameArguments {
    fn grounds(&self) -> Result<Vec<Ground>> {
        self.grounds.iter().map(|text| Ground::with_book(text, self.seed)).collect()
    }

    fn conditions(&self, grounds: &[Ground]) -> Conditions {
        Conditions {
            grounds: self.grounds.clone(),
            allowance: self.allowance.allowance(),
            classical: self.allowance.classical,
            seed: self.seed,
            build: state_file::build_checksum(),
            books: grounds.iter().map(book_checksum).collect(),
        }
    }

    fn threads(&self) -> usize {
        self.concurrency.unwrap_or_else(processors)
    }
}

/// Limits of the engines: nodes for each move, or a clock that counts nodes; and the evaluation.
#[derive(clap::Args, Debug)]
pub struct AllowanceArguments {
    /// Nodes for a move.
    #[arg(long, default_value_t = 5000)]
    pub nodes: u64,
    /// Time for a move instead of nodes; needs --match-ms.
    #[arg(long, value_name = "MS", requires = "match_ms")]
    pub turn_ms: Option<u32>,
    /// Time for the game.
    #[arg(long, value_name = "MS", requires = "turn_ms")]
    pub match_ms: Option<u32>,
    /// Nodes that count as one millisecond of these times.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub nodes_per_ms: u32,
    /// Both sides use the classical evaluation instead of the networks.
    #[arg(long)]
    pub classical: bool,
}

impl AllowanceArguments {
    fn allowance(&self) -> Allowance {
        match (self.turn_ms, self.match_ms) {
            (Some(turn_ms), Some(match_ms)) => {
                Allowance::Clock { turn_ms, match_ms, nodes_per_ms: self.nodes_per_ms.max(1) }
            }
            _ => Allowance::Nodes(self.nodes.max(1)),
        }
    }
}

/// Runs the subcommand.
///
/// # Errors
/// When an option is invalid, or the output cannot be written.
pub fn run(command: &Command) -> Result<RunEnd> {
    match command {
        Command::Params => tengen::tools::param_list::list(&mut std::io::stdout())?,
        Command::Spsa(arguments) => return run_spsa(arguments),
        Command::Screen(arguments) => return run_screen(arguments),
        Command::Network(typed) => super::trainer::run(typed, &mut std::io::stdout())?,
        Command::Arrays(arguments) => arrays::run(arguments, &mut std::io::stdout())?,
        Command::Referee(arguments) => held_out::run(arguments, &mut std::io::stdout())?,
        Command::Match(arguments) => return run_match(arguments),
        Command::Eval(arguments) => fit_eval::run(arguments)?,
    }
    Ok(RunEnd::Finished)
}

fn run_spsa(typed: &SpsaArguments) -> Result<RunEnd> {
    ensure!(typed.gain.is_finite() && typed.gain > 0.0, "--gain must be above 0");
    let (games, grounds) = (&typed.games, typed.games.grounds()?);
    let settings = Settings {
        tuned: tuned(&typed.params)?,
        games: games.conditions(&grounds),
        pairs: typed.pairs.max(1),
        lag: spsa::LAG,
        gain: typed.gain,
    };
    typed.chart.as_deref().map_or(Ok(()), output_file::expect_folder)?;
    let _lock = output_file::lock(&typed.state)?;
    let mut state = State::open(&typed.state, settings)?;
    let cancel = interrupts();
    let progress = Progress::new("pairs", state.settings.pairs, state.played);
    spsa::run(&mut state, &grounds, games.threads(), &cancel, |state| {
        progress.show(state.played, &values(state));
        state.save(&typed.state)
    })?;
    progress.end();
    std::io::stdout().write_all(report(&state).as_bytes())?;
    if let Some(path) = &typed.chart {
        let text = trajectory_chart::svg(&state)?;
        output_file::write(path, text)?;
    }
    Ok(cancel.run_end())
}

/// The numbers of a run, each once.
fn tuned(params: &[String]) -> Result<Vec<Tuned>> {
    let tuned: Vec<Tuned> = params.iter().map(|text| Tuned::parse(text)).collect::<Result<_>>()?;
    for (index, Tuned { name, .. }) in tuned.iter().enumerate() {
        if let Some(earlier) = tuned[..index].iter().find(|earlier| overlap(&earlier.name, name)) {
            bail!("--param {} and --param {name} set the same number", earlier.name);
        }
    }
    Ok(tuned)
}

fn run_screen(typed: &ScreenArguments) -> Result<RunEnd> {
    let (games, grounds) = (&typed.games, typed.games.grounds()?);
    let design = Design {
        ideas: typed.ideas.iter().map(|text| Idea::parse(text)).collect::<Result<_>>()?,
        games: games.conditions(&grounds),
    };
    let _lock = output_file::lock(&typed.state)?;
    let mut screening = Screening::open(&typed.state, design)?;
    let cancel = interrupts();
    let progress = Progress::new("pairs", typed.pairs, screening.half_points.len() as u64);
    screen::run(&mut screening, &grounds, typed.pairs, games.threads(), &cancel, |screening| {
        progress.show(screening.half_points.len() as u64, "");
        screening.save(&typed.state)
    })?;
    progress.end();
    std::io::stdout().write_all(screening.report().as_bytes())?;
    Ok(cancel.run_end())
}

fn run_match(typed: &MatchArguments) -> Result<RunEnd> {
    let duel = Duel {
        first: typed.first.iter().map(|text| parse_value(text)).collect::<Result<_>>()?,
        second: typed.second.iter().map(|text| parse_value(text)).collect::<Result<_>>()?,
        grounds: typed.games.grounds()?,
        pairs: typed.pairs.max(1),
        allowance: typed.games.allowance.allowance(),
        classical: typed.games.allowance.classical,
    };
    let cancel = interrupts();
    let text = duel::run(&duel, typed.games.threads(), &cancel)?;
    std::io::stdout().write_all(text.unwrap_or_else(|| "interrupted\n".to_owned()).as_bytes())?;
    Ok(cancel.run_end())
}

/// The values of a run so far.
fn values(state: &State) -> String {
    let values: Vec<String> = state.rounded().map(|(_, value)| value.to_string()).collect();
    values.join(" ")
}

/// The result of a run so far.
fn report(state: &State) -> String {
    let mut text = format!("{} of {} pairs played\n", state.played, state.settings.pairs);
    for (tuned, value) in state.rounded() {
        let (start, min, max) = (tuned.start, tuned.min, tuned.max);
        let _ = writeln!(text, "{:24} {start:>6} -> {value:>6}   of {min} to {max}", tuned.name);
    }
    for (ground, outcomes) in state.settings.games.grounds.iter().zip(&state.outcomes) {
        let _ = writeln!(text, "{ground}: pairs 0-2 to 2-0 {outcomes:?}");
    }
    let _ = writeln!(text, "gain {}", state.settings.gain);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: a number that was named twice got the values of the last one, and the first one drifted.
    #[test]
    fn a_number_is_tuned_once() {
        let names = |names: [&str; 2]| tuned(&names.map(str::to_owned)).map(|tuned| tuned.len());
        assert_eq!(names(["iir.caro", "iir.renju"]).unwrap(), 2);
        let error = names(["iir", "IIR.renju=50"]).unwrap_err().to_string();
        assert_eq!(error, "--param iir and --param iir.renju set the same number");
    }
}
