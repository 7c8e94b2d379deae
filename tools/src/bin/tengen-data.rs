//! `tengen-data`: makes openings and training games. The code is in `tengen_tools::data`.

use std::process::ExitCode;
use tengen_tools::command_line;
use tengen_tools::data::data_options::{Command, run};

fn main() -> ExitCode {
    command_line::run(|command: Command| {
        command_line::check_network()?;
        run(&command).map(|()| ExitCode::SUCCESS)
    })
}
