//! Reductions: by how much less deeply unpromising moves and likely cut nodes are searched.

use super::params::Params;
use crate::base::{Depth, Score};

/// Natural logarithms of 1..=63 in 1/64; entry 0 is unused. Integers, so that every build reduces alike.
const LOG: [i32; 64] = {
    let mut table = [0; 64];
    let mut n = 1;
    while n < 64 {
        table[n] = log64(n as u64);
        n += 1;
    }
    table
};

/// ln(n) in 1/64, by squaring: bits of log2, times ln 2 (45426 / 65536).
const fn log64(n: u64) -> i32 {
    let whole = n.ilog2();
    let mut mantissa = (n << 32) >> whole;
    let mut fraction = 0u64;
    let mut bit = 0;
    while bit < 16 {
        mantissa = ((mantissa as u128 * mantissa as u128) >> 32) as u64;
        fraction <<= 1;
        if mantissa >= 2 << 32 {
            mantissa >>= 1;
            fraction |= 1;
        }
        bit += 1;
    }
    let log2 = ((whole as u64) << 16) + fraction;
    ((log2 * 45426) >> 26) as i32
}

/// Whether a node is on a principal variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PvNode {
    /// It is.
    Is,
    /// It was in an earlier search, as the table remembers.
    Was,
    /// Neither.
    Not,
}

impl PvNode {
    /// Of a node that is a PV node or not, and is remembered as one or not.
    pub fn new(is_pv: bool, was_pv: bool) -> PvNode {
        match (is_pv, was_pv) {
            (true, _) => PvNode::Is,
            (false, true) => PvNode::Was,
            (false, false) => PvNode::Not,
        }
    }
}

/// What the reduction of a move depends on.
#[derive(Clone, Copy, Debug)]
pub struct LateMove {
    /// Depth of the node.
    pub depth: Depth,
    /// Number of moves searched before it.
    pub index: usize,
    /// By how much its move score is below the best one.
    pub lag: i32,
    /// Its history entry.
    pub history: i32,
    /// Whether the node is a PV node, was one, or neither.
    pub pv: PvNode,
    /// Whether the static evaluation is better than two plies ago.
    pub improving: bool,
    /// Whether an earlier move has raised alpha.
    pub after_alpha: bool,
}

/// Whether a move is reduced: after so many moves of a node, and not near the horizon.
pub fn is_late_move(params: &Params, depth: Depth, index: usize) -> bool {
    index >= params.lmr_moves() as usize && depth >= Depth::plies(params.lmr_depth())
}

/// The same at the root, where `depth` is that of the iteration.
pub fn is_late_at_root(params: &Params, depth: Depth, index: usize) -> bool {
    index >= params.lmr_root() as usize && depth >= Depth::plies(params.lmr_root_depth())
}

/// Late-move reduction: the logarithm of the depth times that of the index; more for moves with a low move score, where
/// the position does not improve, and after a move has raised alpha; less in PV nodes and former ones, and for moves with a
/// good history. Experiments: `pruning-together`, `screened`.
pub fn late_move(params: &Params, late: LateMove) -> Depth {
    let plies = late.depth.whole().clamp(1, 63) as usize;
    let logs = LOG[plies] * LOG[late.index.clamp(1, 63)] / 64;
    let lag = (late.lag - params.lmr_lag_free()) * params.lmr_lag() / 64;
    let mut reduction = params.lmr_offset()
        + logs * params.lmr_factor() / 100
        + lag.clamp(-params.lmr_lag_decrease(), params.lmr_lag_increase())
        - late.history * 64 / params.lmr_history();
    if late.pv == PvNode::Is {
        reduction -= params.lmr_pv();
    } else if !late.improving && reduction > params.lmr_worsening_from() {
        reduction += params.lmr_worsening();
    }
    if late.after_alpha {
        reduction += params.lmr_after_alpha();
    }
    if late.pv == PvNode::Was {
        reduction -= params.lmr_was_pv();
    }
    Depth::units(reduction.max(0))
}

/// Late-move reduction at the root. The move score does not count there: the moves are sorted by earlier iterations.
/// Experiments: `root-reductions`.
pub fn at_root(params: &Params, depth: Depth, index: usize, history: i32) -> Depth {
    let lag = params.lmr_lag_free();
    let late = LateMove { depth, index, lag, history, pv: PvNode::Not, improving: true, after_alpha: false };
    late_move(params, late).scaled(params.lmr_root_scale())
}

/// Fail-high reduction: a node with a static evaluation far above beta will very likely fail high, and is searched less
/// deeply. Not with a proven beta, which an estimate does not reach. Experiments: `fail-high`.
pub fn fail_high_reduction(params: &Params, eval: Score, beta: Score, depth: Depth) -> Depth {
    let expects_cut = depth >= Depth::plies(params.fail_high_depth())
        && !beta.is_decisive()
        && eval - params.fail_high_slope() * depth.whole() >= beta;
    if expects_cut { Depth::units(params.fail_high()) } else { Depth::ZERO }
}

/// Internal iterative reduction: a free node without a table move has no good first move, and is searched less deeply.
/// Experiments: `internal-iterative-reduction` (not proven).
pub fn internal_iterative_reduction(params: &Params, depth: Depth) -> Depth {
    if depth >= Depth::plies(params.iir_depth()) { Depth::units(params.iir()) } else { Depth::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Ply, Rule};

    #[test]
    fn logarithms_are_right_to_a_sixtyfourth() {
        for (n, log) in LOG.iter().enumerate().skip(1) {
            let exact = (n as f64).ln() * 64.0;
            assert!((f64::from(*log) - exact).abs() <= 1.0, "{n}: {log} {exact}");
        }
    }

    #[test]
    fn later_moves_and_deeper_nodes_are_reduced_more() {
        let params = Params::shipped(Rule::Freestyle);
        let late = |depth, index| LateMove {
            depth: Depth::plies(depth),
            index,
            lag: 60,
            history: 0,
            pv: PvNode::Not,
            improving: true,
            after_alpha: false,
        };
        let reduction = |depth, index| late_move(&params, late(depth, index));
        assert!(reduction(8, 20) > reduction(8, 4) && reduction(12, 8) > reduction(4, 8));
        assert!(late_move(&params, LateMove { pv: PvNode::Is, ..late(8, 8) }) < reduction(8, 8));
        assert!(late_move(&params, LateMove { pv: PvNode::Was, ..late(8, 8) }) < reduction(8, 8));
        assert!(late_move(&params, LateMove { history: 9000, ..late(8, 8) }) < reduction(8, 8));
        assert!(late_move(&params, LateMove { lag: 400, ..late(8, 8) }) > reduction(8, 8));
        assert!(late_move(&params, LateMove { improving: false, ..late(8, 8) }) > reduction(8, 8));
        assert!(late_move(&params, LateMove { after_alpha: true, ..late(8, 8) }) > reduction(8, 8));
    }

    #[test]
    fn the_first_moves_and_those_near_the_horizon_are_not_late() {
        let params = Params::shipped(Rule::Standard);
        let (first, least) = (params.lmr_moves() as usize, Depth::plies(params.lmr_depth()));
        assert!(is_late_move(&params, least, first));
        assert!(!is_late_move(&params, least, first - 1) && !is_late_move(&params, least - Depth::units(1), first));
        let (first, least) = (params.lmr_root() as usize, Depth::plies(params.lmr_root_depth()));
        assert!(is_late_at_root(&params, least, first));
        assert!(!is_late_at_root(&params, least, first - 1) && !is_late_at_root(&params, least - Depth::ONE, first));
    }

    #[test]
    fn only_deep_nodes_are_reduced_without_a_table_move() {
        let params = Params::shipped(Rule::Caro);
        let least = Depth::plies(params.iir_depth());
        assert!(internal_iterative_reduction(&params, least) > Depth::ZERO);
        assert_eq!(internal_iterative_reduction(&params, least - Depth::ONE), Depth::ZERO);
    }

    #[test]
    fn nodes_far_above_beta_are_reduced() {
        let params = Params::shipped(Rule::Freestyle);
        let reduction = |eval, beta, depth| fail_high_reduction(&params, eval, beta, Depth::plies(depth));
        let far = Score::estimate(params.fail_high_slope() * 10);
        assert!(reduction(far, Score::DRAW, 10) > Depth::ZERO);
        assert_eq!(reduction(far, Score::DRAW, 11), Depth::ZERO, "a deeper node needs a larger margin");
        assert_eq!(reduction(far, Score::DRAW, params.fail_high_depth() - 1), Depth::ZERO, "too shallow");
        assert_eq!(reduction(far, Score::win_in(Ply::ROOT, 9), 10), Depth::ZERO, "no estimate reaches a proof");
    }
}
