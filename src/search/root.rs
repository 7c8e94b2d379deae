//! The root: which moves are considered at all, iterative deepening with aspiration windows, and when to be content.
//! Floor 3.

use super::forced::{self, Duty};
use super::history::History;
use super::limits::SearchControl;
use super::lines;
use super::order;
use super::params::Params;
use super::pool::{self, Job, Pool, Shared};
use super::proven_line;
use super::reduce;
use super::report::{Iteration, NullSink, ReportSink, RootEvent, SearchReport};
use super::reprove;
use super::scope::Scope;
use super::tt::{self, TranspositionTable};
use super::worker::Worker;
use crate::base::{Depth, Direction, Ply, Point, PointList, Score};
use crate::board::{Board, Shape, Threat, symmetry};
use crate::eval::Evaluator;
use crate::eval::network::Network;
use std::sync::Arc;

/// Deepest iteration.
const MAX_DEPTH: u32 = tt::DEEPEST as u32;
/// Iterations spent on shortening a proven win, or on stretching a proven loss.
pub(super) const PROOF_ITERATIONS: u32 = 3;
/// Iterations in which all moves but one have been shown to lose, after which no time is spent on the choice.
const ALONE_ITERATIONS: u32 = 3;

/// What a search starts from and works with.
pub struct Task<'a> {
    /// The position.
    pub board: Board,
    /// What is asked about it.
    pub scope: Scope,
    /// The tunable numbers for the position's rule.
    pub params: Params,
    /// The network that evaluates; none: the hand-made evaluation does.
    pub network: Option<Arc<Network>>,
    /// What was learned about moves in this game.
    pub history: &'a mut History,
    /// What was learned about positions in this game.
    pub table: &'a Arc<TranspositionTable>,
    /// The threads that help.
    pub pool: &'a mut Pool,
    /// Limits and stop signal.
    pub control: &'a SearchControl,
}

/// A move under consideration.
pub(super) struct RootMove {
    pub(super) point: Point,
    /// Score of the last iteration; minus infinity when it was only shown to be no better than another. Before the
    /// first one, the score of the move order.
    pub(super) score: Score,
    pub(super) nodes: u64,
    /// Whether it was shown to lose.
    pub(super) loses: bool,
}

/// The moves under consideration.
struct RootMoves {
    moves: Vec<RootMove>,
    /// Whether the position is lost if all of them lose: no other reply was left out but those that a threat refutes, and
    /// none because it is blocked.
    are_all: bool,
}

/// Finds a move for the side to move. There is one as long as the board has an empty point.
pub fn search(task: Task<'_>, sink: &mut dyn ReportSink) -> SearchReport {
    let Task { board, scope, params, network, history, table, pool, control } = task;
    let shared = Arc::new(Shared::new(Arc::clone(table), network, pool.threads()));
    let mut worker = Worker::new(board, params, history, &shared, 0, control);
    worker.paths = scope.paths.clone();
    let RootMoves { mut moves, are_all } = root_moves(&mut worker, &scope);
    let sink = &mut Claims { sink, are_all };
    let mut report = SearchReport::new(moves.first().map(|m| m.point), worker.iteration(0, Score::DRAW));
    if moves.is_empty() {
        return report;
    }
    let us = worker.board.side();
    let wins = worker.board.threat(moves[0].point, us) == Threat::Five;
    if wins || (worker.board.move_number() == 0 && moves.len() == 1) {
        let score = if wins { Score::win_in(Ply::ROOT, 1) } else { Score::DRAW };
        report.last = Iteration { depth: 1, pv: vec![moves[0].point], ..worker.iteration(1, score) };
        sink.iteration(&report.last);
        return report;
    }
    if let Some(score) = known_win(&mut worker, &mut moves) {
        report.best = Some(moves[0].point);
        report.last = Iteration { pv: vec![moves[0].point], ..worker.iteration(0, score) };
    }
    let deepest = control.limits().depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
    let wanted = scope.lines.clamp(1, moves.len());
    let crew = (pool.threads() > 1 && moves.len() > 1).then(|| {
        let board = Arc::new(worker.board.clone());
        let scope = Arc::new(scope);
        pool.start(&Job { board, scope, params, deepest, shared: Arc::clone(&shared) })
    });
    if wanted > 1 {
        lines::deepen(&mut worker, &mut moves, wanted, deepest, &mut report, sink);
    } else {
        deepen(&mut worker, &mut moves, deepest, &mut report, sink);
    }
    // Several lines are told as the main thread has found them, one after another: helpers know only the first.
    if let Some(reports) = crew.map(pool::Crew::dismiss)
        && wanted == 1
    {
        report = choose(report, reports, &worker, sink);
    }
    report.cut = worker.cut;
    report.last.nodes = worker.total_nodes();
    report.last.elapsed = worker.elapsed();
    report.last.score = sink.claim(report.last.score);
    report
}

/// Passes reports on, and claims a loss of the position only where it is a proof. The search itself goes by what the
/// moves under consideration are worth.
struct Claims<'a> {
    sink: &'a mut dyn ReportSink,
    /// See [`RootMoves::are_all`].
    are_all: bool,
}

impl Claims<'_> {
    /// What the position is worth if the best of the moves under consideration is worth so much.
    fn claim(&self, score: Score) -> Score {
        if score.is_loss() && !self.are_all { score.unproven() } else { score }
    }
}

impl ReportSink for Claims<'_> {
    fn iteration(&mut self, iteration: &Iteration) {
        // The other lines are about their moves.
        let score = if iteration.rank == 1 { self.claim(iteration.score) } else { iteration.score };
        self.sink.iteration(&Iteration { score, ..iteration.clone() });
    }

    fn root_event(&mut self, event: RootEvent) {
        self.sink.root_event(event);
    }
}

/// What the threads have agreed on; told to the sink when it is not what the main thread has told already.
fn choose(
    main: SearchReport,
    mut others: Vec<SearchReport>,
    worker: &Worker<'_>,
    sink: &mut dyn ReportSink,
) -> SearchReport {
    others.insert(0, main);
    let elected = pool::elect(&others);
    let mut report = others.swap_remove(elected);
    if elected != 0 {
        report.last.nodes = worker.total_nodes();
        report.last.elapsed = worker.elapsed();
        sink.iteration(&proven_line::complete(worker, &report.last, None));
    }
    report
}

/// A helper's search: the same as the main thread's, but equal moves start in another order, and it goes on until it
/// is stopped.
pub fn assist(job: &Job, id: usize, history: &mut History) -> SearchReport {
    let board = Board::clone(&job.board);
    let mut worker = Worker::new(board, job.params, history, &job.shared, id, job.shared.helpers());
    worker.paths = job.scope.paths.clone();
    let RootMoves { mut moves, .. } = root_moves(&mut worker, &job.scope);
    for equals in moves.chunk_by_mut(|a, b| a.score == b.score) {
        equals.rotate_left(id % equals.len());
    }
    let mut report = SearchReport::new(moves.first().map(|m| m.point), worker.iteration(0, Score::DRAW));
    deepen(&mut worker, &mut moves, job.deepest, &mut report, &mut NullSink);
    worker.note_nodes();
    report
}

/// Iterative deepening until the limits are used up or there is nothing left to find.
fn deepen(
    worker: &mut Worker<'_>,
    moves: &mut [RootMove],
    deepest: u32,
    report: &mut SearchReport,
    sink: &mut dyn ReportSink,
) {
    let mut proven_for = 0;
    let mut alone_for = 0;
    let mut told = None;
    for depth in 1..=deepest {
        if !worker.enter_depth(depth) {
            continue;
        }
        report.entered = depth;
        let before = report.last.score;
        sink.root_event(RootEvent::Deepens(depth));
        let finished = iterate(worker, moves, depth, before, sink);
        // A win stays a win: the table may have lost its proof meanwhile, but the move is still the right one.
        if before.is_win() && finished.is_none_or(|score| score < before) {
            break;
        }
        // When cut short, the first move is still the best so far, or the one that has just beaten it.
        report.best = Some(moves[0].point);
        let Some(score) = finished else { break };
        report.last = worker.iteration(depth, score);
        proven_line::hold_to_the_rules(worker, &mut report.last);
        if worker.is_main() {
            told = Some(proven_line::complete(worker, &report.last, told.as_ref()));
        }
        sink.iteration(told.as_ref().unwrap_or(&report.last));
        let score = report.last.score;
        if score.is_decisive() {
            proven_for += 1;
        }
        let effort = 1000 * moves[0].nodes / moves.iter().map(|m| m.nodes).sum::<u64>().max(1);
        worker.note_iteration(moves[0].point, score, effort as i32);
        alone_for = if score.is_loss() || moves[1..].iter().any(|m| !m.loses) { 0 } else { alone_for + 1 };
        let exhausted = depth as usize >= worker.board.moves_to_draw().max(1);
        let content = moves.len() == 1
            || exhausted
            || score.distance().is_some_and(|distance| distance <= depth as i32 || distance <= 5)
            || proven_for > PROOF_ITERATIONS
            || (alone_for > ALONE_ITERATIONS && worker.is_timed());
        if content || !worker.may_deepen() {
            break;
        }
    }
}

/// The nearest win that earlier searches have already proven, its move put first: whatever happens to the time for
/// this move, a win that was announced is not lost again.
fn known_win(worker: &mut Worker<'_>, moves: &mut [RootMove]) -> Option<Score> {
    // The position itself comes first: replies to a four stand in no table, but what was proven before them does.
    // All claims together get what one gets in the tree: a first iteration has to follow in any case.
    let mut nodes = reprove::NODES;
    let own =
        worker.probe_within(Ply::ROOT, &mut nodes).filter(|hit| hit.bound.proves(hit.score) && hit.score.is_win());
    let mut best: Option<(Score, usize)> = own.and_then(|hit| {
        let i = moves.iter().position(|root_move| Some(root_move.point) == hit.best)?;
        Some((hit.score, i))
    });
    for (i, root_move) in moves.iter().enumerate() {
        worker.play(root_move.point);
        let hit = worker.probe_within(Ply::ROOT.next(), &mut nodes);
        worker.undo();
        if let Some(hit) = hit
            && hit.bound.proves(hit.score)
            && hit.score.is_loss()
            && best.is_none_or(|(score, _)| -hit.score > score)
        {
            best = Some((-hit.score, i));
        }
    }
    let (score, i) = best?;
    moves[..=i].rotate_right(1);
    Some(score)
}

/// One iteration with its aspiration windows; the moves are left best first. `None` when it was cut short.
fn iterate(
    worker: &mut Worker<'_>,
    moves: &mut [RootMove],
    depth: u32,
    guess: Score,
    sink: &mut dyn ReportSink,
) -> Option<Score> {
    let params = worker.params;
    let narrow = depth as i32 >= params.aspiration_depth() && guess.units().abs() < params.aspiration_open();
    let mut delta = params.aspiration_window();
    let (mut alpha, mut beta) =
        if narrow { (guess - delta, guess + delta) } else { (-Score::INFINITE, Score::INFINITE) };
    loop {
        let score = search_moves(worker, moves, depth, (alpha, beta), sink)?;
        if score <= alpha && alpha > -Score::INFINITE {
            beta = Score::estimate(i32::midpoint(alpha.units(), beta.units())).max(alpha.above());
            alpha = score - delta;
        } else if score >= beta && beta < Score::INFINITE {
            beta = score + delta;
        } else {
            return Some(score);
        }
        delta += delta / 2 + 6;
        if score.units().abs() >= params.aspiration_open() {
            (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
        }
    }
}

/// Searches all root moves within one window, keeping them sorted; `None` when cut short.
fn search_moves(
    worker: &mut Worker<'_>,
    moves: &mut [RootMove],
    depth: u32,
    (mut alpha, beta): (Score, Score),
    sink: &mut dyn ReportSink,
) -> Option<Score> {
    let next = Depth::plies(depth as i32 - 1);
    let mut best: Option<Score> = None;
    worker.lines[0].clear();
    for i in 0..moves.len() {
        let point = moves[i].point;
        let nodes = worker.nodes;
        sink.root_event(RootEvent::Begins(point));
        let reduction = reduction(worker, depth, point, i);
        worker.play(point);
        let ply = Ply::ROOT.next();
        let mut score = Score::DRAW;
        if i > 0 {
            score = -worker.search(-alpha.above(), -alpha, next - reduction, ply);
            if score > alpha && reduction > Depth::ZERO && !worker.aborted {
                score = -worker.search(-alpha.above(), -alpha, next, ply);
            }
        }
        if i == 0 || (score > alpha && score < beta && !worker.aborted) {
            score = -worker.search(-beta, -alpha, next, ply);
        }
        worker.undo();
        if worker.aborted {
            return None;
        }
        sink.root_event(RootEvent::Ends(point));
        if score.is_loss() && score < beta {
            sink.root_event(RootEvent::Loses(point));
        }
        moves[i].nodes = worker.nodes - nodes;
        // Not above alpha, a loss is one all the more.
        moves[i].loses = score.is_loss();
        moves[i].score = if i == 0 || score > alpha { score } else { -Score::INFINITE };
        let is_best = best.is_none_or(|best| score > best);
        if is_best {
            best = Some(score);
        }
        if is_best && (i == 0 || score > alpha) {
            moves[..=i].rotate_right(1);
            worker.extend_line(Ply::ROOT, point);
            sink.root_event(RootEvent::Leads(point));
        }
        alpha = alpha.max(score);
        if score >= beta {
            break;
        }
    }
    // The best stays first; the others go by the effort they took.
    if let Some((_, others)) = moves.split_first_mut() {
        others.sort_by_key(|m| std::cmp::Reverse((m.score, m.nodes)));
    }
    best
}

/// How much less deeply a root move is searched at first, with so many before it: quiet moves of free positions only.
pub(super) fn reduction(worker: &Worker<'_>, depth: u32, point: Point, index: usize) -> Depth {
    let us = worker.board.side();
    let is_quiet = worker.board.threat(point, us) < Threat::Four;
    let params = &worker.params;
    if index < params.lmr_root() as usize || depth < 3 || !is_quiet || !forced::duty(&worker.board).is_free() {
        return Depth::ZERO;
    }
    let depth = Depth::plies(depth as i32);
    reduce::at_root(params, depth, index, worker.history.get(us, point)).min(depth - Depth::plies(2))
}

/// The moves worth considering, most promising first: a win at once, the replies that a threat leaves, or everything
/// near the stones; in a lost position whatever holds out longest; and if nothing else is legal, anything empty.
fn root_moves(worker: &mut Worker<'_>, scope: &Scope) -> RootMoves {
    let blocked = &scope.blocked;
    let board = &mut worker.board;
    let us = board.side();
    let size = board.size();
    if board.move_number() == 0 && !blocked.contains(&size.center()) && scope.lines == 1 {
        let center = RootMove { point: size.center(), score: Score::DRAW, nodes: 0, loses: false };
        return RootMoves { moves: vec![center], are_all: false };
    }
    let mut points = PointList::new();
    let fives = board.points_of(us, Threat::Five);
    let mut are_all = false;
    if fives.is_empty() {
        let loses = forced::static_result(board, Ply::ROOT).is_some_and(Score::is_loss);
        let duty = if loses { last_resorts(board) } else { forced::duty(board) };
        order::for_each_reply(board, &duty, |point| points.push(point));
        let is_complete = !duty.is_free() || points.len() + board.move_number() == size.cells();
        are_all = is_complete && !points.iter().any(|point| blocked.contains(point));
    } else {
        // A five that is also an overline wins, but one referee disagrees: take a plain one where there is one.
        let is_plain = |point: &&Point| Direction::ALL.iter().all(|&d| board.shape(**point, us, d) != Shape::Overline);
        points.push(*fives.iter().find(is_plain).unwrap_or(&fives[0]));
    }
    points.retain(|point| !blocked.contains(point) && worker.is_legal(*point));
    if points.is_empty() {
        let board = &worker.board;
        points.extend(size.points().filter(|p| board.is_empty(*p) && !blocked.contains(p)));
        if points.iter().any(|&point| worker.is_legal(point)) {
            points.retain(|point| worker.is_legal(*point));
        }
    }
    if points.is_empty() {
        are_all = false;
        points.extend(size.points().filter(|&point| worker.board.is_empty(point)));
    }
    if !scope.all_symmetric {
        // Where points are blocked, a move stands for its mirror images as far as these are open, too; where paths are
        // blocked, only if the same is blocked after both.
        let mut symmetries = symmetry::of_position(&worker.board);
        symmetries.retain(|&symmetry| scope.paths.are_kept_by(symmetry, &worker.board));
        let open = points.clone();
        points.retain(|point| {
            symmetries.iter().map(|s| s.apply(*point, size)).all(|image| image >= *point || !open.contains(&image))
        });
    }
    worker.evaluator.prepare();
    let mut moves: Vec<(i32, Point)> = points
        .iter()
        .map(|&point| {
            (order::policy(&worker.params, &worker.board, us, point, &worker.evaluator, worker.history), point)
        })
        .collect();
    moves.sort_unstable_by_key(|&(score, point)| (-score, point));
    let root_move = |(score, point)| RootMove { point, score: Score::estimate(score), nodes: 0, loses: false };
    RootMoves { moves: moves.into_iter().map(root_move).collect(), are_all }
}

/// Replies in a position that is lost whatever we do: blocks of one threat at least, and fours of our own.
fn last_resorts(board: &Board) -> Duty {
    let them = board.side().opponent();
    let level = if board.count(them, Threat::Five) > 0 { Threat::Five } else { Threat::OpenFour };
    let mut list = forced::kill_union(board, them, level);
    if level != Threat::Five {
        forced::push_fours(board, board.side(), &mut list);
    }
    Duty::StopFour(list)
}

impl Worker<'_> {
    /// A report on the iteration that has just ended.
    pub(super) fn iteration(&self, depth: u32, score: Score) -> Iteration {
        Iteration {
            depth,
            seldepth: self.seldepth as u32,
            score,
            nodes: self.total_nodes(),
            elapsed: self.elapsed(),
            pv: self.lines[0].to_vec(),
            rank: 1,
        }
    }
}
