//! Floor 6: tools around the engine, reached as commands of the brain or by doors of their own.

#[cfg(feature = "tools")]
pub mod arena;
pub mod bench;
#[cfg(feature = "tools")]
pub mod data;
pub mod health;
pub mod params;
pub mod positions;
pub mod replay;
pub mod smp;
pub mod solve;
#[cfg(feature = "tools")]
pub mod tune;
pub mod verify;

use std::io::Write;
use std::path::Path;

/// Runs the command that these arguments name.
///
/// # Errors
/// When there is no such command, or its output cannot be written.
pub fn run(arguments: &[String], out: &mut dyn Write) -> anyhow::Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["bench"] => bench::search(out).map(|_| ())?,
        ["bench", "smp"] => smp::compare(out)?,
        ["bench", "health"] => health::run(out)?,
        ["bench", "board"] => bench::board(out)?,
        ["params"] => params::list(out)?,
        ["solve", ..] => solve::run(&arguments[1..], out)?,
        ["verify", ..] => verify::run(&arguments[1..], out)?,
        ["record", file] => crate::protocol::run(Some(Path::new(file)))?,
        ["replay", file] => replay::run(Path::new(file), out)?,
        _ => anyhow::bail!(
            "unknown command '{}'; commands: bench, bench smp, bench board, bench health, params, solve, verify, record, replay",
            words.join(" ")
        ),
    }
    Ok(())
}
