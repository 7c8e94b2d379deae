//! The stop set of a threatened win by fours: the replies that may refute it. Every other reply leaves the winning tree
//! as it is, and loses.
//!
//! The attacker is to move and has a win by fours, as a tree of fours and all their stops. Suppose the defender first
//! puts one more stone on a cell `c`. If the stone makes no four (fours are always added to the replies), the same tree
//! still wins unless the stone
//!
//! - stands where the tree puts one: on a four, a stop or a five;
//! - weakens one of the fours on its line or, in caro, changes the cells that stop it (there the whole line counts);
//! - turns a stop into a four of the defender, which the attacker would have to answer.
//!
//! A stone of the defender never makes a line of the attacker stronger, so nothing else changes, except in renju, where
//! the legality of a point depends on stones far away. A tree with a suspected foul among black's fours, or with a
//! forbidden stop, gets no stop set: every reply counts.

use super::vcf::VcfSolver;
use crate::base::{Color, Direction, Point, ReplyList};
use crate::board::{Board, CellSet, Threat};
use crate::search::forced;

/// Which replies may refute a threatened win.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stops {
    /// Any.
    All,
    /// Only these cells, and fours of the defender.
    Cells(CellSet),
}

/// The stop set of the win by fours, in `moves` attacking moves, that `solver` has just found for the side to move.
/// `None` when the solver does not find it again.
pub fn stop_set(solver: &mut VcfSolver, board: &mut Board, moves: u32, spare: usize) -> Option<Stops> {
    let mut stops = Stops::Cells(CellSet::default());
    walk(solver, board, moves, spare, &mut stops).then_some(stops)
}

/// The replies in a stop set, and all fours of the side to move.
pub fn replies(board: &Board, stops: &Stops) -> ReplyList {
    let mut replies = ReplyList::new();
    match stops {
        Stops::All => replies.extend(board.empty_cells().points()),
        Stops::Cells(cells) => {
            replies.extend((*cells & *board.empty_cells()).points());
            forced::push_fours(board, board.side(), &mut replies);
        }
    }
    replies
}

fn mark(stops: &mut Stops, point: Point) {
    if let Stops::Cells(cells) = stops {
        cells.insert(point);
    }
}

/// Marks the cells that matter to the attacker's tree from here on; `false` when the solver does not find it again.
fn walk(solver: &mut VcfSolver, board: &mut Board, moves: u32, spare: usize, stops: &mut Stops) -> bool {
    let us = board.side();
    let Some(attack) = solver.replay(board, moves, spare) else { return false };
    let point = attack.point;
    mark_line(board, point, us, stops);
    let threat = board.threat(point, us);
    if threat == Threat::Five {
        return true;
    }
    if threat == Threat::Forbidden {
        *stops = Stops::All;
        return true;
    }
    board.with_move(point, |board| walk_stops(solver, board, moves, spare, stops))
}

/// Marks the cells around `point` where a defending stone changes the fours and fives that it makes.
fn mark_line(board: &Board, point: Point, us: Color, stops: &mut Stops) {
    mark(stops, point);
    for direction in Direction::ALL {
        let shape = board.shape(point, us, direction);
        if !shape.may_be_four() {
            continue;
        }
        for (distance, after) in board.shapes_after(point, us, direction, us.opponent()) {
            if (after < shape || board.rule().is_caro())
                && let Some(cell) = point.step(direction, distance as i32)
            {
                mark(stops, cell);
            }
        }
    }
}

/// The same for a position with the defender to move.
fn walk_stops(solver: &mut VcfSolver, board: &mut Board, moves: u32, spare: usize, stops: &mut Stops) -> bool {
    let them = board.side();
    let us = them.opponent();
    for five in board.points_of(us, Threat::Five) {
        mark_line(board, five, us, stops);
    }
    for stop in forced::kill_intersection(board, us, Threat::Five) {
        if !board.may_play(stop, them) {
            *stops = Stops::All;
        }
        if *stops == Stops::All {
            return true;
        }
        mark(stops, stop);
        forced::for_each_counter(board, stop, them, |cell| mark(stops, cell));
        if !board.with_move(stop, |board| walk(solver, board, moves - 1, spare, stops)) {
            return false;
        }
    }
    true
}
