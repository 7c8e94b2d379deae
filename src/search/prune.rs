//! Pruning of nodes and moves: one predicate and one margin per idea. The numbers are in `params.rs`.
//!
//! Pruning never makes a proven score: a pruned node returns an estimate. Moves are pruned only after one that does not
//! lose, so a proven loss rests on all moves of the node.

use super::params::Params;
use crate::base::{Depth, Score};
use crate::board::Threat;

/// Reverse futility pruning: the static evaluation is so far above beta that the node is not searched. Not with a proven
/// beta, which an estimate does not reach. For free nodes only: a threatened open four is worth more than any margin.
/// Experiments: `reverse-futility`.
pub fn can_prune_reverse_futile(params: &Params, eval: Score, beta: Score, depth: Depth, improving: bool) -> bool {
    depth <= Depth::plies(params.rfp_depth())
        && !beta.is_decisive()
        && eval - reverse_futility_margin(params, depth, improving) >= beta
}

/// How far above beta the evaluation must be for reverse futility pruning.
fn reverse_futility_margin(params: &Params, depth: Depth, improving: bool) -> i32 {
    let plies = depth.whole() - if improving { params.rfp_improving() } else { 0 };
    params.rfp_slope() * plies.max(0)
}

/// Whether razoring is possible, before the evaluation of the node is known. Experiments: `razoring` (not proven).
pub fn may_razor(params: &Params, alpha: Score, depth: Depth) -> bool {
    depth <= Depth::plies(params.razor_depth()) && !alpha.is_decisive()
}

/// Razoring: near the horizon the static evaluation of a free node is so far below alpha that only fours are tried.
pub fn can_razor(params: &Params, eval: Score, alpha: Score, depth: Depth) -> bool {
    eval + razoring_margin(params, depth) < alpha
}

/// Razoring needs an evaluation that is below alpha by more than this.
fn razoring_margin(params: &Params, depth: Depth) -> i32 {
    params.razor_base() + params.razor_slope() * depth.whole()
}

/// Razoring where an open four or a four with an open three is threatened. The evaluation does not know that the next move
/// is forced, so the margin is another one than in a free node. Experiments: `razor-forced-50k`.
pub fn can_razor_reply(params: &Params, eval: Score, alpha: Score) -> bool {
    eval + params.razor_forced() < alpha
}

/// Late-move pruning: the number of moves of a free node that are searched at this depth whatever they make, more in PV nodes.
/// [`BeyondLimit`] admits a few others. Experiments: `late-move-pruning`, `lmp-pv`.
pub fn late_move_limit(params: &Params, depth: Depth, improving: bool, is_pv: bool) -> usize {
    let plies = depth.whole().max(0);
    let limit = params.lmp_base() + plies * plies * params.lmp_slope() / 64;
    let limit = if improving { limit } else { limit * params.lmp_worsening() / 100 + 1 };
    (if is_pv { limit * params.lmp_pv() / 64 } else { limit }) as usize
}

/// Moves beyond the limit of late-move pruning: how many were looked at, and how many of them were tried.
#[derive(Clone, Copy, Debug, Default)]
pub struct BeyondLimit {
    seen: i32,
    tried: i32,
}

impl BeyondLimit {
    /// Whether another move is looked at.
    pub fn is_open(self, params: &Params, depth: Depth) -> bool {
        self.tried < params.lmp_two_threats()
            && self.seen < params.lmp_two_threats_among()
            && depth <= Depth::plies(params.lmp_two_threats_depth())
    }

    /// Looks at a move that makes this threat: whether it is tried. An open three or a four must come with an open two or more;
    /// alone it is not enough. Experiments: `two-threats`.
    pub fn takes(&mut self, threat: Threat) -> bool {
        let makes_two = threat >= Threat::OpenThreePlus && threat != Threat::Four;
        self.seen += 1;
        self.tried += i32::from(makes_two);
        makes_two
    }
}

/// Late-move pruning where a four is threatened: near the horizon a few replies are searched, and fewer with a low move
/// score. `index`: number of replies searched before; `lag`: by how much the move score is below the best one. Experiments:
/// `lmp-forced`.
pub fn is_late_reply(params: &Params, depth: Depth, index: usize, lag: i32) -> bool {
    let is_late = index >= params.lmp_forced() as usize || (index >= 2 && lag > params.lmp_forced_lag());
    is_late && depth <= Depth::plies(params.lmp_forced_depth())
}

/// Whether a reply to a threatened four, outside the PV, probably only delays: near the horizon a four that makes no other
/// threat and denies less than an open three. It may be one that stops the threat, too. Experiments: `two-threats`.
pub fn is_delay(params: &Params, depth: Depth, made: Threat, denied: Threat) -> bool {
    made == Threat::Four && denied < Threat::OpenThree && depth.whole() <= params.bare_four_depth()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Ply, Rule};

    #[test]
    fn estimates_prune_beyond_their_margin_and_never_against_a_proof() {
        for rule in Rule::ALL {
            let params = Params::shipped(rule);
            let reverse =
                |units, beta, depth| can_prune_reverse_futile(&params, Score::estimate(units), beta, depth, false);
            let margin = |plies, improving| reverse_futility_margin(&params, Depth::plies(plies), improving);
            let least = margin(1, false);
            assert!(reverse(least, Score::DRAW, Depth::ONE) && !reverse(least - 1, Score::DRAW, Depth::ONE));
            assert!(margin(5, true) > margin(4, true) && margin(5, false) >= margin(5, true));
            let too_deep = Depth::plies(params.rfp_depth()) + Depth::units(1);
            assert!(!reverse(Score::EVAL_LIMIT, Score::DRAW, too_deep));
            assert!(!reverse(Score::EVAL_LIMIT, Score::loss_in(Ply::ROOT, 9), Depth::ONE));
            let razor = |units, depth| can_razor(&params, Score::estimate(units), Score::DRAW, depth);
            let margin = razoring_margin(&params, Depth::ONE);
            assert!(razor(-margin - 1, Depth::ONE) && !razor(-margin, Depth::ONE));
            let reply = |units| can_razor_reply(&params, Score::estimate(units), Score::DRAW);
            assert!(reply(-params.razor_forced() - 1) && !reply(-params.razor_forced()));
            let deepest = Depth::plies(params.razor_depth());
            assert!(may_razor(&params, Score::DRAW, deepest));
            assert!(!may_razor(&params, Score::DRAW, deepest + Depth::units(1)));
            assert!(!may_razor(&params, Score::win_in(Ply::ROOT, 9), Depth::ONE));
        }
    }

    #[test]
    fn more_moves_are_tried_in_deeper_improving_and_pv_nodes() {
        for rule in Rule::ALL {
            let params = Params::shipped(rule);
            let limit = |depth, improving, is_pv| late_move_limit(&params, Depth::plies(depth), improving, is_pv);
            for (improving, is_pv) in [(false, false), (false, true), (true, false), (true, true)] {
                assert!((1..12).all(|depth| limit(depth, improving, is_pv) <= limit(depth + 1, improving, is_pv)));
            }
            for depth in 0..12 {
                assert!(limit(depth, true, false) > limit(depth, false, false), "{depth}");
                assert!(limit(depth, false, true) > limit(depth, false, false), "{depth}");
                assert!(limit(depth, false, false) >= 1, "a move is always tried");
            }
        }
    }

    #[test]
    fn late_replies_are_left_out_near_the_horizon_only() {
        let params = Params::shipped(Rule::Renju);
        let deepest = Depth::plies(params.lmp_forced_depth());
        let (most, low) = (params.lmp_forced() as usize, params.lmp_forced_lag() + 1);
        let is_late = |index, lag| is_late_reply(&params, deepest, index, lag);
        assert_eq!(
            [is_late(most - 1, 0), is_late(most, 0), is_late(1, low), is_late(2, low)],
            [false, true, false, true]
        );
        assert!(!is_late_reply(&params, deepest + Depth::ONE, most, low));
    }

    #[test]
    fn moves_with_two_threats_are_tried_beyond_the_limit() {
        let params = Params::shipped(Rule::Freestyle);
        let depth = Depth::plies(params.lmp_two_threats_depth());
        let mut beyond = BeyondLimit::default();
        assert!(beyond.is_open(&params, depth) && !beyond.is_open(&params, depth + Depth::units(1)));
        assert!(!beyond.takes(Threat::OpenThree) && !beyond.takes(Threat::Four), "one threat");
        for _ in 0..params.lmp_two_threats() {
            assert!(beyond.is_open(&params, depth));
            assert!(beyond.takes(Threat::FourPlus));
        }
        assert!(!beyond.is_open(&params, depth), "enough were tried");
        let mut beyond = BeyondLimit::default();
        for _ in 0..params.lmp_two_threats_among() {
            assert!(beyond.is_open(&params, depth));
            beyond.takes(Threat::OpenTwo);
        }
        assert!(!beyond.is_open(&params, depth), "enough were looked at");
    }

    #[test]
    fn a_bare_four_near_the_horizon_only_delays() {
        let params = Params::shipped(Rule::Freestyle);
        let deepest = Depth::plies(params.bare_four_depth());
        let is_delay = |made, denied| is_delay(&params, deepest, made, denied);
        assert!(is_delay(Threat::Four, Threat::ThreePlus));
        assert!(!is_delay(Threat::Four, Threat::OpenThree) && !is_delay(Threat::FourPlus, Threat::None));
        assert!(!is_delay(Threat::OpenThree, Threat::None));
        assert!(!super::is_delay(&params, deepest + Depth::ONE, Threat::Four, Threat::None));
    }
}
