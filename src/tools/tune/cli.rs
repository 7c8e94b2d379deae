//! The command line of `tengen-tune`: one subcommand for each kind of numbers. Floor 6.

use super::network::cli::NetworkArguments;
use super::selfplay::Ground;
use super::spsa::{self, Settings, State, Tuned};
use crate::tools::arena::cancel::Cancel;
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
    /// Nodes a move.
    #[arg(long, default_value_t = 5000)]
    pub nodes: u64,
    /// Pairs of games in the whole run.
    #[arg(long, default_value_t = 10_000)]
    pub pairs: u64,
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

/// Does what was typed.
///
/// # Errors
/// When what was typed makes no sense, or the output cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::Params => crate::tools::params::list(&mut std::io::stdout())?,
        Command::Spsa(arguments) => run_spsa(arguments)?,
        Command::Network(typed) => super::network::run(&typed.training()?, &mut std::io::stdout())?,
    }
    Ok(())
}

fn run_spsa(typed: &SpsaArguments) -> Result<()> {
    let settings = Settings {
        tuned: typed.params.iter().map(|text| Tuned::parse(text)).collect::<Result<_>>()?,
        grounds: typed.grounds.clone(),
        nodes: typed.nodes.max(1),
        pairs: typed.pairs.max(1),
        batch: typed.batch.max(1),
        seed: typed.seed,
    };
    let grounds: Vec<Ground> =
        typed.grounds.iter().map(|text| Ground::parse(text, typed.seed)).collect::<Result<_>>()?;
    let mut state = State::open(&typed.state, settings)?;
    let cancel = Cancel::default();
    let handler = cancel.clone();
    let listening = ctrlc::set_handler(move || {
        if handler.set() > 0 {
            std::process::exit(130);
        }
    });
    if let Err(error) = listening {
        log::warn!("Ctrl-C will not end the run cleanly: {error}");
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut progress = Progress::new(&state);
    spsa::run(&mut state, &grounds, typed.concurrency.unwrap_or(cores), &cancel, |state| {
        progress.show(state);
        state.save(&typed.state)
    })?;
    progress.bar.finish_and_clear();
    std::io::stdout().write_all(report(&state).as_bytes())?;
    Ok(())
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
