//! `tengen-match`: plays brains against each other. The code is in `tengen_tools::arena`.

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use tengen_tools::arena::cancel::{FLAWED, RunEnd, interrupts};
use tengen_tools::arena::match_options::{Arguments, SprtArguments};
use tengen_tools::arena::queue::{self, QueueArguments};
use tengen_tools::arena::revision::{self, RevisionsArguments};
use tengen_tools::arena::{match_options, pooled_count, tournament};
use tengen_tools::command_line;
use tengen_tools::experiments::{self, ExperimentsArguments};

/// A match, or one of the commands.
#[derive(Parser, Debug)]
#[command(name = "tengen-match", version, after_long_help = match_options::EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Typed {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    arguments: Arguments,
}

#[derive(Subcommand, Debug)]
#[allow(clippy::doc_markdown)] // Help texts, read by people.
enum Command {
    /// Play the tests of a file, one after the other; again after an interruption, and it goes on.
    ///
    /// A line is NAME NEW OLD OPTIONS: two git revisions, which are built, and options of a match. A revision may be
    /// followed by engine fields. FILE.d holds builds and games; each finished test is a row
    /// in the table of experiments, without a description: see `tengen-match experiments --help`.
    /// Example line: lmr-75 main,info.tune.lmr_factor=75 main --nodes 10000 --games 8000 --sprt 0,10 --ground
    /// 0:15:freestyle.txt
    Queue(QueueArguments),
    /// Build two git revisions and play them against each other.
    ///
    /// A revision may be followed by engine fields, as in main,info.tune.iir=31; a dot is the working tree. Run it in the
    /// root of the repository. Example: tengen-match revisions . main --rule 0 --size 20 --nodes 25000 --sprt 0,8 --games
    /// 100000 --openings books/freestyle_20.final.txt
    Revisions(RevisionsArguments),
    /// Show, describe and draw the record of experiments.
    ///
    /// Example: tengen-match experiments lmr-75 --subject search --status open --title "LMR factor 75" --write
    Experiments(ExperimentsArguments),
    /// Count the games of one test together that several machines or seeds have played.
    ///
    /// Example: tengen-match count laptop.jsonl desktop.jsonl --sprt 0,5
    Count {
        /// Record files.
        #[arg(required = true, value_name = "FILE.jsonl")]
        records: Vec<PathBuf>,
        /// The sequential test.
        #[command(flatten)]
        sprt: SprtArguments,
    },
}

fn run(typed: Typed) -> Result<ExitCode> {
    match typed.command {
        None => Ok(match tournament::run_checked(typed.arguments, &interrupts())? {
            (RunEnd::Finished, false) => ExitCode::from(FLAWED),
            (end, _) => end.into(),
        }),
        Some(Command::Queue(arguments)) => queue::run(&arguments, &interrupts()).map(ExitCode::from),
        Some(Command::Revisions(arguments)) => revision::run(&arguments, &interrupts()).map(ExitCode::from),
        Some(Command::Experiments(arguments)) => experiments::run(&arguments).map(|()| ExitCode::SUCCESS),
        Some(Command::Count { records, sprt }) => {
            let report = pooled_count::count(&records)?.report(sprt.bounds.as_ref());
            std::io::stdout().write_all(report.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn main() -> ExitCode {
    command_line::run(run)
}
