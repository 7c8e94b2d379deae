//! The node function: principal variation search, fail-soft. A table of contents that calls the rooms around it. Floor 3.

use super::forced::{self, Duty};
use super::order::{self, MovePicker};
use super::tt::{Bound, stored_depth};
use super::vcf;
use super::worker::Worker;
use crate::base::{Depth, Ply, Point, PointList, Score};
use crate::eval::Evaluator;

impl Worker<'_> {
    /// Value of the position for the side to move, searched to `depth` within (alpha, beta).
    pub fn search(&mut self, mut alpha: Score, mut beta: Score, depth: Depth, ply: Ply) -> Score {
        // Horizon. A threatened five is always answered first, at no cost in depth.
        if depth <= Depth::ZERO && !vcf::is_threatened(&self.board) {
            return self.quiesce(alpha, beta, ply);
        }
        let is_pv = beta > alpha.above();
        self.lines[ply.index()].clear();

        // Enter: stop, draw, deepest ply.
        if self.enter(ply) {
            return Score::DRAW;
        }
        if self.board.is_draw() {
            return Score::DRAW;
        }
        if ply >= Ply::MAX {
            return self.evaluator.evaluate(&self.board);
        }

        // Forced: what the threats prove without search.
        if let Some(score) = forced::static_result(&mut self.board, ply) {
            return score;
        }

        // Bounds by win distance: a shorter win or a longer loss than the window allows changes nothing.
        alpha = alpha.max(Score::loss_in(ply, 2));
        beta = beta.min(Score::win_in(ply, 1));
        if alpha >= beta {
            return alpha;
        }

        // What is known already.
        let key = self.board.key();
        let hit = self.table.probe(key, ply);
        if let Some(hit) = hit {
            let deep_enough = hit.depth >= stored_depth(depth) && !is_pv;
            if hit.bound.settles(hit.score, alpha, beta) && (deep_enough || hit.bound.proves(hit.score)) {
                return hit.score;
            }
        }

        let duty = forced::duty(&self.board);
        let (best, best_move) = self.try_moves(&duty, hit.and_then(|hit| hit.best), alpha, beta, depth, ply);
        if self.aborted {
            return Score::DRAW;
        }
        let best = self.claim(best, &duty, ply);
        let bound = Bound::of(best, alpha, beta);
        self.table.store(key, ply, stored_depth(depth), best, bound, best_move);
        best
    }

    /// The move loop: best score (none without a legal move) and the move that raised alpha or refuted.
    fn try_moves(
        &mut self,
        duty: &Duty,
        table_move: Option<Point>,
        mut alpha: Score,
        beta: Score,
        depth: Depth,
        ply: Ply,
    ) -> (Option<Score>, Option<Point>) {
        let us = self.board.side();
        let is_pv = beta > alpha.above();
        let mut picker = MovePicker::new(&self.board, duty, table_move);
        let mut best: Option<Score> = None;
        let mut best_move = None;
        let mut tried = PointList::new();
        while let Some(point) = picker.next(&self.board, duty, &self.evaluator, self.history) {
            if !self.is_legal(point) {
                continue;
            }
            self.play(point);
            let next = depth - Depth::ONE;
            let score = if best.is_none() {
                -self.search(-beta, -alpha, next, ply.next())
            } else {
                let score = -self.search(-alpha.above(), -alpha, next, ply.next());
                if score > alpha && is_pv && score < beta && !self.aborted {
                    -self.search(-beta, -alpha, next, ply.next())
                } else {
                    score
                }
            };
            self.undo();
            if self.aborted {
                return (best, best_move);
            }
            if best.is_none_or(|best| score > best) {
                best = Some(score);
            }
            if score > alpha {
                alpha = score;
                best_move = Some(point);
                self.extend_line(ply, point);
                if score >= beta {
                    if matches!(duty, Duty::Free) {
                        self.history.reward(us, point, &tried, depth.whole());
                    }
                    break;
                }
            }
            tried.push(point);
        }
        (best, best_move)
    }

    /// What a node may claim. Without a legal move the side to move loses by foul; where not every move was tried, a
    /// loss is only believed.
    fn claim(&self, best: Option<Score>, duty: &Duty, ply: Ply) -> Score {
        match (best, duty) {
            (None, Duty::Free | Duty::StopFourThree(_) | Duty::StopFour(_)) => Score::loss_in(ply, 1).unproven(),
            (None, Duty::StopFive(_)) => Score::loss_in(ply, 2),
            (Some(best), Duty::Free) if best.is_loss() && !order::is_full_width(&self.board) => best.unproven(),
            (Some(best), _) => best,
        }
    }
}
