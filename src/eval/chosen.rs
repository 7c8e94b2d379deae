//! The evaluation in use: the classical one alone, or with the network on top of it.
//!
//! The classical evaluation is cheap and always computed. Where its score is far outside the search window the network
//! is skipped, because its score would be outside, too; otherwise the classical terms are inputs of the network.

use super::network::{Accumulator, Kernel, Network};
use super::shapes::Tally;
use super::{Evaluator, ShapeEvaluator, asked};
use crate::base::{Color, MoveScores, Point, Score};
use crate::board::combination::Combination;
use crate::board::{Board, Change, Observer};
use std::sync::Arc;

/// Which evaluation to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvaluatorKind {
    /// The classical evaluation.
    Classical,
    /// The network of the rule, which wins more games by the clock under every rule (`experiments/training.md`).
    #[default]
    Network,
}

/// The classical evaluation, and the network if one is in use.
#[derive(Clone, Debug)]
pub struct ChosenEvaluator {
    shapes: ShapeEvaluator,
    network: Option<Box<Accumulator>>,
}

impl ChosenEvaluator {
    /// An evaluator for `board`, ready for use; without a `network`, the classical one.
    pub fn new(board: &Board, network: Option<Arc<Network>>) -> ChosenEvaluator {
        let mut shapes = ShapeEvaluator::new(board.rule());
        shapes.refresh(board);
        let network = network.map(|network| Box::new(Accumulator::new(network, board, Kernel::best())));
        ChosenEvaluator { shapes, network }
    }
}

impl Observer for ChosenEvaluator {
    type Tally = Tally;

    #[inline(always)]
    fn begin(&self) -> Tally {
        self.shapes.begin()
    }

    #[inline(always)]
    fn changed(tally: &mut Tally, change: Change) {
        ShapeEvaluator::changed(tally, change);
    }

    #[inline]
    fn played(&mut self, point: Point, color: Color, taken: [Combination; 2], tally: Tally) {
        self.shapes.played(point, color, taken, tally);
        if let Some(network) = &mut self.network {
            network.played(point, color);
        }
    }

    #[inline]
    fn undo(&mut self) {
        self.shapes.undo();
        if let Some(network) = &mut self.network {
            network.undo();
        }
    }
}

impl Evaluator for ChosenEvaluator {
    fn refresh(&mut self, board: &Board) {
        self.shapes.refresh(board);
        if let Some(network) = &mut self.network {
            network.refresh(board);
        }
    }

    #[inline]
    fn evaluate(&mut self, board: &Board) -> Score {
        self.evaluate_within(board, -Score::INFINITE, Score::INFINITE, 0, &mut None)
    }

    /// The rough estimate is the classical one, and `known` is the network's.
    #[inline]
    fn evaluate_within(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        margin: i32,
        known: &mut Option<Score>,
    ) -> Score {
        let parts = self.shapes.parts(board);
        let rough = parts.score();
        let Some(network) = &mut self.network else { return rough };
        let is_outside = rough.units() < alpha.units() - margin || rough.units() > beta.units() + margin;
        if is_outside {
            return rough;
        }
        *known.get_or_insert_with(|| {
            asked::note(board);
            network.evaluate(board, parts)
        })
    }

    #[inline]
    fn move_score(&self, board: &Board, point: Point) -> i32 {
        self.shapes.move_score(board, point)
    }

    #[inline]
    fn prepare(&mut self) {
        if let Some(network) = &mut self.network {
            network.update();
        }
    }

    /// The network's scores, if one is in use.
    #[inline]
    fn policy(&self, board: &Board, points: &[Point], scores: &mut MoveScores) {
        match &self.network {
            Some(network) => network.move_scores(board, points, scores),
            None => self.shapes.policy(board, points, scores),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Rule, Size};
    use crate::board::NullObserver;

    #[test]
    fn the_network_runs_once_and_only_inside_the_window() {
        const MARGIN: i32 = 150;
        let mut board = Board::new(Rule::Standard, Size::square(15).unwrap());
        for (x, y) in [(7, 7), (8, 8), (6, 8)] {
            board.play(Point::new(x, y).unwrap(), &mut NullObserver);
        }
        let mut evaluator = ChosenEvaluator::new(&board, Some(Network::embedded(Rule::Standard)));
        let rough = evaluator.shapes.evaluate(&board);
        let mut known = None;
        let estimate = evaluator.evaluate_within(&board, -Score::INFINITE, Score::INFINITE, MARGIN, &mut known);
        assert_eq!(known, Some(estimate));
        assert_ne!(estimate, rough);
        let mut cached = Some(Score::estimate(4321));
        assert_eq!(evaluator.evaluate_within(&board, rough, rough.above(), MARGIN, &mut cached).units(), 4321);
        for (distance, expected) in [(MARGIN, Some(estimate)), (MARGIN + 1, None)] {
            let alpha = rough + distance;
            let mut known = None;
            let shown = evaluator.evaluate_within(&board, alpha, alpha.above(), MARGIN, &mut known);
            assert_eq!((known, shown), (expected, expected.unwrap_or(rough)));
        }
    }
}
