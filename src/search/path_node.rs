//! The node function for positions before a blocked move. The ordinary one assumes that every legal move may be played.

use super::child::Child;
use super::forced::Duty;
use super::order;
use super::worker::Worker;
use crate::base::{Depth, Ply, Score};
use crate::board::Threat;
use crate::eval::Evaluator;

impl Worker<'_> {
    /// Searches a position on a blocked path; `None` when it is on none. Every legal move near the stones (on small boards
    /// every legal move) that is not blocked is searched, at least one ply deep, and neither the table nor what threats prove
    /// is used.
    pub(super) fn search_on_path(&mut self, mut alpha: Score, beta: Score, depth: Depth, ply: Ply) -> Option<Score> {
        let blocked = self.paths.at(self.board.key())?.to_vec();
        self.pv[ply.index()].clear();
        if self.enter(ply) || self.board.is_draw() {
            return Some(Score::DRAW);
        }
        if ply >= Ply::MAX {
            return Some(self.evaluator.evaluate(&self.board));
        }
        self.statics[ply.index()] = None;
        let us = self.board.side();
        let mut moves = Vec::new();
        order::for_each_reply(&self.board, &Duty::Free, |point| {
            if !blocked.contains(&point) {
                moves.push((-order::score(&self.params, &self.board, us, point, &self.evaluator, self.history), point));
            }
        });
        moves.sort_unstable();
        let next = (depth - Depth::ONE).max(Depth::ZERO);
        let mut best: Option<Score> = None;
        for (_, point) in moves {
            if !self.is_legal(point) {
                continue;
            }
            let mut score = Score::win_in(ply, 1);
            if self.board.threat(point, us) == Threat::Five {
                self.pv[ply.next().index()].clear();
            } else {
                let is_first = best.is_none();
                let child = Child { ply: ply.next(), depth: next, reduction: Depth::ZERO, is_first, is_pv: true };
                self.play(point);
                score = self.search_child(child, alpha, beta);
                self.undo();
            }
            if self.stop.aborted {
                return Some(Score::DRAW);
            }
            best = best.max(Some(score));
            if score > alpha {
                alpha = score;
                self.update_pv(ply, point);
                if score >= beta {
                    break;
                }
            }
        }
        Some(match best {
            // All moves are blocked, which is no result of the game itself.
            None => self.evaluator.evaluate(&self.board),
            // In the game itself the moves left out may be played.
            Some(best) if best.is_loss() && !(blocked.is_empty() && order::is_full_width(&self.board)) => {
                best.unproven()
            }
            Some(best) => best,
        })
    }
}
