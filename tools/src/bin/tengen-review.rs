//! `tengen-review`: judges every move of a finished game. The code is in `tengen_tools::review`.

use std::process::ExitCode;
use tengen_tools::command_line;
use tengen_tools::review::review_options::Request;
use tengen_tools::review::run;

fn main() -> ExitCode {
    command_line::run(|request: Request| {
        command_line::check_network()?;
        run(&request, &mut std::io::stdout()).map(|()| ExitCode::SUCCESS)
    })
}
