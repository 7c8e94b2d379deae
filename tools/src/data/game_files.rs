//! Files of training games: printing, counting, filtering and merging them.

use super::packed_game::{PackedGame, Reader, Writer};
use super::selfplay::is_adjudicated;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tengen::base::{Color, Rule, Size};
use tengen::board::notation::letter;

/// Calls `visit` with each game of these files in order, until it returns false.
fn for_each_game(paths: &[PathBuf], mut visit: impl FnMut(PackedGame) -> Result<bool>) -> Result<()> {
    for path in paths {
        let mut reader = Reader::open(path)?;
        while let Some(game) = reader.next().with_context(|| path.display().to_string())? {
            if !visit(game)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A game as text: a summary, the opening, then a line for each move with the score of the search for the side to move and,
/// if the move was drawn at random, the move that the search had chosen.
pub fn describe(game: &PackedGame) -> String {
    let PackedGame { number, rule, size, .. } = game;
    let result = game.winner.map_or("draw", |winner| if winner == Color::Black { "black wins" } else { "white wins" });
    let mut text = format!(
        "game {number}: {} {}x{}, {} plies, {result}\n  opening {}\n",
        rule.name(),
        size.width(),
        size.height(),
        game.plies.len(),
        game.opening.text()
    );
    for (i, ply) in game.plies.iter().enumerate() {
        let drawn = if ply.played == ply.best { String::new() } else { format!("  instead of {}", letter(ply.best)) };
        let _ =
            writeln!(text, "  {:3} {:4} {:6}{drawn}", game.opening.stones.len() + i + 1, letter(ply.played), ply.score);
    }
    text
}

/// The first `count` games of these files as text, or only the game with this number.
///
/// # Errors
/// When a file cannot be read or is damaged.
pub fn inspect(paths: &[PathBuf], count: usize, number: Option<u64>) -> Result<String> {
    let mut text = String::new();
    let mut shown = 0;
    for_each_game(paths, |game| {
        if number.is_none_or(|number| number == game.number) && shown < count {
            shown += 1;
            text += &describe(&game);
        }
        Ok(shown < count)
    })?;
    Ok(text)
}

#[derive(Default)]
struct Tally {
    games: u64,
    positions: u64,
    /// Black's wins, draws, white's wins.
    results: [u64; 3],
    adjudicated: u64,
    opening_stones: u64,
}

/// A table of games, positions and results in these files, by rule and board.
///
/// # Errors
/// When a file cannot be read or is damaged.
pub fn stats(paths: &[PathBuf]) -> Result<String> {
    let mut tallies: BTreeMap<(u8, usize, usize), Tally> = BTreeMap::new();
    for_each_game(paths, |game| {
        for key in [(game.rule.number(), game.size.width(), game.size.height()), (u8::MAX, 0, 0)] {
            let tally = tallies.entry(key).or_default();
            tally.games += 1;
            tally.positions += game.plies.len() as u64;
            tally.results[game.winner.map_or(1, |winner| 2 * winner.index())] += 1;
            tally.adjudicated += u64::from(is_adjudicated(&game));
            tally.opening_stones += game.opening.stones.len() as u64;
        }
        Ok(true)
    })?;
    let mut text = format!(
        "{:20} {:>8} {:>10} {:>6} {:>7} {:>7} {:>7} {:>7} {:>8}\n",
        "", "games", "positions", "plies", "black", "draw", "white", "proven", "opening"
    );
    for ((rule, width, height), tally) in &tallies {
        let name = Rule::from_bits((*rule).into())
            .map_or_else(|| "all".into(), |rule| format!("{} {width}x{height}", rule.name()));
        let share = |count: u64| 100.0 * count as f64 / tally.games as f64;
        let mean = |sum: u64| sum as f64 / tally.games as f64;
        let _ = writeln!(
            text,
            "{name:20} {:8} {:10} {:6.1} {:6.1}% {:6.1}% {:6.1}% {:6.1}% {:8.1}",
            tally.games,
            tally.positions,
            mean(tally.positions),
            share(tally.results[0]),
            share(tally.results[1]),
            share(tally.results[2]),
            share(tally.adjudicated),
            mean(tally.opening_stones)
        );
    }
    Ok(text)
}

/// Which games to keep.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only this rule.
    pub rule: Option<Rule>,
    /// Only this board.
    pub size: Option<Size>,
    /// Smallest number of plies after the opening.
    pub min_plies: usize,
    /// Largest number of plies after the opening.
    pub max_plies: Option<usize>,
}

impl Filter {
    fn keeps(&self, game: &PackedGame) -> bool {
        self.rule.is_none_or(|rule| rule == game.rule)
            && self.size.is_none_or(|size| size == game.size)
            && game.plies.len() >= self.min_plies
            && self.max_plies.is_none_or(|most| game.plies.len() <= most)
    }
}

/// Writes the games that the filter keeps into a new file, in order. Games with the same rule, board and moves are written
/// once. Returns the number of games written and read.
///
/// # Errors
/// When a file cannot be read or written or is damaged, or when `out` is one of the files to read.
pub fn copy(paths: &[PathBuf], out: &Path, filter: &Filter) -> Result<(u64, u64)> {
    let target = out.canonicalize().ok();
    let is_source = |path: &PathBuf| target.is_some() && path.canonicalize().ok() == target;
    anyhow::ensure!(!paths.iter().any(is_source), "{} is also a file to read", out.display());
    let mut writer = Writer::create(out)?;
    let mut known = HashSet::new();
    let (mut written, mut read) = (0, 0);
    for_each_game(paths, |game| {
        read += 1;
        let moves: Vec<_> = game.moves().collect();
        if filter.keeps(&game) && known.insert((game.rule.number(), game.size, moves)) {
            writer.write(&game)?;
            written += 1;
        }
        Ok(true)
    })?;
    Ok((written, read))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::selfplay::{Kind, Series, run};

    #[test]
    fn merging_keeps_each_game_once_and_filtering_what_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let kind = |rule, side| Kind { rule, size: Size::square(side).unwrap(), weight: 1 };
        let kinds = vec![kind(Rule::Freestyle, 9), kind(Rule::Standard, 10)];
        for (seed, name) in [(1, "a"), (2, "b")] {
            let series = Series { kinds: kinds.clone(), games: 6, nodes: 20, seed };
            run(&series, &path(name), 1).unwrap();
        }
        let sources = [path("a"), path("b"), path("a")];
        let (written, read) = copy(&sources, &path("all"), &Filter::default()).unwrap();
        assert_eq!((written, read), (12, 18));
        let filter = Filter { rule: Some(Rule::Standard), min_plies: 3, ..Filter::default() };
        let (kept, _) = copy(&[path("all")], &path("some"), &filter).unwrap();
        let mut reader = Reader::open(&path("some")).unwrap();
        let mut seen = 0;
        while let Some(game) = reader.next().unwrap() {
            assert!(game.rule == Rule::Standard && game.plies.len() >= 3);
            seen += 1;
        }
        assert!(seen == kept && kept > 0 && kept < 12);
        assert!(copy(&[path("all")], &path("all"), &filter).is_err());
        let text = stats(&[path("all")]).unwrap();
        assert!(text.contains("standard 10x10") && text.lines().last().unwrap().starts_with("all "), "{text}");
        assert_eq!(inspect(&[path("all")], 2, None).unwrap().matches("game ").count(), 2);
    }
}
