//! Files of training games: printing, counting, filtering and merging them.

use super::packed_game::{Content, PackedGame};
use super::record_file::{Packer, records};
use crate::output_file;
use anyhow::Result;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tengen::base::{Rule, Size};
use tengen::board::notation;

/// A game as text: a summary, the opening, then a line for each move with the score of the search for the side to move and,
/// if the move was drawn at random, the move that the search had chosen. A labelled position has its moves on the line of the
/// opening; of a position that a search asked about, those before the root of that search come first, then a bar.
pub fn describe(game: &PackedGame) -> String {
    let PackedGame { number, rule, size, .. } = game;
    let result = game.winner.map_or("draw".to_owned(), |winner| format!("{} wins", winner.name()));
    if let (Some(kind), [label]) = (name_of(game.content), &game.plies[..]) {
        let moves = &game.opening.stones;
        let root = if let Content::Asked { root } = game.content { root.into() } else { moves.len() };
        let (before, line) = moves.split_at(root.min(moves.len()));
        return format!(
            "{kind} position of game {number}: {} {size}, {result}\n  moves {}{}{}\n  {:3} {:4} {:6}\n",
            rule.name(),
            notation::moves_text(before),
            if line.is_empty() { "" } else { " | " },
            notation::moves_text(line),
            moves.len() + 1,
            notation::name(label.best),
            label.score
        );
    }
    let mut text = format!(
        "game {number}: {} {size}, {} plies, {result}\n  opening {}\n",
        rule.name(),
        game.plies.len(),
        game.opening.text()
    );
    for (i, ply) in game.plies.iter().enumerate() {
        let drawn =
            if ply.played == ply.best { String::new() } else { format!("  instead of {}", notation::name(ply.best)) };
        let _ = writeln!(
            text,
            "  {:3} {:4} {:6}{drawn}",
            game.opening.stones.len() + i + 1,
            notation::name(ply.played),
            ply.score
        );
    }
    text
}

/// The kind of a labelled position; `None` for a game.
fn name_of(content: Content) -> Option<&'static str> {
    match content {
        Content::Game => None,
        Content::Asked { .. } => Some("asked"),
        Content::Quiet => Some("quiet"),
    }
}

/// The first `count` records of these files as text, or of those only the game with this number and its positions. Without
/// `count` it is the first record, or all with the number.
///
/// # Errors
/// When a file cannot be read or is damaged.
pub fn inspect(paths: &[PathBuf], count: Option<usize>, number: Option<u64>) -> Result<String> {
    let count = count.unwrap_or(if number.is_some() { usize::MAX } else { 1 });
    let is_wanted = |game: &Result<PackedGame>| {
        game.as_ref().map_or(true, |game| number.is_none_or(|number| number == game.number))
    };
    records(paths).filter(is_wanted).take(count).map(|game| Ok(describe(&game?))).collect()
}

#[derive(Default)]
struct Tally {
    games: u64,
    positions: u64,
    /// Black's wins, draws, white's wins.
    results: [u64; 3],
    proven: u64,
    opening_stones: u64,
}

/// A table of games, positions and results in these files, by rule and board. Labelled positions have lines of their own;
/// all their moves count as the opening.
///
/// # Errors
/// When a file cannot be read or is damaged.
pub fn stats(paths: &[PathBuf]) -> Result<String> {
    let mut tallies: BTreeMap<(u8, usize, usize, Option<&str>), Tally> = BTreeMap::new();
    for game in records(paths) {
        let game = game?;
        let kind = name_of(game.content);
        for key in [(game.rule.number(), game.size.width(), game.size.height(), kind), (u8::MAX, 0, 0, kind)] {
            let tally = tallies.entry(key).or_default();
            tally.games += 1;
            tally.positions += game.plies.len() as u64;
            tally.results[game.winner.map_or(1, |winner| 2 * winner.index())] += 1;
            tally.proven += u64::from(game.is_proven());
            tally.opening_stones += game.opening.stones.len() as u64;
        }
    }
    let mut text = format!(
        "{:26} {:>8} {:>10} {:>6} {:>7} {:>7} {:>7} {:>7} {:>8}\n",
        "", "records", "positions", "plies", "black", "draw", "white", "proven", "opening"
    );
    for ((rule, width, height, kind), tally) in &tallies {
        let mut name = Rule::from_bits((*rule).into())
            .map_or_else(|| "all".into(), |rule| format!("{} {width}x{height}", rule.name()));
        if let Some(kind) = kind {
            name = format!("{name} {kind}");
        }
        let share = |count: u64| 100.0 * count as f64 / tally.games as f64;
        let mean = |sum: u64| sum as f64 / tally.games as f64;
        let _ = writeln!(
            text,
            "{name:26} {:8} {:10} {:6.1} {:6.1}% {:6.1}% {:6.1}% {:6.1}% {:8.1}",
            tally.games,
            tally.positions,
            mean(tally.positions),
            share(tally.results[0]),
            share(tally.results[1]),
            share(tally.results[2]),
            share(tally.proven),
            mean(tally.opening_stones)
        );
    }
    Ok(text)
}

/// One kind of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Selection {
    /// Finished games.
    Games,
    /// Labelled positions.
    Positions,
}

/// Which records to keep.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Filter {
    /// Only games under this rule; numbers as for openings.
    #[arg(long)]
    pub rule: Option<Rule>,
    /// Only games on this board.
    #[arg(long)]
    pub size: Option<Size>,
    /// Only games, or only labelled positions.
    #[arg(long)]
    pub only: Option<Selection>,
    /// Smallest number of plies of a game after the opening.
    #[arg(long, default_value_t = 0)]
    pub min_plies: usize,
    /// Largest number of plies of a game after the opening.
    #[arg(long)]
    pub max_plies: Option<usize>,
}

impl Filter {
    fn keeps(&self, game: &PackedGame) -> bool {
        let has_length =
            game.plies.len() >= self.min_plies && self.max_plies.is_none_or(|most| game.plies.len() <= most);
        self.rule.is_none_or(|rule| rule == game.rule)
            && self.size.is_none_or(|size| size == game.size)
            && self.only.is_none_or(|only| (only == Selection::Games) == game.is_game())
            && (has_length || !game.is_game())
    }
}

/// Writes the records that the filter keeps into a new file, in order. Games with the same rule, board and moves are written
/// once, and so are positions with the same label. The new file is packed. Returns the number of records written and read.
///
/// # Errors
/// When a file cannot be read or written or is damaged, or when `out` is there and not empty.
pub fn copy(paths: &[PathBuf], out: &Path, filter: &Filter) -> Result<(u64, u64)> {
    output_file::ensure_new(out)?;
    let mut packer = Packer::default();
    let mut known = HashSet::new();
    let (mut written, mut read) = (0, 0);
    for game in records(paths) {
        let game = game?;
        read += 1;
        let moves: Vec<_> = game.moves().collect();
        if filter.keeps(&game) && known.insert((game.rule.number(), game.size, name_of(game.content), moves)) {
            packer.add(game)?;
            written += 1;
        }
    }
    // As a whole: a damaged source or a kill leaves no part of the games.
    output_file::write(out, packer.finish()?)?;
    Ok((written, read))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::openings::Opening;
    use crate::data::packed_game::{PackedPly, RecordFormat};
    use crate::data::record_file::{Reader, Writer};
    use crate::data::selfplay::{Kind, Series, run};
    use tengen::base::Color;
    use tengen::base::Point;

    #[test]
    fn merging_keeps_each_game_once_and_filtering_what_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let kind = |rule, side| Kind { rule, size: Size::square(side).unwrap(), weight: 1 };
        let kinds = vec![kind(Rule::Freestyle, 9), kind(Rule::Standard, 10)];
        for (seed, name) in [(1, "a"), (2, "b")] {
            let series = Series { kinds: kinds.clone(), games: 6, nodes: 20, seed, labels: None };
            run(&series, &path(name), 1).unwrap();
        }
        let sources = [path("a"), path("b"), path("a")];
        let (written, read) = copy(&sources, &path("all"), &Filter::default()).unwrap();
        assert_eq!((written, read), (12, 18));
        let filter = Filter { rule: Some(Rule::Standard), min_plies: 3, ..Filter::default() };
        let (kept, _) = copy(&[path("all")], &path("some"), &filter).unwrap();
        let mut seen = 0;
        for game in records(&[path("some")]) {
            let game = game.unwrap();
            assert!(game.rule == Rule::Standard && game.plies.len() >= 3);
            seen += 1;
        }
        assert!(seen == kept && kept > 0 && kept < 12);
        // Bug: a file that was there was replaced.
        let error = copy(&[path("all")], &path("some"), &filter).unwrap_err().to_string();
        assert!(error.ends_with("some exists already"), "{error}");
        // Bug: a damaged source left a part of the games.
        let mut damaged = std::fs::read(path("all")).unwrap();
        // Within the first record.
        damaged[20] ^= 1;
        std::fs::write(path("damaged"), damaged).unwrap();
        assert!(copy(&[path("all"), path("damaged")], &path("part"), &Filter::default()).is_err());
        assert!(!path("part").exists());
        let text = stats(&[path("all")]).unwrap();
        assert!(text.contains("standard 10x10") && text.lines().last().unwrap().starts_with("all "), "{text}");
        assert_eq!(inspect(&[path("all")], Some(2), None).unwrap().matches("game ").count(), 2);
    }

    /// A record with two stones of the opening and one ply.
    fn record(content: Content, number: u64) -> PackedGame {
        let [first, second, ply] = [7, 8, 6].map(|x| Point::new(x, 7).unwrap());
        PackedGame {
            content,
            number,
            rule: Rule::Renju,
            size: Size::square(15).unwrap(),
            opening: Opening { stones: vec![first, second] },
            plies: vec![PackedPly { played: ply, best: ply, score: -85 }],
            winner: Some(Color::White),
        }
    }

    /// Bug: only the first position was shown, and the game not at all.
    #[test]
    fn a_game_found_by_its_number_is_shown_with_all_its_positions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all");
        let mut writer = Writer::create(&path, RecordFormat::Positions).unwrap();
        for number in [1, 2] {
            for content in [Content::Quiet, Content::Asked { root: 1 }, Content::Game] {
                writer.write(&record(content, number)).unwrap();
            }
        }
        drop(writer);
        let paths = [path];
        let text = inspect(&paths, None, Some(2)).unwrap();
        let said = ["quiet position of game 2", "asked position of game 2", "\ngame 2: "];
        assert!(said.iter().all(|words| text.contains(words)) && !text.contains("game 1"), "{text}");
        assert!(!inspect(&paths, Some(1), Some(2)).unwrap().contains("asked"));
        assert!(!inspect(&paths, None, None).unwrap().contains("asked"));
    }

    #[test]
    fn labelled_positions_are_shown_counted_and_selected() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut asked = record(Content::Asked { root: 2 }, 40);
        asked.opening.stones.push(Point::new(3, 7).unwrap());
        let all = [asked.clone(), record(Content::Quiet, 40), record(Content::Game, 40), asked];
        let mut writer = Writer::create(&path("all"), RecordFormat::Positions).unwrap();
        for record in &all {
            writer.write(record).unwrap();
        }
        drop(writer);
        let text = inspect(&[path("all")], Some(2), None).unwrap();
        let shown = "asked position of game 40: renju 15x15, white wins\n  moves h8i8 | d8\n    4 g8      -85\n";
        assert!(text.starts_with(shown) && text.contains("quiet position") && text.contains("moves h8i8\n"), "{text}");
        let text = stats(&[path("all")]).unwrap();
        let first_words = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().split_whitespace();
        assert_eq!(first_words("renju 15x15 asked").nth(3), Some("2"), "{text}");
        assert_eq!(first_words("renju 15x15  ").nth(2), Some("1"), "{text}");
        let kept = |only, name: &str| {
            let filter = Filter { only, min_plies: usize::from(only.is_none()) * 2, ..Filter::default() };
            copy(&[path("all")], &path(name), &filter).unwrap()
        };
        assert_eq!(kept(Some(Selection::Games), "games"), (1, 4));
        assert_eq!(kept(Some(Selection::Positions), "positions"), (2, 4));
        assert_eq!(kept(None, "long"), (2, 4));
        assert_eq!(Reader::open(&path("long")).unwrap().format(), RecordFormat::Packed);
        let (merged, _) = copy(&[path("games"), path("positions")], &path("again"), &Filter::default()).unwrap();
        assert_eq!(merged, 3);
    }
}
