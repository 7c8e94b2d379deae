//! `tengen-data`: makes openings and training games. The code is in `tengen_tools::data`.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;
use tengen_tools::data::data_options::{Arguments, run};

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
            // If this fails too, there is nowhere to report it.
            let _ = writeln!(std::io::stderr(), "tengen-data: {error:#}");
            ExitCode::from(2)
        }
    }
}
