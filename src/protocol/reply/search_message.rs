//! The text of the `MESSAGE` lines about a search: the line of an iteration, and the moves that hold or lose.

use super::Notation;
use crate::base::{Point, Score};
use crate::search::Iteration;
use std::fmt;

/// Moves with a score on one line of output.
const MOVES_A_LINE: usize = 20;

/// The win probability of a score, in per cent.
pub(super) struct Percent(pub Score);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let permille = self.0.win_permille();
        if self.0.is_decisive() {
            return write!(f, "{}%", permille / 10);
        }
        write!(f, "{}.{}%", permille / 10, permille % 10)
    }
}

/// A line of keys and values that log parsers know; lines of a lower rank begin with their rank.
pub(super) fn summary(f: &mut fmt::Formatter<'_>, iteration: &Iteration, notation: Notation) -> fmt::Result {
    let ms = iteration.elapsed.as_millis() as u64;
    f.write_str("MESSAGE")?;
    if iteration.rank > 1 {
        write!(f, " line {}", iteration.rank)?;
    }
    let (depth, seldepth, score) = (iteration.depth, iteration.seldepth, iteration.score);
    write!(f, " depth {depth}-{seldepth} ev {score} win {}", Percent(score))?;
    if let Some(plies) = score.distance() {
        write!(f, " {} {plies}", if score.is_win() { "wins-in" } else { "loses-in" })?;
    }
    let (nodes, speed) = (iteration.nodes, iteration.nodes / ms.max(1));
    write!(f, " n {nodes} n/ms {speed} tm {ms} pv{}", notation.line(&iteration.pv))
}

/// The moves that hold with their win probability, those that are proven to lose with the distance, and those that
/// probably lose.
pub(super) fn defences(f: &mut fmt::Formatter<'_>, moves: &[(Point, Score)], notation: Notation) -> fmt::Result {
    let holding: Vec<_> = moves.iter().filter(|(_, score)| !score.seems_lost()).collect();
    // Moves that lose at once are not among these.
    write!(f, "MESSAGE {} of {} candidate moves hold", holding.len(), moves.len())?;
    for (begin, group) in holding.chunks(MOVES_A_LINE).enumerate() {
        f.write_str(if begin == 0 { ":" } else { "\nMESSAGE and" })?;
        for (point, score) in group {
            write!(f, " {} {}", notation.write(*point), Percent(*score))?;
        }
    }
    // Unproven losses are not called lost.
    for (words, proven) in [("lose", true), ("probably lose", false)] {
        let losing: Vec<_> =
            moves.iter().filter(|(_, score)| score.seems_lost() && score.is_loss() == proven).collect();
        for group in losing.chunks(MOVES_A_LINE) {
            write!(f, "\nMESSAGE {words}:")?;
            for (point, score) in group {
                write!(f, " {}", notation.write(*point))?;
                score.distance().map_or(Ok(()), |plies| write!(f, " in {plies}"))?;
            }
        }
    }
    Ok(())
}
