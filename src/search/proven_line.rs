//! Lines of proven results, as they are told: held to the slow rules, and carried on to the end. Floor 3.

use super::forced;
use super::report::Iteration;
use super::worker::Worker;
use crate::base::{Color, Point};
use crate::board::oracle::{Oracle, Verdict};
use crate::board::{Board, NullObserver, Threat};
use crate::solver::{VcfOutcome, VcfSolver};
use std::time::Duration;

/// Nodes spent on the rest of a proven line: some milliseconds at most.
const LINE_NODES: u64 = 4000;
/// Size of the table for that, as a power of two.
const LINE_TABLE_BITS: u32 = 16;
/// Time there must be to spare for that.
const LINE_TIME: Duration = Duration::from_millis(50);

/// Takes a proof back whose line the slow rules refuse. That would be a mistake of ours, and is logged.
pub(super) fn hold_to_the_rules(worker: &Worker<'_>, iteration: &mut Iteration) {
    if iteration.score.distance().is_some_and(|distance| distance > 5) && !line_holds(&worker.board, iteration) {
        log::error!("the rules refuse a proven line: {iteration:?}");
        iteration.score = iteration.score.unproven();
    }
}

/// Replays the line of a proven result by the slow rules: every move legal, nobody done before the end, and a line
/// that reaches the end really ends in a win. (A line may stop early, where the table or the threats settle the rest.)
fn line_holds(board: &Board, iteration: &Iteration) -> bool {
    let size = board.size();
    let mut oracle = Oracle::new(board.rule(), size);
    size.points().for_each(|point| oracle.set(point, board.cell(point)));
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

/// The iteration as it is told: the line of a proven result carried on through what the search has not gone through,
/// because a chain of fours settled it; not where time is short. The rest is taken from what was told before if that
/// began in the same way. What the search reports stays as it was: it must not depend on the clock.
pub(super) fn complete(worker: &Worker<'_>, iteration: &Iteration, told: Option<&Iteration>) -> Iteration {
    let mut iteration = iteration.clone();
    let Some(distance) = iteration.score.distance() else { return iteration };
    if iteration.pv.len() as i32 >= distance || worker.paths.salt() != 0 {
        return iteration;
    }
    if let Some(told) = told.filter(|told| told.score == iteration.score && told.pv.starts_with(&iteration.pv))
        && told.pv.len() > iteration.pv.len()
    {
        iteration.pv.clone_from(&told.pv);
        return iteration;
    }
    if !worker.can_spare(LINE_TIME) {
        return iteration;
    }
    let mut board = worker.board.clone();
    let winner = if iteration.score.is_win() { board.side() } else { board.side().opponent() };
    iteration.pv.iter().for_each(|&point| board.play(point, &mut NullObserver));
    let known = iteration.pv.len();
    if let Some(rest) = chain_of_fours(&mut board, winner, (distance as usize - known) as u32) {
        iteration.pv.extend(rest);
        if !line_holds(&worker.board, &iteration) {
            iteration.pv.truncate(known);
        }
    }
    iteration
}

/// A win by fours in exactly so many plies, the best defence among the stops of a four that may have been made just
/// now. It ends with a five, or just before a foul.
fn chain_of_fours(board: &mut Board, winner: Color, left: u32) -> Option<Vec<Point>> {
    let mut solver = VcfSolver::new(LINE_TABLE_BITS);
    if board.side() == winner {
        return chain_from(&mut solver, board, left);
    }
    if board.count(winner.opponent(), Threat::Five) > 0 {
        return None;
    }
    forced::kill_intersection(board, winner, Threat::Five).into_iter().find_map(|stop| {
        if !board.may_play(stop, winner.opponent()) {
            return None;
        }
        board.play(stop, &mut NullObserver);
        let rest = chain_from(&mut solver, board, left.saturating_sub(1));
        board.undo(&mut NullObserver);
        rest.map(|rest| [vec![stop], rest].concat())
    })
}

/// A win by fours of the side to move in exactly so many plies.
fn chain_from(solver: &mut VcfSolver, board: &mut Board, left: u32) -> Option<Vec<Point>> {
    let side = board.side();
    // The shortest one may be shorter than what was found.
    [VcfSolver::solve_shortest, VcfSolver::solve].into_iter().find_map(|look| {
        let spent = solver.nodes();
        let result = look(solver, board, side, LINE_NODES.saturating_sub(spent));
        let mut line = result.line;
        if line.len().is_multiple_of(2) {
            line.pop();
        }
        (result.outcome == VcfOutcome::Win && result.distance == left).then_some(line)
    })
}
