//! `tengen-data`: makes openings and training games. The code is in `tengen_tools::data`.

use std::process::ExitCode;
use tengen_tools::command_line;
use tengen_tools::data::data_options::{Arguments, run};

fn main() -> ExitCode {
    command_line::run(|arguments: Arguments| {
        command_line::check_network()?;
        run(&arguments).map(|()| ExitCode::SUCCESS)
    })
}
