//! The command line of `tengen-data`. Floor 6.

use super::openings::{self, Wanted};
use crate::base::{Rule, Size};
use crate::tools::arena::cli::{parse_rule, parse_size};
use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::PathBuf;

/// Makes data for matches and training.
#[derive(Parser, Debug)]
#[command(name = "tengen-data", version)]
pub struct Arguments {
    /// What to make.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be made.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Balanced openings, one a line: random stones, the last of them chosen so that neither side is better.
    ///
    /// The same seed gives the same openings, whatever the number of threads. Example: tengen-data openings
    /// --rule 8 --size 15 --count 200 --seed 1 --out caro15.txt
    Openings(OpeningArguments),
}

/// Which openings are wanted.
#[derive(clap::Args, Debug)]
pub struct OpeningArguments {
    /// Rule: 0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro with exactly five.
    #[arg(long, default_value = "0", value_parser = parse_rule)]
    pub rule: Rule,
    /// Board: 5 to 22, or columns x rows as in 20x15.
    #[arg(long, default_value = "15", value_parser = parse_size)]
    pub size: Size,
    /// How many.
    #[arg(long, default_value_t = 100)]
    pub count: usize,
    /// Same seed, same openings.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Nodes of the search that has the last word on each opening.
    #[arg(long, default_value_t = 20_000)]
    pub nodes: u64,
    /// Largest score, for either side, that counts as balanced (200 is about one to three).
    #[arg(long, default_value_t = 60)]
    pub max_score: i32,
    /// Fewest stones.
    #[arg(long, default_value_t = 3)]
    pub min_stones: usize,
    /// Most stones.
    #[arg(long, default_value_t = 8)]
    pub max_stones: usize,
    /// Threads; default: all cores.
    #[arg(long)]
    pub concurrency: Option<usize>,
    /// Where to; default: the output.
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// Does what was typed.
///
/// # Errors
/// When what was typed makes no sense, or the output cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let Command::Openings(typed) = &arguments.command;
    ensure!(typed.min_stones >= 1 && typed.min_stones <= typed.max_stones, "--min-stones is 1 to --max-stones");
    ensure!(typed.max_stones * 4 <= typed.size.cells(), "too many stones for this board");
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let wanted = Wanted {
        rule: typed.rule,
        size: typed.size,
        count: typed.count,
        seed: typed.seed,
        nodes: typed.nodes,
        max_score: typed.max_score,
        stones: typed.min_stones..=typed.max_stones,
    };
    let openings = openings::generate(&wanted, typed.concurrency.unwrap_or(cores).max(1))?;
    let text: String = openings.iter().map(|opening| opening.text() + "\n").collect();
    match &typed.out {
        Some(path) => std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?,
        None => std::io::stdout().write_all(text.as_bytes())?,
    }
    Ok(())
}
