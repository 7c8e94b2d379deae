//! The file with the state of a run of a tuner or of `tengen-data openings`, from which it goes on after an interruption.

use crate::output_file;
use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use tengen::base::hash::Checksum;

/// Reads a state; `None` if there is no such file.
///
/// # Errors
/// When the file cannot be read or is not `what`, a phrase such as "a screening".
pub fn read<T: DeserializeOwned>(path: &Path, what: &str) -> Result<Option<T>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let state = serde_json::from_str(&text).with_context(|| format!("{} is not {what}", path.display()))?;
    Ok(Some(state))
}

/// Writes a state atomically.
///
/// # Errors
/// When the file cannot be written.
pub fn write(state: &impl Serialize, path: &Path) -> Result<()> {
    let text = serde_json::to_string_pretty(state)? + "\n";
    output_file::write(path, text)
}

/// A checksum of the running program, and in builds for tuning of the network in `TENGEN_NETWORK`; 0 if the program cannot be
/// read.
pub fn build_checksum() -> u64 {
    let Ok(program) = std::env::current_exe().and_then(std::fs::read) else { return 0 };
    let mut checksum = Checksum::new();
    checksum.add(&program);
    if let Ok(Some(network)) = tengen::eval::network::replacement() {
        checksum.add(&network.to_bytes());
    }
    checksum.value()
}
