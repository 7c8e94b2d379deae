//! The command line of `tengen-data`.

use super::game_files::{self, Filter};
use super::labels::Labels;
use super::match_games::{self, Imported};
use super::opening_maker::{self, MOST_STONES, Wanted};
use super::selfplay::{self, Kind, Series};
use crate::arena::openings::{self, Opening};
use crate::arena::terms::Terms;
use crate::command_line::rules;
use crate::output_file;
use anyhow::{Result, ensure};
use clap::Parser;
use std::io::Write;
use std::path::{Path, PathBuf};
use tengen::base::processors::processors;
use tengen::base::{Rule, Size};
use tengen::engine::files;

/// Makes openings for matches and games for training.
#[derive(Parser, Debug)]
#[command(name = "tengen-data", version)]
pub enum Command {
    /// Make balanced openings, one on each line: random stones, the last one chosen so that neither side is better.
    ///
    /// The same seed gives the same openings with any number of threads. Example: tengen-data openings
    /// --rule 8 --size 15 --count 200 --seed 1 --out caro15.txt. Or keep those of a file that a longer search finds balanced:
    /// tengen-data openings --rule 8 --size 15 --from caro15.txt --nodes 2000000 --out better15.txt
    Openings(OpeningArguments),
    /// Play games of the engine against itself for training. After an interruption, the same command continues.
    ///
    /// Example: tengen-data selfplay --on 0:15 --on 0:20:2 --games 10000 --nodes 2000 --out freestyle.tgr
    Selfplay(SelfplayArguments),
    /// Play the games of selfplay, and label positions of two kinds: a sample of those the searches evaluated with the network,
    /// and quiet positions of the games. Each label is a search of its own. Needs a build with --features asked.
    ///
    /// Example: tengen-data asked --on 0:15 --games 10000 --nodes 1200 --label-nodes 6000 --out asked.tgr
    Asked(AskedArguments),
    /// Print games and labelled positions of a file as text. Example: tengen-data inspect games.tgr --count 3
    Inspect(InspectArguments),
    /// Count games, positions and labelled positions by rule and board. Example: tengen-data stats games-*.tgr
    Stats {
        /// Files to read.
        #[arg(required = true)]
        games: Vec<PathBuf>,
    },
    /// Copy selected games to a new file. Example: tengen-data filter games.tgr --rule 4 --size 15 --out renju15.tgr
    Filter(FilterArguments),
    /// Convert tengen-match records to training games: only Tengen against itself, and only games in which every move has a
    /// score. Example: tengen-data import match.jsonl --out games.tgr
    Import {
        /// Record files to read.
        #[arg(required = true)]
        matches: Vec<PathBuf>,
        /// Output file.
        #[arg(long)]
        out: PathBuf,
    },
    /// Merge files; each game is written once. Example: tengen-data merge a.tgr b.tgr --out all.tgr
    Merge {
        /// Files to read.
        #[arg(required = true)]
        games: Vec<PathBuf>,
        /// Output file.
        #[arg(long)]
        out: PathBuf,
    },
}

/// Options of `inspect`.
#[derive(clap::Args, Debug)]
pub struct InspectArguments {
    /// Files to read.
    #[arg(required = true)]
    pub games: Vec<PathBuf>,
    /// Number of games and labelled positions, from the first; default: 1; with --number, all of them.
    #[arg(long)]
    pub count: Option<usize>,
    /// Only the game with this number and its positions.
    #[arg(long)]
    pub number: Option<u64>,
}

/// Options of `filter`.
#[derive(clap::Args, Debug)]
pub struct FilterArguments {
    /// Files to read.
    #[arg(required = true)]
    pub games: Vec<PathBuf>,
    /// Which records to keep.
    #[command(flatten)]
    pub filter: Filter,
    /// Output file.
    #[arg(long)]
    pub out: PathBuf,
}

/// Options of `openings`.
#[derive(clap::Args, Debug)]
pub struct OpeningArguments {
    /// The rule.
    #[arg(long, default_value = "0", help = format!("Rule: {}", rules()))]
    pub rule: Rule,
    /// Board size: 5 to 22, or columns x rows as in 20x15.
    #[arg(long, default_value = "15")]
    pub size: Size,
    /// Number of openings; default: 100, with --from all that are balanced.
    #[arg(long)]
    pub count: Option<usize>,
    /// Keep the balanced ones of these openings, in their order, instead of making random ones.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "min_stones", "max_stones"])]
    pub from: Option<PathBuf>,
    /// Seed; the same seed gives the same openings.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Nodes of the search that decides whether an opening is balanced.
    #[arg(long, default_value_t = 20_000)]
    pub nodes: u64,
    /// Largest score for either side that counts as balanced (200 is a winning chance of about 75 %).
    #[arg(long, default_value_t = 60)]
    pub max_score: i32,
    /// Smallest number of stones.
    #[arg(long, default_value_t = 3)]
    pub min_stones: usize,
    /// Largest number of stones.
    #[arg(long, default_value_t = 8)]
    pub max_stones: usize,
    /// Threads; default: all cores.
    #[arg(long)]
    pub concurrency: Option<usize>,
    /// Output file, a new one; default: standard output. An interrupted run goes on when it is started again with the same file: its
    /// openings are kept in OUT.unfinished.
    #[arg(long)]
    pub out: Option<PathBuf>,
}

impl OpeningArguments {
    /// What openings to make.
    fn wanted(&self) -> Result<Wanted> {
        let &OpeningArguments { rule, size, count, seed, nodes, max_score, min_stones, max_stones, ref from, .. } =
            self;
        let from = if let Some(file) = from {
            openings::read(file, &Terms::plain(rule, size), None)?
        } else {
            let most = MOST_STONES.min(size.cells() / 4);
            ensure!(min_stones >= 1 && min_stones <= max_stones, "--min-stones must be from 1 to --max-stones");
            ensure!(max_stones <= most, "--max-stones must be at most {most} on this board");
            Vec::new()
        };
        let count = count.unwrap_or(if from.is_empty() { 100 } else { from.len() });
        Ok(Wanted { rule, size, count, seed, nodes, max_score, stones: min_stones..=max_stones, from })
    }
}

/// Options of `selfplay`.
#[derive(clap::Args, Debug)]
pub struct SelfplayArguments {
    /// Kind of game, RULE:SIZE or RULE:SIZE:WEIGHT; repeat it for a mix, drawn by weight. Rules and sizes as for
    /// openings.
    #[arg(long, required = true, value_name = "KIND", value_parser = parse_kind)]
    pub on: Vec<Kind>,
    /// Number of games.
    #[arg(long)]
    pub games: u64,
    /// Mean number of nodes for a move; the standard deviation is a tenth of it.
    #[arg(long, default_value_t = 2000)]
    pub nodes: u64,
    /// Seed; the same seed gives the same games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads; default: all cores.
    #[arg(long)]
    pub concurrency: Option<usize>,
    /// Output file. Games that it already has are not played again.
    #[arg(long)]
    pub out: PathBuf,
}

impl SelfplayArguments {
    /// Plays the games.
    fn run(&self, labels: Option<Labels>, cores: usize) -> Result<()> {
        let SelfplayArguments { on, games, nodes, seed, concurrency, out } = self;
        let series = Series { kinds: on.clone(), games: *games, nodes: *nodes, seed: *seed, labels };
        let there = selfplay::run(&series, out, concurrency.unwrap_or(cores))?;
        print(&format!("{there} games in {}\n", out.display()))
    }
}

/// Options of `asked`.
#[derive(clap::Args, Debug)]
pub struct AskedArguments {
    /// The games.
    #[command(flatten)]
    pub series: SelfplayArguments,
    /// The positions.
    #[command(flatten)]
    pub labels: Labels,
}

/// Reads RULE:SIZE or RULE:SIZE:WEIGHT.
fn parse_kind(text: &str) -> Result<Kind, String> {
    let mut parts = text.split(':');
    let (Some(rule), Some(size)) = (parts.next(), parts.next()) else {
        return Err("a kind is RULE:SIZE or RULE:SIZE:WEIGHT, as 0:15 or 8:20:3".into());
    };
    let weight =
        parts.next().map_or(Ok(1), |weight| weight.parse().map_err(|_| format!("'{weight}' is not a weight")))?;
    if parts.next().is_some() || weight == 0 {
        return Err("a kind is RULE:SIZE or RULE:SIZE:WEIGHT with a weight of at least 1".into());
    }
    let rule = rule.parse::<Rule>().map_err(|error| error.to_string())?;
    Ok(Kind { rule, size: size.parse::<Size>().map_err(|error| error.to_string())?, weight })
}

/// Runs the subcommand.
///
/// # Errors
/// When an option is invalid, or the output cannot be written.
pub fn run(command: &Command) -> Result<()> {
    let cores = processors();
    match command {
        Command::Openings(typed) => run_openings(typed, cores),
        Command::Selfplay(typed) => typed.run(None, cores),
        Command::Asked(AskedArguments { series, labels }) => {
            ensure!(labels.nodes >= 1, "--label-nodes must be at least 1");
            series.run(Some(*labels), cores)
        }
        Command::Inspect(typed) => print(&game_files::inspect(&typed.games, typed.count, typed.number)?),
        Command::Stats { games } => print(&game_files::stats(games)?),
        Command::Filter(FilterArguments { games, filter, out }) => copy(games, out, filter),
        Command::Import { matches, out } => {
            let Imported { written, left_out } = match_games::import(matches, out)?;
            let reasons = left_out.iter().map(|(reason, games)| format!("left out: {games} {reason}\n"));
            print(&format!("{written} games written to {}\n{}", out.display(), reasons.collect::<String>()))
        }
        Command::Merge { games, out } => copy(games, out, &Filter::default()),
    }
}

fn copy(games: &[PathBuf], out: &Path, filter: &Filter) -> Result<()> {
    let (written, read) = game_files::copy(games, out, filter)?;
    print(&format!("{written} of {read} records written to {}\n", out.display()))
}

fn print(text: &str) -> Result<()> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

fn run_openings(typed: &OpeningArguments, cores: usize) -> Result<()> {
    let wanted = typed.wanted()?;
    let threads = typed.concurrency.unwrap_or(cores).max(1);
    let text = |openings: Vec<Opening>| openings.iter().map(|opening| opening.text() + "\n").collect::<String>();
    let Some(path) = &typed.out else {
        return print(&text(opening_maker::generate(&wanted, threads, None)?));
    };
    output_file::ensure_new(path)?;
    let unfinished = files::beside(path, ".unfinished");
    let openings = opening_maker::generate(&wanted, threads, Some(&unfinished))?;
    let kept = openings.len();
    output_file::write(path, text(openings))?;
    let _ = std::fs::remove_file(unfinished);
    match wanted.from.len() {
        0 => Ok(()),
        listed => print(&format!("{kept} of {listed} openings written to {}\n", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: a quarter of the board was allowed, but the stones of an opening are in a window: none was ever found.
    #[test]
    fn more_stones_than_the_window_of_an_opening_takes_are_refused() {
        let wanted = |words: &str| {
            let words = format!("tengen-data openings {words}");
            let Command::Openings(typed) = Command::try_parse_from(words.split(' ')).unwrap() else {
                unreachable!("the subcommand is openings")
            };
            typed.wanted()
        };
        let error = |words: &str| wanted(words).unwrap_err().to_string();
        assert_eq!(wanted("--size 20 --max-stones 25").unwrap().stones, 3..=25);
        assert!(error("--size 20 --max-stones 26").contains("at most 25"));
        assert!(error("--size 8 --max-stones 17").contains("at most 16"));
        assert!(error("--min-stones 5 --max-stones 4").contains("--min-stones"));
        // Bug: on a small board the bound was also asked of the openings of a file, which have their own numbers of stones.
        let book = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(book.path(), "c3b2\n").unwrap();
        assert_eq!(wanted(&format!("--size 5 --from {}", book.path().display())).unwrap().from.len(), 1);
    }
}
