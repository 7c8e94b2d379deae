//! Initial proof numbers: how much effort the proof of a new position will probably take.
//!
//! The proof number decides which position is searched next. The network's score predicts the effort far better than the
//! number of replies: each [`HALF`] points in the attacker's favour halve it. Disproof numbers are not estimated: all
//! attacks but one may fail.

use super::numbers::Numbers;
use crate::base::{Color, Point};
use crate::board::combination::Combination;
use crate::board::{Board, Change, Observer};
use crate::eval::network::Network;
use crate::eval::shapes::Tally;
use crate::eval::{ChosenEvaluator, Evaluator};

/// Attacker's score from which on a position counts as nearly won: the effort is 1.
const WON: i32 = 1500;
/// Decrease of the score that doubles the effort.
const HALF: i32 = 300;
/// Scores are clamped to this.
const LIMIT: i32 = 2000;

/// An evaluator that follows the board being searched.
#[derive(Default)]
pub(super) struct Guide {
    evaluator: Option<ChosenEvaluator>,
}

impl Guide {
    /// Starts to follow the moves on this board.
    pub fn follow(&mut self, board: &Board) {
        self.evaluator = Some(ChosenEvaluator::new(board, Some(Network::embedded(board.rule()))));
    }

    /// Stops following. Until [`Guide::follow`], every position gets the same estimate.
    pub fn leave(&mut self) {
        self.evaluator = None;
    }

    /// Initial numbers of a position with the attacker to move.
    pub fn attack(&mut self, board: &Board) -> Numbers {
        let effort = self.evaluator.as_mut().map_or(1, |evaluator| effort(evaluator.evaluate(board).units()));
        Numbers { proof: effort, disproof: 1, distance: 0 }
    }

    /// Initial numbers of a position with the defender to move, who has this many replies.
    pub fn defence(&mut self, board: &Board, replies: usize) -> Numbers {
        let effort = self.evaluator.as_mut().map_or(1, |evaluator| effort(-evaluator.evaluate(board).units()));
        Numbers { proof: effort + replies as u32, disproof: 1, distance: 0 }
    }
}

/// The effort for a position with this score for the attacker: 1 from [`WON`] on, doubled for every [`HALF`] below it,
/// in four steps per doubling.
fn effort(value: i32) -> u32 {
    const QUARTERS: [u32; 4] = [64, 76, 91, 108];
    let steps = (WON - value.clamp(-LIMIT, LIMIT)).max(0) * 4 / HALF;
    (QUARTERS[steps as usize % 4] << (steps / 4)) / 64
}

impl Observer for Guide {
    type Tally = Option<Tally>;

    #[inline]
    fn begin(&self) -> Option<Tally> {
        self.evaluator.as_ref().map(ChosenEvaluator::begin)
    }

    #[inline]
    fn changed(tally: &mut Option<Tally>, change: Change) {
        if let Some(tally) = tally {
            ChosenEvaluator::changed(tally, change);
        }
    }

    #[inline]
    fn played(&mut self, point: Point, color: Color, taken: [Combination; 2], tally: Option<Tally>) {
        if let (Some(evaluator), Some(tally)) = (&mut self.evaluator, tally) {
            evaluator.played(point, color, taken, tally);
        }
    }

    #[inline]
    fn undo(&mut self) {
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.undo();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effort_halves_with_every_step_up_to_a_won_position() {
        assert_eq!((effort(WON), effort(6000)), (1, 1));
        for value in (-1500..1200).step_by(HALF as usize) {
            assert_eq!(effort(value), 2 * effort(value + HALF), "{value}");
        }
        assert_eq!(effort(-LIMIT), effort(-6000));
    }
}
