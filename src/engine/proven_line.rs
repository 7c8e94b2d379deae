//! Principal variations of proven results: replayed on the oracle and completed before they are shown. A report sink
//! between the search and its caller.
//!
//! The search does not depend on this: its own results never change, whatever time there is to complete a line.

use crate::base::{Color, Point};
use crate::board::oracle::{Oracle, Verdict};
use crate::board::{Board, NullObserver, Threat};
use crate::search::forced::{self, STATIC_DISTANCE};
use crate::search::params::Params;
use crate::search::time::TimeManager;
use crate::search::{Iteration, Ponder, ReportSink, RootEvent, Scope, SearchControl, SearchReport};
use crate::solver::{Outcome, VcfSolver};
use std::time::Duration;

/// Most nodes for completing a line: some milliseconds.
const NODES: u64 = 4000;
/// Most bytes of the table of the solver.
const TABLE_BYTES: u64 = 1 << 20;
/// A line is completed only when at least this much time is left.
const SPARE_TIME: Duration = Duration::from_millis(50);

/// Passes the reports of a search on. A proven result whose line the oracle rejects becomes an estimate, and the line
/// of a proven result is completed by a win by fours where it stops early.
pub(super) struct ProvenLines<'a> {
    sink: &'a mut dyn ReportSink,
    /// The root position.
    board: Board,
    params: &'a Params,
    control: &'a SearchControl,
    /// Whether lines are completed: only in a search for one line, and not where moves are blocked deeper in the tree.
    completes: bool,
    /// The last iteration passed on.
    shown: Option<Iteration>,
}

impl<'a> ProvenLines<'a> {
    /// A sink for a search of `board` under `control` that passes its reports on to `sink`.
    pub fn new(
        board: Board,
        scope: &Scope,
        params: &'a Params,
        control: &'a SearchControl,
        sink: &'a mut dyn ReportSink,
    ) -> ProvenLines<'a> {
        let completes = scope.lines == 1 && scope.paths.is_empty();
        ProvenLines { sink, board, params, control, completes, shown: None }
    }

    /// Turns proven results of a finished search into estimates where the oracle rejects their lines. Completes no line.
    pub fn check(&self, report: &mut SearchReport) {
        for iteration in report.lines.iter_mut().chain([&mut report.last]) {
            unprove_rejected(&self.board, iteration);
        }
    }

    /// Completes the line of a proven result, by the rest of the line shown before if that began with the same moves,
    /// else by a win by fours if there is time for it.
    fn complete(&self, iteration: &mut Iteration) {
        let Some(distance) = iteration.score.distance() else { return };
        let known = iteration.pv.len();
        if known as i32 >= distance {
            return;
        }
        let is_longer = |shown: &&Iteration| {
            shown.score == iteration.score && shown.pv.len() > known && shown.pv.starts_with(&iteration.pv)
        };
        if let Some(shown) = self.shown.as_ref().filter(is_longer) {
            iteration.pv.clone_from(&shown.pv);
            return;
        }
        if !self.can_spare_time(iteration.elapsed) {
            return;
        }
        let mut board = self.board.clone();
        let winner = if iteration.score.is_win() { board.side() } else { board.side().opponent() };
        for &point in &iteration.pv {
            board.play(point, &mut NullObserver);
        }
        if let Some(rest) = win_by_fours(&mut board, winner, (distance as usize - known) as u32) {
            iteration.pv.extend(rest);
            if !line_holds(&self.board, iteration) {
                iteration.pv.truncate(known);
            }
        }
    }

    /// Whether enough time is left after `elapsed`, and the search has not been stopped. In the opponent's time there is
    /// none, since a stop must be obeyed at any moment; after a hit the time counts from the question.
    fn can_spare_time(&self, elapsed: Duration) -> bool {
        let empty = self.board.size().cells() - self.board.occupied();
        let limits = self.control.limits();
        let deadlines = TimeManager::new(&limits, empty, self.params);
        let asked = limits.started.filter(|_| limits.ponder == Ponder::Hit);
        let elapsed = asked.map_or(elapsed, |asked| asked.elapsed());
        limits.ponder != Ponder::Pondering && !self.control.is_stopped() && !deadlines.is_over(elapsed + SPARE_TIME)
    }
}

impl ReportSink for ProvenLines<'_> {
    fn iteration(&mut self, iteration: &Iteration) {
        let mut iteration = iteration.clone();
        unprove_rejected(&self.board, &mut iteration);
        if self.completes {
            self.complete(&mut iteration);
        }
        self.sink.iteration(&iteration);
        self.shown = Some(iteration);
    }

    fn root_event(&mut self, event: RootEvent) {
        self.sink.root_event(event);
    }
}

/// Turns a proven result into an estimate if the oracle rejects its line. This is a bug, so it is logged. The shortest
/// results follow from the threats on the board and are not replayed.
fn unprove_rejected(board: &Board, iteration: &mut Iteration) {
    if iteration.score.distance().is_some_and(|distance| distance > STATIC_DISTANCE) && !line_holds(board, iteration) {
        log::error!("the oracle rejects a proven line: {iteration:?}");
        iteration.score = iteration.score.unproven();
    }
}

/// Replays the line of a proven result on the oracle: every move is legal, nobody wins before the end, and a line
/// that reaches the end ends in the win. (A line may stop early, where the table or the threats decide the rest.)
fn line_holds(board: &Board, iteration: &Iteration) -> bool {
    let size = board.size();
    let mut oracle = Oracle::from_cells(board.rule(), size, size.points().map(|point| (point, board.cell(point))));
    let distance = iteration.score.distance().unwrap_or(0);
    let mut color = board.side();
    let winner = if iteration.score.is_win() { color } else { color.opponent() };
    iteration.pv.iter().zip(1..).all(|(&point, number)| {
        let verdict = oracle.play(point, color);
        let is_last = number == distance;
        let holds = match verdict {
            Verdict::Continues => !is_last,
            Verdict::Wins => is_last && color == winner,
            Verdict::Foul(_) => is_last && color != winner,
            Verdict::Draw | Verdict::Illegal => false,
        };
        color = color.opponent();
        holds
    })
}

/// A win by fours of `winner` in exactly `plies` plies. If the loser is to move, the line starts with the best stop of a
/// four just made. It ends with a five, or just before a foul.
fn win_by_fours(board: &mut Board, winner: Color, plies: u32) -> Option<Vec<Point>> {
    let mut solver = VcfSolver::new(TABLE_BYTES)?;
    if board.side() == winner {
        return attack_by_fours(&mut solver, board, plies);
    }
    if board.count(winner.opponent(), Threat::Five) > 0 {
        return None;
    }
    forced::legal_stops(board).into_iter().find_map(|stop| {
        let rest = board.with_move(stop, |board| attack_by_fours(&mut solver, board, plies.saturating_sub(1)));
        rest.map(|rest| [vec![stop], rest].concat())
    })
}

/// A win by fours of the side to move in exactly `plies` plies.
fn attack_by_fours(solver: &mut VcfSolver, board: &mut Board, plies: u32) -> Option<Vec<Point>> {
    let side = board.side();
    // The shortest win may be shorter than the one that the search has found.
    [VcfSolver::solve_shortest, VcfSolver::solve].into_iter().find_map(|solve| {
        let spent = solver.nodes();
        let result = solve(solver, board, side, NODES.saturating_sub(spent));
        let mut line = result.line;
        if line.len().is_multiple_of(2) {
            line.pop();
        }
        (result.outcome == Outcome::Win && result.distance == plies).then_some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Ply, Rule, Score, Size};
    use crate::search::SearchLimits;

    /// Keeps all reports.
    #[derive(Default)]
    struct Kept(Vec<Iteration>);

    impl ReportSink for Kept {
        fn iteration(&mut self, iteration: &Iteration) {
            self.0.push(iteration.clone());
        }
    }

    fn point(x: usize, y: usize) -> Point {
        Point::new(x, y).unwrap()
    }

    /// Black has an open three and is to move: an open four wins in three plies.
    fn board() -> Board {
        let mut board = Board::new(Rule::Freestyle, Size::square(15).unwrap());
        for (x, y) in [(7, 7), (0, 0), (8, 7), (0, 2), (9, 7), (0, 4)] {
            board.play(point(x, y), &mut NullObserver);
        }
        board
    }

    fn iteration(score: Score, pv: Vec<Point>) -> Iteration {
        Iteration { depth: 9, seldepth: 9, score, nodes: 1, elapsed: Duration::ZERO, pv, rank: 1 }
    }

    /// What is shown of these iterations, where `turn` is the time for the move.
    fn shown(turn: Duration, is_stopped: bool, iterations: &[Iteration]) -> Vec<Iteration> {
        let control = SearchControl::within(SearchLimits { turn: Some(turn), ..SearchLimits::default() });
        if is_stopped {
            control.stop();
        }
        let mut kept = Kept::default();
        let params = Params::shipped(Rule::Freestyle);
        let mut lines = ProvenLines::new(board(), &Scope::default(), &params, &control, &mut kept);
        for iteration in iterations {
            lines.iteration(iteration);
        }
        kept.0
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_line_that_stops_early_is_completed() {
        let win = iteration(Score::win_in(Ply::ROOT, 3), Vec::new());
        let shown = shown(SECOND, false, std::slice::from_ref(&win));
        assert_eq!((shown[0].pv.len(), shown[0].score), (3, win.score));
        let mut report = SearchReport::new(None, win);
        let control = SearchControl::default();
        let mut kept = Kept::default();
        let params = Params::shipped(Rule::Freestyle);
        ProvenLines::new(board(), &Scope::default(), &params, &control, &mut kept).check(&mut report);
        assert!(report.last.pv.is_empty() && report.last.score.is_win(), "what the search found stays as it is");
    }

    #[test]
    fn no_time_is_spent_when_it_is_short_or_the_search_was_stopped() {
        let win = iteration(Score::win_in(Ply::ROOT, 3), Vec::new());
        let late = Iteration { elapsed: Duration::from_millis(990), ..win.clone() };
        for (turn, is_stopped, win) in
            [(Duration::from_millis(40), false, &win), (SECOND, true, &win), (SECOND, false, &late)]
        {
            assert_eq!(shown(turn, is_stopped, std::slice::from_ref(win))[0], *win);
        }
        // What was shown before costs no time.
        let shown = shown(SECOND, false, &[win, late]);
        assert_eq!(shown[1].pv, shown[0].pv);
    }

    #[test]
    fn a_line_that_the_oracle_rejects_is_no_proof() {
        for line in [vec![point(7, 7)], vec![point(10, 7), point(11, 7), point(6, 7)]] {
            let wrong = iteration(Score::win_in(Ply::ROOT, 7), line);
            let shown = shown(SECOND, false, std::slice::from_ref(&wrong));
            assert!(!shown[0].score.is_decisive(), "{:?}", wrong.pv);
            let mut report = SearchReport::new(None, wrong);
            let control = SearchControl::default();
            let mut kept = Kept::default();
            let params = Params::shipped(Rule::Freestyle);
            ProvenLines::new(board(), &Scope::default(), &params, &control, &mut kept).check(&mut report);
            assert!(!report.last.score.is_decisive());
        }
    }
}
