//! What the programs have in common: a command line in, an exit status out, one line about what is wrong.

use anyhow::{Result, anyhow};
use clap::Parser;
use clap::error::{Error, ErrorKind};
use std::io::Write;
use std::process::ExitCode;

/// Runs a program with its command line. Its status is 2 after an error.
pub fn run<T: Parser>(work: impl FnOnce(T) -> Result<ExitCode>) -> ExitCode {
    env_logger::init();
    let outcome = match T::try_parse() {
        Ok(arguments) => work(arguments),
        Err(error) if is_help(&error) => {
            // If this fails, there is nowhere to report it.
            let _ = error.print();
            return ExitCode::from(u8::from(error.use_stderr()) * 2);
        }
        Err(error) => Err(anyhow!(complaint(&error))),
    };
    outcome.unwrap_or_else(|error| {
        let name = T::command().get_name().to_owned();
        let _ = writeln!(std::io::stderr(), "{name}: {error:#}");
        ExitCode::from(2)
    })
}

/// Whether the help or the version is shown, not a mistake.
fn is_help(error: &Error) -> bool {
    !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// What is wrong with a command line, in one line; without the hints that follow.
pub fn complaint(error: &Error) -> String {
    let text = error.to_string();
    let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

/// A text from elsewhere on one line, without control characters.
pub fn one_line(text: &str) -> String {
    let lines: Vec<String> =
        text.trim().lines().map(|line| line.chars().filter(|c| !c.is_control()).collect()).collect();
    lines.join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command};

    /// Bug: the panic of a brain was shown on three lines.
    #[test]
    fn any_text_fits_on_one_line() {
        assert_eq!(one_line("\nthread panicked:\r\nindex\u{1b}[0m 7\n\n"), "thread panicked: / index[0m 7");
    }

    #[test]
    fn a_complaint_is_one_line_with_all_that_is_missing() {
        let command =
            Command::new("program").args(["rule", "out"].map(|name| Arg::new(name).long(name).required(true)));
        let said = |words: &str| complaint(&command.clone().try_get_matches_from(words.split(' ')).unwrap_err());
        let missing = said("program");
        assert!(!missing.contains('\n') && missing.contains("--rule") && missing.ends_with("--out <out>"), "{missing}");
        assert!(said("program --nosuch").starts_with("unexpected argument '--nosuch'"));
    }
}
