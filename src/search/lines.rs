//! Several best moves at once (multi-PV): one pass over the root moves an iteration, with the table shared by all
//! lines. Floor 3.
//!
//! The moves that were best so far are searched first, each within a narrow window around its own score; every other
//! move has only to be shown no better than the last of them, by a null window. So each line beyond the first costs
//! its own line and little more, and no move is searched twice because of it.

use super::proven_line::hold_to_the_rules;
use super::report::{Iteration, ReportSink, RootEvent, SearchReport};
use super::root::{self, PROOF_ITERATIONS, RootMove};
use super::worker::Worker;
use crate::base::{Depth, Ply, Point, Score};

/// A root move with a line of its own.
struct Candidate {
    iteration: Iteration,
    /// Iterations since its result was proven.
    proven_for: u32,
}

impl Candidate {
    fn point(&self) -> Point {
        self.iteration.pv[0]
    }

    fn score(&self) -> Score {
        self.iteration.score
    }

    /// Whether nothing is left to find out: a proof that will not get shorter, or was given time to.
    fn is_settled(&self) -> bool {
        let depth = self.iteration.depth as i32;
        let is_patient = self.proven_for <= PROOF_ITERATIONS;
        self.score().distance().is_some_and(|distance| distance <= depth || distance <= 5 || !is_patient)
    }
}

/// Iterative deepening for the `wanted` best of `moves` (at least two), until the limits are used up or all of them
/// are settled. The report's lines are those of the last iteration that searched all candidates.
pub(super) fn deepen(
    worker: &mut Worker<'_>,
    moves: &mut [RootMove],
    wanted: usize,
    deepest: u32,
    report: &mut SearchReport,
    sink: &mut dyn ReportSink,
) {
    let mut lines: Vec<Candidate> = Vec::new();
    for depth in 1..=deepest {
        report.entered = depth;
        sink.root_event(RootEvent::Deepens(depth));
        let finished = iterate(worker, moves, &mut lines, wanted, depth, sink);
        if lines.len() < wanted {
            break;
        }
        for (index, line) in lines.iter_mut().enumerate() {
            line.iteration.rank = index + 1;
        }
        report.best = Some(lines[0].point());
        report.lines = lines.iter().map(|line| line.iteration.clone()).collect();
        report.last = lines[0].iteration.clone();
        if !finished {
            break;
        }
        report.lines.iter().rev().for_each(|line| sink.iteration(line));
        let exhausted = depth as usize >= worker.board.moves_to_draw().max(1);
        if exhausted || lines.iter().all(Candidate::is_settled) || !worker.may_deepen() {
            break;
        }
    }
}

/// One iteration; the lines are left best first. `false` when it was cut short: the lines are then those found if
/// every earlier candidate has been searched, and unchanged otherwise.
fn iterate(
    worker: &mut Worker<'_>,
    moves: &mut [RootMove],
    lines: &mut Vec<Candidate>,
    wanted: usize,
    depth: u32,
    sink: &mut dyn ReportSink,
) -> bool {
    let mut found: Vec<Candidate> = Vec::new();
    let earlier: Vec<Point> = lines.iter().map(Candidate::point).collect();
    let mut all_searched = earlier.is_empty();
    for (index, root_move) in moves.iter_mut().enumerate() {
        let point = root_move.point;
        let before = lines.get(index).filter(|line| line.point() == point);
        sink.root_event(RootEvent::Begins(point));
        let nodes = worker.nodes;
        // The score that a move must beat to be among the best.
        let bar = if found.len() < wanted { -Score::INFINITE } else { found[wanted - 1].score() };
        let score = match before {
            Some(line) if line.is_settled() => Some(line.score()),
            Some(line) => aspire(worker, point, depth, line.score()),
            None => challenge(worker, point, depth, bar, root::reduction(worker, depth, point, index)),
        };
        let Some(score) = score else { break };
        root_move.nodes = worker.nodes - nodes;
        root_move.score = if score > bar { score } else { -Score::INFINITE };
        sink.root_event(RootEvent::Ends(point));
        if score.is_loss() {
            sink.root_event(RootEvent::Loses(point));
        }
        if score > bar {
            let candidate = candidate(worker, before, point, score, depth);
            let place = found.partition_point(|line| line.score() >= candidate.score());
            if place == 0 {
                sink.root_event(RootEvent::Leads(point));
            }
            found.insert(place, candidate);
            found.truncate(wanted);
        }
        all_searched |= index + 1 == earlier.len();
    }
    if !all_searched || found.len() < wanted {
        return false;
    }
    // The best come first, in their order; the others by the effort they took.
    let rank = |point: Point| found.iter().position(|line| line.point() == point).unwrap_or(wanted);
    moves.sort_by_key(|m| (rank(m.point), std::cmp::Reverse(m.nodes)));
    *lines = found;
    !worker.aborted
}

/// Whether something that was proven `before` is taken back, or a win put off.
fn is_worse_proof(before: Score, now: Score) -> bool {
    (before.is_win() && now < before) || (before.is_loss() && !now.is_loss())
}

/// What an iteration has found about a move, and what it remembers of the one before.
fn candidate(worker: &Worker<'_>, before: Option<&Candidate>, point: Point, score: Score, depth: u32) -> Candidate {
    if let Some(before) = before
        && (before.is_settled() || is_worse_proof(before.score(), score))
    {
        // A proof stays a proof, even when the table has lost it.
        return Candidate { iteration: before.iteration.clone(), proven_for: before.proven_for + 1 };
    }
    let mut iteration = worker.iteration(depth, score);
    debug_assert_eq!(iteration.pv.first(), Some(&point), "the line begins with its move");
    iteration.pv[0] = point;
    hold_to_the_rules(worker, &mut iteration);
    let proven_for = before.map_or(0, |before| before.proven_for) + u32::from(iteration.score.is_decisive());
    Candidate { iteration, proven_for }
}

/// Value of a root move that had `guess` before, by windows around it that grow; `None` when cut short.
fn aspire(worker: &mut Worker<'_>, point: Point, depth: u32, guess: Score) -> Option<Score> {
    let params = worker.params;
    let mut delta = params.aspiration_window();
    let narrow = depth as i32 >= params.aspiration_depth() && guess.units().abs() < params.aspiration_open();
    let (mut alpha, mut beta) =
        if narrow { (guess - delta, guess + delta) } else { (-Score::INFINITE, Score::INFINITE) };
    loop {
        let score = try_move(worker, point, Depth::plies(depth as i32), alpha, beta)?;
        if score <= alpha && alpha > -Score::INFINITE {
            alpha = score - delta;
        } else if score >= beta && beta < Score::INFINITE {
            beta = score + delta;
        } else {
            return Some(score);
        }
        delta *= 2;
        if score.units().abs() >= params.aspiration_open() {
            (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
        }
    }
}

/// Value of a root move if it is better than `bar`, otherwise a bound that is not, from a less deep search if that is
/// enough; `None` when cut short.
fn challenge(worker: &mut Worker<'_>, point: Point, depth: u32, bar: Score, reduction: Depth) -> Option<Score> {
    let depth = Depth::plies(depth as i32);
    if bar > -Score::INFINITE {
        let shallow = (reduction > Depth::ZERO).then_some(depth - reduction);
        for depth in shallow.into_iter().chain([depth]) {
            let score = try_move(worker, point, depth, bar, bar.above())?;
            if score <= bar {
                return Some(score);
            }
        }
    }
    try_move(worker, point, depth, bar, Score::INFINITE)
}

/// Searches one root move within a window and leaves its line; `None` when cut short.
fn try_move(worker: &mut Worker<'_>, point: Point, depth: Depth, alpha: Score, beta: Score) -> Option<Score> {
    worker.play(point);
    let score = -worker.search(-beta, -alpha, depth - Depth::ONE, Ply::ROOT.next());
    worker.undo();
    worker.extend_line(Ply::ROOT, point);
    (!worker.aborted).then_some(score)
}
