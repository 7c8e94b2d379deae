//! `tengen-tune`: finds better numbers for the engine. The code is in `tengen_tools::tune`.

use std::process::ExitCode;
use tengen_tools::command_line;
use tengen_tools::tune::tune_options::{Command, run};

fn main() -> ExitCode {
    command_line::run(|command: Command| {
        command_line::check_network()?;
        run(&command).map(ExitCode::from)
    })
}
