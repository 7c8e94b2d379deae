//! Files that the programs write: as a whole, new or locked, and charts as the text of SVG.

use anyhow::{Context, Result, anyhow, ensure};
use std::path::Path;
use std::time::{Duration, Instant};
use tengen::engine::files::{self, FileLock};

/// Writes a file. A plain file that exists is replaced atomically: a kill leaves the old content or the new.
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

/// Checks before a long run that the folder of its output file exists.
///
/// # Errors
/// Names the file if there is no such folder.
pub fn expect_folder(path: &Path) -> Result<()> {
    files::expect_folder(path).with_context(|| format!("cannot write {}", path.display()))
}

/// Refuses to replace a file that is not empty.
///
/// # Errors
/// Names the file if it is there.
pub fn ensure_new(path: &Path) -> Result<()> {
    let is_there = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0);
    ensure!(!is_there, "{} exists already", path.display());
    Ok(())
}

/// Whether the path exists and is not a plain file, such as `/dev/null`.
pub fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| !file.is_file())
}

/// The text of an SVG file, which `draw` appends to an empty text.
///
/// # Errors
/// When it cannot be drawn; names `what`.
pub fn svg(what: &str, draw: impl FnOnce(&mut String) -> Drawn) -> Result<String> {
    let mut text = String::new();
    draw(&mut text).map_err(|error| anyhow!("cannot draw {what}: {error}"))?;
    Ok(text)
}

/// The result of drawing.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

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
        ensure!(Instant::now() < until, "another run is writing {}", path.display());
        std::thread::sleep(LOCK_TIME / 20);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: `tengen-data` replaced the file of `--out`, also one that was no file of games or openings.
    #[test]
    fn a_file_that_is_not_empty_is_no_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        assert!(ensure_new(&path).is_ok() && ensure_new(folder.path()).is_ok());
        std::fs::write(&path, "").unwrap();
        assert!(ensure_new(&path).is_ok());
        std::fs::write(&path, "x").unwrap();
        assert_eq!(ensure_new(&path).unwrap_err().to_string(), format!("{} exists already", path.display()));
    }

    /// Bug: two matches that wrote the same records replaced each other's games.
    #[test]
    fn a_file_has_one_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let held = lock(&path).unwrap();
        let refusal = lock(&path).unwrap_err().to_string();
        assert_eq!(refusal, format!("another run is writing {}", path.display()));
        drop(held);
        assert!(lock(&path).is_ok());
    }
}
