//! The node function: fail-soft principal variation search. Each step is in a file of its own, named in the imports.

use super::child::Child;
use super::extend;
use super::forced::{self, Duty};
use super::health::{self, Event};
use super::order::{self, MovePicker};
use super::prune::{self, BeyondLimit};
use super::quiesce::{self, Fours};
use super::reduce::{self, LateMove, PvNode};
use super::tt::{Bound, TtEntry, stored_depth};
use super::worker::Worker;
use crate::base::{Depth, Ply, Point, PointList, Score};
use crate::board::Threat;
use crate::eval::Evaluator;

/// What does not change while the moves of a node are searched.
struct Node<'a> {
    duty: &'a Duty,
    depth: Depth,
    ply: Ply,
    is_pv: bool,
    /// Whether it is, or the table remembers that it once was.
    was_pv: bool,
    improving: bool,
    /// A move that is left out, to see what the others are worth.
    excluded: Option<Point>,
    /// By how much the table move is extended.
    extension: Depth,
}

/// The result of the move loop.
struct Tried {
    /// The best score; `None` without a legal move.
    best: Option<Score>,
    /// The last move that raised alpha.
    best_move: Option<Point>,
}

impl Worker<'_> {
    /// Value of the position for the side to move, searched to `depth` within (alpha, beta).
    pub fn search(&mut self, mut alpha: Score, mut beta: Score, mut depth: Depth, ply: Ply) -> Score {
        debug_assert!(alpha < beta, "an empty window, {alpha:?} to {beta:?}");
        // Before a blocked move, neither the table nor what threats prove can be used.
        if !self.paths.is_empty()
            && let Some(score) = self.search_on_path(alpha, beta, depth, ply)
        {
            return score;
        }

        // Horizon. A threatened five is always answered first, at no cost in depth.
        if depth <= Depth::ZERO && !quiesce::is_threatened(&self.board) {
            return self.quiesce(alpha, beta, ply);
        }
        let is_pv = beta > alpha.above();

        // Stop, draw, largest ply, and results that the threats prove without search.
        let mut kills = None;
        if let Some(score) = self.enter_node(ply, &mut kills) {
            return score;
        }

        // Mate distance pruning: the result lies between a loss in two and a win in one.
        alpha = alpha.max(Score::loss_in(ply, 2));
        beta = beta.min(Score::win_in(ply, 1));
        if alpha >= beta {
            return alpha;
        }

        // Transposition table.
        let key = self.key();
        let hit = self.probe(ply);
        health::count(Event::Probed);
        if let Some(hit) = hit {
            health::count(Event::Found);
            let deep_enough = hit.depth >= stored_depth(depth) && !is_pv;
            if hit.bound.settles(hit.score, alpha, beta) && (deep_enough || hit.bound.proves(hit.score)) {
                return hit.score;
            }
        }

        let was_pv = is_pv || hit.is_some_and(|hit| hit.was_pv);

        // Static evaluation, and whole-node pruning and reductions based on it.
        let duty = forced::duty_of(&self.board, kills);
        health::count(if duty.is_free() { Event::Free } else { Event::Forced });
        let mut known = hit.and_then(|hit| hit.eval);
        let improving = self.note_static(&duty, alpha, beta, ply, &mut known);
        if let Some(eval) = self.statics[ply.index()]
            && !is_pv
            && prune::can_prune_reverse_futile(&self.params, eval, beta, depth, improving)
        {
            let bound = Bound::Lower;
            let entry = TtEntry { score: eval, bound, depth: stored_depth(depth), best: None, eval: known, was_pv };
            self.table.store(key, ply, entry);
            return eval;
        }
        if !is_pv {
            if let Some(score) = self.razor(&duty, (alpha, beta), depth, ply, &mut known) {
                return score;
            }
            if let Some(eval) = self.statics[ply.index()] {
                depth = depth - reduce::fail_high_reduction(&self.params, eval, beta, depth);
            }
        }

        // Without a table move, a free node is searched less deeply.
        if duty.is_free() && hit.is_none_or(|hit| hit.best.is_none()) {
            depth = depth - reduce::internal_iterative_reduction(&self.params, depth);
        }

        // Singular extension, or a cut because two moves refute the position.
        let (excluded, extension) = (None, Depth::ZERO);
        let mut node = Node { duty: &duty, depth, ply, is_pv, was_pv, improving, excluded, extension };
        if let Some(hit) = &hit
            && let Some(score) = self.test_singular(&mut node, hit, beta)
        {
            return score;
        }
        // The moves.
        let tried = self.try_moves(&node, hit.and_then(|hit| hit.best), alpha, beta);
        if self.stop.aborted {
            return Score::DRAW;
        }

        // The result, and what the table and the corrections learn from it.
        let best = self.node_score(&tried, &node, beta);
        let best_move = tried.best_move;
        let bound = Bound::of(best, alpha, beta);
        let entry = TtEntry { score: best, bound, depth: stored_depth(depth), best: best_move, eval: known, was_pv };
        self.table.store(key, ply, entry);
        self.learn_correction(best, bound, depth, ply);
        best
    }

    /// Razoring: the score of the node if its evaluation is far below alpha and no fours help, or the search must stop.
    fn razor(
        &mut self,
        duty: &Duty,
        (alpha, beta): (Score, Score),
        depth: Depth,
        ply: Ply,
        known: &mut Option<Score>,
    ) -> Option<Score> {
        if !prune::may_razor(&self.params, alpha, depth) {
            return None;
        }
        let is_low = match duty {
            Duty::Free => {
                self.statics[ply.index()].is_some_and(|eval| prune::can_razor(&self.params, eval, alpha, depth))
            }
            Duty::StopFive(_) => false,
            Duty::StopFour(_) | Duty::StopFourThree(_) => {
                let margin = self.params.lazy_margin();
                let eval = self.evaluator.evaluate_within(&self.board, alpha, beta, margin, known);
                prune::can_razor_reply(&self.params, eval, alpha)
            }
        };
        if !is_low {
            return None;
        }
        let score = self.attack_from_here(alpha, alpha.above(), ply, Fours::NONE, *known, None);
        (score <= alpha || self.stop.aborted).then_some(score)
    }

    /// Learns how far the evaluation of a free node was off, where the bound of its score says so.
    fn learn_correction(&mut self, score: Score, bound: Bound, depth: Depth, ply: Ply) {
        if let Some(eval) = self.statics[ply.index()]
            && !score.is_decisive()
            && (bound == Bound::Exact || (bound == Bound::Lower) == (score > eval))
        {
            self.history.corrections.learn(&self.params, &self.board, eval, score, depth.whole());
        }
    }

    /// Records the static evaluation of a free node, and says whether it is better than two plies ago.
    fn note_static(&mut self, duty: &Duty, alpha: Score, beta: Score, ply: Ply, known: &mut Option<Score>) -> bool {
        let margin = self.params.lazy_margin();
        let eval =
            matches!(duty, Duty::Free).then(|| self.evaluator.evaluate_within(&self.board, alpha, beta, margin, known));
        let eval = eval.map(|eval| self.history.corrections.apply(&self.params, &self.board, eval));
        self.statics[ply.index()] = eval;
        let before = ply.index().checked_sub(2).and_then(|earlier| self.statics[earlier]);
        let margin = self.params.improving_margin();
        eval.is_some_and(|eval| before.is_none_or(|before| eval > before + margin))
    }

    /// Tests whether the table move is singular, and sets its extension if so. Returns the score of the node if the other
    /// moves show that it fails high, or the search must stop.
    fn test_singular(&mut self, node: &mut Node<'_>, entry: &TtEntry, beta: Score) -> Option<Score> {
        let best = entry.best.filter(|&best| self.board.is_empty(best))?;
        let target = extend::singular_target(&self.params, entry, node.depth)?;
        let allowance = extend::allowance(&self.params, self.iteration_depth, node.ply, node.depth);
        // A reply to a four is forced anyway.
        if allowance <= Depth::ZERO || matches!(node.duty, Duty::StopFive(_)) || !self.paths.is_empty() {
            return None;
        }
        let depth = extend::depth_of_others(&self.params, node.depth);
        let others = Node { depth, is_pv: false, excluded: Some(best), ..*node };
        let tried = self.try_moves(&others, None, target.below(), target);
        self.pv[node.ply.index()].clear();
        if self.stop.aborted {
            return Some(Score::DRAW);
        }
        let score = tried.best.map_or(target.below(), Score::unproven);
        if score < target {
            node.extension = extend::singular(&self.params, node.is_pv, allowance);
        }
        (score >= target && target >= beta && !node.is_pv).then_some(target)
    }

    /// The move loop.
    fn try_moves(&mut self, node: &Node<'_>, table_move: Option<Point>, mut alpha: Score, beta: Score) -> Tried {
        let is_free = node.duty.is_free();
        let mut picker = MovePicker::new(&self.board, node.duty, table_move);
        let mut result = Tried { best: None, best_move: None };
        let (mut tried, mut beyond) = (PointList::new(), BeyondLimit::default());
        while let Some(point) = picker.next(&self.params, &self.board, node.duty, &mut self.evaluator, self.history) {
            if node.excluded == Some(point) || !self.is_legal(point) {
                continue;
            }
            if result.best.is_some_and(|best| !best.is_loss()) {
                if self.is_beyond_limit(node, tried.len(), picker.lag()) {
                    if !is_free || !beyond.is_open(&self.params, node.depth) {
                        break;
                    }
                    if !beyond.takes(self.board.threat(point, self.board.side())) {
                        continue;
                    }
                }
                if self.is_delay(node, point) {
                    continue;
                }
            }
            let reduction = self.reduction(node, point, tried.len(), picker.lag(), result.best_move.is_some());
            // A reply to a four is forced: it costs no depth.
            let depth = if matches!(node.duty, Duty::StopFive(_)) { node.depth } else { node.depth - Depth::ONE };
            let depth = if picker.is_table_move() { depth + node.extension } else { depth };
            let is_first = tried.is_empty();
            let child = Child { ply: node.ply.next(), depth, reduction, is_first, is_pv: node.is_pv };
            self.play(point);
            let score = self.search_child(child, alpha, beta);
            self.undo();
            if self.stop.aborted {
                return result;
            }
            if result.best.is_none_or(|best| score > best) {
                result.best = Some(score);
            }
            if score > alpha {
                alpha = score;
                result.best_move = Some(point);
                self.update_pv(node.ply, point);
                if score >= beta {
                    health::count_cut(tried.len());
                    let depth = node.depth.whole();
                    match node.duty {
                        Duty::Free => self.history.reward(&self.params, &self.board, point, &tried, depth),
                        Duty::StopFive(_) => {}
                        _ => self.history.reward_reply(&self.params, &self.board, point, &tried, depth),
                    }
                    break;
                }
            }
            tried.push(point);
        }
        if is_free && result.best_move.is_none() {
            health::count(Event::FailedLow);
            health::add(Event::MovesAtFailLow, tried.len() as u64);
        }
        result
    }

    /// Whether this move comes after the limit of late-move pruning.
    fn is_beyond_limit(&self, node: &Node<'_>, index: usize, lag: i32) -> bool {
        let &Node { depth, is_pv, improving, .. } = node;
        match node.duty {
            Duty::Free => index >= prune::late_move_limit(&self.params, depth, improving, is_pv),
            Duty::StopFive(_) => false,
            Duty::StopFour(_) | Duty::StopFourThree(_) => {
                !is_pv && prune::is_late_reply(&self.params, depth, index, lag)
            }
        }
    }

    /// Whether this reply is left out, if one before it does not lose.
    fn is_delay(&self, node: &Node<'_>, point: Point) -> bool {
        let us = self.board.side();
        let threat = |side| self.board.threat(point, side);
        matches!(node.duty, Duty::StopFour(_) | Duty::StopFourThree(_))
            && !node.is_pv
            && prune::is_delay(&self.params, node.depth, threat(us), threat(us.opponent()))
    }

    /// By how much less deeply a move is searched at first: only late moves, and no replies to a four.
    fn reduction(&self, node: &Node<'_>, point: Point, index: usize, lag: i32, after_alpha: bool) -> Depth {
        let us = self.board.side();
        let is_quiet = self.board.threat(point, us) < Threat::Four;
        if !reduce::is_late_move(&self.params, node.depth, index) || matches!(node.duty, Duty::StopFive(_)) {
            return Depth::ZERO;
        }
        let is_free = node.duty.is_free();
        let &Node { depth, is_pv, was_pv, .. } = node;
        let improving = node.improving || !is_free;
        let history = self.history.get(us, point);
        let late = LateMove { depth, index, lag, history, pv: PvNode::new(is_pv, was_pv), improving, after_alpha };
        let full = reduce::late_move(&self.params, late).scaled(self.reduction_scale());
        match (is_quiet, is_free) {
            (false, _) => full.scaled(self.params.lmr_fours()),
            (true, false) => full.scaled(self.params.lmr_forced()),
            (true, true) => full,
        }
    }

    /// The score of a node after its move loop. Without a legal move the side to move loses by a foul; where the duty does
    /// not list every legal move, a loss is not proven, or may come later than after the listed ones.
    fn node_score(&self, tried: &Tried, node: &Node<'_>, beta: Score) -> Score {
        match (tried.best, node.duty) {
            (None, Duty::StopFive(_)) => Score::loss_in(node.ply, 2),
            (None, _) => Score::loss_in(node.ply, 1).unproven(),
            (Some(best), Duty::Free) if best.is_loss() && !order::is_full_width(&self.board) => best.unproven(),
            // At least beta, the score is a lower bound, which an upper one must not raise.
            (Some(best), duty) if best.is_loss() && best < beta => {
                duty.unlisted_loss(node.ply).map_or(best, |loss| best.max(loss))
            }
            (Some(best), _) => best,
        }
    }
}
