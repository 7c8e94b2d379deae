//! A database of positions: what they are worth, how deeply that was searched, the best move, and what a person has
//! written to them. Positions that mirror each other share an entry. Floor 4.

mod entries;
mod format;

use super::files::{self, Claim};
use crate::base::maps::HashSet;
use crate::base::{Cell, Color, Point, Rule, Score, Size};
use crate::board::notation::letter;
use crate::board::symmetry::Symmetry;
use entries::Entries;
use format::{load, read_name, write};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

/// Most positions: about 200 MiB of memory.
const MOST_POSITIONS: usize = 1 << 20;
/// Most bytes of a label.
const LONGEST_LABEL: usize = 1000;

/// What is known about a position.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Entry {
    /// For the side to move, in units of [`Score`].
    pub value: i32,
    /// Depth of the search that found it, in plies.
    pub depth: u32,
    /// A mark that somebody has put there, a printable ASCII character.
    pub tag: Option<u8>,
    /// The best move.
    pub best: Option<Point>,
    /// What somebody has written there.
    pub label: String,
}

impl Entry {
    /// Longest depth that is kept.
    pub const DEEPEST: u32 = 999;

    fn score_is_proof(&self) -> bool {
        self.value.abs() > Score::DECISIVE
    }

    /// Takes over what another entry of the same position says. A proof is not given up for an estimate, nor a deeper
    /// search for a shallower one.
    fn update(&mut self, other: &Entry) {
        if other.score_is_proof() || !(self.score_is_proof() || self.depth > other.depth) {
            (self.value, self.depth) = (other.value, other.depth);
            self.best = other.best.or(self.best);
        }
        self.tag = other.tag.or(self.tag);
        if !other.label.is_empty() {
            self.label.clone_from(&other.label);
        }
    }
}

/// A position as the database sees it.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// The rule.
    pub rule: Rule,
    /// The board's size.
    pub size: Size,
    /// The stones, in any order.
    pub stones: &'a [(Point, Cell)],
}

impl Position<'_> {
    /// Whose turn it is, by the number of stones; `None` for a position that no game leads to, and for one with dead
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

    /// The name of the position and its mirror images, and the symmetry that leads to the one so named.
    fn name(&self) -> Option<(String, Symmetry)> {
        self.side()?;
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
        let list = |points: &[Point]| points.iter().map(|&point| letter(point)).collect::<String>();
        let (width, height) = (self.size.width(), self.size.height());
        let name = format!("{};{width}x{height};{};{}", self.rule.number(), list(&sides[0]), list(&sides[1]));
        Some((name, symmetry))
    }

    /// Whether every stone of this position lies on the other board in the same way, turned or mirrored as may be.
    fn is_part_of(&self, other: &Position<'_>) -> bool {
        self.rule == other.rule
            && self.size == other.size
            && Symmetry::of(self.size).any(|symmetry| {
                self.stones
                    .iter()
                    .all(|&(point, cell)| other.stones.contains(&(symmetry.apply(point, self.size), cell)))
            })
    }
}

/// Why a database cannot be read or written.
#[derive(Debug)]
pub enum DatabaseError {
    /// The system says no.
    Io(io::Error),
    /// The file is no database, or was damaged; the line that shows it, from 1.
    Damaged(usize),
    /// It belongs to another process, which may write to it at any time.
    InUse,
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatabaseError::Io(error) => write!(f, "{error}"),
            DatabaseError::Damaged(line) => write!(f, "not a database, or a damaged one (line {line})"),
            DatabaseError::InUse => f.write_str("another process uses it, nothing is written"),
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
    /// Those that are won or lost, by proof or by a tag that says so.
    Decided,
    /// The others.
    Undecided,
}

/// The positions, and the file they belong to.
#[derive(Debug, Default)]
pub struct Database {
    entries: Entries,
    path: Option<PathBuf>,
    claim: Claim,
    /// Whether there is something that is neither in the file nor on the way to it.
    is_changed: bool,
    /// Names of what was changed or deleted while the file was not ours.
    touched: HashSet<String>,
    /// The thread that writes the file.
    saving: Option<JoinHandle<io::Result<()>>>,
}

impl Database {
    /// The database in this file; an empty one where there is no such file, which is then made when there is
    /// something to keep.
    pub fn open(path: &Path) -> Result<Database, DatabaseError> {
        // What is no database gets no lock beside it, nor does one that is not there yet.
        let claim = if format::is_there(path)? { files::claim(path)? } else { Claim::None };
        // Read under the lock: what another process has written before is there.
        Ok(Database {
            entries: load(path)?,
            path: Some(path.to_owned()),
            claim,
            is_changed: false,
            touched: HashSet::default(),
            saving: None,
        })
    }

    /// Turns to the database in another file, after this one has been saved as far as it is ours. If the other one cannot
    /// be read, this one stays.
    pub fn turn_to(&mut self, path: &Path) -> Result<(), DatabaseError> {
        match self.save() {
            Err(DatabaseError::InUse) => {}
            outcome => outcome?,
        }
        // It may be the same file, and our own lock must not keep us out.
        let was_ours = matches!(self.claim, Claim::Ours(_));
        if was_ours {
            self.claim = Claim::None;
        }
        let opened = Database::open(path);
        if opened.is_err()
            && was_ours
            && let Some(path) = &self.path
        {
            self.claim = files::claim(path).unwrap_or(Claim::Theirs);
        }
        *self = opened?;
        Ok(())
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether another process writes the file, as far as we know.
    pub fn is_theirs(&self) -> bool {
        matches!(self.claim, Claim::Theirs)
    }

    /// Whether there are changes that are neither in the file nor being written.
    pub fn is_changed(&self) -> bool {
        self.is_changed && self.path.is_some()
    }

    /// Whether the file is being written.
    pub fn is_saving(&self) -> bool {
        self.saving.is_some()
    }

    /// Begins to write the file, if something has changed and it is not another process's; not before it has been written
    /// the last time.
    pub fn begin_save(&mut self) -> Result<(), DatabaseError> {
        if !self.is_changed() || self.is_theirs() || self.is_saving() {
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

    /// Whether a writing that has ended since the last time has failed.
    pub fn check_save(&mut self) -> io::Result<()> {
        if self.saving.as_ref().is_some_and(JoinHandle::is_finished) { self.end_save() } else { Ok(()) }
    }

    /// Waits until the file is written, if it is being written.
    fn end_save(&mut self) -> io::Result<()> {
        let Some(saving) = self.saving.take() else { return Ok(()) };
        let outcome = saving.join().unwrap_or_else(|_| Err(io::Error::other("the writer panicked")));
        self.is_changed |= outcome.is_err();
        outcome
    }

    /// Writes the file, if there is one and something has changed, and waits until that is done.
    pub fn save(&mut self) -> Result<(), DatabaseError> {
        // If that failed, the changes are written again below.
        let _ = self.end_save();
        if self.is_changed() {
            self.make_ours()?;
            self.begin_save()?;
            self.end_save()?;
        }
        Ok(())
    }

    /// Claims the file, if that has not been done. What another process has written is taken over with it, and what was
    /// changed here is applied to it.
    fn make_ours(&mut self) -> Result<(), DatabaseError> {
        let Some(path) = self.path.clone().filter(|_| !matches!(self.claim, Claim::Ours(_))) else { return Ok(()) };
        let claim = files::claim(&path)?;
        if matches!(claim, Claim::Theirs) {
            self.claim = claim;
            return Err(DatabaseError::InUse);
        }
        let mut entries = load(&path)?;
        for name in std::mem::take(&mut self.touched) {
            match (self.entries.get(&name), entries.get(&name).cloned()) {
                (Some(ours), Some(mut theirs)) => {
                    theirs.update(ours);
                    entries.insert(name, theirs);
                }
                (Some(ours), None) if entries.len() < MOST_POSITIONS => {
                    entries.insert(name, ours.clone());
                }
                (Some(_), None) => {}
                (None, _) => {
                    entries.remove(&name);
                }
            }
        }
        (self.entries, self.claim) = (entries, claim);
        Ok(())
    }

    /// Notes that the entry of this name was changed or deleted.
    fn touch(&mut self, name: &str) {
        self.is_changed = true;
        if !matches!(self.claim, Claim::Ours(_)) {
            self.touched.insert(name.to_owned());
        }
    }

    /// Writes everything to a file.
    pub fn write(&mut self, path: &Path) -> io::Result<()> {
        // It may be our own that is being written. If that fails, it is written again at the next occasion.
        let _ = self.end_save();
        write(&self.entries, path)
    }

    /// Takes over what another file has. What is here already stays where it was proven or searched as deeply, and so do its
    /// tags and labels.
    pub fn merge(&mut self, path: &Path) -> Result<usize, DatabaseError> {
        let before = self.len();
        for (name, mut entry) in load(path)? {
            if let Some(old) = self.entries.get(&name) {
                entry.update(old);
            }
            if self.entries.get(&name) != Some(&entry) && self.has_room_for(&name) {
                self.touch(&name);
                self.entries.insert(name, entry);
            }
        }
        Ok(self.len() - before)
    }

    /// What is known about a position, its best move as it lies on the board given.
    pub fn get(&self, position: &Position<'_>) -> Option<Entry> {
        let (name, symmetry) = position.name()?;
        let mut entry = self.entries.get(&name)?.clone();
        entry.best = entry
            .best
            .and_then(|best| position.size.points().find(|&point| symmetry.apply(point, position.size) == best));
        Some(entry)
    }

    fn has_room_for(&self, name: &str) -> bool {
        self.len() < MOST_POSITIONS || self.entries.get(name).is_some()
    }

    /// Every position as a line of moves, `h8i9`, black and white in turns.
    pub fn positions(&self) -> Vec<String> {
        let sides = |name: &str| -> Option<String> {
            let (_, _, stones) = read_name(name)?;
            let (black, white): (Vec<_>, Vec<_>) = stones.into_iter().partition(|stone| stone.1 == Cell::Black);
            let turns = |index: usize| [black.get(index), white.get(index)].into_iter().flatten();
            Some((0..black.len()).flat_map(turns).map(|stone| letter(stone.0)).collect())
        };
        self.entries.sorted().into_iter().filter_map(|(name, _)| sides(name)).collect()
    }

    /// Changes what is known about a position; a new entry is made where there is none and room for it.
    pub fn edit(&mut self, position: &Position<'_>, change: impl FnOnce(&mut Entry)) {
        let Some((name, symmetry)) = position.name() else { return };
        if !self.has_room_for(&name) {
            return;
        }
        let mut entry = self.get(position).unwrap_or_default();
        change(&mut entry);
        entry.best = entry.best.map(|point| symmetry.apply(point, position.size));
        entry.value = entry.value.clamp(-MOST_VALUE, MOST_VALUE);
        entry.depth = entry.depth.min(Entry::DEEPEST);
        entry.tag = entry.tag.filter(|&tag| is_tag(tag));
        truncate(&mut entry.label, LONGEST_LABEL);
        if self.entries.get(&name) != Some(&entry) {
            self.touch(&name);
            self.entries.insert(name, entry);
        }
    }

    /// Notes what a search has found. A proof is not given up for an estimate, nor a deeper search for a shallower
    /// one; tags and labels stay.
    pub fn note(&mut self, position: &Position<'_>, score: Score, depth: u32, best: Option<Point>) {
        if self.get(position).is_some_and(|old| {
            let deeper = old.depth > depth;
            (old.score_is_proof() && !score.is_decisive()) || (deeper && !score.is_decisive())
        }) {
            return;
        }
        self.edit(position, |entry| {
            (entry.value, entry.depth) = (score.units(), depth);
            entry.best = best.or(entry.best);
        });
    }

    /// Forgets a position.
    pub fn delete(&mut self, position: &Position<'_>) {
        if let Some((name, _)) = position.name()
            && self.entries.remove(&name).is_some()
        {
            self.touch(&name);
        }
    }

    /// Forgets a position and all that have its stones and more.
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
            self.touch(&name);
        }
    }
}

impl Drop for Database {
    /// The file stays ours until the thread that writes it is done.
    fn drop(&mut self) {
        let _ = self.end_save();
    }
}

/// Largest value either way: a win on the spot.
const MOST_VALUE: i32 = 30_000;

fn is_tag(tag: u8) -> bool {
    tag.is_ascii_graphic() && tag != b';' && tag != b'-'
}

fn truncate(text: &mut String, most: usize) {
    while text.len() > most {
        text.pop();
    }
}

#[cfg(test)]
mod tests;
