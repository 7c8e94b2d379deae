//! `tengen-data`: makes data for matches and training. Everything is in `tengen::tools::data`.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;
use tengen::tools::data::cli::{Arguments, run};

fn main() -> ExitCode {
    env_logger::init();
    #[cfg(feature = "tune")]
    if let Err(error) = tengen::eval::network::replacement() {
        let _ = writeln!(std::io::stderr(), "tengen-data: {error}");
        return ExitCode::from(2);
    }
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to be told when even this fails.
            let _ = writeln!(std::io::stderr(), "tengen-data: {error:#}");
            ExitCode::from(2)
        }
    }
}
