//! How others learn what a move changed, without the board knowing them.

use super::tables::Combination;
use crate::base::{Color, Point};

/// What one empty cell was worth to black and white before a move, and what it is worth after it.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Before the move.
    pub before: [Combination; 2],
    /// After the move.
    pub after: [Combination; 2],
}

/// Told of every move after it was made; the board says "undo" and leaves it to the observer to remember.
pub trait Observer {
    /// A stone of `color` took `point`, a cell that was worth `taken`, and these other cells changed.
    fn played(&mut self, point: Point, color: Color, taken: [Combination; 2], changes: impl Iterator<Item = Change>);
    /// The last move is taken back.
    fn undo(&mut self);
}

/// Sees nothing, costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullObserver;

impl Observer for NullObserver {
    #[inline]
    fn played(&mut self, _: Point, _: Color, _taken: [Combination; 2], _changes: impl Iterator<Item = Change>) {}
    #[inline]
    fn undo(&mut self) {}
}
