//! The command line of `tengen-tune`: one subcommand for each kind of numbers. Floor 6.

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Finds better numbers for the engine.
#[derive(Parser, Debug)]
#[command(name = "tengen-tune", version)]
pub struct Arguments {
    /// What to tune.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be tuned.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// The tunable numbers of the search: list them.
    Params,
}

/// Does what was typed.
///
/// # Errors
/// When what was typed makes no sense, or the output cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::Params => crate::tools::params::list(&mut std::io::stdout())?,
    }
    Ok(())
}
