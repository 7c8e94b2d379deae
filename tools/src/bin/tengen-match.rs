//! `tengen-match`: plays brains against each other. The code is in `tengen_tools::arena`.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;
use tengen_tools::arena::match_options::Arguments;
use tengen_tools::arena::tournament::{Outcome, run};

fn main() -> ExitCode {
    env_logger::init();
    match run(Arguments::parse()) {
        Ok(Outcome::Finished) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(error) => {
            // If this fails too, there is nowhere to report it.
            let _ = writeln!(std::io::stderr(), "tengen-match: {error:#}");
            ExitCode::from(2)
        }
    }
}
