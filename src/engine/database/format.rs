//! The file format of a database: text, one position a line, sorted, with the count and a checksum at the end.
//! The first four fields of a line, the position, are made by `name` in `database.rs`.
//!
//! ```text
//! tengen-database 1
//! 0;15x15;h8;;-12;14;-;i9;
//! 4;15x15;h8i7;h7;30000;0;W;-;found by hand
//! end 2 2f6e1a90c4d1b7a3
//! ```
//!
//! The fields are rule, size, black stones, white stones, value for the side to move, depth, tag, best move, label. A
//! file with anything unexpected is refused as a whole.

use super::entries::Entries;
use super::{DatabaseError, Entry, MAX_LABEL, MAX_POSITIONS, MAX_VALUE, Position, is_tag};
use crate::base::hash::Checksum;
use crate::base::{Cell, Point, Rule, Size};
use crate::board::notation::{self, parse_moves};
use crate::engine::files;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

/// The first line.
pub(super) const HEADER: &str = "tengen-database 1";
/// Largest file in bytes.
const MAX_FILE: u64 = 1 << 30;

/// Writes all entries to a file, unless the file exists and is no database, or they make a file too large to be read.
pub(super) fn write(entries: &Entries, path: &Path) -> io::Result<()> {
    write_within(MAX_FILE, entries, path)
}

/// The same with another limit, in bytes.
pub(super) fn write_within(limit: u64, entries: &Entries, path: &Path) -> io::Result<()> {
    files::expect_kind(path, "a database", |begin, _| begin.starts_with(HEADER.as_bytes()))?;
    files::replace(path, |out| {
        let (mut checksum, mut left) = (Checksum::new(), limit);
        let mut line = |text: String| {
            checksum.add(text.as_bytes());
            let too_large = || io::Error::other(format!("too large for a file of {limit} bytes"));
            left = left.checked_sub(text.len() as u64).ok_or_else(too_large)?;
            out.write_all(text.as_bytes()).map(|()| checksum)
        };
        let mut sum = line(format!("{HEADER}\n"))?;
        for (name, entry) in entries.sorted() {
            sum = line(format!("{name};{}\n", write_entry(entry)))?;
        }
        line(format!("end {} {:016x}\n", entries.len(), sum.value())).map(drop)
    })
}

/// The fields after the position.
fn write_entry(entry: &Entry) -> String {
    let tag = entry.tag.map_or('-', char::from);
    let best = entry.best.map_or_else(|| "-".to_owned(), notation::name);
    let mut text = format!("{};{};{tag};{best};", entry.value, entry.depth);
    for c in entry.label.chars() {
        // Escape what would end the line or the field.
        if c.is_control() || matches!(c, ';' | '%') {
            let _ = write!(text, "%{:x},", u32::from(c));
        } else {
            text.push(c);
        }
    }
    text
}

/// Writes the positions to a file as lines of moves, `h8i9`, black and white in turns, unless the file exists and has other
/// lines. The empty position has no moves, and so no line.
pub(super) fn write_positions(entries: &Entries, path: &Path) -> io::Result<()> {
    let largest = Size::square(Size::MAX_SIDE).ok_or(io::ErrorKind::InvalidInput)?;
    files::expect_kind(path, "a list of positions", |begin, is_all| {
        let whole = begin.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let lines = std::str::from_utf8(&begin[..whole]);
        let is_complete = if is_all { whole == begin.len() } else { whole > 0 };
        is_complete && lines.is_ok_and(|lines| lines.lines().all(|line| parse_moves(line, largest).is_some()))
    })?;
    files::replace(path, |out| {
        let moves = entries.sorted().into_iter().filter_map(|(name, _)| moves_of(name));
        moves.filter(|moves| !moves.is_empty()).try_for_each(|moves| writeln!(out, "{moves}"))
    })
}

/// The stones of a position as moves in turns.
fn moves_of(name: &str) -> Option<String> {
    let (_, _, stones) = read_name(name)?;
    let (black, white): (Vec<_>, Vec<_>) = stones.into_iter().partition(|stone| stone.1 == Cell::Black);
    let turns = |index: usize| [black.get(index), white.get(index)].into_iter().flatten();
    Some((0..black.len()).flat_map(turns).map(|stone| notation::name(stone.0)).collect())
}

/// The content of a file that begins like a database; `None` if there is no file, or an empty one.
fn content(path: &Path) -> Result<Option<impl Read>, DatabaseError> {
    let mut file = match files::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    if file.is_empty() {
        return Ok(None);
    }
    let mut begin = [0; HEADER.len()];
    if file.len() > MAX_FILE || file.len() < begin.len() as u64 {
        return Err(DatabaseError::Damaged(1));
    }
    file.read_exact(&mut begin)?;
    if begin != HEADER.as_bytes() {
        return Err(DatabaseError::Damaged(1));
    }
    Ok(Some(HEADER.as_bytes().chain(file)))
}

/// Whether there is a database in a file; an error if there is something else.
pub(super) fn is_there(path: &Path) -> Result<bool, DatabaseError> {
    Ok(content(path)?.is_some())
}

/// The entries in a file; none if there is no file, or an empty one.
pub(super) fn load(path: &Path) -> Result<Entries, DatabaseError> {
    let Some(mut content) = content(path)? else { return Ok(Entries::default()) };
    let mut bytes = Vec::new();
    content.read_to_end(&mut bytes)?;
    read(&bytes)
}

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Entries, DatabaseError> {
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
        if entries.len() >= MAX_POSITIONS || entries.insert(name, entry).is_some() {
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
    let position = Position { rule, size, stones: &stones };
    // Only the canonical name of a position is valid.
    if position.name()?.0 != name {
        return None;
    }
    let value: i32 = value.parse().ok().filter(|value| (-MAX_VALUE..=MAX_VALUE).contains(value))?;
    let depth: u32 = depth.parse().ok().filter(|&depth| depth <= Entry::MAX_DEPTH)?;
    let tag = match tag.as_bytes() {
        b"-" => None,
        &[tag] if is_tag(tag) => Some(tag),
        _ => return None,
    };
    let best = match best {
        "-" => None,
        best => match points(best, size)?[..] {
            [best] if position.is_free(best) => Some(best),
            _ => return None,
        },
    };
    Some((name, Entry { value, depth, tag, best, label: read_label(label)? }))
}

/// A point and the stone on it.
pub(super) type Stone = (Point, Cell);

/// The points that a text names; `None` for any other text, and for one longer than the names of all points of the board.
pub(super) fn points(text: &str, size: Size) -> Option<Vec<Point>> {
    // A name has three characters at most.
    if text.len() > 3 * size.cells() { None } else { parse_moves(text, size) }
}

/// Parses the name of a position. It may name a point twice.
pub(super) fn read_name(name: &str) -> Option<(Rule, Size, Vec<Stone>)> {
    let fields: Vec<&str> = name.split(';').collect();
    let [rule, size, black, white] = fields[..] else { return None };
    let number: u8 = rule.parse().ok()?;
    let rule = Rule::ALL.into_iter().find(|rule| rule.number() == number)?;
    let (width, height) = size.split_once('x')?;
    let size = Size::new(width.parse().ok()?, height.parse().ok()?)?;
    let stones = |text: &str, cell: Cell| -> Option<Vec<(Point, Cell)>> {
        Some(points(text, size)?.into_iter().map(|point| (point, cell)).collect())
    };
    let mut all = stones(black, Cell::Black)?;
    all.extend(stones(white, Cell::White)?);
    Some((rule, size, all))
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
    (label.len() <= MAX_LABEL).then_some(label)
}
