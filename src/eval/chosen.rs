//! The evaluation in use: the hand-made one alone, or with the network above it. Floor 2.
//!
//! The hand-made evaluation costs next to nothing, so it is always asked first. Where it is far outside the window that
//! the search is interested in, the network is not asked: its answer would be outside, too.

use super::network::{Accumulator, Kernel, Network};
use super::{Evaluator, ShapeEvaluator};
use crate::base::{Color, Point, Rule, Score};
use crate::board::tables::Combination;
use crate::board::{Board, Change, Observer};
use std::sync::Arc;

/// How far outside the window the hand-made evaluation must be for the network not to be asked.
const MARGIN: i32 = 150;

/// Which evaluation is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluatorKind {
    /// The hand-made one.
    Classical,
    /// The network, where there is one for the rule.
    Network,
}

impl EvaluatorKind {
    /// The one that wins more games under a rule, by the clock.
    pub const fn best(rule: Rule) -> EvaluatorKind {
        match rule {
            Rule::Freestyle | Rule::Standard | Rule::Renju | Rule::Caro => EvaluatorKind::Network,
            Rule::CaroExact => EvaluatorKind::Classical,
        }
    }
}

/// The hand-made evaluation, and the network if there is one in use.
#[derive(Clone, Debug)]
pub struct ChosenEvaluator {
    shapes: ShapeEvaluator,
    network: Option<Box<Accumulator>>,
}

impl ChosenEvaluator {
    /// An evaluator for `board`, ready for use.
    pub fn new(board: &Board, network: Option<Arc<Network>>) -> ChosenEvaluator {
        let mut shapes = ShapeEvaluator::new(board.rule());
        shapes.refresh(board);
        let network = network.map(|network| Box::new(Accumulator::new(network, board, Kernel::best())));
        ChosenEvaluator { shapes, network }
    }

    /// The estimate for the side to move, where only its place relative to the window matters if it is far outside.
    /// What the network says of the position is taken from `known`, or noted there when it has to be asked.
    #[inline]
    pub fn evaluate_within(&mut self, board: &Board, alpha: Score, beta: Score, known: &mut Option<Score>) -> Score {
        let parts = self.shapes.parts(board);
        let rough = parts.score();
        let Some(network) = &mut self.network else { return rough };
        let is_outside = rough.units() < alpha.units() - MARGIN || rough.units() > beta.units() + MARGIN;
        if is_outside { rough } else { *known.get_or_insert_with(|| network.evaluate(board, parts)) }
    }

    /// Gets ready to be asked for [`ChosenEvaluator::policy`].
    #[inline]
    pub fn prepare(&mut self) {
        if let Some(network) = &mut self.network {
            network.update();
        }
    }

    /// How promising a move looks, by the network if there is one; [`ChosenEvaluator::prepare`] comes first.
    #[inline]
    pub fn policy(&self, board: &Board, point: Point) -> i32 {
        match &self.network {
            Some(network) => network.move_score(board, point),
            None => self.shapes.move_score(board, point),
        }
    }
}

impl Observer for ChosenEvaluator {
    #[inline]
    fn played(&mut self, point: Point, color: Color, taken: [Combination; 2], changes: impl Iterator<Item = Change>) {
        self.shapes.played(point, color, taken, changes);
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
        self.evaluate_within(board, -Score::INFINITE, Score::INFINITE, &mut None)
    }

    #[inline]
    fn move_score(&self, board: &Board, point: Point) -> i32 {
        self.shapes.move_score(board, point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Size;
    use crate::board::NullObserver;

    #[test]
    fn the_network_is_asked_once_and_only_inside_the_window() {
        let mut board = Board::new(Rule::Standard, Size::square(15).unwrap());
        for (x, y) in [(7, 7), (8, 8), (6, 8)] {
            board.play(Point::new(x, y).unwrap(), &mut NullObserver);
        }
        let mut evaluator = ChosenEvaluator::new(&board, Network::embedded(Rule::Standard));
        let rough = evaluator.shapes.evaluate(&board);
        let mut known = None;
        let estimate = evaluator.evaluate_within(&board, -Score::INFINITE, Score::INFINITE, &mut known);
        assert_eq!(known, Some(estimate));
        assert_ne!(estimate, rough);
        let mut other = Some(Score::estimate(4321));
        assert_eq!(evaluator.evaluate_within(&board, rough, rough.above(), &mut other).units(), 4321);
        let above = rough + MARGIN + 1;
        let mut unasked = None;
        assert_eq!(evaluator.evaluate_within(&board, above, above.above(), &mut unasked), rough);
        assert_eq!(unasked, None);
    }
}
