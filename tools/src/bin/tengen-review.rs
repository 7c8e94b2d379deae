//! `tengen-review`: judges every move of a finished game. The code is in `tengen_tools::review`.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::init();
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    match tengen_tools::review::run(&arguments, &mut std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If this fails too, there is nowhere to report it.
            let _ = writeln!(std::io::stderr(), "tengen-review: {error:#}");
            ExitCode::from(2)
        }
    }
}
