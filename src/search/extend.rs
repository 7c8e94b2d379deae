//! Extensions: which moves are searched more deeply than by one ply less than their node.
//!
//! Singular extension (Anantharaman, Campbell and Hsu 1990): where the table has a move that reaches a score, the other
//! moves are searched to about half the depth against a target a little below that score. If all of them fail, the move is
//! singular and is searched more deeply. If not, and the target reaches beta, two moves refute the position: the node is
//! cut (multi-cut). Experiments: `singular-length-8`, `singular-length-32`.

use super::params::Params;
use super::tt::{Bound, TtEntry, stored_depth};
use crate::base::{Depth, Ply, Score};

/// The score that all other moves must fail to reach for the table's move to be singular; `None` where the entry says too
/// little, or the node is too shallow.
pub fn singular_target(params: &Params, entry: &TtEntry, depth: Depth) -> Option<Score> {
    let is_known = matches!(entry.bound, Bound::Lower | Bound::Exact)
        && entry.depth >= stored_depth(depth) - params.singular_lag()
        && !entry.score.is_decisive();
    let is_deep = depth >= Depth::plies(params.singular_depth());
    (is_known && is_deep).then(|| Score::estimate(entry.score.units() - params.singular_margin() * depth.whole() / 64))
}

/// Depth to which the other moves are searched.
pub fn depth_of_others(params: &Params, depth: Depth) -> Depth {
    depth.scaled(params.singular_share())
}

/// By how much a node may be extended, so that the lines of an iteration stay bounded: its ply and depth together may
/// exceed the iteration (in plies) by a part of it.
pub fn allowance(params: &Params, iteration: i32, ply: Ply, depth: Depth) -> Depth {
    let longest = Depth::plies(iteration).scaled(64 + params.singular_length());
    longest - Depth::plies(ply.count()) - depth
}

/// By how much a singular move is extended, up to `allowance`: more outside the principal variation.
pub fn singular(params: &Params, is_pv: bool, allowance: Depth) -> Depth {
    let units = if is_pv { params.singular_extension() } else { params.singular_cut_extension() };
    Depth::units(units).min(allowance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;

    #[test]
    fn only_deep_and_estimated_lower_bounds_make_a_move_a_candidate() {
        let params = Params::shipped(Rule::Freestyle);
        let depth = Depth::plies(params.singular_depth());
        let entry = TtEntry {
            score: Score::estimate(100),
            bound: Bound::Lower,
            depth: stored_depth(depth) - params.singular_lag(),
            best: None,
            eval: None,
            was_pv: false,
        };
        assert!(singular_target(&params, &entry, depth).is_some_and(|target| target < entry.score));
        let refused = [
            TtEntry { bound: Bound::Upper, ..entry },
            TtEntry { depth: entry.depth - 1, ..entry },
            TtEntry { score: Score::win_in(Ply::ROOT, 9), ..entry },
        ];
        for entry in refused {
            assert_eq!(singular_target(&params, &entry, depth), None, "{entry:?}");
        }
        assert_eq!(singular_target(&params, &entry, depth - Depth::ONE), None);
    }

    #[test]
    fn an_extension_stays_within_what_the_iteration_allows() {
        for rule in Rule::ALL {
            let params = Params::shipped(rule);
            let left = |ply, depth| allowance(&params, 8, ply, Depth::plies(depth));
            assert!(left(Ply::ROOT, 8) >= Depth::ZERO);
            assert_eq!(left(Ply::ROOT.next(), 8), left(Ply::ROOT, 9), "a ply counts as much as a ply of depth");
            for is_pv in [false, true] {
                assert_eq!(singular(&params, is_pv, Depth::units(1)), Depth::units(1));
            }
        }
    }

    #[test]
    fn the_target_below_a_believed_loss_is_an_estimate() {
        let params = Params::shipped(Rule::Freestyle);
        let depth = Depth::plies(30);
        let score = Score::estimate(-Score::EVAL_LIMIT);
        let entry =
            TtEntry { score, bound: Bound::Lower, depth: stored_depth(depth), best: None, eval: None, was_pv: false };
        assert_eq!(singular_target(&params, &entry, depth), Some(score));
    }
}
