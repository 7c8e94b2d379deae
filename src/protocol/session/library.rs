//! The files of a session: the database of positions and the hash file.
//!
//! The database stores and answers only after the manager has switched it on, and touches no file before the manager has
//! named one. It is written at intervals after a search or a change, on request, and at the end.

use super::Session;
use crate::base::clock::Instant;
use crate::base::{Cell, Color, Point, Score};
use crate::engine::database::{DatabaseError, Entry, Position};
use crate::protocol::command::{FileUse, Query, Spot, edit_mask};
use crate::protocol::reply::{Complaint, FileReport, Reply};
use crate::search::{Iteration, SearchReport};
use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Minimum time between two automatic writes of the database.
const AUTOSAVE_INTERVAL: Duration = Duration::from_secs(10);

impl<W: Write> Session<W> {
    /// Stores the result of a search in the database, if the settings ask for it; not while moves are blocked, since the
    /// result then holds for a restricted game only, and not a score that no longer stands.
    pub(super) fn store(&mut self, report: &SearchReport, stones: &mut Vec<(Point, Cell)>, to_move: Color) {
        let is_wanted = self.options.use_database && !self.options.database_readonly;
        if !is_wanted || !self.engine.blocked().is_empty() || report.last.depth == 0 || !report.stands() {
            return;
        }
        let (rule, size) = (self.engine.rule(), self.engine.size());
        let here = Position { rule, size, stones };
        if here.side() != Some(to_move) {
            return;
        }
        self.database.note(&here, report.last.score, report.last.depth, report.best);
        let lines: &[Iteration] =
            if report.lines.is_empty() { std::slice::from_ref(&report.last) } else { &report.lines };
        for line in lines {
            let Some(&first) = line.pv.first() else { continue };
            // A winning move ends the game: there is no position after it.
            if line.score.distance() == Some(1) {
                continue;
            }
            stones.push((first, to_move.into()));
            let after = Position { rule, size, stones };
            let depth = line.depth.saturating_sub(1);
            self.database.note(&after, line.score.after_move(), depth, line.pv.get(1).copied());
            stones.pop();
        }
    }

    /// Starts to write the database in the background, if it has changed and the last write is long enough ago. Only
    /// locking the file makes this wait; the clock of the next move has not started then.
    pub(super) fn autosave(&mut self) -> io::Result<()> {
        self.check_save()?;
        if self.database.is_changed() && self.saved_at.is_none_or(|at| at.elapsed() >= AUTOSAVE_INTERVAL) {
            self.saved_at = Some(Instant::now());
            let begun = self.database.begin_save();
            self.warn_unsaved(begun)?;
        }
        Ok(())
    }

    /// Reports a failed write of the database.
    pub(super) fn check_save(&mut self) -> io::Result<()> {
        let ended = self.database.check_save();
        self.warn_unsaved(ended.map_err(DatabaseError::from))
    }

    /// A failed automatic write is a message, not an error, which would end the game in some managers.
    fn warn_unsaved(&mut self, outcome: Result<(), DatabaseError>) -> io::Result<()> {
        match outcome {
            Ok(()) => Ok(()),
            Err(error) => self.warn("database not written", &error),
        }
    }

    /// Warns that a file was not written.
    ///
    /// # Errors
    /// The output is closed.
    pub fn warn(&mut self, what: &str, error: &dyn Error) -> io::Result<()> {
        self.reply(&Reply::FileWarning(&one_line(what, error)))
    }

    /// Answers a query of the database, or changes it.
    pub(super) fn ask_database(&mut self, query: &Query, spots: &[Spot]) -> io::Result<()> {
        let Some(stones) = self.moves(spots) else {
            return self.complain(Complaint::NoPosition);
        };
        let (rule, size) = (self.engine.rule(), self.engine.size());
        let position = Position { rule, size, stones: &stones };
        match query {
            Query::Moves => {
                let moves = self.known_moves(&position);
                return self.reply(&Reply::DatabaseMoves(&moves));
            }
            Query::Position => {
                let entry = self.database.get(&position);
                return self.reply(&Reply::DatabaseEntry(entry.as_ref()));
            }
            Query::Label => {
                let label = self.database.get(&position).map(|entry| entry.label).unwrap_or_default();
                return self.reply(&Reply::DatabaseLabel(&label));
            }
            Query::Edit { mask, tag, value, depth } => self.change_entry(query, &position, |entry| {
                if mask & edit_mask::TAG != 0 {
                    entry.tag = u8::try_from(*tag).ok();
                }
                if mask & edit_mask::VALUE != 0 {
                    entry.value = (*value).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
                }
                if mask & edit_mask::DEPTH != 0 {
                    entry.depth = (*depth).clamp(0, u32::MAX.into()) as u32;
                }
            }),
            Query::SetLabel(text) => {
                let text = String::from_utf8_lossy(text).into_owned();
                self.change_entry(query, &position, |entry| entry.label = text);
            }
            Query::Delete => self.database.delete(&position),
            Query::DeleteFrom(which) => self.database.delete_from(&position, *which),
            Query::SetBest | Query::ClearBest => {
                if let Some((&(last, _), before)) = stones.split_last() {
                    let best = (*query == Query::SetBest).then_some(last);
                    self.change_entry(query, &Position { stones: before, ..position }, |entry| entry.best = best);
                }
            }
        }
        Ok(())
    }

    /// Changes an entry, unless something is only removed from an unknown position, which stays unknown.
    fn change_entry(&mut self, query: &Query, position: &Position<'_>, change: impl FnOnce(&mut Entry)) {
        if !query.only_removes() || self.database.get(position).is_some() {
            self.database.edit(position, change);
        }
    }

    /// The entries of the positions after each move, with the mark that a GUI shows: the user's own, or `*` for the best
    /// move, `W` for a win, `L` for a loss, otherwise the win probability in tenths.
    fn known_moves(&self, position: &Position<'_>) -> Vec<(Point, Entry)> {
        let Some(side) = position.side() else { return Vec::new() };
        let best = self.database.get(position).and_then(|entry| entry.best);
        let taken = |point: Point| position.stones.iter().any(|stone| stone.0 == point);
        let mut stones = position.stones.to_vec();
        let mut moves = Vec::new();
        for point in position.size.points().filter(|&point| !taken(point)) {
            stones.push((point, side.into()));
            if let Some(mut entry) = self.database.get(&Position { stones: &stones, ..*position }) {
                entry.value = -entry.value;
                let mark = match Score::from_units(entry.value).win_permille() {
                    _ if best == Some(point) => b'*',
                    1000 => b'W',
                    0 => b'L',
                    chances => b'0' + (chances / 100) as u8,
                };
                entry.tag = entry.tag.or(Some(mark));
                moves.push((point, entry));
            }
            stones.pop();
        }
        moves
    }

    /// Writes the database, and answers with its size or, without a file, with a warning.
    pub(super) fn save_database(&mut self) -> io::Result<()> {
        if !self.database.has_file() && !self.database.is_empty() {
            let warning = "database: nothing is written, because YXSETDATABASE has named no file";
            return self.reply(&Reply::FileWarning(warning));
        }
        let outcome = self.database.save();
        self.report_database(outcome)
    }

    /// Answers with the size of the database, or with the error.
    fn report_database(&mut self, outcome: Result<(), DatabaseError>) -> io::Result<()> {
        match outcome {
            Ok(()) => self.reply(&Reply::DatabaseSize(self.database.len())),
            Err(error) => self.reply(&Reply::FileError(&one_line("database", &error))),
        }
    }

    /// Answers with what was read or written of the hash table, or with the error.
    fn report_hash(&mut self, outcome: Result<FileReport, impl Error>) -> io::Result<()> {
        match outcome {
            Ok(report) => self.reply(&Reply::File(report)),
            Err(error) => self.reply(&Reply::FileError(&one_line("hash table", &error))),
        }
    }

    /// Reads or writes a file. After a failure everything is as before.
    pub(super) fn use_file(&mut self, file_use: FileUse, path: &[u8]) -> io::Result<()> {
        let path = path_of(path);
        if path.as_os_str().is_empty() {
            return self.complain(Complaint::NoPath);
        }
        if self.script.is_some() && file_use != FileUse::LoadHash {
            return Ok(());
        }
        match file_use {
            FileUse::DumpHash => match self.database.expect_other(&path) {
                Ok(()) => {
                    let outcome = self.engine.dump_hash(&path).map(FileReport::HashWritten);
                    self.report_hash(outcome)
                }
                refusal => self.report_database(refusal),
            },
            FileUse::LoadHash => {
                let outcome = self.engine.load_hash(&path).map(FileReport::HashRead);
                self.report_hash(outcome)
            }
            FileUse::SetDatabase => self.set_database(&path),
            FileUse::WriteDatabase => {
                let outcome = self.database.write(&path);
                self.report_database(outcome)
            }
            FileUse::MergeDatabase => {
                let outcome = self.database.merge(&path);
                self.report_database(outcome)
            }
            FileUse::WritePositions => {
                let outcome = self.database.write_positions(&path);
                self.report_database(outcome)
            }
        }
    }

    /// Opens the database in this file. Warns if changes of the previous one were lost, and if those of this one will not be
    /// written.
    fn set_database(&mut self, path: &Path) -> io::Result<()> {
        let has_unsaved = match self.database.switch_to(path) {
            Ok(has_unsaved) => has_unsaved,
            Err(error) => return self.reply(&Reply::FileError(&one_line("database", &error))),
        };
        self.saved_at = None;
        if has_unsaved {
            self.warn("previous database", &DatabaseError::InUse)?;
        }
        self.reply(&Reply::DatabaseSize(self.database.len()))?;
        if self.database.is_locked_elsewhere() {
            self.warn("database", &DatabaseError::InUse)?;
        }
        Ok(())
    }
}

/// The text of an error, with control characters replaced by blanks.
fn one_line(what: &str, error: &dyn Error) -> String {
    format!("{what}: {error}").chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The path that the manager has sent.
#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// The path that the manager has sent; invalid UTF-8 is replaced.
#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
