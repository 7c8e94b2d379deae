//! Files: looked at before they are opened, given up when the system does not answer, locked against other processes,
//! and written so that they survive a kill. Floor 4.
//!
//! A dead network mount does not fail: whoever touches it waits, perhaps for ever. So every call here that
//! touches a file is made by a thread of its own, which is left behind when it does not come back.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

/// How long the system may take to open a file, or to read one piece of it.
const READING: Duration = Duration::from_secs(3);
/// How long it may take to bring one piece to the disk.
const WRITING: Duration = Duration::from_secs(30);
/// Bytes that are read in one call.
const PIECE_READ: u64 = 1 << 18;
/// Bytes that are written in one call.
const PIECE_WRITTEN: usize = 1 << 22;
/// Most symbolic links that lead from one to the next.
const MOST_LINKS: usize = 40;

/// Files that a call is changing now; one that was given up can still take effect.
static CHANGING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn changing() -> MutexGuard<'static, Vec<PathBuf>> {
    CHANGING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_answer() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "the file system does not answer")
}

/// Makes a call that may never return; an error when it takes longer than `patience`.
fn within<T: Send + 'static>(
    patience: Duration,
    call: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (sender, outcome) = mpsc::sync_channel(1);
    thread::Builder::new().name("file".into()).spawn(move || {
        // Nobody waits any more if this took too long.
        let _ = sender.send(call());
    })?;
    outcome.recv_timeout(patience).unwrap_or_else(|_| Err(no_answer()))
}

/// The same for a call that changes what stands under `path`; while one that was given up has not come back, no other is
/// made.
fn change_within<T: Send + 'static>(
    path: &Path,
    patience: Duration,
    call: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let pending = {
        let mut changing = changing();
        if changing.iter().any(|other| other == path) {
            return Err(no_answer());
        }
        // Taken off again when the call comes back, however late.
        changing.push(path.to_owned());
        path.to_owned()
    };
    within(patience, move || {
        let result = call();
        let mut changing = changing();
        if let Some(index) = changing.iter().position(|other| *other == pending) {
            changing.swap_remove(index);
        }
        result
    })
}

/// Refuses what is no plain file: opening a pipe, for instance, waits for somebody at its other end.
fn expect_plain(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() { Ok(()) } else { Err(io::Error::other("not a plain file")) }
}

/// The same, where there need not be a file.
fn expect_plain_or_none(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        metadata => expect_plain(&metadata?),
    }
}

/// Where a path leads when its last part is a symbolic link; there need not be a file.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(link) = fs::read_link(&path) else { return Ok(path) };
        path = path.with_file_name(link);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The name with an ending more.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// A file that is read.
#[derive(Debug)]
pub struct Reader {
    /// None once a call has not come back.
    file: Option<File>,
    len: u64,
    piece: Vec<u8>,
    /// Bytes of the piece that were taken.
    taken: usize,
}

/// Opens a plain file to read it.
pub fn open(path: &Path) -> io::Result<Reader> {
    let path = path.to_owned();
    let (file, len) = within(READING, move || {
        expect_plain(&fs::metadata(&path)?)?;
        let file = File::open(&path)?;
        let len = file.metadata()?.len();
        Ok((file, len))
    })?;
    Ok(Reader { file: Some(file), len, piece: Vec::new(), taken: 0 })
}

impl Reader {
    /// Length of the file in bytes, as it was opened.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the file was empty as it was opened.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.piece.len() {
            let (mut file, mut piece) = (lent(&mut self.file)?, std::mem::take(&mut self.piece));
            let (file, piece) = within(READING, move || {
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

/// Takes a file for a call that gives it back.
fn lent(file: &mut Option<File>) -> io::Result<File> {
    file.take().ok_or_else(|| io::Error::other("an earlier call has failed"))
}

/// A file that is written. What has been taken is on the disk after [`Writer::sync`].
#[derive(Debug)]
struct Writer {
    /// None once a call has failed or not come back.
    file: Option<File>,
    piece: Vec<u8>,
}

impl Writer {
    fn sync(&mut self) -> io::Result<()> {
        let (mut file, mut piece) = (lent(&mut self.file)?, std::mem::take(&mut self.piece));
        // Each piece is brought to the disk before the next: so a large file does not make one call take long.
        let (file, piece) = within(WRITING, move || {
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

/// Creates a file that is written line by line while the process lives; one that is there already is replaced.
pub fn create(path: &Path) -> io::Result<File> {
    let path = path.to_owned();
    within(READING, move || {
        expect_plain_or_none(&path)?;
        File::create(&path)
    })
}

/// Replaces a file by what `fill` writes. Whatever happens meanwhile, the old content is there, or the new. A symbolic
/// link stays one, and the permissions stay as they are. An error while an earlier replacement was given up and
/// can still take effect.
pub fn replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let (named, path) = (path, path.to_owned());
    let (path, new, file) = change_within(named, WRITING, move || {
        let path = follow(&path)?;
        expect_plain_or_none(&path)?;
        let new = beside(&path, ".new");
        // A process that was killed may have left one.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&new)?;
        if let Ok(old) = fs::metadata(&path) {
            file.set_permissions(old.permissions())?;
        }
        Ok((path, new, file))
    })?;
    let mut out = Writer { file: Some(file), piece: Vec::new() };
    let filled = fill(&mut out).and_then(|()| out.sync());
    drop(out);
    change_within(named, WRITING, move || {
        let outcome = filled.and_then(|()| fs::rename(&new, &path));
        if outcome.is_err() {
            // What could not be finished is of no use to anybody.
            let _ = fs::remove_file(&new);
        }
        outcome
    })
}

/// Who may write a file that several processes read.
#[derive(Debug, Default)]
pub enum Claim {
    /// Nobody has asked.
    #[default]
    None,
    /// We, as long as this is kept or the process lives; without a file where the system knows no locks.
    Ours(Option<File>),
    /// Another process, or another part of this one.
    Theirs,
}

/// Claims a file, by a lock on an empty one beside it: the file itself becomes another one each time it is replaced. The
/// empty one stays when the lock goes; removing it could leave two processes with a lock each.
pub fn claim(path: &Path) -> io::Result<Claim> {
    let path = path.to_owned();
    within(READING, move || {
        let lock = beside(&follow(&path)?, ".lock");
        let open = |write| {
            expect_plain_or_none(&lock)?;
            OpenOptions::new().read(true).write(write).create(write).truncate(false).open(&lock)
        };
        // Where no lock can be had (a folder that is only read, a network without locks), there is none.
        let Ok(file) = open(true).or_else(|_| open(false)) else { return Ok(Claim::Ours(None)) };
        match file.try_lock() {
            Ok(()) => Ok(Claim::Ours(Some(file))),
            Err(TryLockError::WouldBlock) => Ok(Claim::Theirs),
            Err(TryLockError::Error(_)) => Ok(Claim::Ours(None)),
        }
    })
}

#[cfg(test)]
mod tests;
