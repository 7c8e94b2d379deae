//! Files that the programs write.

use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::time::{Duration, Instant};
use tengen::engine::files::{self, FileLock};

/// Writes a file. A plain file that exists is replaced, after a kill at any moment by all of the new one or by nothing.
///
/// # Errors
/// Names the file if it cannot be written.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let written = if is_special(path) {
        std::fs::write(path, content)
    } else {
        files::replace(path, |out| out.write_all(content.as_ref()))
    };
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Checks before a long run that the folder of a file exists which it will write.
///
/// # Errors
/// Names the file if there is no such folder.
pub fn expect_folder(path: &Path) -> Result<()> {
    files::expect_folder(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Whether this is there and no plain file, such as `/dev/null`.
pub fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| !file.is_file())
}

/// Longest wait for a lock. A process that is just being started holds those of its parent for a moment.
const LOCK_TIME: Duration = Duration::from_millis(300);

/// Locks a file that a run writes until it ends. What is no plain file, such as `/dev/null`, has no lock.
///
/// # Errors
/// When another run has it.
pub fn lock(path: &Path) -> Result<FileLock> {
    if is_special(path) {
        return Ok(FileLock::None);
    }
    let until = Instant::now() + LOCK_TIME;
    loop {
        let lock = files::lock(path).with_context(|| format!("cannot lock {}", path.display()))?;
        if !matches!(lock, FileLock::HeldElsewhere) {
            return Ok(lock);
        }
        ensure!(Instant::now() < until, "another run writes {}", path.display());
        std::thread::sleep(LOCK_TIME / 20);
    }
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
