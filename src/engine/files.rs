//! File access that cannot hang and cannot lose data: type checks before opening, timeouts, locks against other
//! processes, atomic replacement.
//!
//! A new content is written to a temporary file in the folder of the file, which then takes its place. The name of the temporary
//! file is `NAME.tengen-XXXXXX.tmp` with random characters: it is never that of another file, and says what the file is when a
//! killed process has left one.
//!
//! A call on a dead network mount does not fail but blocks, perhaps forever. So every call here that touches a file runs
//! in its own thread, which is abandoned after a timeout.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;
use tempfile::NamedTempFile;

/// Timeout for opening a file or reading one piece of it.
const READ_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout for writing one piece to the disk.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes read in one call.
const PIECE_READ: u64 = 1 << 18;
/// Bytes written in one call.
const PIECE_WRITTEN: usize = 1 << 22;
/// Most symbolic links in a chain.
const MAX_LINKS: usize = 40;
/// Most characters of a file's name in the name of its temporary file, which may have 255 bytes on most systems.
const MAX_NAME: usize = 50;

/// Files with a change in progress. A call that timed out can still take effect.
static CHANGING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn changing() -> MutexGuard<'static, Vec<PathBuf>> {
    CHANGING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_answer() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "the file system does not answer")
}

/// Makes a call that may never return.
///
/// # Errors
/// Those of the call, and `TimedOut` after `timeout`.
fn within<T: Send + 'static>(
    timeout: Duration,
    call: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (sender, outcome) = mpsc::sync_channel(1);
    thread::Builder::new().name("file".into()).spawn(move || {
        // The receiver is gone if the call timed out.
        let _ = sender.send(call());
    })?;
    outcome.recv_timeout(timeout).unwrap_or_else(|_| Err(no_answer()))
}

/// Keeps a path in [`CHANGING`] until it is dropped.
struct Change(PathBuf);

impl Change {
    /// Adds the path; `None` while it is there already.
    fn begin(path: &Path) -> Option<Change> {
        let mut changing = changing();
        if changing.iter().any(|other| other == path) {
            return None;
        }
        changing.push(path.to_owned());
        Some(Change(path.to_owned()))
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        let mut changing = changing();
        if let Some(index) = changing.iter().position(|other| *other == self.0) {
            changing.swap_remove(index);
        }
    }
}

/// The same for a call that changes the file under `path`. Fails while an earlier one that timed out has not returned.
fn change_within<T: Send + 'static>(
    path: &Path,
    timeout: Duration,
    call: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let change = Change::begin(path).ok_or_else(no_answer)?;
    within(timeout, move || {
        // Ends with the call, however late and even if it panics, or at once if there is no thread for it.
        let _change = change;
        call()
    })
}

/// Refuses everything but plain files: opening a pipe, for instance, blocks until another process opens its other end.
fn expect_plain(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() { Ok(()) } else { Err(io::Error::other("not a plain file")) }
}

/// The same for a file that need not exist.
fn expect_plain_or_none(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        metadata => expect_plain(&metadata?),
    }
}

/// The path behind symbolic links; the file need not exist.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(link) = fs::read_link(&path) else { return Ok(path) };
        path = path.with_file_name(link);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Checks that the folder exists in which a file is to be created.
///
/// # Errors
/// There is no such folder, or the file system does not answer in time.
pub fn expect_folder(path: &Path) -> io::Result<()> {
    let path = path.to_owned();
    within(READ_TIMEOUT, move || {
        let path = follow(&path)?;
        let is_folder = path.to_string_lossy().ends_with(std::path::is_separator);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if is_folder || folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(io::Error::new(ErrorKind::NotFound, "there is no such folder"));
        }
        Ok(())
    })
}

/// The path with `ending` appended to the name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// An open file to read from.
#[derive(Debug)]
pub struct Reader {
    /// `None` after a call has failed or timed out.
    file: Option<File>,
    len: u64,
    piece: Vec<u8>,
    /// Bytes of `piece` that were read by the caller.
    taken: usize,
}

/// Opens a plain file to read it.
///
/// # Errors
/// There is no plain file, it cannot be opened, or the file system does not answer in time.
pub fn open(path: &Path) -> io::Result<Reader> {
    let path = path.to_owned();
    let (file, len) = within(READ_TIMEOUT, move || {
        expect_plain(&fs::metadata(&path)?)?;
        let file = File::open(&path)?;
        let len = file.metadata()?.len();
        Ok((file, len))
    })?;
    Ok(Reader { file: Some(file), len, piece: Vec::new(), taken: 0 })
}

impl Reader {
    /// Length of the file in bytes when it was opened.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the file was empty when it was opened.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.piece.len() {
            let (mut file, mut piece) = (lent(&mut self.file)?, std::mem::take(&mut self.piece));
            let (file, piece) = within(READ_TIMEOUT, move || {
                piece.clear();
                Read::by_ref(&mut file).take(PIECE_READ).read_to_end(&mut piece)?;
                Ok((file, piece))
            })?;
            (self.file, self.piece, self.taken) = (Some(file), piece, 0);
        }
        let count = buffer.len().min(self.piece.len() - self.taken);
        buffer[..count].copy_from_slice(&self.piece[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

/// Takes the file out for a call, which returns it.
fn lent(file: &mut Option<File>) -> io::Result<File> {
    file.take().ok_or_else(|| io::Error::other("an earlier call has failed"))
}

/// A file to write to. [`Writer::sync`] writes the buffered piece to the disk.
#[derive(Debug)]
struct Writer {
    /// `None` after a call has failed or timed out.
    file: Option<File>,
    piece: Vec<u8>,
}

impl Writer {
    fn sync(&mut self) -> io::Result<()> {
        let (mut file, mut piece) = (lent(&mut self.file)?, std::mem::take(&mut self.piece));
        // Syncing each piece keeps every single call short, also for large files.
        let (file, piece) = within(WRITE_TIMEOUT, move || {
            file.write_all(&piece)?;
            file.sync_all()?;
            piece.clear();
            Ok((file, piece))
        })?;
        (self.file, self.piece) = (Some(file), piece);
        Ok(())
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.piece.len() >= PIECE_WRITTEN {
            self.sync()?;
        }
        self.piece.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Creates a file to be written line by line; truncates an existing one.
///
/// # Errors
/// The path is no plain file, it cannot be created, or the file system does not answer in time.
pub fn create(path: &Path) -> io::Result<File> {
    let path = path.to_owned();
    within(READ_TIMEOUT, move || {
        expect_plain_or_none(&path)?;
        File::create(&path)
    })
}

/// A new file beside this one, which is removed when it is dropped.
fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let begin = name.chars().take(MAX_NAME).collect::<String>() + ".tengen-";
    let mut builder = tempfile::Builder::new();
    builder.prefix(&begin).suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Those of any new file: the system takes away what the user's mask excludes.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => builder.tempfile_in(folder),
        None => builder.tempfile_in("."),
    }
    .map_err(|error| bare(&error))
}

/// The system's error without the path of the temporary file, which `tempfile` adds.
fn bare(error: &io::Error) -> io::Error {
    let cause = error.get_ref().and_then(|inner| inner.source()).and_then(|cause| cause.downcast_ref::<io::Error>());
    let code = cause.unwrap_or(error).raw_os_error();
    code.map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

/// Checks before a file is replaced that it is of the kind to be written. A file that does not exist or is empty passes.
/// `is_kind` gets the first 256 KiB, and whether these are all; `kind` is its name with the article, as in "a hash file".
///
/// # Errors
/// It is something else, cannot be read, or the file system does not answer in time.
pub fn expect_kind(path: &Path, kind: &str, is_kind: impl FnOnce(&[u8], bool) -> bool) -> io::Result<()> {
    let mut file = match open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    let mut begin = Vec::new();
    file.by_ref().take(PIECE_READ).read_to_end(&mut begin)?;
    let is_all = begin.len() as u64 == file.len();
    if begin.is_empty() || is_kind(&begin, is_all) {
        return Ok(());
    }
    Err(io::Error::other(format!("the file exists and is not {kind}")))
}

/// Replaces a file atomically by what `fill` writes. A symbolic link stays a link, and the permissions stay. Where several
/// threads or processes replace the same file, each writes a whole file, and the last one stays.
///
/// # Errors
/// Those of `fill` and of the file system; also while an earlier replacement that timed out can still take effect. The
/// old content stays.
pub fn replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let (named, path) = (path, path.to_owned());
    let (path, file, temporary) = change_within(named, WRITE_TIMEOUT, move || {
        let path = follow(&path)?;
        expect_plain_or_none(&path)?;
        let (file, temporary) = temporary_beside(&path)?.into_parts();
        if let Ok(old) = fs::metadata(&path) {
            file.set_permissions(old.permissions())?;
        }
        Ok((path, file, temporary))
    })?;
    let mut out = Writer { file: Some(file), piece: Vec::new() };
    let filled = fill(&mut out).and_then(|()| out.sync());
    drop(out);
    change_within(named, WRITE_TIMEOUT, move || {
        // An incomplete file is removed when it is dropped, here in the thread that may block.
        let temporary = filled.map(|()| temporary)?;
        temporary.persist(&path).map_err(|failed| bare(&failed.error))
    })
}

/// A lock on a file that several processes use.
#[derive(Debug, Default)]
pub enum FileLock {
    /// Not locked.
    #[default]
    None,
    /// Ours until this is dropped, with the lock file; `None` if the system has no locks.
    Held(Option<File>),
    /// Another process holds it, or another part of this one.
    HeldElsewhere,
}

/// Locks a file by a lock on an empty file beside it, because each replacement makes the file itself another one. The
/// empty file stays after the lock: removing it could leave two processes with a lock each.
///
/// # Errors
/// The file system does not answer in time.
pub fn lock(path: &Path) -> io::Result<FileLock> {
    let path = path.to_owned();
    within(READ_TIMEOUT, move || {
        let lock_path = beside(&follow(&path)?, ".lock");
        let open = |write| {
            expect_plain_or_none(&lock_path)?;
            OpenOptions::new().read(true).write(write).create(write).truncate(false).open(&lock_path)
        };
        // In a read-only folder, or on a network drive without locks, there is no lock file.
        let Ok(file) = open(true).or_else(|_| open(false)) else { return Ok(FileLock::Held(None)) };
        match file.try_lock() {
            Ok(()) => Ok(FileLock::Held(Some(file))),
            Err(TryLockError::WouldBlock) => Ok(FileLock::HeldElsewhere),
            Err(TryLockError::Error(_)) => Ok(FileLock::Held(None)),
        }
    })
}

/// Whether a file is locked, also by this process. Takes an unheld lock for a moment, and creates no lock file.
///
/// # Errors
/// The file system does not answer in time.
pub fn is_locked(path: &Path) -> io::Result<bool> {
    let path_with_links = path.to_owned();
    let is_there = within(READ_TIMEOUT, move || Ok(beside(&follow(&path_with_links)?, ".lock").exists()))?;
    Ok(is_there && matches!(lock(path)?, FileLock::HeldElsewhere))
}

/// Whether two paths lead to the same file, which exists.
///
/// # Errors
/// The file system does not answer in time.
pub fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let paths = [one, other].map(Path::to_owned);
    within(READ_TIMEOUT, move || {
        let [one, other] = paths.map(|path| fs::canonicalize(path).ok());
        Ok(one.is_some() && one == other)
    })
}

#[cfg(test)]
mod tests;
