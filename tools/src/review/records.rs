//! Finished games from files: those that [`gamefile`] reads, with one game or many, and the records of `tengen-match`.

use super::charset;
use crate::arena::adjudication::claim;
use crate::arena::game_log::{self, GameRecord, Reason};
use crate::arena::player::Fault;
use anyhow::{Context, Result, anyhow, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tengen::base::{Point, Size};
use tengen::tools::gamefile::{self, Forfeit, GameFile, Outcome, PlayStart};

/// The ending of records of `tengen-match`.
const MATCH: &str = "jsonl";

/// The endings of the files that are read in a folder, in words.
pub fn endings() -> String {
    let all: Vec<String> = [MATCH].iter().chain(&gamefile::ENDINGS).map(|ending| format!(".{ending}")).collect();
    all.join(", ")
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its file, and its number there if the file has several games.
    pub name: String,
    /// The game.
    pub game: GameFile,
    /// Nodes searched for each move, as far as the record tells.
    pub nodes: Vec<Option<u64>>,
    /// Indices of the moves that came too late.
    pub late: Vec<usize>,
    /// Indices of the moves with which the player announced a proven loss.
    pub announced: Vec<usize>,
}

/// What was read: the games, and a line about each file, line or game that is no record.
#[derive(Debug, Default)]
pub struct Collection {
    /// The games.
    pub records: Vec<Record>,
    /// What was wrong.
    pub complaints: Vec<String>,
}

impl Collection {
    /// The games of one file with this name.
    pub fn of_file(games: Vec<Result<Record>>, name: &str) -> Collection {
        let mut collection = Collection::default();
        for game in games {
            match game {
                Ok(record) => collection.records.push(record),
                Err(error) => collection.complaints.push(format!("{name}: {error:#}")),
            }
        }
        collection
    }
}

/// Reads all files of a folder and of the folders in it, in the order of their names. A game that is in two files counts once.
///
/// # Errors
/// When the folder cannot be read.
pub fn read(folder: &Path) -> Result<Collection> {
    let mut files = files_in(folder)?;
    files.sort_by_cached_key(|path| (extension(path) != MATCH, path.clone()));
    let mut collection = Collection::default();
    let mut known = BTreeSet::new();
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let games = match std::fs::read(&path) {
            Ok(bytes) if extension(&path) == gamefile::TEXT && !gamefile::format(&bytes).names_players() => continue,
            Ok(bytes) => games_in(&bytes, &name, None),
            Err(error) => vec![Err(anyhow!("cannot be read: {error}"))],
        };
        // A file may hold the same moves twice: two games. In two files they are the same game.
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for game in games {
            match game {
                Ok(record) => {
                    let identity = identity(&record.game);
                    let times = times.entry(identity.clone()).or_default();
                    *times += 1;
                    if known.insert((identity, *times)) {
                        collection.records.push(record);
                    }
                }
                Err(error) => collection.complaints.push(format!("{name}: {error:#}")),
            }
        }
    }
    Ok(collection)
}

/// The games of a file, at least one, or what is wrong with them. `size` is the board of games that do not name one.
pub fn games_in(bytes: &[u8], name: &str, size: Option<Size>) -> Vec<Result<Record>> {
    if is_match(bytes) || extension(Path::new(name)) == MATCH {
        return match_games(bytes, name).unwrap_or_else(|error| vec![Err(error)]);
    }
    let games = gamefile::read_all(bytes, size, charset::decode);
    let is_one = games.len() == 1;
    let record = |(index, game): (usize, Result<GameFile>)| {
        let number = index + 1;
        let name = if is_one { name.to_owned() } else { format!("{name} game {number}") };
        let game = if is_one { game } else { game.with_context(|| format!("game {number}")) }?;
        Ok(Record { name, game, nodes: Vec::new(), late: Vec::new(), announced: Vec::new() })
    };
    games.into_iter().enumerate().map(record).collect()
}

/// Whether a file holds records of `tengen-match`: no other format begins like JSON.
pub fn is_match(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{")
}

/// The ending of a file name, in lower case.
fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Whether files with this ending are read in a folder.
fn is_read(extension: &str) -> bool {
    extension == MATCH || gamefile::ENDINGS.contains(&extension)
}

/// The files of games in a folder and the folders in it; linked folders are left out.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let cannot = || format!("cannot read {}", folder.display());
        for entry in std::fs::read_dir(&folder).with_context(cannot)? {
            let entry = entry.with_context(cannot)?;
            let path = entry.path();
            if entry.file_type().with_context(cannot)?.is_dir() {
                folders.push(path);
            } else if path.is_file() && is_read(&extension(&path)) {
                files.push(path);
            }
        }
    }
    Ok(files)
}

/// The same text for the same game.
fn identity(game: &GameFile) -> String {
    let stones: Vec<Vec<Point>> = game.sections().map(|section| section.moves.clone()).collect();
    format!("{:?} {:?} {:?} {stones:?}", game.players, game.size, game.last.setup)
}

/// The games of a record file of `tengen-match`, or what is wrong with them.
fn match_games(bytes: &[u8], name: &str) -> Result<Vec<Result<Record>>> {
    let lines = game_log::lines_of(bytes);
    ensure!(lines.iter().any(Result::is_ok), "no record of a match");
    let game = |record: GameRecord| {
        let number = record.game;
        of_match(&record, format!("{name} game {number}")).with_context(|| format!("game {number}"))
    };
    Ok(lines.into_iter().map(|line| line.and_then(game)).collect())
}

/// A game of a match.
fn of_match(record: &GameRecord, name: String) -> Result<Record> {
    let size = record.size().context("there is no board of this size")?;
    let (stones, opening, imposed) = (record.stones(), record.opening, record.imposed());
    ensure!(record.moves.is_empty() || !stones.is_empty(), "its moves cannot be read");
    ensure!(imposed <= stones.len(), "its opening is longer than the game");
    let rule = record.rule().context("there is no such rule")?;
    let winner = record.winning_color()?;
    let forfeit = match record.reason {
        Reason::Fault(Fault::Timeout | Fault::Stall) => Some(Forfeit::Late),
        Reason::Fault(_) => Some(Forfeit::Fault),
        _ => None,
    };
    let mut ms = vec![0; opening];
    ms.extend(record.timing.ms.iter().map(|ms| ms.round() as u32));
    // The time of an answer to swap2 is that of the player who gave it, whatever the colour of the stone.
    ms.iter_mut().take(imposed).for_each(|ms| *ms = 0);
    let mut nodes = vec![None; opening];
    nodes.extend(&record.nodes);
    let overruns = record.timing.overrun_ms.iter().enumerate();
    let late = overruns.filter(|(_, ms)| **ms > 0.0).map(|(index, _)| opening + index).collect();
    let scores = record.scores.iter().enumerate();
    let is_loss = |score: &Option<String>| score.as_deref().and_then(claim) == Some(false);
    let announced = scores.filter(|(_, score)| is_loss(score)).map(|(index, _)| opening + index).collect();
    let players = [&record.black, &record.white].map(|name| Some(name.clone()));
    let outcome = Some(Outcome { winner, forfeit });
    let start = PlayStart::counted(imposed);
    let game = GameFile { rule: Some(rule), players, ms, start, outcome, ..GameFile::of_moves(size, &stones)? };
    Ok(Record { name, game, nodes, late, announced })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::game_log::{Timing, sample};

    /// Bug: the time of an answer to swap2 counted among the earlier times of the player with its colour.
    #[test]
    fn only_the_times_of_moves_are_kept() {
        let timing = Timing { ms: vec![7000.0, 0.0, 0.0, 200.4], ..Timing::default() };
        let game = GameRecord {
            opening: 1,
            swap2: vec![true; 3],
            moves: "h8i9j10a1b1".to_owned(),
            result: "0-1".to_owned(),
            scores: [None, None, None, Some("-W14".to_owned())].to_vec(),
            timing,
            ..sample()
        };
        let record = of_match(&game, String::new()).unwrap();
        assert_eq!((record.game.ms, record.announced), (vec![0, 0, 0, 0, 200], vec![4]));
    }

    /// Bug: two games of a file with the same moves, as fixed nodes give them, counted once.
    #[test]
    fn equal_games_of_one_file_count_and_those_of_two_files_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let game = "(;SZ[15]PB[Tengen]PW[Other];B[hh];W[ii])";
        for (name, text) in [("one.sgf", format!("{game}\n{game}")), ("two.sgf", game.to_owned())] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let names: Vec<String> = read(folder.path()).unwrap().records.into_iter().map(|record| record.name).collect();
        assert_eq!(names, ["one.sgf game 1", "one.sgf game 2"]);
    }
}
