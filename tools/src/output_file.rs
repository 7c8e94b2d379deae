//! Files that the programs write.

use anyhow::{Context, Result};
use std::path::Path;

/// Writes a file; one that exists is replaced.
///
/// # Errors
/// Names the file if it cannot be written.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}
