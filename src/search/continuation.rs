//! Continuation history: how often moves caused a cut-off by where they lie, seen from the last two moves. What is learned
//! in one part of the board holds in all others.

use super::gravity;
use super::params::Params;
use crate::base::{Point, bounded, point};
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
        let entry = |place: usize| {
            let relation = bounded::<RELATIONS>(self.seen_from[place].relation(point));
            i32::from(self.entries[place][relation]) * self.weights[place]
        };
        (0..EARLIER).map(entry).sum()
    }
}

/// The earlier moves that were played on this board, with their places in the table.
#[inline]
fn earlier_moves(board: &Board) -> impl Iterator<Item = (usize, Point)> {
    let moves: [Option<Point>; EARLIER] = [board.last_move(), board.move_before_last()];
    moves.into_iter().enumerate().filter_map(|(place, earlier)| Some((place, earlier?)))
}

/// A point from which relations are taken: where its row of [`RELATION_AT`] begins.
#[derive(Clone, Copy, Debug)]
struct SeenFrom(&'static [u16; OFFSETS]);

impl SeenFrom {
    #[inline(always)]
    fn new(from: Point) -> SeenFrom {
        let begin = OFFSETS - spread(from);
        SeenFrom(RELATION_AT[begin..][..OFFSETS].try_into().expect("a slice of this length"))
    }

    /// Index of where a point lies, below [`RELATIONS`].
    #[inline(always)]
    fn relation(self, to: Point) -> usize {
        usize::from(self.0[spread(to)])
    }
}

/// Number of spread indices, rounded up to a power of two.
const OFFSETS: usize = 2048;

/// The index of a point on a board with rows so long that the difference of two such indices tells rows and columns apart.
#[inline(always)]
fn spread(point: Point) -> usize {
    let index = point.index();
    bounded::<OFFSETS>(index + index / point::STRIDE * point::STRIDE)
}

/// The relation of two points by the difference of their spread indices, plus [`OFFSETS`]; looked up, because a node relates all
/// its moves to the same points.
static RELATION_AT: [u16; 2 * OFFSETS] = {
    let spread_stride = 2 * point::STRIDE as i32;
    let mut relations = [0; 2 * OFFSETS];
    let mut at = 0;
    while at < relations.len() {
        let difference = at as i32 - OFFSETS as i32;
        let down = (difference + spread_stride / 2).div_euclid(spread_stride);
        relations[at] = (along(difference - down * spread_stride) * STRIDE + along(down)) as u16;
        at += 1;
    }
    relations
};

/// Steps along an axis, cut off at [`REACH`], as a number from 1 on.
const fn along(steps: i32) -> usize {
    let most = if steps > REACH { REACH } else { steps };
    (if most < -REACH { 0 } else { most + REACH } + 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Rule, Size};
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
    fn relations_are_those_of_columns_and_rows() {
        let points: Vec<Point> = Size::square(Size::MAX_SIDE).unwrap().points().collect();
        for &from in &points {
            for &to in &points {
                let steps = |from: usize, to: usize| along(to as i32 - from as i32);
                let expected = steps(from.x(), to.x()) * STRIDE + steps(from.y(), to.y());
                assert_eq!(SeenFrom::new(from).relation(to), expected, "{from} {to}");
            }
        }
        assert_eq!([-21, -15, -14, 0, 15, 21].map(along), [1, 1, 2, 16, 31, 31]);
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
