//! Continuation history: how often moves caused a cut-off by where they lie, seen from the last two moves. What is learned
//! in one part of the board holds in all others.

use super::gravity;
use super::params::Params;
use crate::base::{Point, point};
use crate::board::Board;

/// Largest distance with an entry of its own, in rows and columns; longer ones count as this.
const REACH: i32 = 15;
/// Relations along one axis, rounded up to a power of two.
const STRIDE: usize = 32;
/// Number of relations of two points.
const RELATIONS: usize = STRIDE * STRIDE;
/// Earlier moves that a move is related to: the opponent's last one, and our own before it.
const EARLIER: usize = 2;
/// Takes the place of an earlier move that was not played; its weight is 0.
const NOT_PLAYED: Point = Point::new(0, 0).expect("a point of every board");

/// What a thread has learned.
#[derive(Clone, Debug)]
pub struct Continuations {
    /// By the earlier move, the colour and the relation.
    table: Box<[[[i16; RELATIONS]; 2]; EARLIER]>,
}

impl Continuations {
    /// Nothing learned.
    pub fn new() -> Continuations {
        Continuations { table: Box::new([[[0; RELATIONS]; 2]; EARLIER]) }
    }

    /// All entries.
    pub fn entries(&mut self) -> impl Iterator<Item = &mut i16> {
        self.table.iter_mut().flatten().flatten()
    }

    /// What is learned about the moves of the side to move.
    #[inline]
    pub fn of_moves(&self, params: &Params, board: &Board) -> OfMoves<'_> {
        let color = board.side().index();
        let mut of_moves = OfMoves {
            entries: std::array::from_fn(|place| &self.table[place][color]),
            seen_from: [SeenFrom::new(NOT_PLAYED); EARLIER],
            weights: [0; EARLIER],
        };
        let weights = [params.history_last(), params.history_before_last()];
        for (place, earlier) in earlier_moves(board) {
            (of_moves.seen_from[place], of_moves.weights[place]) = (SeenFrom::new(earlier), weights[place]);
        }
        of_moves
    }

    /// Changes the entries of a move of the side to move.
    pub fn update(&mut self, params: &Params, board: &Board, point: Point, bonus: i32) {
        let color = board.side().index();
        for (place, earlier) in earlier_moves(board) {
            let relation = SeenFrom::new(earlier).relation(point);
            gravity::update(&mut self.table[place][color][relation], bonus, params.history_limit());
        }
    }
}

/// What is learned about the moves in a position, for many moves in turn.
#[derive(Clone, Copy, Debug)]
pub struct OfMoves<'a> {
    /// By the earlier move, then by the relation.
    entries: [&'a [i16; RELATIONS]; EARLIER],
    /// The earlier moves.
    seen_from: [SeenFrom; EARLIER],
    /// Their weights; 0 where no such move was played.
    weights: [i32; EARLIER],
}

impl OfMoves<'_> {
    /// The weighted entries of a move, in 64ths of the unit of the point history.
    #[inline]
    pub fn get(&self, point: Point) -> i32 {
        let entry =
            |place: usize| i32::from(self.entries[place][self.seen_from[place].relation(point)]) * self.weights[place];
        (0..EARLIER).map(entry).sum()
    }
}

/// The earlier moves that were played on this board, with their places in the table.
#[inline]
fn earlier_moves(board: &Board) -> impl Iterator<Item = (usize, Point)> {
    let moves: [Option<Point>; EARLIER] = [board.last_move(), board.move_before_last()];
    moves.into_iter().enumerate().filter_map(|(place, earlier)| Some((place, earlier?)))
}

/// A point from which relations are taken, as the rows of [`STEPS`] for its column and its row.
#[derive(Clone, Copy, Debug)]
struct SeenFrom {
    columns: &'static [u8; STRIDE],
    rows: &'static [u8; STRIDE],
}

impl SeenFrom {
    #[inline(always)]
    fn new(from: Point) -> SeenFrom {
        let [x, y] = padded(from);
        SeenFrom { columns: &STEPS[x], rows: &STEPS[y] }
    }

    /// Index of where a point lies, below [`RELATIONS`].
    #[inline(always)]
    fn relation(self, to: Point) -> usize {
        let [x, y] = padded(to);
        usize::from(self.columns[x]) * STRIDE + usize::from(self.rows[y])
    }
}

/// The steps along an axis from a padded coordinate to another, cut off at [`REACH`], counted from 1: looked up, because a node
/// relates all its moves to the same points.
static STEPS: [[u8; STRIDE]; STRIDE] = {
    let mut steps = [[0; STRIDE]; STRIDE];
    let mut from = 0;
    while from < STRIDE {
        let mut to = 0;
        while to < STRIDE {
            let along = to as i32 - from as i32;
            let along = if along < -REACH {
                -REACH
            } else if along > REACH {
                REACH
            } else {
                along
            };
            steps[from][to] = (along + REACH + 1) as u8;
            to += 1;
        }
        from += 1;
    }
    steps
};

/// Column and row of a point on the padded board, below [`STRIDE`].
#[inline(always)]
fn padded(point: Point) -> [usize; 2] {
    [point.index() % point::STRIDE, point.index() / point::STRIDE % STRIDE]
}

const _: () = assert!(point::STRIDE == STRIDE);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;
    use crate::board::tests::board_after;

    fn board(moves: &str) -> Board {
        board_after(Rule::Freestyle, moves)
    }

    fn point(x: usize, y: usize) -> Point {
        Point::new(x, y).unwrap()
    }

    #[test]
    fn what_is_learned_in_one_place_holds_in_another() {
        let params = Params::shipped(Rule::Freestyle);
        // The last two moves lie alike, four columns to the right and two rows up.
        let (here, there) = (board("c13d12"), board("g11h10"));
        let mut learned = Continuations::new();
        learned.update(&params, &here, point(4, 8), 500);
        assert_eq!(
            learned.of_moves(&params, &there).get(point(8, 6)),
            learned.of_moves(&params, &here).get(point(4, 8))
        );
        assert!(learned.of_moves(&params, &there).get(point(8, 6)) > 0);
        assert_eq!(learned.of_moves(&params, &there).get(point(9, 6)), 0);
        assert_eq!(learned.of_moves(&params, &board("a1c13d12")).get(point(4, 8)), 0, "the other colour");
    }

    #[test]
    fn entries_stay_within_the_limit_at_any_distance() {
        let params = Params::shipped(Rule::Freestyle);
        let here = board("a1o15");
        let mut learned = Continuations::new();
        for _ in 0..1000 {
            learned.update(&params, &here, point(14, 14), params.history_cap());
            learned.update(&params, &here, point(0, 0), -params.history_cap());
        }
        let limit = params.history_limit();
        assert!(learned.entries().all(|entry| i32::from(*entry).abs() <= limit));
        assert!(
            learned.of_moves(&params, &here).get(point(14, 14)) > 0
                && learned.of_moves(&params, &here).get(point(0, 0)) < 0
        );
    }
}
