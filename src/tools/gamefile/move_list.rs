//! Lists of moves: `h8i9j10`, `H8 I9`, `1. h8 2. i9` with rows counted from below, or pairs `8,8 9,9` from above.

use super::play_start::Evidence;
use super::sections::{GameFile, Recorder, USUAL_SIDE};
use crate::base::{Color, Point, Size};
use crate::board::notation;
use crate::tools::point_names;
use anyhow::{Context, Result, bail, ensure};

/// Words for a pass.
const PASSES: [&str; 2] = ["pass", "--"];
/// Results that may stand at the end.
const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

/// A move, with the line on which it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move<'a> {
    /// From 1.
    pub line: usize,
    /// What is played.
    pub word: Word<'a>,
}

/// What a word of a list says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<'a> {
    /// A name such as `h8`.
    Name(&'a str),
    /// `x,y` from above.
    Pair(i64, i64),
    /// A pass.
    Pass,
}

/// Reads a list of moves. Without `size`, the board is the smallest of 15, 20 and 22 a side that has all of them. Lines that
/// begin with `#` are comments.
pub(super) fn parse(text: &str, size: Option<Size>) -> Result<GameFile> {
    let mut moves = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#')) {
        read_line(line, index + 1, &mut moves)?;
    }
    ensure!(!moves.is_empty(), "no moves");
    Ok(play(&moves, size)?.finish(Evidence::default()))
}

/// Appends the moves of a line.
pub(super) fn read_line<'a>(line: &'a str, number: usize, moves: &mut Vec<Move<'a>>) -> Result<()> {
    for word in line.split_whitespace().flat_map(|word| word.split([';', '(', ')', '[', ']', '|'])) {
        read_word(word, number, moves).with_context(|| format!("line {number}"))?;
    }
    Ok(())
}

fn read_word<'a>(word: &'a str, line: usize, moves: &mut Vec<Move<'a>>) -> Result<()> {
    if RESULTS.contains(&word) {
        return Ok(());
    }
    if is_pass(word) {
        moves.push(Move { line, word: Word::Pass });
        return Ok(());
    }
    let unnumbered = without_number(word).trim_matches(',');
    let pair = unnumbered.split_once(',').and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
    if let Some((x, y)) = pair {
        moves.push(Move { line, word: Word::Pair(x, y) });
        return Ok(());
    }
    for (index, between) in word.split(',').flat_map(|part| part.split("--").enumerate()) {
        if index > 0 {
            moves.push(Move { line, word: Word::Pass });
        }
        for part in between.split('-') {
            read_part(part, line, moves)?;
        }
    }
    Ok(())
}

/// Reads moves without anything between them, with a move number before them or without.
fn read_part<'a>(part: &'a str, line: usize, moves: &mut Vec<Move<'a>>) -> Result<()> {
    let mut rest = without_number(part);
    if is_pass(rest) {
        moves.push(Move { line, word: Word::Pass });
        return Ok(());
    }
    while let Some((name, tail)) = notation::split_name(rest) {
        ensure!(is_name(name), "'{name}' is not a move such as h8");
        moves.push(Move { line, word: Word::Name(name) });
        rest = tail;
    }
    Ok(())
}

/// Whether a word is one for a pass.
fn is_pass(word: &str) -> bool {
    PASSES.iter().any(|pass| word.eq_ignore_ascii_case(pass))
}

/// A word without a move number such as `12.` before it; empty if it is nothing but that.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < word.len() && rest.starts_with('.') { rest.trim_start_matches('.') } else { word }
}

/// Plays moves on a board that is large enough.
pub(super) fn play(moves: &[Move<'_>], size: Option<Size>) -> Result<Recorder> {
    // Some programs count from 0; then a 0 is likely in one of the moves.
    let starts_at_0 = moves.iter().any(|played| matches!(played.word, Word::Pair(x, y) if x == 0 || y == 0));
    let from = i64::from(!starts_at_0);
    let largest = moves.iter().filter_map(|played| match played.word {
        Word::Name(name) => column_and_row(name).map(|(column, row)| column.max(row)),
        Word::Pair(x, y) => usize::try_from(x.max(y).saturating_sub(from).saturating_add(1)).ok(),
        Word::Pass => None,
    });
    let largest = largest.max().unwrap_or_default();
    let side = [USUAL_SIDE, 20, Size::MAX_SIDE].into_iter().find(|&side| side >= largest);
    let size = size.or_else(|| Size::square(side?)).context("a point lies off the largest board, 22 points a side")?;
    let mut record = Recorder::new(size);
    for played in moves {
        let point = match played.word {
            Word::Name(name) => match point_names::parse(name, size).as_deref() {
                Some(&[point]) => point,
                _ => bail!("line {}: {name} is off the board of {size}", played.line),
            },
            Word::Pair(x, y) => pair_on(x, y, from, size)
                .with_context(|| format!("line {}: {x},{y} is off the board of {size}", played.line))?,
            Word::Pass => {
                record.pass(record.last.to_move());
                continue;
            }
        };
        let color: Color = record.last.to_move();
        record.play(color, point).with_context(|| format!("line {}", played.line))?;
    }
    if moves.iter().any(|played| matches!(played.word, Word::Pair(..))) {
        record.notes.push(format!("Points x,y are counted from {from} at the upper left corner of a board of {size}."));
    }
    Ok(record)
}

fn pair_on(x: i64, y: i64, from: i64, size: Size) -> Option<Point> {
    size.point(x.checked_sub(from)?, y.checked_sub(from)?)
}

/// Whether a word is a name such as `h8`.
pub(super) fn is_name(word: &str) -> bool {
    column_and_row(word).is_some()
}

/// Column and row of a name such as `h8`, both from 1; `None` unless it names a point of the largest board.
fn column_and_row(name: &str) -> Option<(usize, usize)> {
    let (column, row) = name.split_at_checked(1)?;
    let column = usize::from(column.as_bytes()[0].to_ascii_lowercase()).checked_sub(usize::from(b'a'))? + 1;
    let row: usize = row.parse().ok()?;
    let is_side = |number: usize| (1..=Size::MAX_SIDE).contains(&number);
    (is_side(column) && is_side(row)).then_some((column, row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> String {
        let game = parse(text, None).unwrap_or_else(|error| panic!("{text}: {error:#}"));
        point_names::names(game.moves().expect("moves from the empty board"), game.size, "")
    }

    #[test]
    fn moves_are_read_with_and_without_separators_and_numbers() {
        for text in [
            "h8i9a1",
            "H8I9A1",
            "H8 I9 A1",
            "h8,i9,a1",
            "h8-i9-a1",
            "1. h8 2. i9 3. a1",
            "1.h8 i9 2.a1",
            "1. H8 I9\n2. A1 *",
            "h8; i9; a1",
            "# a comment\nh8\n\ni9\na1",
            "h8|i9|a1 1-0",
        ] {
            assert_eq!(moves(text), "h8i9a1", "{text}");
        }
        for text in [
            "8,8 9,7 1,15",
            "8,8\n9,7\n1,15\n",
            "(8,8),(9,7),(1,15)",
            "1. 8,8 2. 9,7 3. 1,15",
            "7,7;8,6;0,14",
            "[8,8], [9,7], [1,15]",
        ] {
            assert_eq!(moves(text), "h8i9a1", "{text}");
        }
    }

    #[test]
    fn a_list_says_how_its_pairs_are_counted_and_who_passes() {
        let notes = |text: &str| parse(text, None).unwrap().notes.join(" ");
        assert_eq!(notes("8,8 9,7"), "Points x,y are counted from 1 at the upper left corner of a board of 15x15.");
        assert!(notes("7,7 0,7").contains("counted from 0"));
        assert_eq!(notes("h8 pass i9"), "A pass: white does not play after move 1, and black moves next.");
        assert_eq!(parse("20,1", None).unwrap().size.width(), 20);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, reason) in [
            ("h8\ni9 x99", "line 2: 'x99' is not a move"),
            ("h8\n\nh8", "line 3: move 2 at h8: move 1 is there already"),
            ("8,8\n99,3", "a point lies off the largest board"),
            ("8,8\n-3,3", "line 2: -3,3 is off the board"),
            ("9223372036854775807,-9223372036854775808", "off the"),
            ("12", "'12' is not a move"),
        ] {
            let error = format!("{:#}", parse(text, None).unwrap_err());
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
