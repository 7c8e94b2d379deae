//! Quiescence: at the horizon only fours are tried, because only a chain of fours (a VCF) can turn a position over
//! before the opponent gets a say. The attacker may stop at any time and take the evaluation; the defender has to
//! answer every four, and all his answers are tried, so a win found here is a proof. Floor 3.

use super::forced::{self, Duty};
use super::health::{self, Event};
use super::order;
use super::tt::{self, Bound, TtEntry};
use super::worker::Worker;
use crate::base::{Ply, Point, Score, Size};
use crate::board::{Board, Threat};
use crate::eval::Evaluator;
use arrayvec::ArrayVec;

/// Depth codes under which quiescence results are stored: with all fours tried, and with some left out.
const ALL_FOURS: i32 = -1;
const SOME_FOURS: i32 = tt::SHALLOWEST;

/// How the attack came to this node.
#[derive(Clone, Copy)]
pub struct Attack {
    /// The attacker's last four, none on the first move.
    last: Option<Point>,
    /// Whether every four so far also built something else.
    building: bool,
}

impl Attack {
    /// Before the first four.
    pub const FIRST: Attack = Attack { last: None, building: true };
}

impl Worker<'_> {
    /// Value of a position at the horizon, for the side to move, who is not threatened with a five.
    pub fn quiesce(&mut self, alpha: Score, beta: Score, ply: Ply) -> Score {
        self.attack(alpha, beta, ply, Attack::FIRST)
    }

    /// The attacker's node: take the evaluation, or go on with another four.
    fn attack(&mut self, alpha: Score, beta: Score, ply: Ply, attack: Attack) -> Score {
        health::count(Event::Quiescent);
        match self.settled(ply) {
            Some(score) => score,
            None => self.attack_from_here(alpha, beta, ply, attack, None),
        }
    }

    /// The same at a node that has been entered and is not settled; `known` is what the network says of it, if that
    /// is known.
    pub fn attack_from_here(
        &mut self,
        mut alpha: Score,
        beta: Score,
        ply: Ply,
        attack: Attack,
        mut known: Option<Score>,
    ) -> Score {
        let us = self.board.side();
        let depth = if attack.last.is_none() { ALL_FOURS } else { SOME_FOURS };
        let key = self.key();
        if let Some(hit) = self.probe(ply) {
            if hit.bound.proves(hit.score) || (hit.depth >= depth && hit.bound.settles(hit.score, alpha, beta)) {
                return hit.score;
            }
            known = known.or(hit.eval);
        }
        let margin = self.params.lazy_margin();
        let stand_pat = self.evaluator.evaluate_within(&self.board, alpha, beta, margin, &mut known);
        if stand_pat >= beta || self.board.count_from(us, Threat::Four) == 0 {
            let bound = Bound::of(stand_pat, alpha, beta);
            self.table.store(key, ply, TtEntry { score: stand_pat, bound, depth: ALL_FOURS, best: None, eval: known });
            return stand_pat;
        }
        if stand_pat + self.params.vcf_delta() < alpha && !alpha.is_decisive() {
            return stand_pat;
        }
        let old_alpha = alpha;
        alpha = alpha.max(stand_pat);
        let mut best = stand_pat;
        let mut best_move = None;
        for (_, point) in self.fours(attack) {
            let building = attack.building && self.board.threat(point, us) > Threat::Four;
            self.play(point);
            let score = -self.defend(-beta, -alpha, ply.next(), Attack { last: Some(point), building });
            self.undo();
            if self.aborted {
                return Score::DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(point);
                    self.extend_line(ply, point);
                }
                if score >= beta {
                    break;
                }
            }
        }
        let bound = Bound::of(best, old_alpha, beta);
        self.table.store(key, ply, TtEntry { score: best, bound, depth, best: best_move, eval: known });
        best
    }

    /// The defender's node: the attacker has just made a four.
    fn defend(&mut self, mut alpha: Score, beta: Score, ply: Ply, attack: Attack) -> Score {
        health::count(Event::Quiescent);
        if let Some(score) = self.settled(ply) {
            return score;
        }
        let Duty::StopFive(stops) = forced::duty(&self.board) else {
            // A four that was none after all (a stone can spoil its own row only in rules with overlines).
            return self.evaluator.evaluate(&self.board);
        };
        let mut best = Score::loss_in(ply, 2);
        for stop in stops {
            if !self.is_legal(stop) {
                continue;
            }
            self.play(stop);
            let score = -self.attack(-beta, -alpha, ply.next(), attack);
            self.undo();
            if self.aborted {
                return Score::DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    self.extend_line(ply, stop);
                }
                if score >= beta {
                    break;
                }
            }
        }
        best
    }

    /// The attacker's fours worth trying, best first: all of them on the first move; later those near his last four,
    /// and plain ones only while every four so far has built something.
    fn fours(&self, attack: Attack) -> ArrayVec<(i32, Point), { Size::MAX_CELLS }> {
        let us = self.board.side();
        // The defender's answer may threaten a five itself: then only a stop of that will do.
        let stops = match forced::duty(&self.board) {
            Duty::StopFive(stops) => Some(stops),
            _ => None,
        };
        let mut fours = ArrayVec::new();
        self.board.for_each_near(|point| {
            let threat = self.board.threat(point, us);
            let wanted = threat > Threat::Four || (threat == Threat::Four && attack.building);
            if wanted
                && attack.last.is_none_or(|last| is_close(last, point))
                && stops.as_ref().is_none_or(|stops| stops.contains(&point))
            {
                fours.push((order::score(&self.params, &self.board, us, point, &self.evaluator, self.history), point));
            }
        });
        fours.sort_unstable_by_key(|&(score, point)| (-score, point));
        fours
    }
}

/// Whether a point is within two steps of another, or within four on one of its lines.
fn is_close(a: Point, b: Point) -> bool {
    let (dx, dy) = (a.x().abs_diff(b.x()), a.y().abs_diff(b.y()));
    dx.max(dy) <= 2 || (dx.max(dy) <= 4 && (dx == 0 || dy == 0 || dx == dy))
}

/// Whether the side to move is threatened with a five, so that the position must not be taken for quiet.
pub fn is_threatened(board: &Board) -> bool {
    board.count(board.side().opponent(), Threat::Five) > 0
}
