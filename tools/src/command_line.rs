//! What the programs have in common: a command line in, an exit status out, one line about what is wrong.

use anyhow::{Result, anyhow};
use clap::Parser;
use clap::error::{Error, ErrorKind};
use std::io::Write;
use std::process::ExitCode;
use tengen::base::Rule;
use tengen::tools::is_closed_output;

/// The rules, for the help of an option.
pub fn rules() -> String {
    format!("{}, or their names", Rule::list())
}

/// Runs a program with its command line. Its status is 2 after an error. Warnings are shown, and what `RUST_LOG` asks for.
pub fn run<T: Parser>(work: impl FnOnce(T) -> Result<ExitCode>) -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
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
        if is_closed_output(&error) {
            return ExitCode::SUCCESS;
        }
        let name = T::command().get_name().to_owned();
        let _ = writeln!(std::io::stderr(), "{name}: {error:#}");
        ExitCode::from(2)
    })
}

/// Whether the help or the version is shown, not a mistake.
fn is_help(error: &Error) -> bool {
    !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// Refuses a `TENGEN_NETWORK` that cannot be read, so that no run uses the embedded network by mistake. Builds that are not for
/// tuning ignore it.
///
/// # Errors
/// When the file cannot be read or is not a network.
pub fn check_network() -> Result<()> {
    tengen::eval::network::replacement().map_err(anyhow::Error::msg)?;
    Ok(())
}

/// Reads the value of an option that is a share, 0 to 1.
///
/// # Errors
/// A few words for the user, if it is anything else.
pub fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("must be from 0 to 1".to_owned()) }
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
    fn a_share_is_from_0_to_1() {
        assert_eq!(["0", "0.25", "1"].map(share), [Ok(0.0), Ok(0.25), Ok(1.0)]);
        assert!(["1.5", "-0.1", "nan", "inf", ""].iter().all(|text| share(text).is_err()));
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
