//! Iterative deepening at the root, for one or several best lines.
//!
//! An iteration is one pass over the root moves within an aspiration window, repeated with a wider one where a score lies
//! outside. The moves that were best so far are searched first, with the full window; every other move is searched with a
//! null window above the worst of the wanted lines, and again only if it is better. So a further line costs little more
//! than its own search, and one line is the usual PVS root.

use super::child::Child;
use super::forced::{self, STATIC_DISTANCE};
use super::reduce;
use super::report::{Iteration, ReportSink, RootEvent, SearchReport};
use super::root_move::RootMove;
use super::window::{Extremes, Window};
use super::worker::Worker;
use crate::base::{Depth, Ply, Point, Score};
use crate::board::Threat;
use std::cmp::Reverse;

/// One of the best lines of an iteration.
#[derive(Debug)]
struct Line {
    iteration: Iteration,
    /// Iterations in which the line of this rank was a proof.
    proven_for: i32,
}

impl Line {
    fn point(&self) -> Point {
        self.iteration.pv[0]
    }

    fn score(&self) -> Score {
        self.iteration.score
    }

    /// Whether nothing is left to find: a proof that cannot be improved, or that has had its iterations.
    fn is_settled(&self, proof_iterations: i32) -> bool {
        let depth = self.iteration.depth as i32;
        let is_done = self.proven_for > proof_iterations;
        self.score().distance().is_some_and(|distance| distance <= depth.max(STATIC_DISTANCE) || is_done)
    }
}

/// The search had to stop inside an iteration.
#[derive(Clone, Copy, Debug)]
struct CutShort {
    /// Whether all wanted lines had been searched, so that those found by then are valid. Lines that all lose are not: a move
    /// that was not searched may save the game.
    has_lines: bool,
    /// The score of the first move, if it was found and is neither a bound nor proven.
    score: Option<Score>,
}

/// The iterations of one thread.
pub(super) struct Deepening<'a, 'w> {
    worker: &'a mut Worker<'w>,
    /// Best first; at least one.
    moves: Vec<RootMove>,
    /// Number of lines wanted: at least one, at most the number of moves.
    wanted: usize,
    /// The lines of the last iteration, best first; none before the first iteration.
    lines: Vec<Line>,
    report: SearchReport,
    sink: &'a mut dyn ReportSink,
}

impl<'a, 'w> Deepening<'a, 'w> {
    /// Prepares the iterations for the `wanted` best of `moves`. `report` holds what is known before the first one.
    pub fn new(
        worker: &'a mut Worker<'w>,
        moves: Vec<RootMove>,
        wanted: usize,
        report: SearchReport,
        sink: &'a mut dyn ReportSink,
    ) -> Deepening<'a, 'w> {
        Deepening { worker, moves, wanted, lines: Vec::new(), report, sink }
    }

    /// Deepens until the limits are used up or nothing is left to find, at most to this depth. The report's lines are those of
    /// the last iteration in which all wanted lines were searched.
    pub fn run(mut self, deepest: u32) -> SearchReport {
        let root = self.worker.board.key();
        let mut alone_for = 0;
        for depth in 1..=deepest {
            if !self.worker.enter_depth(depth) {
                continue;
            }
            self.worker.iteration_depth = depth as i32;
            self.report.entered = depth;
            let before = self.report.last.score;
            self.sink.root_event(RootEvent::Deepens(depth));
            let finished = self.iterate(depth);
            debug_assert_eq!(self.worker.board.key(), root, "every move was taken back");
            // A win that is not found again is still proven: only the table has lost its entries. Its move is kept.
            if self.wanted == 1 && before.is_win() && !finished.is_ok_and(|score| score >= before) {
                break;
            }
            let score = match finished {
                Ok(score) => score,
                Err(cut) => {
                    self.take_partial(depth, cut);
                    break;
                }
            };
            self.take_lines(depth);
            for line in self.lines.iter().rev() {
                self.sink.iteration(&line.iteration);
            }
            let effort = self.effort();
            self.worker.stop.manager.note_iteration(self.moves[0].point, score, effort);
            let is_alone = self.wanted == 1 && !score.is_loss() && self.moves[1..].iter().all(|m| m.loses);
            alone_for = if is_alone { alone_for + 1 } else { 0 };
            if self.is_finished(depth, alone_for) || !self.worker.stop.may_deepen(depth) {
                break;
            }
        }
        if self.moves.iter().any(|m| !m.loses) {
            self.report.losing = self.moves.iter().filter(|m| m.loses).map(|m| m.point).collect();
        }
        self.report
    }

    /// Thousandths of the nodes of the last pass that went to the moves of the wanted lines.
    fn effort(&self) -> i32 {
        let nodes = |moves: &[RootMove]| moves.iter().map(|m| m.nodes).sum::<u64>();
        (1000 * nodes(&self.moves[..self.wanted]) / nodes(&self.moves).max(1)) as i32
    }

    /// Whether a deeper iteration would find nothing of use. `alone_for`: iterations in which all moves but one lost.
    fn is_finished(&self, depth: u32, alone_for: i32) -> bool {
        let params = &self.worker.params;
        (self.moves.len() == 1 && !self.worker.stop.manager.wants_score())
            || depth as usize >= self.worker.board.moves_to_draw().max(1)
            || self.lines.iter().all(|line| line.is_settled(params.proof_iterations()))
            || (alone_for > params.only_move_iterations() && self.worker.stop.manager.saves_time())
    }

    /// Makes the first moves the lines of this iteration, and the report that of the first line.
    fn take_lines(&mut self, depth: u32) {
        let before = std::mem::take(&mut self.lines);
        for (index, root_move) in self.moves[..self.wanted].iter().enumerate() {
            let kept = before.iter().find(|line| root_move.is_kept && line.point() == root_move.point);
            let mut iteration = match kept {
                Some(line) => line.iteration.clone(),
                None => Iteration { pv: root_move.pv.clone(), ..self.worker.iteration_report(depth, root_move.score) },
            };
            iteration.rank = index + 1;
            let proven_for = before.get(index).map_or(0, |line| line.proven_for);
            self.lines.push(Line { proven_for: proven_for + i32::from(iteration.score.is_decisive()), iteration });
        }
        self.report.best = Some(self.moves[0].point);
        self.report.last = self.lines[0].iteration.clone();
        if self.wanted > 1 {
            self.report.lines = self.lines.iter().map(|line| line.iteration.clone()).collect();
        }
    }

    /// Uses what an iteration that was cut short has found.
    fn take_partial(&mut self, depth: u32, CutShort { has_lines, score }: CutShort) {
        if self.wanted > 1 && has_lines {
            return self.take_lines(depth);
        }
        self.report.partial = score.filter(|_| self.wanted == 1);
        // With one line, the first move is the best of the last iteration, or has just been found to be better.
        let best = self.report.best.filter(|_| self.wanted > 1).unwrap_or(self.moves[0].point);
        self.report.best = Some(best);
        // If it has just been found to lose, one that has not is better.
        let is_lost = self.moves.iter().any(|m| m.point == best && m.loses);
        if is_lost && let Some(other) = self.moves.iter().find(|m| !m.loses) {
            self.report.best = Some(other.point);
            self.sink.root_event(RootEvent::Leads(other.point));
        }
    }

    /// One iteration with its aspiration windows: the score of the best move. The moves are left best first.
    fn iterate(&mut self, depth: u32) -> Result<Score, CutShort> {
        let params = self.worker.params;
        // A settled line is not searched, so its score does not matter for the upper bound.
        let open = self.lines.iter().find(|line| !line.is_settled(params.proof_iterations()));
        let last = self.report.last.score;
        let (best, worst) = (open.map_or(last, Line::score), self.lines.last().map_or(last, Line::score));
        let mut window = Window::around(&params, depth, Extremes { best, worst });
        loop {
            let extremes = self.search_moves(depth, window)?;
            if !window.widen(&params, extremes) {
                return Ok(self.moves[0].score);
            }
        }
    }

    /// One pass over all root moves within a window. The moves are left best first.
    fn search_moves(&mut self, depth: u32, window: Window) -> Result<Extremes, CutShort> {
        // The best score of the moves searched, and of those that are not among the best.
        let (mut best, mut rejected): (Option<Score>, Option<Score>) = (None, None);
        let mut is_whole = true;
        for index in 0..self.moves.len() {
            let point = self.moves[index].point;
            // The score that a move must beat to be among the best.
            let is_wanted = index < self.wanted;
            let alpha = if is_wanted { window.alpha } else { window.alpha.max(self.moves[self.wanted - 1].score) };
            let nodes = self.worker.stop.nodes();
            self.sink.root_event(RootEvent::Begins(point));
            let Some(Searched { score, is_kept, is_new }) = self.search_move(depth, index, alpha, window.beta) else {
                let is_exact = |m: &RootMove| m.is_kept || window.contains(m.score);
                let (first, lines) = (&self.moves[0], &self.moves[..self.wanted]);
                let has_lines = !is_wanted && !first.score.is_loss() && lines.iter().all(is_exact);
                let score =
                    Some(first.score).filter(|score| index > 0 && window.contains(*score) && !score.is_decisive());
                return Err(CutShort { has_lines, score });
            };
            self.sink.root_event(RootEvent::Ends(point));
            // From beta on it is a lower bound.
            let loses = score.is_loss() && score < window.beta;
            if loses {
                self.sink.root_event(RootEvent::Loses(point));
            }
            let is_among_best = is_wanted || score > alpha;
            let root_move = &mut self.moves[index];
            root_move.nodes = self.worker.stop.nodes() - nodes;
            root_move.loses = loses;
            root_move.is_kept = is_kept;
            root_move.score = if is_among_best { score } else { -Score::INFINITE };
            if is_among_best {
                if !is_kept {
                    self.worker.update_pv(Ply::ROOT, point);
                    root_move.pv = self.worker.pv[Ply::ROOT.index()].to_vec();
                }
                let place = self.moves[..index.min(self.wanted)].partition_point(|other| other.score >= score);
                self.moves[place..=index].rotate_right(1);
                if place == 0 {
                    self.sink.root_event(RootEvent::Leads(point));
                }
            } else {
                rejected = rejected.max(Some(score));
            }
            if is_new {
                best = best.max(Some(score));
                if score >= window.beta {
                    is_whole = false;
                    break;
                }
            }
        }
        // The best stay first; the others are sorted by score and nodes.
        self.moves[self.wanted..].sort_by_key(|m| Reverse((m.score, m.nodes)));
        let best = best.unwrap_or(self.moves[0].score);
        let worst = self.moves[self.wanted - 1].score.max(rejected.unwrap_or(-Score::INFINITE));
        Ok(Extremes { best, worst: if is_whole { worst } else { best } })
    }

    /// Searches one root move; `None` when cut short.
    fn search_move(&mut self, depth: u32, index: usize, alpha: Score, beta: Score) -> Option<Searched> {
        let point = self.moves[index].point;
        // With several lines a proof stays a proof, even when the table has lost it. (With one, the search ends then.)
        let before = self.lines.iter().find(|line| self.wanted > 1 && line.point() == point);
        let before = before.map(|line| (line.score(), line.is_settled(self.worker.params.proof_iterations())));
        if let Some((score, true)) = before {
            return Some(Searched { score, is_kept: true, is_new: false });
        }
        let reduction = self.reduction(depth, point, index);
        let is_first = index < self.wanted;
        let next = Depth::plies(depth as i32 - 1);
        let child = Child { ply: Ply::ROOT.next(), depth: next, reduction, is_first, is_pv: true };
        self.worker.play(point);
        let score = self.worker.search_child(child, alpha, beta);
        self.worker.undo();
        if self.worker.stop.aborted {
            return None;
        }
        let kept = before.map(|(before, _)| before).filter(|&before| is_worse_proof(before, score));
        Some(Searched { score: kept.unwrap_or(score), is_kept: kept.is_some(), is_new: true })
    }

    /// By how much less deeply a root move is searched at first: only late quiet moves where no threat is to be answered.
    fn reduction(&self, depth: u32, point: Point, index: usize) -> Depth {
        let Worker { board, params, history, .. } = &*self.worker;
        let us = board.side();
        let depth = Depth::plies(depth as i32);
        let is_late = reduce::is_late_at_root(params, depth, index);
        if !is_late || board.threat(point, us) >= Threat::Four || !forced::duty(board).is_free() {
            return Depth::ZERO;
        }
        // At least one ply is left after the move.
        reduce::at_root(params, depth, index, history.get(us, point)).min(depth - Depth::plies(2))
    }
}

/// The result of searching a root move.
struct Searched {
    score: Score,
    /// Whether the line of an earlier iteration is kept.
    is_kept: bool,
    /// Whether the move was searched at all.
    is_new: bool,
}

/// Whether a result that was proven `before` is worse or no longer proven `now`.
fn is_worse_proof(before: Score, now: Score) -> bool {
    (before.is_win() && now < before) || (before.is_loss() && !now.is_loss())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;
    use crate::board::notation::{name, parse_moves};
    use crate::board::tests::board_after;
    use crate::search::NullSink;
    use crate::search::history::History;
    use crate::search::limits::{SearchControl, SearchLimits};
    use crate::search::params::Params;
    use crate::search::shared::Shared;
    use crate::search::tt::TranspositionTable;
    use std::sync::Arc;

    /// What `act` makes of the iterations after `played`, for the `wanted` best of `moves`, within so many nodes: the report.
    fn report_of(
        (played, moves, wanted): (&str, &str, usize),
        nodes: Option<u64>,
        act: impl FnOnce(&mut Deepening<'_, '_>),
    ) -> SearchReport {
        let board = board_after(Rule::Freestyle, played);
        let moves =
            parse_moves(moves, board.size()).unwrap().into_iter().map(|point| RootMove::new(point, Score::DRAW));
        let params = Params::shipped(Rule::Freestyle);
        let shared = Shared::new(Arc::new(TranspositionTable::new(1 << 16)), None, 1);
        let control = SearchControl::within(SearchLimits { nodes, ..SearchLimits::default() });
        let mut history = History::new();
        let mut worker = Worker::new(board, &params, &mut history, &shared, 0, &control);
        let report = SearchReport::new(None, worker.iteration_report(0, Score::DRAW));
        let mut sink = NullSink;
        let mut deepening = Deepening::new(&mut worker, moves.collect(), wanted, report, &mut sink);
        act(&mut deepening);
        deepening.report
    }

    /// The move that an iteration leaves which was cut short after some of the moves i9, g9 and h10 had been shown to lose.
    fn left_by(losing: [bool; 3], wanted: usize, best: &str) -> String {
        let report = report_of(("h8h9", "i9g9h10", wanted), None, |deepening| {
            deepening.moves.iter_mut().zip(losing).for_each(|(root_move, loses)| root_move.loses = loses);
            deepening.report.best = deepening.moves.iter().map(|m| m.point).find(|&point| name(point) == best);
            deepening.take_partial(5, CutShort { has_lines: false, score: None });
        });
        name(report.best.unwrap())
    }

    #[test]
    fn a_move_that_was_just_shown_to_lose_is_not_played() {
        // With one line the first move is the best one known, with several it is that of the last report.
        for (wanted, best) in [(1, "h10"), (2, "i9")] {
            assert_eq!(left_by([false, false, false], wanted, best), "i9");
            assert_eq!(left_by([true, false, false], wanted, best), "g9");
            assert_eq!(left_by([true, true, false], wanted, best), "h10");
            assert_eq!(left_by([true, true, true], wanted, best), "i9", "the longest defence, as far as is known");
        }
        assert_eq!(left_by([true, false, false], 2, "g9"), "g9");
    }

    #[test]
    fn an_iteration_that_is_cut_short_leaves_the_score_of_its_best_move() {
        let even = Extremes { best: Score::DRAW, worst: Score::DRAW };
        let window = Window::around(&Params::shipped(Rule::Freestyle), 4, even);
        let pass = |moves, nodes| {
            report_of(("h8i9", moves, 1), nodes, |deepening| match deepening.search_moves(4, window) {
                Ok(_) => deepening.take_lines(4),
                Err(cut) => deepening.take_partial(4, cut),
            })
        };
        let alone = pass("g9", None).last.score;
        let partial: Vec<Score> = (1..400).filter_map(|nodes| pass("g9a1", Some(nodes)).partial).collect();
        assert!(!partial.is_empty() && partial.iter().all(|&score| score == alone), "{alone}: {partial:?}");
        assert_eq!(pass("g9a1", Some(1)).partial, None, "cut short in the first move");
    }

    #[test]
    fn a_report_names_the_moves_that_lose_unless_all_do() {
        let after = |moves| {
            let mut losing = Vec::new();
            report_of(("h8a1k12b1m3c1o15d1", moves, 1), None, |deepening| {
                // The report of a run is its result.
                let Deepening { worker, moves, wanted, report, sink, .. } = deepening;
                let run = Deepening::new(worker, moves.clone(), *wanted, report.clone(), *sink);
                losing = run.run(3).losing;
            });
            losing.into_iter().map(name).collect::<String>()
        };
        assert_eq!(after("e1i9g9"), "i9g9");
        assert_eq!(after("i9g9"), "");
    }

    /// Bug: with two lines wanted, two losing moves searched and the search cut short in the third, the loss was the score of
    /// the position, though the third move stops the five.
    #[test]
    fn lines_that_lose_say_nothing_while_a_move_is_not_searched() {
        for nodes in 1..200 {
            let report = report_of(("h8a1k12b1m3c1o15d1", "i9g9e1", 2), Some(nodes), |deepening| {
                if let Err(cut) = deepening.iterate(3) {
                    deepening.take_partial(3, cut);
                }
            });
            assert!(!report.last.score.is_loss(), "cut short after {nodes} nodes");
        }
    }
}
