//! Move order: the table move first, before any move is generated, then the others by score. The best remaining move is
//! picked on demand, because most nodes need only a few.

use super::forced::Duty;
use super::history::History;
use super::params::Params;
use crate::base::{Color, Point, PointList, Size};
use crate::board::Board;
use crate::eval::Evaluator;
use arrayvec::ArrayVec;

/// Boards with no side longer than this are searched on all their points.
const SMALL_SIDE: usize = 9;

/// Picks moves, best first. The caller checks whether black's moves are legal in renju.
pub struct MovePicker {
    table_move: Option<Point>,
    stage: Stage,
    /// The best move score.
    top: i32,
    /// By how much the last move's score is below it.
    lag: i32,
    /// The moves left, unsorted.
    rest: ArrayVec<Rank, { Size::MAX_CELLS }>,
}

/// A move and its score in one number, so that the best of many is found without a branch. Equal scores are ordered by
/// point.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Rank(i32);

impl Rank {
    /// More than the index of any point.
    const POINTS: i32 = 1024;
    /// Scores are clamped to this.
    const MOST: i32 = i32::MAX / Rank::POINTS - 1;

    fn new(score: i32, point: Point) -> Rank {
        Rank(score.clamp(-Rank::MOST, Rank::MOST) * Rank::POINTS + (Rank::POINTS - 1 - point.index() as i32))
    }

    fn score(self) -> i32 {
        self.0.div_euclid(Rank::POINTS)
    }

    fn point(self) -> Option<Point> {
        Point::from_index((Rank::POINTS - 1 - self.0.rem_euclid(Rank::POINTS)) as usize)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableMove,
    Generate,
    Rest,
}

impl MovePicker {
    /// A picker for a node with this table move, which is ignored where it cannot be played.
    pub fn new(board: &Board, duty: &Duty, table_move: Option<Point>) -> MovePicker {
        let table_move = table_move.filter(|&point| board.is_empty(point) && allows(duty, point));
        MovePicker { table_move, stage: Stage::TableMove, top: 0, lag: 0, rest: ArrayVec::new() }
    }

    /// The next move.
    pub fn next(
        &mut self,
        params: &Params,
        board: &Board,
        duty: &Duty,
        evaluator: &mut impl Evaluator,
        history: &History,
    ) -> Option<Point> {
        if self.stage == Stage::TableMove {
            self.stage = Stage::Generate;
            if self.table_move.is_some() {
                return self.table_move;
            }
        }
        if self.stage == Stage::Generate {
            self.stage = Stage::Rest;
            let us = board.side();
            evaluator.prepare();
            let mut points = PointList::new();
            for_each_reply(board, duty, |point| points.push(point));
            self.top = i32::MIN;
            let mut scores = ArrayVec::new();
            policy(params, board, us, &points, evaluator, history, &mut scores);
            for (&point, &score) in points.iter().zip(&scores) {
                self.top = self.top.max(score);
                if Some(point) != self.table_move {
                    self.rest.push(Rank::new(score, point));
                }
            }
        }
        let best = Rank(self.rest.iter().fold(i32::MIN, |best, rank| best.max(rank.0)));
        let at = self.rest.iter().position(|&rank| rank == best)?;
        self.rest.swap_remove(at);
        self.lag = self.top - best.score();
        best.point()
    }

    /// Whether the last move was the table move.
    pub fn is_table_move(&self) -> bool {
        self.stage == Stage::Generate
    }

    /// By how much the last move's score is below the best one; zero for the table move.
    pub fn lag(&self) -> i32 {
        self.lag
    }
}

/// Scores of moves.
pub type Scores = ArrayVec<i32, { Size::MAX_CELLS }>;

/// Appends the scores of these moves in the order: those of the network if there is one, plus history. The evaluator must
/// be prepared, and `scores` be empty.
pub fn policy(
    params: &Params,
    board: &Board,
    us: Color,
    points: &[Point],
    evaluator: &impl Evaluator,
    history: &History,
    scores: &mut Scores,
) {
    evaluator.policy(board, points, scores);
    for (score, &point) in scores.iter_mut().zip(points) {
        *score += history.get(us, point) / params.history_divisor();
    }
}

/// The classical score of a move plus history: quicker than [`policy`].
pub fn score(
    params: &Params,
    board: &Board,
    us: Color,
    point: Point,
    evaluator: &impl Evaluator,
    history: &History,
) -> i32 {
    evaluator.move_score(board, point) + history.get(us, point) / params.history_divisor()
}

fn allows(duty: &Duty, point: Point) -> bool {
    duty.replies().is_none_or(|replies| replies.contains(&point))
}

/// Calls `visit` with every move that the duty leaves. Where there is none, these are the points near stones, or all points
/// on small boards and where no point is near a stone.
pub fn for_each_reply(board: &Board, duty: &Duty, mut visit: impl FnMut(Point)) {
    if let Some(replies) = duty.replies() {
        return replies.iter().for_each(|&point| visit(point));
    }
    let mut found = false;
    if !is_full_width(board) {
        board.for_each_near(|point| {
            found = true;
            visit(point);
        });
    }
    if !found {
        board.size().points().filter(|&point| board.is_empty(point)).for_each(visit);
    }
}

/// Whether free nodes search every empty point, so that their losses are proofs.
pub fn is_full_width(board: &Board) -> bool {
    board.size().width().max(board.size().height()) <= SMALL_SIDE
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Reverse;

    #[test]
    fn ranks_are_ordered_by_score_and_then_by_point_and_contain_both() {
        let size = Size::square(22).unwrap();
        let scores = [-Rank::MOST, -70_000, -1, 0, 1, 345, 70_000, Rank::MOST];
        let all: Vec<(i32, Point)> = size.points().flat_map(|point| scores.map(|score| (score, point))).collect();
        for &(score, point) in &all {
            let rank = Rank::new(score, point);
            assert_eq!((rank.score(), rank.point()), (score, Some(point)));
        }
        for pair in all.chunks(7).flat_map(|chunk| chunk.iter().map(move |one| (chunk[0], *one))) {
            let ((score, point), (other, another)) = pair;
            let slow = (score, Reverse(point)).cmp(&(other, Reverse(another)));
            assert_eq!(Rank::new(score, point).0.cmp(&Rank::new(other, another).0), slow, "{pair:?}");
        }
        let corner = Point::new(0, 0).unwrap();
        assert_eq!(Rank::new(i32::MAX, corner).score(), Rank::MOST);
        assert_eq!(Rank::new(i32::MIN, corner).score(), -Rank::MOST);
    }
}
