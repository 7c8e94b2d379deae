//! Files of positions, one on each line: `rule;size;x,y x,y ...`, stones in playing order, black first.
//!
//! The rule is a number as in `INFO rule`, the size one side or `WIDTHxHEIGHT`; `x` and `y` count from 0 at the upper left
//! corner. Further fields, empty lines and lines that begin with `#` are ignored.

use crate::base::{Color, Point, Rule, Size};
use crate::board::oracle::{Oracle, Verdict};
use crate::board::shape::Foul;
use crate::board::{Board, NullObserver};
use anyhow::{Context, bail};

/// A position, as the moves of an unfinished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line number in the file, from 1.
    pub line: usize,
    /// The rule.
    pub rule: Rule,
    /// The board.
    pub size: Size,
    /// All moves, black first.
    pub moves: Vec<Point>,
}

impl Position {
    /// The position on a board.
    pub fn board(&self) -> Board {
        let mut board = Board::new(self.rule, self.size);
        for &point in &self.moves {
            board.play(point, &mut NullObserver);
        }
        board
    }

    /// The side to move.
    pub fn side(&self) -> Color {
        Color::to_move_after(self.moves.len())
    }
}

/// Reads a file of positions.
///
/// # Errors
/// Names the line that cannot be parsed or whose game is over.
pub fn parse(text: &str) -> anyhow::Result<Vec<Position>> {
    // Some editors begin a file with a byte order mark.
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| parse_line(number, line).with_context(|| format!("line {number}")))
        .collect()
}

fn parse_line(number: usize, line: &str) -> anyhow::Result<Position> {
    let mut fields = line.split(';').map(str::trim);
    let (Some(rule), Some(size), Some(moves)) = (fields.next(), fields.next(), fields.next()) else {
        bail!("expected 'rule;size;moves'");
    };
    let rule = rule.parse().ok().and_then(Rule::from_bits).with_context(|| format!("unknown rule '{rule}'"))?;
    let size = size.parse::<Size>()?;
    let moves: Vec<Point> = moves.split_whitespace().map(|word| parse_point(word, size)).collect::<Result<_, _>>()?;
    let mut oracle = Oracle::new(rule, size);
    for (index, &point) in moves.iter().enumerate() {
        let verdict = oracle.play(point, Color::to_move_after(index));
        if let Some(reason) = why_refused(&verdict) {
            bail!("move {} at {point} {reason}", index + 1);
        }
    }
    Ok(Position { line: number, rule, size, moves })
}

/// Why no move of an unfinished game has this result; `None` if it may.
fn why_refused(verdict: &Verdict) -> Option<&'static str> {
    Some(match verdict {
        Verdict::Continues => return None,
        Verdict::Illegal => "is on a stone",
        Verdict::Wins => "wins the game",
        Verdict::Draw => "draws the game",
        Verdict::Foul(Foul::Overline(_)) => "is a foul: more than five in a row",
        Verdict::Foul(Foul::DoubleFour(_)) => "is a foul: a double four",
        Verdict::Foul(Foul::DoubleThree(_)) => "is a foul: a double three",
    })
}

fn parse_point(word: &str, size: Size) -> anyhow::Result<Point> {
    let point = word.split_once(',').and_then(|(x, y)| size.point(x.parse().ok()?, y.parse().ok()?));
    point.with_context(|| format!("'{word}' is not a point x,y of this board"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: the reason was printed as the program's own data.
    #[test]
    fn a_game_that_is_over_is_refused_with_the_reason() {
        for (line, reason) in [
            ("0;15;7,7 7,7", "line 1: move 2 at 7,7 is on a stone"),
            ("0;15;0,0 0,14 1,0 2,14 2,0 4,14 3,0 6,14 4,0", "line 1: move 9 at 4,0 wins the game"),
            ("0;15;0,0 0,14 1,0 1,14 2,0 2,14 3,0 3,14 5,0 4,14", "line 1: move 10 at 4,14 wins the game"),
            ("4;5;2,2 1,1", "line 1: move 1 at 2,2 draws the game"),
            ("4;15;7,7 0,0 8,8 0,2 7,9 0,4 6,8 14,14 7,8 14,0", "line 1: move 9 at 7,8 is a foul: a double three"),
        ] {
            assert_eq!(format!("{:#}", parse(line).unwrap_err()), reason);
        }
    }

    /// Bug: a file that begins with a byte order mark was refused.
    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(parse("\u{feff}0;15;7,7 8,8\n").unwrap().len(), 1);
        assert_eq!(parse("\u{feff}# a comment\n0;15;7,7\n").unwrap().len(), 1);
    }
}
