//! The command line of `tengen-tune`: one subcommand for each kind of numbers. Floor 6.

use super::duel::{self, Duel, parse_value};
use super::fit::{self, EvalArguments, OrderArguments};
use super::paired_games::{Allowance, Ground};
use super::spsa::{self, Settings, State, Tuned};
use super::trainer::network_options::NetworkArguments;
use crate::arena::cancel::Cancel;
use anyhow::Result;
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Finds better numbers for the engine.
#[derive(Parser, Debug)]
#[command(name = "tengen-tune", version)]
pub struct Arguments {
    /// What to tune.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be tuned.
#[derive(Subcommand, Debug)]
#[allow(clippy::doc_markdown)] // Help texts, read by people.
pub enum Command {
    /// List the tunable numbers of the search: name, value, smallest and largest plausible value, meaning.
    Params,
    /// Tune numbers of the search by games of the engine against itself (SPSA). Needs a build with --features tune.
    ///
    /// The run is kept in the state file; the same command goes on with it after an interruption. Example:
    /// tengen-tune spsa --state run.json --param lmr_factor.renju --param razor_base --ground
    /// 4:15:tests/data/openings/renju_15.txt --pairs 10000 --nodes 5000
    Spsa(SpsaArguments),
    /// The network: train it on records of games.
    ///
    /// Example: tengen-tune network --rule 0 --records games.tgr --epochs 10 --checkpoint run.ckpt --out freestyle.tnn
    Network(NetworkArguments),
    /// Play a match between two sets of numbers. Needs a build with --features tune.
    ///
    /// Example: tengen-tune match --set razor_base=31 --ground 0:15:tests/data/openings/freestyle_15.txt --pairs 200
    Match(MatchArguments),
    /// Fit the evaluation to recorded games: what points and threats are worth. Build again to put it in force.
    ///
    /// Example: tengen-tune eval games-*.tgr
    Eval(EvalArguments),
    /// Fit the scores that order the moves. Build again to put them in force.
    ///
    /// Example: tengen-tune order games-*.tgr
    Order(OrderArguments),
}

/// What to tune, and by which games.
#[derive(clap::Args, Debug)]
pub struct SpsaArguments {
    /// A number to tune: NAME, NAME.RULE (freestyle, standard, renju, caro), or either with =START. Give all of them.
    #[arg(long = "param", value_name = "NAME", required = true)]
    pub params: Vec<String>,
    /// Where to play: rule number, size and a file of openings. Several are taken in turns.
    #[arg(long = "ground", value_name = "RULE:SIZE:FILE", required = true)]
    pub grounds: Vec<String>,
    /// What the engines may use.
    #[command(flatten)]
    pub allowance: AllowanceArguments,
    /// Pairs of games in the whole run.
    #[arg(long, default_value_t = 10_000)]
    pub pairs: u64,
    /// How far the values move: the gain at the end of the run, in squared steps. Few games want more than many.
    #[arg(long, default_value_t = spsa::GAIN)]
    pub gain: f64,
    /// Pairs between two updates of the values.
    #[arg(long, default_value_t = 8)]
    pub batch: u64,
    /// Same seed, same run, whatever the number of threads.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Pairs played at the same time; default: all cores.
    #[arg(long)]
    pub concurrency: Option<usize>,
    /// Where the run is kept.
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
}

/// What to play.
#[derive(clap::Args, Debug)]
pub struct MatchArguments {
    /// A number of the first side that differs from the one shipped. Give all of them.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub first: Vec<String>,
    /// The same for the second side; without any, it plays as shipped.
    #[arg(long = "against", value_name = "NAME=VALUE")]
    pub second: Vec<String>,
    /// Where to play: rule number, size and a file of openings. Each gets all pairs.
    #[arg(long = "ground", value_name = "RULE:SIZE:FILE", required = true)]
    pub grounds: Vec<String>,
    /// What the engines may use.
    #[command(flatten)]
    pub allowance: AllowanceArguments,
    /// Pairs of games on each ground.
    #[arg(long, default_value_t = 100)]
    pub pairs: usize,
    /// Order of the openings.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Pairs played at the same time; default: all cores.
    #[arg(long)]
    pub concurrency: Option<usize>,
}

/// Nodes a move, or a clock that counts nodes; and with which evaluation.
#[derive(clap::Args, Debug)]
pub struct AllowanceArguments {
    /// Nodes a move.
    #[arg(long, default_value_t = 5000)]
    pub nodes: u64,
    /// Instead of that, most time a move; needs --match-ms.
    #[arg(long, value_name = "MS", requires = "match_ms")]
    pub turn_ms: Option<u32>,
    /// And time for the game.
    #[arg(long, value_name = "MS", requires = "turn_ms")]
    pub match_ms: Option<u32>,
    /// Nodes that count as a millisecond of these times.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub nodes_per_ms: u32,
    /// Both sides play with the classical evaluation, not the networks.
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

/// Does what was typed.
///
/// # Errors
/// When what was typed makes no sense, or the output cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::Params => tengen::tools::param_list::list(&mut std::io::stdout())?,
        Command::Spsa(arguments) => run_spsa(arguments)?,
        Command::Network(typed) => super::trainer::run(&typed.training()?, &mut std::io::stdout())?,
        Command::Match(arguments) => run_match(arguments)?,
        Command::Eval(arguments) => fit::run_eval(arguments)?,
        Command::Order(arguments) => fit::run_order(arguments)?,
    }
    Ok(())
}

fn run_spsa(typed: &SpsaArguments) -> Result<()> {
    let settings = Settings {
        tuned: typed.params.iter().map(|text| Tuned::parse(text)).collect::<Result<_>>()?,
        grounds: typed.grounds.clone(),
        allowance: typed.allowance.allowance(),
        classical: typed.allowance.classical,
        pairs: typed.pairs.max(1),
        batch: typed.batch.max(1),
        gain: typed.gain,
        seed: typed.seed,
    };
    let grounds: Vec<Ground> =
        typed.grounds.iter().map(|text| Ground::parse(text, typed.seed)).collect::<Result<_>>()?;
    let mut state = State::open(&typed.state, settings)?;
    let cancel = cancelled_by_interrupts();
    let mut progress = Progress::new(&state);
    spsa::run(&mut state, &grounds, typed.concurrency.unwrap_or_else(cores), &cancel, |state| {
        progress.show(state);
        state.save(&typed.state)
    })?;
    progress.bar.finish_and_clear();
    std::io::stdout().write_all(report(&state).as_bytes())?;
    Ok(())
}

fn run_match(typed: &MatchArguments) -> Result<()> {
    let duel = Duel {
        first: typed.first.iter().map(|text| parse_value(text)).collect::<Result<_>>()?,
        second: typed.second.iter().map(|text| parse_value(text)).collect::<Result<_>>()?,
        grounds: typed.grounds.iter().map(|text| Ground::parse(text, typed.seed)).collect::<Result<_>>()?,
        pairs: typed.pairs.max(1),
        allowance: typed.allowance.allowance(),
        classical: typed.allowance.classical,
    };
    let text = duel::run(&duel, typed.concurrency.unwrap_or_else(cores), &cancelled_by_interrupts())?;
    std::io::stdout().write_all(text.unwrap_or_else(|| "interrupted\n".to_owned()).as_bytes())?;
    Ok(())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Ctrl-C ends the games and keeps what is finished; a second one leaves at once.
fn cancelled_by_interrupts() -> Cancel {
    let cancel = Cancel::default();
    let handler = cancel.clone();
    let listening = ctrlc::set_handler(move || {
        if handler.set() > 0 {
            std::process::exit(130);
        }
    });
    if let Err(error) = listening {
        log::warn!("Ctrl-C will not end the games cleanly: {error}");
    }
    cancel
}

/// A bar on a terminal, a line now and then elsewhere.
struct Progress {
    bar: ProgressBar,
    told: Instant,
}

impl Progress {
    /// Time between plain lines.
    const EVERY: Duration = Duration::from_secs(60);

    fn new(state: &State) -> Progress {
        let bar = ProgressBar::new(state.settings.pairs);
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} pairs, {eta} to go  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(state.played);
        bar.reset_eta();
        Progress { bar, told: Instant::now() }
    }

    fn show(&mut self, state: &State) {
        let values: Vec<String> = state.rounded().map(|(_, value)| value.to_string()).collect();
        self.bar.set_position(state.played);
        self.bar.set_message(values.join(" "));
        if !std::io::stderr().is_terminal() && self.told.elapsed() >= Progress::EVERY {
            self.told = Instant::now();
            let line = format!("{}/{} pairs  {}", state.played, state.settings.pairs, values.join(" "));
            // A closed error stream is no reason to stop.
            drop(writeln!(std::io::stderr(), "{line}"));
        }
    }
}

/// What has come of a run so far.
fn report(state: &State) -> String {
    let mut text = format!("{} of {} pairs played\n", state.played, state.settings.pairs);
    for (tuned, value) in state.rounded() {
        let (start, min, max) = (tuned.start, tuned.min, tuned.max);
        let _ = writeln!(text, "{:24} {start:>6} -> {value:>6}   of {min} to {max}", tuned.name);
    }
    let _ = writeln!(text, "drawn pairs {} of {}", state.outcomes[2], state.outcomes.iter().sum::<u64>());
    text
}
