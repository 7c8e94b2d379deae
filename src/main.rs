//! `pbrain-tengen`: with arguments it runs a tool, without arguments it speaks the Gomocup protocol.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Some managers read the error stream like the output: it stays empty unless RUST_LOG asks for logs.
    if std::env::var_os("RUST_LOG").is_some() {
        env_logger::init();
    }
    std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    if let Err(error) = tengen::eval::network::replacement() {
        let _ = writeln!(std::io::stderr(), "pbrain-tengen: {error}");
        return ExitCode::from(2);
    }
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let outcome = if arguments.is_empty() {
        tengen::protocol::run(None).map_err(anyhow::Error::from)
    } else {
        tengen::tools::run(&arguments, &mut std::io::stdout())
    };
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    if !arguments.is_empty() && tengen::tools::is_closed_output(&error) {
        return ExitCode::SUCCESS;
    }
    let text = with_causes(&error);
    log::error!("{text}");
    // If this fails, there is nowhere left to report it.
    let _ = if arguments.is_empty() {
        // Where the manager reads.
        writeln!(std::io::stdout(), "ERROR {text}")
    } else {
        writeln!(std::io::stderr(), "pbrain-tengen: {text}")
    };
    ExitCode::from(2)
}

/// An error and its causes, each text once.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
