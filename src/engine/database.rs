//! A database of positions: what they are worth, how deeply that was searched, the best move, and what a person has
//! written to them. Positions that mirror each other share an entry. Floor 4.
//!
//! The file is text, one position a line, sorted, with its count and a checksum at the end:
//!
//! ```text
//! tengen-database 1
//! 0;15x15;h8;;-12;14;-;i9;
//! 4;15x15;h8i7;h7;30000;0;W;-;found by hand
//! end 2 2f6e1a90c4d1b7a3
//! ```
//!
//! The fields are rule, size, black stones, white stones, value for the side to move, depth, tag, best move, label. A
//! file with anything unexpected in it is refused as a whole.
//!
//! It is written by a thread of its own, and by one process only: the first that has opened it.

mod entries;

use super::files::{self, Claim};
use crate::base::hash::Checksum;
use crate::base::{Cell, Color, Point, Rule, Score, Size};
use crate::board::notation::{letter, parse_moves};
use crate::board::symmetry::Symmetry;
use entries::Entries;
use std::fmt::{self, Write as _};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

const HEADER: &str = "tengen-database 1";
/// Most positions: about 200 MiB of memory.
const MOST_POSITIONS: usize = 1 << 20;
/// Largest file that is read, in bytes.
const LONGEST_FILE: u64 = 1 << 30;
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
    /// The thread that writes the file.
    saving: Option<JoinHandle<io::Result<()>>>,
}

impl Database {
    /// The database in this file; an empty one where there is no such file, which is then made when there is
    /// something to keep.
    pub fn open(path: &Path) -> Result<Database, DatabaseError> {
        // What is no database gets no lock beside it, nor does one that is not there yet.
        let claim = if content(path)?.is_some() { files::claim(path)? } else { Claim::None };
        // Read under the lock: what another process has written before is there.
        Ok(Database { entries: load(path)?, path: Some(path.to_owned()), claim, is_changed: false, saving: None })
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

    /// Whether something would be lost now, that nobody writes yet.
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
        // If this fails, there is something to write, and that will fail or not.
        let _ = self.end_save();
        if self.is_changed() {
            self.make_ours()?;
            self.begin_save()?;
            self.end_save()?;
        }
        Ok(())
    }

    /// Claims the file, if that has not been done. What another process has written is taken over with it.
    fn make_ours(&mut self) -> Result<(), DatabaseError> {
        let Some(path) = self.path.clone().filter(|_| !matches!(self.claim, Claim::Ours(_))) else { return Ok(()) };
        let claim = files::claim(&path)?;
        if matches!(claim, Claim::Theirs) {
            self.claim = claim;
            return Err(DatabaseError::InUse);
        }
        self.merge(&path)?;
        self.claim = claim;
        Ok(())
    }

    /// Writes everything to a file.
    pub fn write(&mut self, path: &Path) -> io::Result<()> {
        // It may be our own that is being written. If that fails, it is written again at the next occasion.
        let _ = self.end_save();
        write(&self.entries, path)
    }

    /// Takes over what another file has; what is here already stays where it was searched more deeply.
    pub fn merge(&mut self, path: &Path) -> Result<usize, DatabaseError> {
        let before = self.len();
        for (name, entry) in load(path)? {
            if self.entries.get(&name).is_none_or(|old| old.depth < entry.depth) && self.has_room_for(&name) {
                self.entries.insert(name, entry);
                self.is_changed = true;
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
            self.entries.insert(name, entry);
            self.is_changed = true;
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
        if let Some((name, _)) = position.name() {
            self.is_changed |= self.entries.remove(&name).is_some();
        }
    }

    /// Forgets a position and all that have its stones and more.
    pub fn delete_from(&mut self, position: &Position<'_>, which: Deletion) {
        let before = self.len();
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
            !concerned
        });
        self.is_changed |= self.len() != before;
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

fn write(entries: &Entries, path: &Path) -> io::Result<()> {
    files::replace(path, |out| {
        let mut checksum = Checksum::new();
        let mut line = |text: String| {
            checksum.add(text.as_bytes());
            out.write_all(text.as_bytes()).map(|()| checksum)
        };
        let mut sum = line(format!("{HEADER}\n"))?;
        for (name, entry) in entries.sorted() {
            sum = line(format!("{name};{}\n", write_entry(entry)))?;
        }
        writeln!(out, "end {} {:016x}", entries.len(), sum.value())
    })
}

/// The fields behind the position.
fn write_entry(entry: &Entry) -> String {
    let tag = entry.tag.map_or('-', char::from);
    let best = entry.best.map_or_else(|| "-".to_owned(), letter);
    let mut text = format!("{};{};{tag};{best};", entry.value, entry.depth);
    for c in entry.label.chars() {
        // The line and its fields must stay what they are.
        if c.is_control() || matches!(c, ';' | '%') {
            let _ = write!(text, "%{:x},", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

/// What a file holds, if it begins like a database; `None` where there is no file.
fn content(path: &Path) -> Result<Option<impl Read>, DatabaseError> {
    let mut file = match files::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut begin = [0; HEADER.len()];
    if file.len() > LONGEST_FILE || file.len() < begin.len() as u64 {
        return Err(DatabaseError::Damaged(1));
    }
    file.read_exact(&mut begin)?;
    if begin != HEADER.as_bytes() {
        return Err(DatabaseError::Damaged(1));
    }
    Ok(Some(HEADER.as_bytes().chain(file)))
}

/// The entries in a file; none where there is no file.
fn load(path: &Path) -> Result<Entries, DatabaseError> {
    let Some(mut content) = content(path)? else { return Ok(Entries::default()) };
    let mut bytes = Vec::new();
    content.read_to_end(&mut bytes)?;
    read(&bytes)
}

/// Reads a whole file.
fn read(bytes: &[u8]) -> Result<Entries, DatabaseError> {
    if !bytes.starts_with(HEADER.as_bytes()) {
        return Err(DatabaseError::Damaged(1));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        DatabaseError::Damaged(good.split(|&byte| byte == b'\n').count())
    })?;
    let mut entries = Entries::default();
    let mut checksum = Checksum::new();
    let mut lines = text.split_inclusive('\n').zip(1..);
    let mut is_whole = false;
    for (line, number) in &mut lines {
        let damaged = DatabaseError::Damaged(number);
        let Some(content) = line.strip_suffix('\n') else { return Err(damaged) };
        if let Some(end) = content.strip_prefix("end ") {
            let wanted = format!("{} {:016x}", entries.len(), checksum.value());
            if end != wanted {
                return Err(damaged);
            }
            is_whole = true;
            break;
        }
        checksum.add(line.as_bytes());
        if number == 1 {
            if content != HEADER {
                return Err(damaged);
            }
            continue;
        }
        let Some((name, entry)) = read_line(content) else { return Err(damaged) };
        if entries.len() >= MOST_POSITIONS || entries.insert(name, entry).is_some() {
            return Err(damaged);
        }
    }
    match lines.next() {
        None if is_whole => Ok(entries),
        Some((_, number)) => Err(DatabaseError::Damaged(number)),
        None => Err(DatabaseError::Damaged(text.lines().count() + 1)),
    }
}

fn read_line(line: &str) -> Option<(String, Entry)> {
    let fields: Vec<&str> = line.splitn(9, ';').collect();
    let [_, _, _, _, value, depth, tag, best, label] = fields[..] else { return None };
    let name = fields[..4].join(";");
    let (rule, size, stones) = read_name(&name)?;
    // The name must be the one that would be given.
    if (Position { rule, size, stones: &stones }).name()?.0 != name {
        return None;
    }
    let value: i32 = value.parse().ok().filter(|value| (-MOST_VALUE..=MOST_VALUE).contains(value))?;
    let depth: u32 = depth.parse().ok().filter(|&depth| depth <= Entry::DEEPEST)?;
    let tag = match tag.as_bytes() {
        b"-" => None,
        &[tag] if is_tag(tag) => Some(tag),
        _ => return None,
    };
    let best = match best {
        "-" => None,
        best => match parse_moves(best, size)?[..] {
            [best] if stones.iter().all(|stone| stone.0 != best) => Some(best),
            _ => return None,
        },
    };
    Some((name, Entry { value, depth, tag, best, label: read_label(label)? }))
}

/// A stone and where it lies.
type Stone = (Point, Cell);

fn read_name(name: &str) -> Option<(Rule, Size, Vec<Stone>)> {
    let fields: Vec<&str> = name.split(';').collect();
    let [rule, size, black, white] = fields[..] else { return None };
    let number: u8 = rule.parse().ok()?;
    let rule = Rule::ALL.into_iter().find(|rule| rule.number() == number)?;
    let (width, height) = size.split_once('x')?;
    let size = Size::new(width.parse().ok()?, height.parse().ok()?)?;
    let stones = |text: &str, cell: Cell| -> Option<Vec<(Point, Cell)>> {
        Some(parse_moves(text, size)?.into_iter().map(|point| (point, cell)).collect())
    };
    let mut all = stones(black, Cell::Black)?;
    all.extend(stones(white, Cell::White)?);
    let distinct = all.iter().enumerate().all(|(index, stone)| all[..index].iter().all(|other| other.0 != stone.0));
    distinct.then_some((rule, size, all))
}

fn read_label(text: &str) -> Option<String> {
    if text.contains(';') {
        return None;
    }
    let mut label = String::new();
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('%') {
        label += plain;
        let (code, after) = escape.split_once(',')?;
        label.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
        rest = after;
    }
    label += rest;
    (label.len() <= LONGEST_LABEL).then_some(label)
}

#[cfg(test)]
mod tests;
