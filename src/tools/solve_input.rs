//! What `solve` is given: a file of positions, or records of games, whose last positions count.

use super::gamefile::{self, Format, GameFile};
use super::positions::{self, Position};
use super::proof_start;
use crate::base::{Color, Point, Rule};
use crate::board::oracle::Oracle;
use anyhow::{Context, Result, bail, ensure};

/// The positions of a file, and what the records say besides. `rule` is that of records that name none.
///
/// # Errors
/// Names the line or the game that cannot be read, is over, or cannot have come about by moves in turn.
pub fn read(bytes: &[u8], rule: Option<Rule>) -> Result<(Vec<Position>, Vec<String>)> {
    let text = gamefile::decode(bytes);
    let is_empty = text.lines().all(|line| line.trim().is_empty() || line.starts_with('#'));
    if is_empty || gamefile::format(bytes) == Format::Positions {
        return Ok((positions::parse(&text)?, Vec::new()));
    }
    let games = gamefile::read_all(bytes, None, gamefile::decode);
    let is_one = games.len() == 1;
    let (mut read, mut remarks) = (Vec::new(), Vec::new());
    for (index, game) in games.into_iter().enumerate() {
        let number = index + 1;
        let name = || if is_one { "the record".to_owned() } else { format!("game {number}") };
        let game = if is_one { game? } else { game.with_context(name)? };
        read.push(position(&game, rule).with_context(name)?);
        if !game.is_bare() {
            remarks.extend(game.remarks(rule).iter().map(|remark| format!("{number}: {remark}")));
        }
    }
    Ok((read, remarks))
}

/// The last position of a game, with its stones in an order in which the colours alternate.
fn position(game: &GameFile, rule: Option<Rule>) -> Result<Position> {
    let (last, size) = (&game.last, game.size);
    let rule = game.rule.or(rule).unwrap_or(Rule::Freestyle);
    last.ensure_open(rule, size)?;
    let moves = match game.moves() {
        Some(moves) => moves.to_vec(),
        None => in_turn(game)?,
    };
    let (mut oracle, mut stones) = (Oracle::new(rule, size), [Vec::new(), Vec::new()]);
    for (index, &point) in moves.iter().enumerate() {
        let color = Color::to_move_after(index);
        oracle.set(point, color.into());
        stones[color.index()].push(point);
    }
    proof_start::check(&oracle, &stones)?;
    Ok(Position { line: 1, rule, size, moves })
}

/// The stones of the last position, black and white in turn.
fn in_turn(game: &GameFile) -> Result<Vec<Point>> {
    let cells = game.last.cells();
    ensure!(cells.iter().all(|(_, cell)| cell.color().is_some()), "a position with dead squares cannot be solved");
    let of = |color: Color| cells.iter().filter(move |(_, cell)| cell.color() == Some(color)).map(|&(point, _)| point);
    let (black, mut white) = (of(Color::Black).collect::<Vec<_>>(), of(Color::White));
    let to_move = game.last.to_move();
    let whites = cells.len() - black.len();
    if black.len() != whites + usize::from(to_move == Color::White) {
        bail!(
            "{} black and {whites} white stones with {} to move cannot come about in turn",
            black.len(),
            to_move.name()
        );
    }
    Ok(black.into_iter().flat_map(|stone| [Some(stone), white.next()]).flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::point_names;

    #[test]
    fn records_of_every_format_are_positions() {
        for (text, expected) in [
            ("0;15;7,7 8,8\n4;15;7,7\n", "freestyle h8i7, renju h8"),
            ("", ""),
            ("# nothing\n", ""),
            ("h8i9", "freestyle h8i9"),
            ("(;SZ[15]RU[連珠];B[hh];W[ii])\n(;SZ[15];B[hh])", "renju h8i7, freestyle h8"),
            ("(;SZ[15]AB[hh][jj]AW[ii])", "freestyle h8i7j6"),
            ("(;SZ[15];B[hh];W[];B[ii];W[jj];W[kk])", "freestyle h8j6i7k5"),
            ("Piskvorky 15x15, 0\n8,8,0\n9,9,5\n", "freestyle h8i7"),
        ] {
            let (positions, _) = read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{text}: {error:#}"));
            let shown = |position: &Position| {
                format!("{} {}", position.rule.name(), point_names::names(&position.moves, position.size, ""))
            };
            assert_eq!(positions.iter().map(shown).collect::<Vec<_>>().join(", "), expected, "{text}");
        }
        let (positions, remarks) = read(b"(;RU[x];B[hh])", Some(Rule::Caro)).unwrap();
        assert_eq!(positions[0].rule, Rule::Caro);
        assert_eq!(remarks[0], "1: The rule 'x' of the record is not known: read as caro.");
    }

    #[test]
    fn what_cannot_be_solved_is_refused() {
        for (text, reason) in [
            ("0;15;7,7 7,7", "line 1: move 2"),
            ("(;SZ[15]AB[hh][jj][kk]AW[ii])", "the record: 3 black and 1 white stones with white to move"),
            ("(;SZ[15]AB[hh]PL[B])", "the record: 1 black and 0 white stones with black to move"),
            ("d8a1e8a3f8c1g8e1h8", "the record: the game is over after h8"),
            ("(;SZ[15]RU[renju]AB[aa][ba][ca][da][ea][fa]AW[ao][co][eo][go][io])", "more than five in a row"),
            (
                "(;SZ[15]RU[renju]AB[gg][hg][ig][gh][hh][ih][gi][hi][ii]AW[aa][ba][ca][da][ob][od][of][oh])",
                "each stone of black would have been a foul as the last move",
            ),
            ("(;B[hh])(;B[hh];W[hh])", "game 2: as SGF: line 1: move 2 at h8"),
            ("......\n.X#O..\n......\n......\n......", "dead squares"),
            ("what", "is not a move"),
        ] {
            let error = format!("{:#}", read(text.as_bytes(), None).unwrap_err());
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
