//! Files that the programs write.

use anyhow::{Context, Result, ensure};
use std::path::Path;
use tengen::engine::files::{self, FileLock};

/// Writes a file; one that exists is replaced.
///
/// # Errors
/// Names the file if it cannot be written.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

/// Locks a file that a run writes until it ends.
///
/// # Errors
/// When another run has it.
pub fn lock(path: &Path) -> Result<FileLock> {
    let lock = files::lock(path).with_context(|| format!("cannot lock {}", path.display()))?;
    ensure!(!matches!(lock, FileLock::HeldElsewhere), "another run writes {}", path.display());
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: two matches that wrote the same records replaced each other's games.
    #[test]
    fn a_file_has_one_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let held = lock(&path).unwrap();
        let refusal = lock(&path).unwrap_err().to_string();
        assert_eq!(refusal, format!("another run writes {}", path.display()));
        drop(held);
        assert!(lock(&path).is_ok());
    }
}
