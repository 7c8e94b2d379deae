//! Principal variation search of the position after a move. The root, the node function and the nodes before a blocked
//! move all search their children with this.

use super::worker::Worker;
use crate::base::{Depth, Ply, Score};

/// How the position after a move is searched.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// Its distance from the root.
    pub ply: Ply,
    /// Its depth without a reduction.
    pub depth: Depth,
    /// By how much less deeply it is searched at first.
    pub reduction: Depth,
    /// Whether it is searched with the full window at once: the first move is expected to be the best.
    pub is_first: bool,
    /// Whether a score inside the window is searched again with the full window.
    pub is_pv: bool,
}

impl Worker<'_> {
    /// Value, for the side that has just moved, of the position on the board. Moves after the first are searched with a
    /// null window and reduced, then unreduced, then with the full window, each only if the score before was above alpha.
    #[inline]
    pub fn search_child(&mut self, child: Child, alpha: Score, beta: Score) -> Score {
        let Child { ply, depth, reduction, is_first, is_pv } = child;
        if is_first {
            return -self.search(-beta, -alpha, depth, ply);
        }
        // Not below the horizon, unless the unreduced depth is.
        let reduced = (depth - reduction).max(Depth::ZERO.min(depth));
        let mut score = -self.search(-alpha.above(), -alpha, reduced, ply);
        if score > alpha && reduction > Depth::ZERO && !self.stop.aborted {
            score = -self.search(-alpha.above(), -alpha, depth, ply);
        }
        if score > alpha && score < beta && is_pv && !self.stop.aborted {
            score = -self.search(-beta, -alpha, depth, ply);
        }
        score
    }
}
