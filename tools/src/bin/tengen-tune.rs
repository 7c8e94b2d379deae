//! `tengen-tune`: finds better numbers for the engine. The code is in `tengen_tools::tune`.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;
use tengen_tools::tune::tune_options::{Arguments, run};

fn main() -> ExitCode {
    env_logger::init();
    #[cfg(feature = "tune")]
    if let Err(error) = tengen::eval::network::replacement() {
        let _ = writeln!(std::io::stderr(), "tengen-tune: {error}");
        return ExitCode::from(2);
    }
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If this fails too, there is nowhere to report it.
            let _ = writeln!(std::io::stderr(), "tengen-tune: {error:#}");
            ExitCode::from(2)
        }
    }
}
