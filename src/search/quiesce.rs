//! Quiescence search: at the horizon only fours are tried, because only a win by fours (VCF) leaves the opponent no free
//! move. The attacker may stop at any time and take the static evaluation. The defender must answer every four, and all
//! answers are tried, so a win found here is a proof. The numbers are in `params.rs`.

use super::forced::{self, Duty, Kills};
use super::health::{self, Event};
use super::order;
use super::params::Params;
use super::tt::{self, Bound, TtEntry};
use super::worker::Worker;
use crate::base::{Ply, Point, Score, Size};
use crate::board::{Board, Threat};
use crate::eval::Evaluator;
use arrayvec::ArrayVec;

/// Depth under which the result of a node before the first four is stored.
const FIRST_FOURS: i32 = -1;
/// The same of a node after a four, where distant fours are left out.
const LATER_FOURS: i32 = tt::MIN_DEPTH;

/// The fours on the way to a node.
#[derive(Clone, Copy)]
pub struct Fours {
    /// The attacker's last four; `None` before the first.
    last: Option<Point>,
    /// Whether every four so far also made another threat.
    all_make_threats: bool,
}

impl Fours {
    /// Before the first four.
    pub const NONE: Fours = Fours { last: None, all_make_threats: true };
}

/// The best move of a node so far, and its window.
struct Best {
    score: Score,
    point: Option<Point>,
    alpha: Score,
    beta: Score,
}

impl Worker<'_> {
    /// Takes a move's score in; returns whether it ends the node.
    fn take_score(&mut self, best: &mut Best, ply: Ply, point: Point, score: Score) -> bool {
        if score <= best.score {
            return false;
        }
        best.score = score;
        if score > best.alpha {
            best.alpha = score;
            best.point = Some(point);
            self.update_pv(ply, point);
        }
        score >= best.beta
    }

    /// Value of a position at the horizon for the side to move. No five is threatened against it, except where `reprove.rs`
    /// asks: then only fours that stop the five are tried. Experiments: `quiescence-threatened`, `correction-quiet` (both refuted).
    pub fn quiesce(&mut self, alpha: Score, beta: Score, ply: Ply) -> Score {
        self.attack(alpha, beta, ply, Fours::NONE)
    }

    /// The attacker's node: take the static evaluation, or play another four.
    fn attack(&mut self, alpha: Score, beta: Score, ply: Ply, before: Fours) -> Score {
        health::count(Event::Quiescent);
        let mut kills = None;
        match self.enter_node(ply, &mut kills) {
            Some(score) => score,
            None => self.attack_from_here(alpha, beta, ply, before, None, kills),
        }
    }

    /// The same at a node that has been entered and is not settled. `known`: the network's evaluation, if the caller has it;
    /// `kills`: the stops of a five, if it has them.
    pub fn attack_from_here(
        &mut self,
        alpha: Score,
        beta: Score,
        ply: Ply,
        before: Fours,
        mut known: Option<Score>,
        kills: Kills,
    ) -> Score {
        let depth = if before.last.is_none() { FIRST_FOURS } else { LATER_FOURS };
        let key = self.key();
        if let Some(hit) = self.probe(ply) {
            if hit.bound.proves(hit.score) || (hit.depth >= depth && hit.bound.settles(hit.score, alpha, beta)) {
                return hit.score;
            }
            known = known.or(hit.eval);
        }
        let margin = self.params.lazy_margin();
        let stand_pat = self.evaluator.evaluate_within(&self.board, alpha, beta, margin, &mut known);
        if stand_pat >= beta || !self.board.has_from(self.board.side(), Threat::Four) {
            let bound = Bound::of(stand_pat, alpha, beta);
            let (score, best) = (stand_pat, None);
            self.table.store(key, ply, TtEntry { score, bound, depth: FIRST_FOURS, best, eval: known, was_pv: false });
            return stand_pat;
        }
        if stand_pat + self.params.vcf_delta() < alpha && !alpha.is_decisive() {
            return stand_pat;
        }
        let best = Best { score: stand_pat, point: None, alpha: alpha.max(stand_pat), beta };
        match self.try_fours(best, ply, before, kills) {
            Some(Best { score, point, .. }) => {
                let bound = Bound::of(score, alpha, beta);
                self.table.store(key, ply, TtEntry { score, bound, depth, best: point, eval: known, was_pv: false });
                score
            }
            None => Score::DRAW,
        }
    }

    /// The best of the attacker's fours, or of stopping here; `None` if the search is aborted. A function of its own because most
    /// nodes do not need its large stack frame.
    #[inline(never)]
    fn try_fours(&mut self, mut best: Best, ply: Ply, before: Fours, kills: Kills) -> Option<Best> {
        let us = self.board.side();
        let mut fours = ArrayVec::new();
        self.push_fours(before, kills, &mut fours);
        for &(_, point) in &fours {
            let all_make_threats = before.all_make_threats && self.board.threat(point, us) > Threat::Four;
            self.play(point);
            let score =
                -self.defend(-best.beta, -best.alpha, ply.next(), Fours { last: Some(point), all_make_threats });
            self.undo();
            if self.stop.aborted {
                return None;
            }
            if self.take_score(&mut best, ply, point, score) {
                break;
            }
        }
        Some(best)
    }

    /// The defender's node: the attacker has just made a four.
    fn defend(&mut self, alpha: Score, beta: Score, ply: Ply, before: Fours) -> Score {
        health::count(Event::Quiescent);
        let mut kills = None;
        if let Some(score) = self.enter_node(ply, &mut kills) {
            return score;
        }
        let Duty::StopFive(stops) = forced::duty_of(&self.board, kills) else {
            // A safeguard: a four leaves a point that completes the five.
            return self.evaluator.evaluate(&self.board);
        };
        let mut best = Best { score: Score::loss_in(ply, 2), point: None, alpha, beta };
        for stop in stops {
            if !self.is_legal(stop) {
                continue;
            }
            self.play(stop);
            let score = -self.attack(-beta, -best.alpha, ply.next(), before);
            self.undo();
            if self.stop.aborted {
                return Score::DRAW;
            }
            if self.take_score(&mut best, ply, stop, score) {
                break;
            }
        }
        best.score
    }

    /// Lists the attacker's fours to try, best first. A four that makes no other threat comes first only where it denies a double
    /// three or more, and later only while every four so far has made another threat. Fours after the first one are near the
    /// last one. Experiments: `bare-fours`, `two-threats`.
    fn push_fours(&self, before: Fours, kills: Kills, fours: &mut ArrayVec<(i32, Point), { Size::MAX_CELLS }>) {
        let us = self.board.side();
        // The defender's answer may threaten a five: then only a stop of it counts.
        let them = us.opponent();
        let stops = (self.board.count(them, Threat::Five) > 0)
            .then(|| kills.unwrap_or_else(|| forced::kill_intersection(&self.board, them, Threat::Five)));
        self.board.for_each_strong(us, |point| {
            let wanted = match self.board.threat(point, us) {
                Threat::Four if before.last.is_none() => self.board.threat(point, them) >= Threat::DoubleThree,
                Threat::Four => before.all_make_threats,
                threat => threat > Threat::Four,
            };
            if wanted
                && before.last.is_none_or(|last| is_close(&self.params, last, point))
                && stops.as_ref().is_none_or(|stops| stops.contains(&point))
            {
                fours.push((order::score(&self.params, &self.board, us, point, &self.evaluator, self.history), point));
            }
        });
        fours.sort_unstable_by_key(|&(score, point)| (-score, point));
    }
}

/// Whether two points are so close that an attack continues from one to the other; farther on a common line.
fn is_close(params: &Params, a: Point, b: Point) -> bool {
    let steps = a.distance(b) as i32;
    steps <= params.quiescence_radius() || (a.is_aligned_with(b) && steps <= params.quiescence_line())
}

/// Whether a five is threatened against the side to move. Such a position is never quiet.
pub fn is_threatened(board: &Board) -> bool {
    board.count(board.side().opponent(), Threat::Five) > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;
    use crate::board::notation::parse_moves;
    use crate::board::tests::board_after;
    use crate::search::history::History;
    use crate::search::limits::SearchControl;
    use crate::search::shared::Shared;
    use crate::search::tt::TranspositionTable;
    use std::sync::Arc;

    #[test]
    fn a_first_four_makes_another_threat_or_denies_one() {
        let params = Params::shipped(Rule::Freestyle);
        let fours = |moves: &str, before: Fours| {
            let board = board_after(Rule::Freestyle, moves);
            let shared = Shared::new(Arc::new(TranspositionTable::new(1 << 16)), None, 1);
            let (control, mut history) = (SearchControl::default(), History::new());
            let worker = Worker::new(board, &params, &mut history, &shared, 0, &control);
            let mut fours = ArrayVec::new();
            worker.push_fours(before, None, &mut fours);
            let mut points: Vec<Point> = fours.into_iter().map(|(_, point)| point).collect();
            points.sort_unstable();
            points
        };
        let points = |names: &str| {
            let board = board_after(Rule::Freestyle, "h8");
            let mut points = parse_moves(names, board.size()).unwrap();
            points.sort_unstable();
            points
        };
        // k8 and l8 make fours and nothing else.
        let bare = "h8g8i8a1j8a15";
        assert_eq!(fours(bare, Fours::NONE), []);
        let last = points("j8").pop();
        assert_eq!(fours(bare, Fours { last, all_make_threats: true }), points("k8l8"));
        assert_eq!(fours(bare, Fours { last, all_make_threats: false }), []);
        assert_eq!(fours("h8g8i8k9j8k10", Fours::NONE), [], "white would have an open three at k8");
        assert_eq!(
            fours("h8g8i8k9j8k10a1l9a15m10", Fours::NONE),
            points("k8"),
            "white would have two open threes there"
        );
        assert_eq!(fours("h8g8i8a1j8a15k10a8k11o1", Fours::NONE), points("k8"), "it makes an open three, too");
    }
}
