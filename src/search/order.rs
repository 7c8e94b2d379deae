//! Move order: the table move first, before any move is generated, then the others by score. The best remaining move is
//! picked on demand, because most nodes need only a few.

use super::forced::Duty;
use super::history::History;
use super::params::Params;
use crate::base::{Color, MoveScores, Point, PointList, Size};
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
    /// The moves, in the order of points.
    points: PointList,
    /// The number of the [`Rank`] of each of them; [`Rank::GONE`] for those that were picked.
    ranks: MoveScores,
    /// The best of each [`BLOCK`] of ranks.
    best_of_blocks: ArrayVec<i32, { Size::MAX_CELLS.div_ceil(BLOCK) }>,
}

/// Ranks of which the best one is known.
const BLOCK: usize = 16;

#[inline(always)]
fn best_of(ranks: &[i32]) -> i32 {
    ranks.iter().fold(Rank::GONE.0, |best, &rank| best.max(rank))
}

/// A move, by its place in the list, and its score in one number, so that the best of many is found without a branch. Equal
/// scores are ordered by place.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Rank(i32);

impl Rank {
    /// More than any place.
    const PLACES: i32 = 1024;
    /// Scores are clamped to this.
    const MOST: i32 = i32::MAX / Rank::PLACES - 1;
    /// Less than every move.
    const GONE: Rank = Rank(i32::MIN);

    fn new(score: i32, place: usize) -> Rank {
        Rank(score.clamp(-Rank::MOST, Rank::MOST) * Rank::PLACES + (Rank::PLACES - 1 - place as i32))
    }

    fn score(self) -> i32 {
        self.0.div_euclid(Rank::PLACES)
    }

    fn place(self) -> usize {
        (Rank::PLACES - 1 - self.0.rem_euclid(Rank::PLACES)) as usize
    }
}

const _: () = assert!(Rank::PLACES as usize >= Size::MAX_CELLS);

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
        MovePicker {
            table_move,
            stage: Stage::TableMove,
            top: 0,
            lag: 0,
            points: PointList::new(),
            ranks: MoveScores::new(),
            best_of_blocks: ArrayVec::new(),
        }
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
            // The only reply needs no score.
            if let Some(&[only]) = duty.replies() {
                return Some(only).filter(|_| self.table_move.is_none());
            }
            evaluator.prepare();
            for_each_reply(board, duty, |point| self.points.push(point));
            if !duty.is_free() {
                self.points.sort_unstable();
            }
            debug_assert!(self.points.is_sorted(), "the table move is looked up by bisection");
            policy(params, board, &self.points, evaluator, history, !duty.is_free(), &mut self.ranks);
            self.rank();
        }
        let best = Rank(best_of(&self.best_of_blocks));
        if best == Rank::GONE {
            return None;
        }
        let place = best.place();
        self.ranks[place] = Rank::GONE.0;
        let block = &self.ranks[place - place % BLOCK..];
        self.best_of_blocks[place / BLOCK] = match block.first_chunk::<BLOCK>() {
            Some(block) => best_of(block),
            None => best_of(block),
        };
        self.lag = self.top - best.score();
        Some(self.points[place])
    }

    /// Turns the scores of the moves into ranks.
    fn rank(&mut self) {
        self.top = best_of(&self.ranks);
        for (place, rank) in self.ranks.iter_mut().enumerate() {
            *rank = Rank::new(*rank, place).0;
        }
        if let Some(place) = self.table_move.and_then(|table_move| self.points.binary_search(&table_move).ok()) {
            self.ranks[place] = Rank::GONE.0;
        }
        self.best_of_blocks.extend(self.ranks.chunks(BLOCK).map(best_of));
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

/// Appends the move-ordering scores of these moves: those of the network if there is one, plus history. `are_replies`: a
/// four is threatened. The evaluator must be prepared, and `scores` be empty.
pub fn policy(
    params: &Params,
    board: &Board,
    points: &[Point],
    evaluator: &impl Evaluator,
    history: &History,
    are_replies: bool,
    scores: &mut MoveScores,
) {
    evaluator.policy(board, points, scores);
    history.add_move_scores(params, board, points, are_replies, scores);
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

/// Calls `visit` with every move that the duty leaves. Without a threat to answer, these are the points near stones, or all
/// points on small boards and where no point is near a stone.
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
    use crate::base::Rule;
    use crate::board::notation::parse_moves;
    use crate::eval::ShapeEvaluator;
    use std::cmp::Reverse;

    #[test]
    fn every_move_is_picked_once_the_table_move_first_and_the_others_by_score() {
        let (rule, size) = (Rule::Freestyle, Size::square(15).unwrap());
        let (params, history, duty) = (Params::shipped(rule), History::new(), Duty::Free);
        let (mut board, mut evaluator) = (Board::new(rule, size), ShapeEvaluator::new(rule));
        evaluator.refresh(&board);
        for point in parse_moves("h8i9g9h10", size).unwrap() {
            board.play(point, &mut evaluator);
        }
        let mut expected = Vec::new();
        for_each_reply(&board, &duty, |point| expected.push(point));
        let table_move = expected[expected.len() / 2];
        let mut picker = MovePicker::new(&board, &duty, Some(table_move));
        let (mut picked, mut lags) = (Vec::new(), Vec::new());
        while let Some(point) = picker.next(&params, &board, &duty, &mut evaluator, &history) {
            assert_eq!(picker.is_table_move(), picked.is_empty());
            picked.push(point);
            lags.push(picker.lag());
        }
        assert_eq!(picked[0], table_move);
        assert!(lags[1..].is_sorted());
        picked.sort_unstable();
        assert_eq!(picked, expected);
    }

    #[test]
    fn the_only_reply_is_picked_once() {
        let (rule, size) = (Rule::Freestyle, Size::square(15).unwrap());
        let (params, history, mut evaluator) = (Params::shipped(rule), History::new(), ShapeEvaluator::new(rule));
        let board = crate::board::tests::board_after(rule, "h8h9i8i9j8j9k8");
        evaluator.refresh(&board);
        let only = parse_moves("g8", size).unwrap()[0];
        let duty = Duty::StopFive(std::iter::once(only).collect());
        for table_move in [None, Some(only), parse_moves("a1", size).unwrap().first().copied()] {
            let mut picker = MovePicker::new(&board, &duty, table_move);
            let mut next = || picker.next(&params, &board, &duty, &mut evaluator, &history);
            assert_eq!([next(), next(), next()], [Some(only), None, None], "{table_move:?}");
        }
    }

    #[test]
    fn ranks_are_ordered_by_score_and_then_by_place_and_contain_both() {
        let scores = [-Rank::MOST, -70_000, -1, 0, 1, 345, 70_000, Rank::MOST];
        let all: Vec<(i32, usize)> =
            (0..Size::MAX_CELLS).flat_map(|place| scores.map(|score| (score, place))).collect();
        for &(score, place) in &all {
            let rank = Rank::new(score, place);
            assert_eq!((rank.score(), rank.place()), (score, place));
            assert!(rank.0 > Rank::GONE.0);
        }
        for pair in all.chunks(7).flat_map(|chunk| chunk.iter().map(move |one| (chunk[0], *one))) {
            let ((score, place), (other, another)) = pair;
            let slow = (score, Reverse(place)).cmp(&(other, Reverse(another)));
            assert_eq!(Rank::new(score, place).0.cmp(&Rank::new(other, another).0), slow, "{pair:?}");
        }
        assert_eq!(Rank::new(i32::MAX, 0).score(), Rank::MOST);
        assert_eq!(Rank::new(i32::MIN, 0).score(), -Rank::MOST);
    }
}
