//! What need not be searched: whole nodes and single moves. One predicate and one margin per idea. Floor 3.
//!
//! None of this may create a proven score: a node that is pruned returns an estimate, and [`super::pvs`] turns a loss
//! after pruned moves into a believed one.

use super::params::{LMP_BASE, LMP_SLOPE, RAZOR_BASE, RAZOR_DEPTH, RAZOR_SLOPE, RFP_DEPTH, RFP_SLOPE};
use crate::base::{Depth, Score};

/// Reverse futility: so far above beta that even losing a little every ply keeps it there. Not with a proven beta:
/// an estimate does not reach that. Only where the side to move is free of threats (a threatened open four is worth
/// far more than any margin).
pub fn can_stand_above(eval: Score, beta: Score, depth: Depth, improving: bool) -> bool {
    let plies = depth.whole() - i32::from(improving);
    depth <= Depth::plies(RFP_DEPTH) && !beta.is_decisive() && eval - RFP_SLOPE * plies.max(0) >= beta
}

/// Razoring: so far below alpha near the horizon that only a chain of fours could help, so only that is tried.
pub fn is_hopeless(eval: Score, alpha: Score, depth: Depth) -> bool {
    depth <= Depth::plies(RAZOR_DEPTH)
        && !alpha.is_decisive()
        && eval + RAZOR_BASE + RAZOR_SLOPE * depth.whole() < alpha
}

/// Late-move pruning: how many moves of a free node are tried at this depth before the rest is left alone.
pub fn move_limit(depth: Depth, improving: bool) -> usize {
    let plies = depth.whole().max(0);
    let limit = LMP_BASE + plies * plies * LMP_SLOPE / 64;
    (if improving { limit } else { limit / 2 + 1 }) as usize
}
