//! A database of positions: score, search depth, best move, and the user's tag and label. Positions that are mirror
//! images share an entry.

mod entries;
mod format;

use super::files::{self, FileLock};
use crate::base::maps::HashMap;
use crate::base::{Cell, Color, Point, Rule, Score, Size};
use crate::board::symmetry::Symmetry;
use crate::board::{CellSet, notation};
use entries::Entries;
use format::{load, read_name, write, write_positions};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

/// Most positions; they take about 200 MiB of memory.
const MAX_POSITIONS: usize = 1 << 20;
/// Longest label in bytes.
const MAX_LABEL: usize = 1000;
/// Largest absolute value of an entry, one more than that of a win with the next move.
const MAX_VALUE: i32 = Score::MATE;

/// The entry of a position.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Entry {
    /// Score for the side to move, in units of [`Score`].
    pub value: i32,
    /// Depth of the search that found it, in plies, at most [`Entry::MAX_DEPTH`].
    pub depth: u32,
    /// The user's mark, a printable ASCII character.
    pub tag: Option<u8>,
    /// The best move.
    pub best: Option<Point>,
    /// The user's text.
    pub label: String,
}

impl Entry {
    /// Largest depth; deeper searches are stored with this one.
    pub const MAX_DEPTH: u32 = 999;

    fn score_is_proof(&self) -> bool {
        is_proof(self.value)
    }

    /// Whether a result replaces that of this entry: a proof always does, an estimate unless this one is a proof or
    /// deeper.
    fn is_replaced_by(&self, value: i32, depth: u32) -> bool {
        is_proof(value) || !(self.score_is_proof() || self.depth > depth)
    }

    /// Takes over another entry of the same position: its result if that replaces ours, its tag and its label.
    fn update(&mut self, other: &Entry) {
        if self.is_replaced_by(other.value, other.depth) {
            (self.value, self.depth) = (other.value, other.depth);
            self.best = other.best.or(self.best);
        }
        self.tag = other.tag.or(self.tag);
        if !other.label.is_empty() {
            self.label.clone_from(&other.label);
        }
    }
}

/// A part of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Result,
    Best,
    Tag,
    Label,
}

impl Part {
    const ALL: [Part; 4] = [Part::Result, Part::Best, Part::Tag, Part::Label];

    /// Whether it is different in these entries.
    fn differs(self, one: &Entry, other: &Entry) -> bool {
        match self {
            Part::Result => (one.value, one.depth) != (other.value, other.depth),
            Part::Best => one.best != other.best,
            Part::Tag => one.tag != other.tag,
            Part::Label => one.label != other.label,
        }
    }

    /// Copies it from one entry of a position to another one.
    fn copy(self, from: &Entry, to: &mut Entry) {
        match self {
            Part::Result => (to.value, to.depth) = (from.value, from.depth),
            Part::Best => to.best = from.best,
            Part::Tag => to.tag = from.tag,
            Part::Label => to.label.clone_from(&from.label),
        }
    }
}

fn is_proof(value: i32) -> bool {
    value.abs() > Score::DECISIVE
}

/// A position to look up.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// The rule.
    pub rule: Rule,
    /// The size of the board.
    pub size: Size,
    /// The stones, in any order.
    pub stones: &'a [(Point, Cell)],
}

impl Position<'_> {
    /// The side to move, by the number of stones; `None` for numbers that no game leads to and for positions with dead
    /// squares.
    pub fn side(&self) -> Option<Color> {
        let count = |cell| self.stones.iter().filter(|stone| stone.1 == cell).count();
        let (black, white) = (count(Cell::Black), count(Cell::White));
        match black.checked_sub(white) {
            _ if black + white != self.stones.len() => None,
            Some(0) => Some(Color::Black),
            Some(1) => Some(Color::White),
            _ => None,
        }
    }

    /// Whether the point is on the board and empty.
    fn is_free(&self, point: Point) -> bool {
        self.size.contains(point) && self.stones.iter().all(|stone| stone.0 != point)
    }

    /// The common name of the position and its mirror images, and the symmetry that leads to the named one. `None` without a
    /// side to move, and where two stones are on one point or one is off the board.
    fn name(&self) -> Option<(String, Symmetry)> {
        self.side()?;
        let points: CellSet =
            self.stones.iter().map(|stone| stone.0).filter(|&point| self.size.contains(point)).collect();
        if points.points().count() < self.stones.len() {
            return None;
        }
        let turned = |symmetry: Symmetry| {
            let mut sides = [Vec::new(), Vec::new()];
            for &(point, cell) in self.stones {
                sides[usize::from(cell != Cell::Black)].push(symmetry.apply(point, self.size));
            }
            for side in &mut sides {
                side.sort_unstable();
            }
            (sides, symmetry)
        };
        let (sides, symmetry) = Symmetry::of(self.size).map(turned).min_by(|a, b| a.0.cmp(&b.0))?;
        let (width, height) = (self.size.width(), self.size.height());
        let name = format!(
            "{};{width}x{height};{};{}",
            self.rule.number(),
            notation::moves_text(&sides[0]),
            notation::moves_text(&sides[1])
        );
        Some((name, symmetry))
    }

    /// Whether the other position has all stones of this one, under some symmetry.
    fn is_part_of(&self, other: &Position<'_>) -> bool {
        self.rule == other.rule
            && self.size == other.size
            && Symmetry::of(self.size).any(|symmetry| {
                self.stones.iter().all(|&(point, cell)| {
                    self.size.contains(point) && other.stones.contains(&(symmetry.apply(point, self.size), cell))
                })
            })
    }
}

/// Why a database cannot be read or written.
#[derive(Debug)]
pub enum DatabaseError {
    /// The file system reports an error.
    Io(io::Error),
    /// The file is no database or is damaged; the first bad line, from 1.
    Damaged(usize),
    /// Another process has locked the file and may write it at any time.
    InUse,
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatabaseError::Io(error) => write!(f, "{error}"),
            DatabaseError::Damaged(line) => write!(f, "not a database, or a damaged one (line {line})"),
            DatabaseError::InUse => f.write_str("in use by another process, changes are not written"),
        }
    }
}

impl std::error::Error for DatabaseError {}

impl From<io::Error> for DatabaseError {
    fn from(error: io::Error) -> DatabaseError {
        DatabaseError::Io(error)
    }
}

/// Which positions to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// All of them.
    All,
    /// Those won or lost, by a proof or by a tag `W` or `L`.
    Decided,
    /// The others.
    Undecided,
}

/// The positions, and the file they belong to.
#[derive(Debug, Default)]
pub struct Database {
    entries: Entries,
    path: Option<PathBuf>,
    lock: FileLock,
    /// Whether there are changes that are neither in the file nor being written.
    is_changed: bool,
    /// Names of entries changed or deleted while another process held the lock, with the parts that commands have set. For
    /// those parts our value replaces the file's, even if ours is empty.
    touched: HashMap<String, Vec<Part>>,
    /// The thread that writes the file.
    saving: Option<JoinHandle<io::Result<()>>>,
}

impl Database {
    /// The database in this file; where there is none, or an empty file, an empty one that is written with the first entry.
    ///
    /// # Errors
    /// The file cannot be read or is no database, or its folder does not exist.
    pub fn open(path: &Path) -> Result<Database, DatabaseError> {
        // No lock file beside something that is no database, nor beside one that does not exist yet.
        let lock = if format::is_there(path)? {
            files::lock(path)?
        } else {
            files::expect_folder(path)?;
            FileLock::None
        };
        // Read after the lock, to see what another process has written before.
        Ok(Database {
            entries: load(path)?,
            path: Some(path.to_owned()),
            lock,
            is_changed: false,
            touched: HashMap::default(),
            saving: None,
        })
    }

    /// Saves this database and opens the one in another file. While another process has locked the file of this one, the same
    /// file again changes nothing, and another file gives up the changes. Returns whether changes were given up.
    ///
    /// # Errors
    /// This one cannot be saved or the other one cannot be opened. This one then stays.
    pub fn switch_to(&mut self, path: &Path) -> Result<bool, DatabaseError> {
        let has_unsaved = match self.save() {
            Err(DatabaseError::InUse) if self.is_in(path)? => return Ok(false),
            Err(DatabaseError::InUse) => true,
            outcome => outcome.map(|()| false)?,
        };
        // It may be the same file, and our own lock would keep us out.
        let was_ours = matches!(self.lock, FileLock::Held(_));
        if was_ours {
            self.lock = FileLock::None;
        }
        let opened = Database::open(path);
        if opened.is_err()
            && was_ours
            && let Some(path) = &self.path
        {
            self.lock = lock(path).unwrap_or_default();
        }
        // What was collected without a file goes into the first one.
        let mut before = std::mem::replace(self, opened?);
        let unsaved = if before.path.is_none() { std::mem::take(&mut before.entries) } else { Entries::default() };
        self.merge_entries(unsaved.sorted().into_iter().map(|(name, entry)| (name.to_owned(), entry.clone())));
        Ok(has_unsaved)
    }

    /// Whether this is the database in the file at `path`.
    fn is_in(&self, path: &Path) -> io::Result<bool> {
        match &self.path {
            None => Ok(false),
            Some(own) => Ok(own == path || files::is_same(own, path)?),
        }
    }

    /// Checks before something else is written to a file that it is neither this database nor one that another process has
    /// locked.
    ///
    /// # Errors
    /// It is one of them, or the file system does not answer in time.
    pub fn expect_other(&self, path: &Path) -> Result<(), DatabaseError> {
        if self.is_in(path)? {
            return Err(DatabaseError::Io(io::Error::other("the file of the database")));
        }
        if files::is_locked(path)? { Err(DatabaseError::InUse) } else { Ok(()) }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the file was locked by another process when we last tried.
    pub fn is_locked_elsewhere(&self) -> bool {
        matches!(self.lock, FileLock::HeldElsewhere)
    }

    /// Whether a file has been named.
    pub fn has_file(&self) -> bool {
        self.path.is_some()
    }

    /// Whether there are changes that are neither in the file nor being written.
    pub fn is_changed(&self) -> bool {
        self.is_changed && self.path.is_some()
    }

    /// Whether the file is being written.
    pub fn is_saving(&self) -> bool {
        self.saving.is_some()
    }

    /// Starts to write the file in another thread, if there are changes, the file is not locked by another process, and the
    /// last write is complete.
    ///
    /// # Errors
    /// The file cannot be locked or read.
    pub fn begin_save(&mut self) -> Result<(), DatabaseError> {
        if !self.is_changed() || self.is_locked_elsewhere() || self.is_saving() {
            return Ok(());
        }
        self.make_ours()?;
        let Some(path) = self.path.clone() else { return Ok(()) };
        let entries = self.entries.clone();
        let writer = thread::Builder::new().name("save".into());
        self.saving = Some(writer.spawn(move || write(&entries, &path))?);
        self.is_changed = false;
        Ok(())
    }

    /// The outcome of a write that has ended since the last call.
    ///
    /// # Errors
    /// The write failed; the changes count as unsaved again.
    pub fn check_save(&mut self) -> io::Result<()> {
        if self.saving.as_ref().is_some_and(JoinHandle::is_finished) { self.end_save() } else { Ok(()) }
    }

    /// Waits for the write in progress, if any.
    fn end_save(&mut self) -> io::Result<()> {
        let Some(saving) = self.saving.take() else { return Ok(()) };
        let outcome = saving.join().unwrap_or_else(|_| Err(io::Error::other("the writer panicked")));
        self.is_changed |= outcome.is_err();
        outcome
    }

    /// Writes the file, if there is one and there are changes, and waits for it.
    ///
    /// # Errors
    /// The file cannot be locked, read or written.
    pub fn save(&mut self) -> Result<(), DatabaseError> {
        // If it failed, the changes are written again below.
        let _ = self.end_save();
        if self.is_changed() {
            self.make_ours()?;
            self.begin_save()?;
            self.end_save()?;
        }
        Ok(())
    }

    /// Locks the file, if it is not ours yet: reads what another process has written and applies our changes to it.
    fn make_ours(&mut self) -> Result<(), DatabaseError> {
        let Some(path) = self.path.clone().filter(|_| !matches!(self.lock, FileLock::Held(_))) else { return Ok(()) };
        let lock = lock(&path)?;
        if matches!(lock, FileLock::HeldElsewhere) {
            self.lock = lock;
            return Err(DatabaseError::InUse);
        }
        let mut entries = load(&path)?;
        for (name, edited) in std::mem::take(&mut self.touched) {
            match (self.entries.get(&name), entries.get(&name).cloned()) {
                (Some(ours), Some(mut theirs)) => {
                    theirs.update(ours);
                    for part in edited {
                        part.copy(ours, &mut theirs);
                    }
                    entries.insert(name, theirs);
                }
                (Some(ours), None) if entries.len() < MAX_POSITIONS => {
                    entries.insert(name, ours.clone());
                }
                (Some(_), None) => {}
                (None, _) => {
                    entries.remove(&name);
                }
            }
        }
        (self.entries, self.lock) = (entries, lock);
        Ok(())
    }

    /// Notes that the entry of this name was changed or deleted. Returns the list of the parts that commands have set, if
    /// they have to be remembered.
    fn touch(&mut self, name: &str) -> Option<&mut Vec<Part>> {
        self.is_changed = true;
        let is_ours = matches!(self.lock, FileLock::Held(_));
        (!is_ours).then(|| self.touched.entry(name.to_owned()).or_default())
    }

    /// Like [`Database::touch`], for an entry that a command has removed: all its parts count as set, so that nothing of the
    /// file's entry comes back when a search stores the position again.
    fn touch_whole(&mut self, name: &str) {
        if let Some(parts) = self.touch(name) {
            *parts = Part::ALL.to_vec();
        }
    }

    /// Writes the positions to a file as lines of moves, `h8i9`, black and white in turns; the empty position is left out.
    ///
    /// # Errors
    /// The file cannot be written, is this database or one that another process has locked, or has other lines.
    pub fn write_positions(&self, path: &Path) -> Result<(), DatabaseError> {
        self.expect_other(path)?;
        Ok(write_positions(&self.entries, path)?)
    }

    /// Writes a copy to a file.
    ///
    /// # Errors
    /// The file cannot be written, exists and is no database, or is one that another process has locked.
    pub fn write(&mut self, path: &Path) -> Result<(), DatabaseError> {
        // It may be our own file that is being written. If that fails, the next save writes it again.
        let _ = self.end_save();
        if !(matches!(self.lock, FileLock::Held(_)) && self.is_in(path)?) && files::is_locked(path)? {
            return Err(DatabaseError::InUse);
        }
        Ok(write(&self.entries, path)?)
    }

    /// Adds the entries of another file. Entries of this database that are proofs or as deep
    /// stay, and so do their tags and labels.
    ///
    /// # Errors
    /// The file is missing, cannot be read or is no database. This one then stays as it was.
    pub fn merge(&mut self, path: &Path) -> Result<(), DatabaseError> {
        files::open(path)?;
        self.merge_entries(load(path)?);
        Ok(())
    }

    /// Adds entries. To an entry that is present already, adds what it lacks.
    fn merge_entries(&mut self, entries: impl IntoIterator<Item = (String, Entry)>) {
        for (name, mut entry) in entries {
            if let Some(old) = self.entries.get(&name) {
                entry.update(old);
            }
            if self.entries.get(&name) != Some(&entry) && self.has_room_for(&name) {
                self.touch(&name);
                self.entries.insert(name, entry);
            }
        }
    }

    /// The entry of a position, with the best move turned to fit it.
    pub fn get(&self, position: &Position<'_>) -> Option<Entry> {
        let (name, symmetry) = position.name()?;
        let mut entry = self.entries.get(&name)?.clone();
        entry.best = entry
            .best
            .and_then(|best| position.size.points().find(|&point| symmetry.apply(point, position.size) == best));
        Some(entry)
    }

    fn has_room_for(&self, name: &str) -> bool {
        self.len() < MAX_POSITIONS || self.entries.get(name).is_some()
    }

    /// Changes the entry of a position as a command says; creates one if there is none and there is room for it. A best
    /// move that is not an empty point of the board is dropped.
    pub fn edit(&mut self, position: &Position<'_>, change: impl FnOnce(&mut Entry)) {
        self.change(position, change, &Part::ALL);
    }

    /// Changes the entry of a position. Those of `parts` that change are noted as set by a command.
    fn change(&mut self, position: &Position<'_>, change: impl FnOnce(&mut Entry), parts: &[Part]) {
        let Some((name, symmetry)) = position.name() else { return };
        if !self.has_room_for(&name) {
            return;
        }
        let mut entry = self.get(position).unwrap_or_default();
        change(&mut entry);
        let best = entry.best.filter(|&point| position.is_free(point));
        entry.best = best.map(|point| symmetry.apply(point, position.size));
        entry.value = entry.value.clamp(-MAX_VALUE, MAX_VALUE);
        entry.depth = entry.depth.min(Entry::MAX_DEPTH);
        entry.tag = entry.tag.filter(|&tag| is_tag(tag));
        truncate(&mut entry.label, MAX_LABEL);
        let before = self.entries.get(&name).cloned();
        if before.as_ref() != Some(&entry) {
            if let Some(edited) = self.touch(&name) {
                let before = before.unwrap_or_default();
                edited.extend(parts.iter().filter(|part| part.differs(&before, &entry)));
            }
            self.entries.insert(name, entry);
        }
    }

    /// Stores the result of a search. An estimate replaces neither a proof nor the result of a deeper search; tags and
    /// labels stay.
    pub fn note(&mut self, position: &Position<'_>, score: Score, depth: u32, best: Option<Point>) {
        if self.get(position).is_some_and(|old| !old.is_replaced_by(score.units(), depth)) {
            return;
        }
        let store = |entry: &mut Entry| {
            (entry.value, entry.depth) = (score.units(), depth);
            entry.best = best.or(entry.best);
        };
        self.change(position, store, &[]);
    }

    /// Deletes a position.
    pub fn delete(&mut self, position: &Position<'_>) {
        if let Some((name, _)) = position.name()
            && self.entries.remove(&name).is_some()
        {
            self.touch_whole(&name);
        }
    }

    /// Deletes a position and all that have its stones and more.
    pub fn delete_from(&mut self, position: &Position<'_>, which: Deletion) {
        let mut deleted = Vec::new();
        self.entries.retain(|name, entry| {
            let decided = entry.score_is_proof() || matches!(entry.tag, Some(b'W' | b'w' | b'L' | b'l'));
            let wanted = match which {
                Deletion::All => true,
                Deletion::Decided => decided,
                Deletion::Undecided => !decided,
            };
            let concerned = wanted
                && read_name(name)
                    .is_some_and(|(rule, size, stones)| position.is_part_of(&Position { rule, size, stones: &stones }));
            if concerned {
                deleted.push(name.to_owned());
            }
            !concerned
        });
        for name in deleted {
            self.touch_whole(&name);
        }
    }
}

impl Drop for Database {
    /// Keeps the lock until the write in progress is complete.
    fn drop(&mut self) {
        let _ = self.end_save();
    }
}

/// Locks the file of a database. The lock counts as held on a system without locks, but not where the folder is missing, which
/// may come back with what another process has written.
fn lock(path: &Path) -> io::Result<FileLock> {
    files::expect_folder(path)?;
    files::lock(path)
}

/// Whether a tag can be kept: a visible character, but for those with a meaning in the file.
pub fn is_tag(tag: u8) -> bool {
    tag.is_ascii_graphic() && tag != b';' && tag != b'-'
}

fn truncate(text: &mut String, most: usize) {
    while text.len() > most {
        text.pop();
    }
}

#[cfg(test)]
mod tests;
