//! Floor 2: judgement. An [`Evaluator`] watches the board's changes and says what a quiet position is worth.

pub mod chosen;
pub mod network;
pub mod shapes;
pub mod weights;

pub use chosen::{ChosenEvaluator, EvaluatorKind};
pub use shapes::ShapeEvaluator;

use crate::base::{Point, Score};
use crate::board::{Board, Observer};

/// Says what a position is worth to the side to move, fed by what the board tells its observer.
pub trait Evaluator: Observer {
    /// Forgets everything and looks at the whole board.
    fn refresh(&mut self, board: &Board);

    /// The estimate for the side to move; meant for positions where nobody can win at once.
    fn evaluate(&mut self, board: &Board) -> Score;

    /// How promising a move of the side to move looks before any search; higher is better.
    fn move_score(&self, board: &Board, point: Point) -> i32;
}
