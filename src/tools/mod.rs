//! The commands of `pbrain-tengen`. Programs for developers are in the package `tengen-tools`.

pub mod bench;
pub mod drawing;
pub mod explain;
pub mod gamefile;
pub mod health_figures;
pub mod judgement;
pub mod param_list;
pub mod play;
pub mod point_names;
pub mod positions;
pub mod proof_start;
pub mod replay;
pub mod smp;
pub mod solve;
pub mod solve_input;
pub mod suite;
pub mod verify;

use anyhow::Result;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

/// A command of the brain.
pub struct Command {
    /// The word or words that select it.
    pub words: &'static str,
    /// The arguments it takes, as shown in the help.
    pub arguments: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
    run: Run,
}

type Run = fn(&[OsString], &mut dyn Write) -> Result<()>;

const fn command(words: &'static str, arguments: &'static str, doc: &'static str, run: Run) -> Command {
    Command { words, arguments, doc, run }
}

/// Every command. A command whose words begin like those of another one comes before it.
pub static COMMANDS: &[Command] = &[
    command("play", "[options]", "play against the engine in the terminal", play::run),
    command("explain", "[options] [FILE | MOVES]", "list renju's forbidden points with the reasons", explain::run),
    command("solve", "[options] [FILE]", "find forced wins in a file of positions", solve::run),
    command("verify", "[--every-reply] FILE", "check the proofs that solve writes", verify::run),
    command("bench smp", "", "compare the speed of one thread and of all processors", |_, out| Ok(smp::compare(out)?)),
    command("bench health", "", "show where the nodes go (builds with --features health)", |_, out| {
        health_figures::run(out)
    }),
    command("bench board", "", "measure the speed of the board alone", |_, out| Ok(bench::board(out)?)),
    command(
        "bench suite",
        "[--nodes N] FILE...",
        "count the forced wins of a file that the playing search sees",
        suite::run,
    ),
    command("bench", "", "search fixed positions: signature and speed", |_, out| Ok(bench::search(out).map(|_| ())?)),
    command("record", "FILE", "speak the protocol and record the session for a bug report", record),
    command("replay", "FILE", "repeat a recorded session and compare the answers", replay),
    command("params", "", "list the tunable numbers of the search", |_, out| Ok(param_list::list(out)?)),
    command("version", "", "print the version", |_, out| Ok(writeln!(out, "{VERSION}")?)),
    command("help", "", "print this list", |_, out| Ok(out.write_all(help().as_bytes())?)),
];

fn record(arguments: &[OsString], _: &mut dyn Write) -> Result<()> {
    Ok(crate::protocol::run(Some(file(arguments)?))?)
}

fn replay(arguments: &[OsString], out: &mut dyn Write) -> Result<()> {
    replay::run(file(arguments)?, out)
}

/// What `version` prints.
const VERSION: &str = concat!("pbrain-tengen ", env!("CARGO_PKG_VERSION"));

/// The only argument of a command, a file name. An option such as `--help` is not one.
fn file(arguments: &[OsString]) -> Result<&Path> {
    match arguments {
        [file] if !file.as_encoded_bytes().starts_with(b"-") => Ok(Path::new(file)),
        _ => anyhow::bail!("expected one file name"),
    }
}

/// The text that `help` prints.
pub fn help() -> String {
    let mut text = "\
pbrain-tengen without arguments speaks the Gomocup protocol on its standard streams.
With arguments it is one of these tools; play, explain, solve and bench suite have --help.

"
    .to_owned();
    let usage = |command: &Command| format!("{} {}", command.words, command.arguments);
    let width = COMMANDS.iter().map(|command| usage(command).len()).max().unwrap_or_default();
    for command in COMMANDS {
        let _ = writeln!(text, "  {:width$}  {}", usage(command), command.doc);
    }
    text
}

/// Whether a command failed because nobody reads its output any more, as in `pbrain-tengen params | head`. That is no mistake.
pub fn is_closed_output(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Runs the command that the arguments select.
///
/// # Errors
/// When there is no such command, or the command fails.
pub fn run(arguments: &[OsString], out: &mut dyn Write) -> Result<()> {
    for command in COMMANDS {
        let words: Vec<&str> = command.words.split(' ').collect();
        let is_meant =
            arguments.len() >= words.len() && arguments.iter().zip(&words).all(|(typed, &word)| typed == word);
        let rest = arguments.get(words.len()..).unwrap_or_default();
        if is_meant && (rest.is_empty() || !command.arguments.is_empty()) {
            return (command.run)(rest, out);
        }
    }
    if matches!(arguments, [word] if word == "--help" || word == "-h") {
        return Ok(out.write_all(help().as_bytes())?);
    }
    if matches!(arguments, [word] if word == "--version" || word == "-V") {
        return Ok(writeln!(out, "{VERSION}")?);
    }
    let words = arguments.join(OsStr::new(" "));
    anyhow::bail!("unknown command '{}'; 'pbrain-tengen help' lists them", words.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_listed_and_reached() {
        let help = help();
        for (index, command) in COMMANDS.iter().enumerate() {
            assert!(help.contains(&format!("\n  {} ", command.words)) && help.contains(command.doc));
            assert!(!command.doc.contains(['\n', '|']));
            let hidden = COMMANDS[..index].iter().any(|other| command.words.starts_with(&format!("{} ", other.words)));
            assert!(!hidden, "{} is never reached", command.words);
        }
        let mut out = Vec::new();
        run(&["help".into()], &mut out).unwrap();
        assert_eq!(out, help.as_bytes());
        let said = |word: &str| {
            let mut out = Vec::new();
            run(&[word.into()], &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(said("--help"), help);
        assert!(["version", "--version", "-V"].iter().all(|word| said(word) == format!("{VERSION}\n")));
        for unknown in [&["bench", "nothing"][..], &["nothing"], &["help", "me"]] {
            let words: Vec<OsString> = unknown.iter().map(OsString::from).collect();
            let error = run(&words, &mut Vec::new()).unwrap_err().to_string();
            assert!(error.contains("unknown command") && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn record_and_replay_take_no_option_for_a_file() {
        for command in ["record", "replay"] {
            let error = run(&[command.into(), "--help".into()], &mut Vec::new()).unwrap_err();
            assert_eq!(error.to_string(), "expected one file name");
        }
    }
}
