//! The record of a game as a JSON line, and the file of records from which a match can resume.

use super::ground::Ground;
use super::line_check::Remark;
use super::match_options::Setup;
use super::openings::Opening;
use super::player::Fault;
use super::schedule::Game;
use super::spec::EngineSpec;
use crate::output_file;
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use tengen::base::hash::Checksum;
use tengen::base::{Color, Point, Rule, Size};
use tengen::board::notation::parse_moves;
use tengen::engine::files::FileLock;

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A winning row.
    Five,
    /// Black played a forbidden move.
    Forbidden,
    /// The board is full.
    FullBoard,
    /// The number of stones of `--draw-after`.
    MoveLimit,
    /// No five is possible any more.
    DeadDraw,
    /// One player announced a proven win, the other a proven loss.
    Announced,
    /// A fault of a brain.
    #[serde(untagged)]
    Fault(Fault),
}

/// Where adjudication would have ended a game, and with which result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WouldEnd {
    /// Stones on the board then.
    pub stones: usize,
    /// The name of the winner.
    pub winner: Option<String>,
}

/// The part of a record that depends on the clock. Equal games have equal records otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Milliseconds for each stone after the opening.
    pub ms: Vec<f64>,
    /// Milliseconds beyond the time allowed; empty if there were none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrun_ms: Vec<f64>,
    /// Milliseconds after which each number of nodes was reported; empty if none was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes_ms: Vec<f64>,
    /// The late moves, of which the last one may have lost the game.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<Late>,
}

/// A move that came after its time, or was not there by then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Late {
    /// Index of the player in the record.
    pub player: usize,
    /// Stones on the board when it thought.
    pub stones: usize,
    /// Milliseconds after its time.
    pub ms: f64,
    /// Whether it was the player's first move of the game.
    pub is_first: bool,
    /// Load average of the last minute and number of threads that ran or could have run, if the system tells.
    pub load: Option<(f64, u32)>,
    /// Games at the same time.
    pub games: usize,
}

/// One finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The match it belongs to: a fingerprint of rule, size, engines, limits and openings in their order.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The same for all matches that may be counted together: engines' names, limits and grounds.
    #[serde(default)]
    pub test: String,
    /// The order of the openings.
    #[serde(default)]
    pub seed: u64,
    /// Its number, from 0.
    pub game: usize,
    /// The number of the rule in the protocol.
    pub rule: u8,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The engine that opened, and the other.
    pub players: [String; 2],
    /// The engine that played black.
    pub black: String,
    /// The engine that played white.
    pub white: String,
    /// Number of stones that were on the board at the start.
    pub opening: usize,
    /// For each stone placed by the answers to swap2 questions, whether the second of `players` placed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swap2: Vec<bool>,
    /// The symmetry applied to the opening; 0 for none.
    pub symmetry: usize,
    /// All stones including the opening, as moves with rows from above.
    pub moves: String,
    /// Black's view: `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
    /// The winner's name.
    pub winner: Option<String>,
    /// Why the game ended.
    pub reason: Reason,
    /// Where adjudication would have ended the game, if that was switched off.
    #[serde(rename = "foretold", default, skip_serializing_if = "Option::is_none")]
    pub would_end: Option<WouldEnd>,
    /// Details of a fault, or which foul a forbidden move is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The players' answers to ABOUT.
    pub about: [String; 2],
    /// The scores that the brains reported for each stone after the opening.
    pub scores: Vec<Option<String>>,
    /// The depths they reported.
    pub depths: Vec<Option<u32>>,
    /// The nodes they reported.
    pub nodes: Vec<Option<u64>>,
    /// Number of lines that each of `players` announced.
    #[serde(default)]
    pub lines: [usize; 2],
    /// What was wrong with their lines, and restarts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// Times.
    pub timing: Timing,
}

impl GameRecord {
    /// The board.
    pub fn size(&self) -> Option<Size> {
        Size::new(self.width, self.height)
    }

    /// The rule; `None` if there is none of this number.
    pub fn rule(&self) -> Option<Rule> {
        Rule::from_bits(self.rule.into())
    }

    /// The stones in playing order; empty if the record is damaged.
    pub fn stones(&self) -> Vec<Point> {
        self.size().and_then(|size| parse_moves(&self.moves, size)).unwrap_or_default()
    }

    /// The colour that won; `None` for a draw.
    ///
    /// # Errors
    /// When the result is none of the three.
    pub fn winning_color(&self) -> Result<Option<Color>> {
        match self.result.as_str() {
            "1-0" => Ok(Some(Color::Black)),
            "0-1" => Ok(Some(Color::White)),
            "1/2-1/2" => Ok(None),
            other => bail!("'{other}' is not a result"),
        }
    }

    /// Half points of a player: 0, 1 or 2.
    pub fn half_points(&self, name: &str) -> usize {
        match &self.winner {
            None => 1,
            Some(winner) if winner == name => 2,
            Some(_) => 0,
        }
    }

    /// Stones before the first move: the opening and those of swap2.
    pub fn imposed(&self) -> usize {
        self.opening.saturating_add(self.swap2.len())
    }

    /// The index in `players` of the player who placed this stone, counted from the end of the opening. In a swap2 opening,
    /// the player who answered.
    pub fn mover(&self, index: usize) -> usize {
        if let Some(&is_second) = self.swap2.get(index) {
            return usize::from(is_second);
        }
        let black = usize::from(self.players[1] == self.black);
        black ^ ((self.opening ^ index) & 1)
    }
}

/// A hash of everything that decides the games: runs with equal hashes are the same match.
pub fn match_id(setup: &Setup) -> String {
    let engines: Vec<String> = setup.engines.iter().map(EngineSpec::fingerprint).collect();
    let grounds: Vec<String> = setup.schedule.grounds.iter().map(|ground| described(ground, false)).collect();
    fingerprint(&format!("{engines:?}\n{grounds:?}\n{:?}", setup.schedule.pairings))
}

/// A hash of everything that matches must have in common to be counted together: all that [`match_id`] covers but the
/// programs and the order of the openings.
pub fn test_id(setup: &Setup) -> String {
    let engines: Vec<String> = setup.engines.iter().map(EngineSpec::conditions).collect();
    let grounds: Vec<String> = setup.schedule.grounds.iter().map(|ground| described(ground, true)).collect();
    fingerprint(&format!("{engines:?}\n{grounds:?}\n{:?}", setup.schedule.pairings))
}

fn described(ground: &Ground, is_sorted: bool) -> String {
    let mut openings: Vec<String> = ground.openings.iter().map(Opening::text).collect();
    if is_sorted {
        openings.sort_unstable();
    }
    format!("{:?}\n{openings:?}", ground.terms)
}

fn fingerprint(text: &str) -> String {
    format!("{:016x}", Checksum::of(text.as_bytes()))
}

/// The file of records. Finished games are appended at once and sorted at the end.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    /// Keeps other matches away.
    _lock: FileLock,
}

impl RecordFile {
    /// Opens the file of the match with this id; if the match is resumed, returns its games.
    ///
    /// # Errors
    /// When it cannot be opened, exists and the match is not resumed, another match writes it, or it has games of another match
    /// or more than the match.
    pub fn open(path: &Path, setup: &Setup, id: &str) -> Result<(RecordFile, BTreeMap<usize, GameRecord>)> {
        let mut games = BTreeMap::new();
        ensure_new(path, setup.arguments.resume)?;
        let lock = output_file::lock(path)?;
        if has_games(path) {
            games = read(path, setup, id)?;
            // An interruption may have cut the last line; drop it.
            rewrite(path, games.values())?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok((RecordFile { path: path.to_owned(), file, _lock: lock }, games))
    }

    /// Appends a finished game, in one write.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, record: &GameRecord) -> Result<()> {
        let line = serde_json::to_string(record)? + "\n";
        self.file.write_all(line.as_bytes()).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Writes the games in order.
    ///
    /// # Errors
    /// When the file cannot be replaced.
    pub fn finish<'a>(self, games: impl IntoIterator<Item = &'a GameRecord>) -> Result<()> {
        drop(self.file);
        rewrite(&self.path, games)
    }
}

/// Whether a record file is not empty. A match creates its file before the first game.
pub fn has_games(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() > 0)
}

/// Refuses a record file with games unless the match is resumed.
///
/// # Errors
/// If the file has games or is no plain file, and `resume` is false.
pub fn ensure_new(path: &Path, resume: bool) -> Result<()> {
    let is_new = !has_games(path) && !output_file::is_special(path);
    ensure!(resume || is_new, "{} exists already: use --resume to continue its match", path.display());
    Ok(())
}

/// Replaces the file atomically.
fn rewrite<'a>(path: &Path, games: impl IntoIterator<Item = &'a GameRecord>) -> Result<()> {
    let mut text = String::new();
    for game in games {
        text += &serde_json::to_string(game)?;
        text.push('\n');
    }
    output_file::write(path, text)
}

/// The lines of a record file: for each the game, or what is wrong with the line.
pub fn lines_of(bytes: &[u8]) -> Vec<Result<GameRecord>> {
    parse_lines(&String::from_utf8_lossy(bytes))
}

fn read_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn parse_lines(text: &str) -> Vec<Result<GameRecord>> {
    let game = |(index, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| anyhow!("line {}: {error}", index + 1))
    };
    text.lines().enumerate().map(game).collect()
}

/// How each line begins.
const BEGIN: &str = "{\"match\":\"";

/// The games of a record file. A last line that a kill has cut short is left out.
///
/// # Errors
/// If the file cannot be read, or another line is not a record.
pub fn records(path: &Path) -> Result<Vec<GameRecord>> {
    let text = read_text(path)?;
    let mut lines = parse_lines(&text);
    let last = text.rsplit('\n').next().unwrap_or_default();
    let is_cut = last.starts_with(BEGIN) || BEGIN.starts_with(last);
    if is_cut && !text.ends_with('\n') && lines.last().is_some_and(Result::is_err) {
        lines.pop();
    }
    lines.into_iter().collect::<Result<Vec<_>>>().with_context(|| path.display().to_string())
}

fn read(path: &Path, setup: &Setup, id: &str) -> Result<BTreeMap<usize, GameRecord>> {
    let mut games = BTreeMap::new();
    for record in records(path)? {
        ensure!(
            record.match_id == id,
            "{} has games of a different match (engines, files that their arguments name, limits, rule, size, openings or seed differ, or another option)",
            path.display()
        );
        let number = record.game;
        ensure!(
            setup.schedule.at_or_after(number) == Some(number),
            "{} has game {number}, and the match only {} games: use a larger --games",
            path.display(),
            setup.schedule.total()
        );
        let game = setup.schedule.game(number);
        ensure!(fits(&record, &game, setup), "game {number} of {} does not fit the schedule", path.display());
        games.insert(number, record);
    }
    Ok(games)
}

/// Whether the record is of this game.
fn fits(record: &GameRecord, game: &Game, setup: &Setup) -> bool {
    record.players.iter().zip(game.seats).all(|(name, seat)| *name == setup.engines[seat].name)
        && record.moves.starts_with(&game.opening.text())
}

/// A game without moves between `A` and `B`, for tests.
#[cfg(test)]
pub(crate) fn sample() -> GameRecord {
    GameRecord {
        match_id: String::new(),
        test: String::new(),
        seed: 1,
        game: 0,
        rule: 0,
        width: 15,
        height: 15,
        players: ["A", "B"].map(str::to_owned),
        black: "A".to_owned(),
        white: "B".to_owned(),
        opening: 0,
        swap2: Vec::new(),
        symmetry: 0,
        moves: String::new(),
        result: String::new(),
        winner: None,
        reason: Reason::Five,
        would_end: None,
        note: String::new(),
        about: [String::new(), String::new()],
        scores: Vec::new(),
        depths: Vec::new(),
        nodes: Vec::new(),
        lines: [0; 2],
        remarks: Vec::new(),
        timing: Timing::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The field was called `foretold` when the first matches were recorded.
    #[test]
    fn where_a_game_would_have_ended_is_read_under_its_first_name() {
        let game = GameRecord { would_end: Some(WouldEnd { stones: 9, winner: None }), ..sample() };
        let line = serde_json::to_string(&game).unwrap();
        assert!(line.contains(r#""foretold":{"stones":9"#), "{line}");
        assert_eq!(serde_json::from_str::<GameRecord>(&line).unwrap(), game);
    }

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

    /// Bug: the error was "No such file or directory", of which file it did not say.
    #[test]
    fn a_record_file_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gone").join("games");
        let error = format!("{:#}", rewrite(&path, []).unwrap_err());
        assert!(error.starts_with(&format!("cannot write {}: ", path.display())), "{error}");
    }

    /// Bug: it was taken for one that a kill has cut, and to continue the match emptied the file.
    #[test]
    fn a_whole_last_line_that_is_no_record_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        std::fs::write(&path, "{\"match\":\"cut").unwrap();
        assert_eq!(records(&path).unwrap(), []);
        std::fs::write(&path, "(;FF[4])\n").unwrap();
        assert!(format!("{:#}", records(&path).unwrap_err()).contains("line 1"));
    }

    /// Bug: any last line without its end was taken for a cut record, and to continue the match emptied the file.
    #[test]
    fn a_last_line_that_is_no_part_of_a_record_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let line = serde_json::to_string(&sample()).unwrap();
        for (text, is_record) in [("Piskvorky 15x15, 0:0, 0", false), ("{", true), ("{\"match\":\"", true)] {
            std::fs::write(&path, format!("{line}\n{text}")).unwrap();
            assert_eq!(records(&path).ok(), is_record.then(|| vec![sample()]), "{text}");
        }
    }

    /// Bug: after a failed start the empty file had to be removed by hand.
    #[test]
    fn an_empty_record_file_is_new() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        std::fs::write(&path, "").unwrap();
        assert!(ensure_new(&path, false).is_ok());
        std::fs::write(&path, "{").unwrap();
        assert!(ensure_new(&path, false).is_err() && ensure_new(&path, true).is_ok());
    }
}
