//! First guesses of the proof-number search: how far a new position is from being won. Floor 3.
//!
//! The proof number of a position is meant to be the effort that its proof takes, and it decides what is searched next.
//! The network's judgement says far more about that than the number of replies: positions in which the attacker is better by
//! [`HALF`] take half the effort. Disproofs are not guessed: all attacks but one may fail.

use super::vct::Numbers;
use crate::base::{Color, Point};
use crate::board::tables::Combination;
use crate::board::{Board, Change, Observer};
use crate::eval::network::Network;
use crate::eval::{ChosenEvaluator, Evaluator};

/// From this score of the attacker's on, a position is as good as won.
const WON: i32 = 1500;
/// So much less doubles the effort.
const HALF: i32 = 300;
/// Scores beyond this say no more.
const LIMIT: i32 = 2000;

/// The evaluation, kept in step with the board that is searched.
#[derive(Default)]
pub(super) struct Guide {
    evaluator: Option<ChosenEvaluator>,
}

impl Guide {
    /// Follows the moves on this board from now on.
    pub fn follow(&mut self, board: &Board) {
        self.evaluator = Some(ChosenEvaluator::new(board, Network::embedded(board.rule())));
    }

    /// Follows no board: all guesses are the same until [`Guide::follow`].
    pub fn leave(&mut self) {
        self.evaluator = None;
    }

    /// The guess for a position with the attacker to move.
    pub fn attack(&mut self, board: &Board) -> Numbers {
        let effort = self.evaluator.as_mut().map_or(1, |evaluator| effort(evaluator.evaluate(board).units()));
        Numbers { proof: effort, disproof: 1, distance: 0 }
    }

    /// The guess for a position with the defender to move, who has so many replies.
    pub fn defence(&mut self, board: &Board, replies: usize) -> Numbers {
        let effort = self.evaluator.as_mut().map_or(1, |evaluator| effort(-evaluator.evaluate(board).units()));
        Numbers { proof: effort + replies as u32, disproof: 1, distance: 0 }
    }
}

/// The effort for a position that is worth so much to the attacker: doubles with every [`HALF`] below [`WON`], rounded
/// to quarters of that.
fn effort(value: i32) -> u32 {
    const QUARTERS: [u32; 4] = [64, 76, 91, 108];
    let steps = (WON - value.clamp(-LIMIT, LIMIT)).max(0) * 4 / HALF;
    (QUARTERS[steps as usize % 4] << (steps / 4)) / 64
}

impl Observer for Guide {
    #[inline]
    fn played(&mut self, point: Point, color: Color, taken: [Combination; 2], changes: impl Iterator<Item = Change>) {
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.played(point, color, taken, changes);
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
