//! The search of a position as a whole: the main thread, its helpers, and the result they agree on.

use super::deepening::Deepening;
use super::forced;
use super::history::History;
use super::limits::SearchControl;
use super::params::Params;
use super::pool::{Job, Pool, RunningHelpers};
use super::report::{Iteration, NullSink, ReportSink, RootEvent, SearchReport};
use super::root_move::{RootMove, RootMoves, known_win, root_moves};
use super::scope::Scope;
use super::shared::Shared;
use super::tt::{self, TranspositionTable};
use super::vote;
use super::worker::Worker;
use crate::base::{Ply, Point, Score};
use crate::board::{Board, Threat};
use crate::eval::network::Network;
use std::sync::Arc;

/// Deepest iteration.
const MAX_DEPTH: u32 = tt::MAX_DEPTH as u32;

/// What a search starts from and works with.
pub struct Task<'a> {
    /// The position.
    pub board: Board,
    /// Lines, blocked moves and blocked paths.
    pub scope: Scope,
    /// The tunable numbers for the position's rule.
    pub params: Params,
    /// The network that evaluates; `None`: the classical evaluation does.
    pub network: Option<Arc<Network>>,
    /// The history of moves in this game.
    pub history: &'a mut History,
    /// The transposition table of this game.
    pub table: &'a Arc<TranspositionTable>,
    /// The helper threads.
    pub pool: &'a mut Pool,
    /// Limits and stop signal.
    pub control: &'a SearchControl,
}

/// Finds a move for the side to move. There is one as long as the board has an empty point.
pub fn search(task: Task<'_>, sink: &mut dyn ReportSink) -> SearchReport {
    let Task { board, scope, params, network, history, table, pool, control } = task;
    let shared = Arc::new(Shared::new(Arc::clone(table), network, pool.threads()));
    let mut worker = Worker::new(board, &params, history, &shared, 0, control);
    worker.paths = scope.paths.clone();
    let RootMoves { mut moves, are_all, unlisted_loss } = root_moves(&mut worker, &scope);
    let sink = &mut RootReports { sink, are_all, unlisted_loss };
    let mut report = SearchReport::new(moves.first().map(|m| m.point), worker.iteration_report(0, Score::DRAW));
    if moves.is_empty() {
        return report;
    }
    if let Some(score) = score_without_search(&mut worker, &moves) {
        report.last = Iteration { depth: 1, pv: vec![moves[0].point], ..worker.iteration_report(1, score) };
        sink.iteration(&report.last);
        return report;
    }
    if let Some(score) = known_win(&mut worker, &scope, &mut moves) {
        report.best = Some(moves[0].point);
        report.last = Iteration { pv: vec![moves[0].point], ..worker.iteration_report(0, score) };
    }
    let lines = scope.lines.clamp(1, moves.len());
    let at_hand = win_at_hand(&mut worker, &scope, &moves);
    let helpers = (pool.threads() > 1 && moves.len() > 1).then(|| {
        let board = Arc::new(worker.board.clone());
        let scope = Arc::new(scope);
        let deepest = control.limits().depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        pool.start(&Job { board, scope, params, deepest, shared: Arc::clone(&shared), work: assist })
    });
    let mut report = Deepening::new(&mut worker, moves, lines, report, sink).run(MAX_DEPTH);
    // Several lines are reported as the main thread has found them: helpers search for the first only.
    // A search that was stopped in the opponent's time does not wait for votes.
    if let Some(reports) = helpers.filter(|_| !worker.stop.is_unwanted()).map(RunningHelpers::stop_and_collect)
        && lines == 1
    {
        report = choose(report, reports, &worker, sink);
    }
    // Too few nodes for a first iteration.
    if report.last.depth == 0
        && !report.last.score.is_win()
        && let Some((point, score)) = at_hand
    {
        report.best = Some(point);
        report.last = Iteration { pv: vec![point], ..worker.iteration_report(0, score) };
    }
    report.cut = worker.stop.cut;
    report.last.nodes = worker.stop.total_nodes();
    report.last.elapsed = worker.stop.searched();
    // A known win is announced even where not one iteration was completed.
    if report.last.depth == 0 && report.last.score.is_win() {
        sink.iteration(&report.last);
    }
    report.last.score = sink.announced(report.last.score);
    report
}

/// The win that the threats prove without search, and its move, where nothing that belongs to it is blocked.
fn win_at_hand(worker: &mut Worker<'_>, scope: &Scope, moves: &[RootMove]) -> Option<(Point, Score)> {
    if !scope.paths.is_empty() {
        return None;
    }
    let point = forced::winning_move(&mut worker.board)?;
    let score = forced::static_result(&mut worker.board, Ply::ROOT)?;
    // A mirror image of the move may stand for it.
    let is_open = scope.blocked.is_empty() || moves.iter().any(|root_move| root_move.point == point);
    is_open.then_some((point, score))
}

/// The score of a position with nothing to search: a game that was drawn before, a five, the first stone, or only fouls, after
/// which nothing is proven.
fn score_without_search(worker: &mut Worker<'_>, moves: &[RootMove]) -> Option<Score> {
    let (first, us) = (moves[0].point, worker.board.side());
    if worker.board.is_draw() {
        // A manager may go on, but not even a five changes the result.
        Some(Score::DRAW)
    } else if worker.board.threat(first, us) == Threat::Five {
        Some(Score::win_in(Ply::ROOT, 1))
    } else if worker.board.occupied() == 0 && moves.len() == 1 {
        Some(Score::DRAW)
    } else if !worker.is_legal(first) {
        Some(Score::loss_in(Ply::ROOT, 1).unproven())
    } else {
        None
    }
}

/// A helper's search. It differs from the main thread's in the order of equally promising moves, and ends when it is
/// stopped.
fn assist(job: &Job, id: usize, history: &mut History) -> SearchReport {
    let board = Board::clone(&job.board);
    let mut worker = Worker::new(board, &job.params, history, &job.shared, id, job.shared.helpers());
    worker.paths = job.scope.paths.clone();
    let RootMoves { mut moves, .. } = root_moves(&mut worker, &job.scope);
    for equals in moves.chunk_by_mut(|a, b| a.score == b.score) {
        equals.rotate_left(id % equals.len());
    }
    let report = SearchReport::new(moves.first().map(|m| m.point), worker.iteration_report(0, Score::DRAW));
    let report = Deepening::new(&mut worker, moves, 1, report, &mut NullSink).run(job.deepest);
    worker.stop.note_nodes();
    report
}

/// The result that the threads vote for; reported to the sink if it is not the main thread's, which has been reported.
fn choose(
    main: SearchReport,
    mut others: Vec<SearchReport>,
    worker: &Worker<'_>,
    sink: &mut dyn ReportSink,
) -> SearchReport {
    others.insert(0, main);
    let elected = vote::elect(&others, &worker.params);
    let mut report = others.swap_remove(elected);
    if elected != 0 {
        report.last.nodes = worker.stop.total_nodes();
        report.last.elapsed = worker.stop.searched();
        let announced = report.with_own_move();
        sink.iteration(&announced);
        if let Some(best) = report.best.filter(|best| announced.pv.first() != Some(best)) {
            sink.root_event(RootEvent::Leads(best));
        }
    }
    report
}

/// Passes reports on, and reports a loss of the position as proven only where no reply was left out. The search itself
/// uses the score of the moves under consideration.
struct RootReports<'a> {
    sink: &'a mut dyn ReportSink,
    /// See [`RootMoves::are_all`].
    are_all: bool,
    /// See [`RootMoves::unlisted_loss`].
    unlisted_loss: Option<Score>,
}

impl RootReports<'_> {
    /// The score of the position if the best of the moves under consideration has this score.
    fn announced(&self, score: Score) -> Score {
        match self.unlisted_loss {
            _ if !score.is_loss() => score,
            _ if !self.are_all => score.unproven(),
            Some(loss) => score.max(loss),
            None => score,
        }
    }
}

impl ReportSink for RootReports<'_> {
    fn iteration(&mut self, iteration: &Iteration) {
        // The other lines report the scores of their moves.
        let score = if iteration.rank == 1 { self.announced(iteration.score) } else { iteration.score };
        self.sink.iteration(&Iteration { score, ..iteration.clone() });
    }

    fn root_event(&mut self, event: RootEvent) {
        self.sink.root_event(event);
    }
}
