//! A game on paper: one JSON line, and the file of them that a match can go on from. Floor 6.

use super::match_options::Setup;
use super::openings::Opening;
use super::player::Fault;
use super::schedule::Game;
use super::spec::EngineSpec;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use tengen::base::hash::Checksum;
use tengen::base::{Point, Size};
use tengen::board::notation::parse_moves;

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A winning row.
    Five,
    /// Black played a forbidden move.
    Forbidden,
    /// No room is left.
    FullBoard,
    /// As many stones as were agreed on.
    MoveLimit,
    /// A brain's fault, not the board's.
    #[serde(untagged)]
    Fault(Fault),
}

/// Everything that depends on the clock; all the rest of a record is the same whenever a game is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Milliseconds of each stone after the opening.
    pub ms: Vec<f64>,
    /// Milliseconds of them beyond what was allowed; empty when there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrun_ms: Vec<f64>,
    /// Milliseconds after which each number of nodes was told; empty when none was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes_ms: Vec<f64>,
}

/// One finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The match it belongs to: a fingerprint of rule, size, seed, engines, limits and openings.
    #[serde(rename = "match")]
    pub match_id: String,
    /// Its number, from 0.
    pub game: usize,
    /// The rule's number in the protocol.
    pub rule: u8,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The engine that opened, and the other.
    pub players: [String; 2],
    /// Who was black in the end.
    pub black: String,
    /// Who was white in the end.
    pub white: String,
    /// Stones given before the first move.
    pub opening: usize,
    /// Which symmetry of the opening this was.
    pub symmetry: usize,
    /// All stones, the opening included.
    pub moves: String,
    /// Black's view: `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// The winner's name.
    pub winner: Option<String>,
    /// Why the game ended.
    pub reason: Reason,
    /// Details of a fault.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// What the players answered to ABOUT.
    pub about: [String; 2],
    /// Scores as the brains told them, for each stone after the opening.
    pub scores: Vec<Option<String>>,
    /// Depths likewise.
    pub depths: Vec<Option<u32>>,
    /// Nodes likewise.
    pub nodes: Vec<Option<u64>>,
    /// What the clock said.
    pub timing: Timing,
}

impl GameRecord {
    /// The board.
    pub fn size(&self) -> Option<Size> {
        Size::new(self.width, self.height)
    }

    /// The stones in playing order; empty if the text is damaged.
    pub fn stones(&self) -> Vec<Point> {
        self.size().and_then(|size| parse_moves(&self.moves, size)).unwrap_or_default()
    }

    /// Half points of a player.
    pub fn half_points(&self, name: &str) -> usize {
        match &self.winner {
            None => 1,
            Some(winner) if winner == name => 2,
            Some(_) => 0,
        }
    }

    /// Who placed the stone with this index after the opening: the player's place in `players`. Within a swap2
    /// opening this is the side it was placed for.
    pub fn mover(&self, index: usize) -> usize {
        let black = usize::from(self.players[1] == self.black);
        black ^ ((self.opening ^ index) & 1)
    }
}

/// What must be equal for two runs to be the same match: everything that decides a game.
pub fn match_id(setup: &Setup) -> String {
    let engines: Vec<String> = setup.engines.iter().map(EngineSpec::fingerprint).collect();
    let openings: Vec<String> = setup.schedule.openings.iter().map(Opening::text).collect();
    let text = format!("{:?}\n{engines:?}\n{openings:?}\n{:?}", setup.terms, setup.schedule.pairings);
    format!("{:016x}", Checksum::of(text.as_bytes()))
}

/// The file of records: finished games are appended at once, and put in order at the end.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
}

impl RecordFile {
    /// Opens the file; with `resume`, also returns the games it holds.
    ///
    /// # Errors
    /// When it cannot be opened, exists without `resume`, or holds games of another match.
    pub fn open(path: &Path, setup: &Setup, resume: bool) -> Result<(RecordFile, BTreeMap<usize, GameRecord>)> {
        let mut games = BTreeMap::new();
        if path.exists() {
            ensure!(resume, "{} exists already: --resume goes on with it", path.display());
            games = read(path, setup)?;
            // Without the line that a kill may have torn.
            rewrite(path, games.values())?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok((RecordFile { path: path.to_owned(), file }, games))
    }

    /// Appends a finished game, in one write.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, record: &GameRecord) -> Result<()> {
        let line = serde_json::to_string(record)? + "\n";
        self.file.write_all(line.as_bytes()).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Puts the games in order.
    ///
    /// # Errors
    /// When the file cannot be replaced.
    pub fn finish<'a>(self, games: impl IntoIterator<Item = &'a GameRecord>) -> Result<()> {
        drop(self.file);
        rewrite(&self.path, games)
    }
}

/// Replaces the file at once: whoever looks sees the old one or the new one.
fn rewrite<'a>(path: &Path, games: impl IntoIterator<Item = &'a GameRecord>) -> Result<()> {
    let mut text = String::new();
    for game in games {
        text += &serde_json::to_string(game)?;
        text.push('\n');
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path))?;
    Ok(())
}

fn read(path: &Path, setup: &Setup) -> Result<BTreeMap<usize, GameRecord>> {
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&text);
    let id = match_id(setup);
    let mut games = BTreeMap::new();
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let record: GameRecord = match serde_json::from_str(line) {
            Ok(record) => record,
            Err(_) if index + 1 == lines.len() => break,
            Err(error) => bail!("{} line {}: {error}", path.display(), index + 1),
        };
        ensure!(
            record.match_id == id,
            "{} holds games of a different match (engines, limits, rule, size, openings or seed differ)",
            path.display()
        );
        if record.game < setup.schedule.total() {
            let game = setup.schedule.game(record.game);
            ensure!(fits(&record, &game, setup), "game {} of {} is another game", record.game, path.display());
            games.insert(record.game, record);
        }
    }
    Ok(games)
}

/// Whether this is a record of that game.
fn fits(record: &GameRecord, game: &Game, setup: &Setup) -> bool {
    record.players.iter().zip(game.seats).all(|(name, seat)| *name == setup.engines[seat].name)
        && record.moves.starts_with(&game.opening.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_read_back_as_plain_words() {
        for (reason, word) in [
            (Reason::Five, "\"five\""),
            (Reason::FullBoard, "\"full-board\""),
            (Reason::Fault(Fault::NoStart), "\"no-start\""),
            (Reason::Fault(Fault::Timeout), "\"timeout\""),
        ] {
            assert_eq!(serde_json::to_string(&reason).unwrap(), word);
            assert_eq!(serde_json::from_str::<Reason>(word).unwrap(), reason);
        }
    }
}
