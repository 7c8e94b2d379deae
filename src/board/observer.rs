//! Observers: how the evaluation learns what a move changes, without the board depending on it.

use super::combination::Combination;
use crate::base::{Color, Point};

/// An empty cell whose shapes a move changed: its combinations for black and white before and after.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Before the move.
    pub before: [Combination; 2],
    /// After the move.
    pub after: [Combination; 2],
}

/// Receives every move after it was played. To undo, an observer must remember what it needs.
pub trait Observer {
    /// What is summed up over the cells that a move changes. A value of its own, so that the sum can stay in registers.
    type Tally;

    /// The tally of a move before its changes.
    fn begin(&self) -> Self::Tally;
    /// A cell changed.
    fn changed(tally: &mut Self::Tally, change: Change);
    /// A stone of `color` was played on `point`, whose combinations were `taken`; `tally` has seen all other cells that
    /// changed.
    fn played(&mut self, point: Point, color: Color, taken: [Combination; 2], tally: Self::Tally);
    /// The last move was taken back.
    fn undo(&mut self);
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullObserver;

impl Observer for NullObserver {
    type Tally = ();

    #[inline]
    fn begin(&self) {}
    #[inline]
    fn changed((): &mut (), _: Change) {}
    #[inline]
    fn played(&mut self, _: Point, _: Color, _taken: [Combination; 2], (): ()) {}
    #[inline]
    fn undo(&mut self) {}
}
