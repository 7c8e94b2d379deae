//! `tengen-tune`: finds better numbers for the engine. The code is in `tengen_tools::tune`.

use std::process::ExitCode;
use tengen_tools::command_line;
use tengen_tools::tune::tune_options::{Arguments, run};

fn main() -> ExitCode {
    command_line::run(|arguments: Arguments| {
        #[cfg(feature = "tune")]
        tengen::eval::network::replacement().map_err(anyhow::Error::msg)?;
        run(&arguments).map(ExitCode::from)
    })
}
