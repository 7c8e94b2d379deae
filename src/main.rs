//! `pbrain-tengen`: arguments are commands; without any it speaks the Gomocup protocol.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Managers read the error stream as if it were our answers: it stays empty unless somebody asks for logs.
    if std::env::var_os("RUST_LOG").is_some() {
        env_logger::init();
    }
    std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    #[cfg(feature = "tune")]
    if let Err(error) = tengen::eval::network::replacement() {
        let _ = writeln!(std::io::stderr(), "pbrain-tengen: {error}");
        return ExitCode::from(2);
    }
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    let outcome = if arguments.is_empty() {
        tengen::protocol::run(None).map_err(anyhow::Error::from)
    } else {
        tengen::tools::run(&arguments, &mut std::io::stdout())
    };
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    log::error!("{error:#}");
    if !arguments.is_empty() {
        // Nobody is left to be told when even this fails.
        let _ = writeln!(std::io::stderr(), "pbrain-tengen: {error:#}");
    }
    ExitCode::from(2)
}
