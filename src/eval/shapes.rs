//! The classical evaluation. Each empty point has a value for each side, from the shapes that a stone there would make.
//! The estimate is the sum of these values, plus a term for the threats on the board and the side to move.
//!
//! The sum alternates by a tempo with every move. So the estimate averages the sums after the last two moves, and the
//! threat term contains the value of the tempo.

use super::Evaluator;
use super::classical_weights::{MASKS, TABLE, VALUE_SCALE, WeightSet, Weights, threat_mask};
use crate::base::{Color, Point, Rule, Score, bounded};
use crate::board::combination::Combination;
use crate::board::{Board, Change, Observer};

/// The classical evaluation; see [`crate::eval::shapes`].
#[derive(Clone, Debug)]
pub struct ShapeEvaluator {
    /// Of black and of white.
    weights: [&'static Weights; 2],
    /// Black's points minus white's, in 1/[`VALUE_SCALE`] units.
    sum: i32,
    /// `sum` before each of the moves played since the refresh.
    earlier: Vec<i32>,
}

/// The terms of the estimate, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The sum of its point values minus the opponent's, in 1/[`VALUE_SCALE`] units.
    pub points: i32,
    /// `points` before the last move.
    pub before: i32,
    /// The value of the threats on the board and of the move, in score units.
    pub threats: i32,
}

impl Parts {
    /// The estimate.
    #[inline]
    pub fn score(self) -> Score {
        Score::estimate((self.points + self.before) / (2 * VALUE_SCALE) + self.threats)
    }
}

impl ShapeEvaluator {
    /// An evaluator for `rule`. Call [`Evaluator::refresh`] before use.
    pub fn new(rule: Rule) -> ShapeEvaluator {
        ShapeEvaluator { weights: weights_of(rule), sum: 0, earlier: Vec::with_capacity(1024) }
    }

    /// The terms of the estimate.
    #[inline]
    pub fn parts(&self, board: &Board) -> Parts {
        let us = board.side();
        let before = self.earlier.last().copied().unwrap_or(self.sum);
        let sign = if us == Color::Black { 1 } else { -1 };
        let threats = self.weights[us.index()].threat[bounded::<MASKS>(threat_mask(board))];
        Parts { points: sign * self.sum, before: sign * before, threats: i32::from(threats) }
    }

    /// The sum of black's point values minus white's, in 1/[`VALUE_SCALE`] units.
    pub fn sum(&self) -> i32 {
        self.sum
    }
}

/// The sum of the values of some cells.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// The values of combinations for black and for white.
    values: [&'static [i16; TABLE]; 2],
    sum: i32,
}

impl Tally {
    /// Black's value minus white's of a cell.
    #[inline(always)]
    fn value(&self, of: [Combination; 2]) -> i32 {
        let [black, white] = of.map(|combination| bounded::<TABLE>(combination.id()));
        i32::from(self.values[0][black]) - i32::from(self.values[1][white])
    }
}

impl Observer for ShapeEvaluator {
    type Tally = Tally;

    #[inline(always)]
    fn begin(&self) -> Tally {
        Tally { values: self.weights.map(|weights| &*weights.value), sum: 0 }
    }

    #[inline(always)]
    fn changed(tally: &mut Tally, change: Change) {
        tally.sum += tally.value(change.after) - tally.value(change.before);
    }

    #[inline]
    fn played(&mut self, _: Point, _: Color, taken: [Combination; 2], tally: Tally) {
        self.earlier.push(self.sum);
        self.sum += tally.sum - tally.value(taken);
    }

    #[inline]
    fn undo(&mut self) {
        if let Some(sum) = self.earlier.pop() {
            self.sum = sum;
        }
    }
}

impl Evaluator for ShapeEvaluator {
    fn refresh(&mut self, board: &Board) {
        self.weights = weights_of(board.rule());
        self.earlier.clear();
        let tally = self.begin();
        self.sum =
            board.size().points().filter(|&p| board.is_empty(p)).map(|p| tally.value(board.combinations(p))).sum();
    }

    fn evaluate(&mut self, board: &Board) -> Score {
        self.parts(board).score()
    }

    #[inline]
    fn move_score(&self, board: &Board, point: Point) -> i32 {
        let us = board.side();
        let worth = board.combinations(point);
        let weights = self.weights[us.index()];
        let attack = weights.order[bounded::<TABLE>(worth[us.index()].id())][0];
        let defence = weights.order[bounded::<TABLE>(worth[us.opponent().index()].id())][1];
        i32::from(attack) + i32::from(defence)
    }
}

fn weights_of(rule: Rule) -> [&'static Weights; 2] {
    Color::ALL.map(|color| Weights::of(WeightSet::of(rule, color)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Size;
    use crate::board::notation::parse_moves;

    #[test]
    fn the_running_sum_equals_a_fresh_one_and_undo_restores_it() {
        for rule in Rule::ALL {
            let size = Size::square(15).unwrap();
            let mut board = Board::new(rule, size);
            let mut evaluator = ShapeEvaluator::new(rule);
            evaluator.refresh(&board);
            let mut sums = vec![evaluator.sum()];
            for point in parse_moves("h8i9g9h10h9f9g8g7f7e6i8", size).unwrap() {
                board.play(point, &mut evaluator);
                let mut fresh = ShapeEvaluator::new(rule);
                fresh.refresh(&board);
                assert_eq!(evaluator.sum(), fresh.sum());
                sums.push(evaluator.sum());
            }
            for sum in sums.iter().rev().skip(1) {
                board.undo(&mut evaluator);
                assert_eq!(evaluator.sum(), *sum);
            }
        }
    }

    #[test]
    fn colours_are_worth_the_same_under_symmetric_rules() {
        let size = Size::square(15).unwrap();
        let moves = parse_moves("h8i9g9h10h9f9", size).unwrap();
        let stones = |first: Color| {
            let mut color = first;
            moves
                .iter()
                .map(|&p| {
                    let cell = color.into();
                    color = color.opponent();
                    (p, cell)
                })
                .collect::<Vec<_>>()
        };
        let scores = Color::ALL.map(|first| {
            let board = Board::from_cells(Rule::Standard, size, &stones(first), first);
            let mut evaluator = ShapeEvaluator::new(Rule::Standard);
            evaluator.refresh(&board);
            evaluator.evaluate(&board)
        });
        assert_eq!(scores[0], scores[1]);
    }
}
