//! `tengen-match`: plays brains against each other. Everything is in `tengen::tools::arena`.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;
use tengen::tools::arena::cli::Arguments;
use tengen::tools::arena::tournament::{Outcome, run};

fn main() -> ExitCode {
    env_logger::init();
    match run(Arguments::parse()) {
        Ok(Outcome::Finished) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(error) => {
            // Nobody is left to be told when even this fails.
            let _ = writeln!(std::io::stderr(), "tengen-match: {error:#}");
            ExitCode::from(2)
        }
    }
}
