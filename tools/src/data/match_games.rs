//! Games of `tengen-match` as training games: their searches have many nodes, so their scores are good labels.

use super::packed_game::{Content, PackedGame, PackedPly, RecordFormat};
use super::record_file::Writer;
use crate::arena::game_log::{self, GameRecord, Reason};
use crate::arena::openings::Opening;
use crate::output_file;
use anyhow::Result;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use tengen::base::Score;
use tengen::base::depth::Ply;
use tengen::base::hash::Checksum;

/// How the answer to ABOUT of an engine of ours begins.
const OURS: &str = "name=\"Tengen\"";

/// Numbers of games.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Games written.
    pub written: u64,
    /// Games left out, by the reason.
    pub left_out: BTreeMap<&'static str, u64>,
}

/// Writes the games of these record files into a new file of training games. Left out are games of other engines, games that
/// a fault or a limit of moves ended, and games in which a move has no score. Games of a match share openings, so a held-out
/// game may begin like a training game.
///
/// # Errors
/// When a file cannot be read, has a line that is no record, or cannot be written, or when `out` is there and not empty.
pub fn import(paths: &[PathBuf], out: &Path) -> Result<Imported> {
    output_file::ensure_new(out)?;
    let mut matches = Vec::new();
    for path in paths {
        matches.push(game_log::records(path)?);
    }
    let mut writer = Writer::create(out, RecordFormat::Games)?;
    let mut imported = Imported::default();
    for record in matches.iter().flatten() {
        match packed(record) {
            Ok(game) => {
                writer.write(&game)?;
                imported.written += 1;
            }
            Err(reason) => *imported.left_out.entry(reason).or_default() += 1,
        }
    }
    Ok(imported)
}

/// The training game of a record, or why there is none.
fn packed(record: &GameRecord) -> Result<PackedGame, &'static str> {
    const DAMAGED: &str = "damaged";
    if !record.about.iter().all(|about| about.starts_with(OURS)) {
        return Err("of other engines, or of a match with --judge");
    }
    match record.reason {
        Reason::Fault(_) => return Err("ended by a fault"),
        Reason::MoveLimit => return Err("ended by --draw-after"),
        _ => {}
    }
    let rule = record.rule().ok_or(DAMAGED)?;
    let size = record.size().ok_or(DAMAGED)?;
    let mut opening = record.stones();
    let distinct = opening.iter().collect::<HashSet<_>>().len();
    if distinct < opening.len() || opening.len().checked_sub(record.opening) != Some(record.scores.len()) {
        return Err(DAMAGED);
    }
    // The stones that answers to swap2 placed belong to the opening: there the play begins.
    let scores = record.scores.get(record.swap2.len()..).ok_or(DAMAGED)?;
    let played = opening.split_off(record.imposed());
    let ply = |(point, text): (_, &Option<String>)| Some(PackedPly::chosen(point, text.as_deref().and_then(score)?));
    let plies = played.into_iter().zip(scores).map(ply).collect::<Option<Vec<_>>>();
    let plies = plies.ok_or("with a move that has no score")?;
    let winner = record.winning_color().map_err(|_| DAMAGED)?;
    let number = Checksum::of(format!("{} {}", record.match_id, record.game).as_bytes());
    Ok(PackedGame { content: Content::Game, number, rule, size, opening: Opening { stones: opening }, plies, winner })
}

/// The score that an engine of ours has written: the inverse of its `Display`.
fn score(text: &str) -> Option<Score> {
    let moves = |digits: &str| digits.parse::<u16>().ok().map(i32::from);
    if let Some(digits) = text.strip_prefix("+W") {
        return Some(Score::win_in(Ply::ROOT, moves(digits)?)).filter(|score| score.is_win());
    }
    match text.strip_prefix("-W") {
        Some(digits) => Some(Score::loss_in(Ply::ROOT, moves(digits)?)).filter(|score| score.is_loss()),
        None => Some(Score::estimate(text.parse().ok()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record_file::Reader;
    use tengen::base::{Color, Rule};

    /// A record of a game of ours with an opening of three stones.
    fn record(game: usize) -> serde_json::Value {
        serde_json::json!({
            "match": "m", "game": game, "rule": 4, "width": 15, "height": 15, "players": ["New", "Old"], "black": "Old",
            "white": "New", "opening": 3, "symmetry": 0, "moves": "h8i9j10h9h7", "result": "0-1", "winner": "New",
            "reason": "announced", "about": ["name=\"Tengen\", version=\"1\"", "name=\"Tengen\", version=\"2\""],
            "scores": ["-34", "+W7"], "depths": [9, 9], "nodes": [100, 100], "timing": {"ms": [1.0, 1.0]},
        })
    }

    #[test]
    fn scores_read_back_as_written() {
        for units in -30_000..=30_000 {
            let expected = Score::from_units(units);
            if expected.units() == units {
                assert_eq!(score(&expected.to_string()), Some(expected));
            }
        }
        assert_eq!(["", "+W", "W3", "1.5"].map(score), [None; 4]);
    }

    /// Bug: the first overflowed, the second was a proven loss to learn from, the third an estimate.
    #[test]
    fn a_win_in_an_impossible_number_of_moves_is_no_score() {
        assert_eq!(["+W-2147483648", "+W-5000", "+W5000", "-W-5000", "-W5000"].map(score), [None; 5]);
    }

    /// Bug: the games were written over the records.
    #[test]
    fn records_are_not_replaced_by_their_games() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("match.jsonl");
        let line = record(0).to_string() + "\n";
        std::fs::write(&source, &line).unwrap();
        let error = import(std::slice::from_ref(&source), &source).unwrap_err().to_string();
        assert!(error.contains("exists already"), "{error}");
        assert_eq!(std::fs::read_to_string(&source).unwrap(), line);
    }

    #[test]
    fn games_of_ours_are_written_and_the_others_counted_by_reason() {
        let folder = tempfile::tempdir().unwrap();
        let (source, out) = (folder.path().join("match.jsonl"), folder.path().join("games.tgr"));
        let changed = |game: usize, key: &str, value: serde_json::Value| {
            let mut record = record(game);
            record[key] = value;
            record
        };
        let lines = [
            record(0),
            changed(1, "about", serde_json::json!(["name=\"Tengen\"", "name=\"Other\""])),
            changed(2, "reason", "timeout".into()),
            // Bug: this was a draw to learn from, whatever the position.
            changed(8, "reason", "move-limit".into()),
            changed(3, "scores", serde_json::json!(["-34", null])),
            changed(4, "scores", serde_json::json!(["-34"])),
            changed(5, "moves", "h8i9j10h9h9".into()),
            changed(6, "result", "1/2-1/2".into()),
            // Bug: this number of stones, with one score more than stones, panicked.
            changed(7, "opening", u64::MAX.into()),
        ];
        std::fs::write(&source, lines.map(|line| line.to_string() + "\n").concat()).unwrap();
        let imported = import(&[source], &out).unwrap();
        let reasons = [
            ("damaged", 3),
            ("ended by --draw-after", 1),
            ("ended by a fault", 1),
            ("of other engines, or of a match with --judge", 1),
            ("with a move that has no score", 1),
        ];
        assert_eq!(imported, Imported { written: 2, left_out: reasons.into() });

        let mut reader = Reader::open(&out).unwrap();
        let game = reader.next().unwrap().unwrap();
        assert_eq!(
            (game.rule, game.winner, game.opening.text()),
            (Rule::Renju, Some(Color::White), "h8i9j10".to_owned())
        );
        let scores: Vec<i32> = game.plies.iter().map(|ply| ply.score.into()).collect();
        assert_eq!(scores, [-34, Score::win_in(Ply::ROOT, 7).units()]);
        assert!(game.plies.iter().all(|ply| ply.played == ply.best));
        let drawn = reader.next().unwrap().unwrap();
        assert!(drawn.winner.is_none() && drawn.number != game.number);
    }

    /// Bug: the stones that answers to swap2 had placed were taken for moves, so games with swap2 were left out: "with a move
    /// that has no score".
    #[test]
    fn a_game_with_swap2_begins_after_its_stones() {
        let folder = tempfile::tempdir().unwrap();
        let (source, out) = (folder.path().join("match.jsonl"), folder.path().join("games.tgr"));
        let mut game = record(0);
        game["opening"] = 0.into();
        game["swap2"] = serde_json::json!([false, false, false]);
        game["scores"] = serde_json::json!([null, null, null, "-34", "+W7"]);
        std::fs::write(&source, game.to_string() + "\n").unwrap();
        let imported = import(&[source], &out).unwrap();
        assert_eq!(imported, Imported { written: 1, left_out: BTreeMap::new() });
        let game = Reader::open(&out).unwrap().next().unwrap().unwrap();
        assert_eq!((game.opening.text(), game.plies.len()), ("h8i9j10".to_owned(), 2));
    }
}
