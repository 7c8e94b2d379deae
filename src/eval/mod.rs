//! The evaluation: what a position is worth before any search, and how promising its moves look.
//!
//! [`Evaluator`] is all that the search knows of it. [`ShapeEvaluator`] is the classical evaluation; [`ChosenEvaluator`]
//! is what the search uses: the classical evaluation, and a [`network`] on top of it where there is one.

pub mod asked;
pub mod chosen;
pub mod classical_weights;
pub mod network;
pub mod shapes;

pub use chosen::{ChosenEvaluator, EvaluatorKind};
pub use shapes::ShapeEvaluator;

use crate::base::{MoveScores, Point, Score};
use crate::board::{Board, Observer};

/// A static evaluation that follows the moves of a board. All scores are from the view of the side to move.
///
/// The board passed to each method must be the one that the evaluator observes.
pub trait Evaluator: Observer {
    /// Starts again from this position. Moves played before it can no longer be taken back.
    fn refresh(&mut self, board: &Board);

    /// The estimate for the side to move, within ±[`Score::EVAL_LIMIT`]. It is meaningful where neither side can win
    /// at once.
    fn evaluate(&mut self, board: &Board) -> Score;

    /// [`Evaluator::evaluate`] for a search with the window `alpha..beta`: an estimate more than `margin` units
    /// outside the window may be a cheaper and rougher one.
    ///
    /// `known` caches the exact estimate: where an exact one is called for, it is returned if present, and else computed and
    /// stored.
    #[inline]
    fn evaluate_within(
        &mut self,
        board: &Board,
        _alpha: Score,
        _beta: Score,
        _margin: i32,
        known: &mut Option<Score>,
    ) -> Score {
        *known.get_or_insert_with(|| self.evaluate(board))
    }

    /// A cheap score of a move of the side to move, for move ordering; higher is better.
    fn move_score(&self, board: &Board, point: Point) -> i32;

    /// Brings the evaluator up to date for calls of [`Evaluator::policy`] in this position.
    #[inline]
    fn prepare(&mut self) {}

    /// Appends the best available scores of moves of the side to move, in the units of [`Evaluator::move_score`]. Call
    /// [`Evaluator::prepare`] first.
    fn policy(&self, board: &Board, points: &[Point], scores: &mut MoveScores) {
        scores.extend(points.iter().map(|&point| self.move_score(board, point)));
    }
}
