//! What need not be searched: whole nodes and single moves. One predicate and one margin per idea. Floor 3.
//!
//! None of this may create a proven score: a node that is pruned returns an estimate, and [`super::pvs`] turns a loss
//! after pruned moves into a believed one.

use super::params::Params;
use crate::base::{Depth, Score};

/// Reverse futility: so far above beta that even losing a little every ply keeps it there. Not with a proven beta:
/// an estimate does not reach that. Only where the side to move is free of threats (a threatened open four is worth
/// far more than any margin).
pub fn can_stand_above(params: &Params, eval: Score, beta: Score, depth: Depth, improving: bool) -> bool {
    let plies = depth.whole() - i32::from(improving);
    depth <= Depth::plies(params.rfp_depth()) && !beta.is_decisive() && eval - params.rfp_slope() * plies.max(0) >= beta
}

/// Razoring: so far below alpha near the horizon that only a chain of fours could help, so only that is tried.
pub fn is_hopeless(params: &Params, eval: Score, alpha: Score, depth: Depth) -> bool {
    depth <= Depth::plies(params.razor_depth())
        && !alpha.is_decisive()
        && eval + params.razor_base() + params.razor_slope() * depth.whole() < alpha
}

/// Late-move pruning: how many moves of a free node are tried at this depth before the rest is left alone.
pub fn move_limit(params: &Params, depth: Depth, improving: bool) -> usize {
    let plies = depth.whole().max(0);
    let limit = params.lmp_base() + plies * plies * params.lmp_slope() / 64;
    (if improving { limit } else { limit / 2 + 1 }) as usize
}
