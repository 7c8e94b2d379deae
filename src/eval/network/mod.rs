//! A small network over line shapes, trained on games of this engine against itself.
//!
//! Each cell of the board has a vector for each colour: the sum of four rows of a table, one for each line through the
//! cell, selected by the nine cells of that line as the colour sees them ([`features`]). The clamped vectors are summed
//! over the board ([`accumulator`]). From the sums of the side to move and its opponent, the threats on the board and the
//! terms of the classical evaluation (the hints), two small layers compute the expected result ([`layers`]). The score of
//! a move comes from the vector of its cell, the threats that it makes and denies, and its nearness to the last moves; the
//! sums and the threats on the board decide how the vector is weighed. Each stage of the game has its own layers.
//! [`architecture`] has all dimensions.
//!
//! ```text
//! cell ─┬ line ─┬ row ┐
//!       ├ line ─┼ row ┼ + bias ─ clamp ─ sum over cells ─┐
//!       ├ line ─┼ row ┤                 threats, hints ──┴ layer ─ layer ─ logit of the expected result
//!       └ line ─┴ row ┘
//! ```
//!
//! The result does not change when the board is turned or mirrored. All numbers are integers, so every processor
//! computes the same result. [`mod@reference`] is the slow reference implementation.

pub mod accumulator;
pub mod architecture;
mod dispatch;
pub mod embedded;
pub mod features;
mod kernel;
pub mod layers;
mod packed_head;
mod products;
pub mod reference;
pub mod weights;

pub use accumulator::Accumulator;
pub use embedded::{embedded_file, replacement};
pub use kernel::Kernel;
pub use weights::{Weights, WeightsError};

use crate::base::{Color, Rule};
use crate::board::Board;
use architecture::{CHANNELS, STAGES, WIDTH};
use features::{LINE_KINDS, SHAPES};
use packed_head::PackedHead;
use weights::Head;

/// Length of a table of rows: the number of shapes, rounded up to a power of two so that a masked index needs no bounds
/// check.
const ROWS_LEN: usize = SHAPES.next_power_of_two();

/// The rows for one kind of lines, by the shape that black sees.
type Rows = [RowOfBoth; ROWS_LEN];

/// The row of a shape as black sees it, then that of the same line as white sees it. The alignment keeps it in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct RowOfBoth([i8; WIDTH]);

/// The channels of a cell, first as black sees it, then as white does, in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct CellChannels(pub [i16; WIDTH]);

/// A network in the form in which it is evaluated, with one row for each shape.
#[derive(Debug)]
pub struct Network {
    rule: Rule,
    rows: [Box<Rows>; LINE_KINDS],
    bias: [i16; CHANNELS],
    heads: Vec<PackedHead>,
    /// Index of the head for each stage and side to move.
    head_numbers: [[u8; 2]; STAGES],
}

impl Network {
    /// A network from its weights.
    pub fn new(weights: &Weights) -> Network {
        let expanded = weights.expanded_rows();
        let rows: [Box<Rows>; LINE_KINDS] = std::array::from_fn(|line_kind| {
            let of_shapes = &expanded[line_kind * SHAPES..][..SHAPES];
            let mut rows = vec![RowOfBoth([0; WIDTH]); ROWS_LEN];
            for (shape, row) in rows[..SHAPES].iter_mut().enumerate() {
                row.0[..CHANNELS].copy_from_slice(&of_shapes[shape]);
                row.0[CHANNELS..].copy_from_slice(&of_shapes[features::with_colors_swapped(shape)]);
            }
            rows.into_boxed_slice().try_into().expect("there are ROWS_LEN rows")
        });
        let number = |stage, side| architecture::head_number(weights.heads.len(), side, stage) as u8;
        let head_numbers = std::array::from_fn(|stage| Color::ALL.map(|side| number(stage, side)));
        let heads = weights.heads.iter().cloned().map(PackedHead::new).collect();
        Network { rule: weights.rule, rows, bias: weights.bias, heads, head_numbers }
    }

    /// The rule that it was trained for.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The head for a position, by stage and side to move.
    #[inline]
    pub fn head(&self, board: &Board) -> &Head {
        &self.packed_head(board).head
    }

    #[inline]
    fn packed_head(&self, board: &Board) -> &PackedHead {
        let stage = architecture::stage(board.occupied());
        &self.heads[usize::from(self.head_numbers[stage][board.side().index()])]
    }

    /// The channels of a cell before any row is added.
    fn empty_cell(&self) -> CellChannels {
        CellChannels(std::array::from_fn(|i| self.bias[i % CHANNELS]))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::architecture::{BIAS_MAX, HEAD_MAX, PAIRS, POLICY_MAX, THREATS, WIDE_MAX};
    use super::*;
    use crate::base::{Cell, Point, PointList, Size};
    use crate::board::symmetry::Symmetry;
    use crate::board::{Board, NullObserver};
    use arrayvec::ArrayVec;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use std::sync::Arc;

    /// Random weights, of the size of trained ones.
    pub fn random_weights(rule: Rule, seed: u64) -> Weights {
        let mut random = SmallRng::seed_from_u64(seed);
        let sides = if rule == Rule::Renju { 2 } else { 1 };
        let heads = (0..sides * STAGES).map(|_| random_head(&mut random)).collect();
        let rows = LINE_KINDS * features::ROWS;
        Weights {
            rule,
            rows: (0..rows).map(|_| std::array::from_fn(|_| random.random_range(-40..=40))).collect(),
            bias: std::array::from_fn(|_| random.random_range(-60..=90)),
            heads,
        }
    }

    fn random_head(random: &mut SmallRng) -> Head {
        let mut head = Head::zero();
        let mut small = |weights: &mut [i16], limit: i16| {
            weights.fill_with(|| random.random_range(-limit..=limit));
        };
        head.first.iter_mut().for_each(|row| small(row, 300));
        head.threats.iter_mut().for_each(|row| small(row, 300));
        head.second.iter_mut().for_each(|row| small(row, 900));
        small(&mut head.output, HEAD_MAX as i16);
        small(&mut head.skip, 50);
        head.hints.iter_mut().for_each(|row| small(row, 900));
        small(&mut head.skip_hints, 900);
        small(&mut head.policy, 900);
        head.made.iter_mut().for_each(|row| small(row, 300));
        let mut large = |weights: &mut [i32]| {
            weights.fill_with(|| random.random_range(-200_000..=200_000));
        };
        large(&mut head.first_bias);
        large(&mut head.second_bias);
        large(&mut head.skip_threats);
        large(&mut head.pairs[..]);
        head.near.iter_mut().for_each(|row| large(row));
        debug_assert!(head.pairs.len() == PAIRS && head.skip_threats.len() == THREATS);
        head.output_bias = 4321;
        head
    }

    /// A board with random stones near its middle.
    fn random_board(rule: Rule, size: Size, stones: usize, random: &mut SmallRng) -> Board {
        let mut board = Board::new(rule, size);
        for _ in 0..stones {
            let point = random_empty(&board, random);
            board.play(point, &mut NullObserver);
        }
        board
    }

    fn random_empty(board: &Board, random: &mut SmallRng) -> Point {
        loop {
            let mut near = |length: usize| random.random_range(0..length).midpoint(random.random_range(0..length));
            let point = Point::new(near(board.size().width()), near(board.size().height())).unwrap();
            if board.is_empty(point) {
                return point;
            }
        }
    }

    #[test]
    fn the_accumulator_equals_the_reference_in_random_games() {
        for rule in Rule::ALL {
            let weights = random_weights(rule, 7);
            let network = Arc::new(Network::new(&weights));
            for (size, kernel) in [Size::square(15).unwrap(), Size::new(22, 5).unwrap(), Size::square(20).unwrap()]
                .into_iter()
                .flat_map(|size| Kernel::usable().into_iter().map(move |kernel| (size, kernel)))
            {
                let mut random = SmallRng::seed_from_u64(11);
                let mut board = random_board(rule, size, 4, &mut random);
                let mut accumulator = Accumulator::new(network.clone(), &board, kernel);
                let mut depth = 0;
                for step in 0..120 {
                    if depth > 0 && random.random_bool(0.45) {
                        board.undo(&mut NullObserver);
                        accumulator.undo();
                        depth -= 1;
                    } else if board.occupied() + 1 < size.cells() {
                        let point = random_empty(&board, &mut random);
                        accumulator.played(point, board.side());
                        board.play(point, &mut NullObserver);
                        depth += 1;
                    }
                    // Only every fourth step, so that several moves and undos are pending.
                    if step % 4 == 0 {
                        let points = (0..5).map(|_| random_empty(&board, &mut random)).collect();
                        expect_reference(&mut accumulator, &network, &weights, &board, &points);
                    }
                }
            }
        }
    }

    /// Brings the accumulator up to date, and compares the logit and the scores of these moves with the reference.
    fn expect_reference(
        accumulator: &mut Accumulator,
        network: &Network,
        weights: &Weights,
        board: &Board,
        points: &PointList,
    ) {
        accumulator.update();
        assert_eq!(*accumulator.pooled(), reference::pooled(weights, board), "{:?}", board.rule());
        let logit = accumulator.logit(board, reference::parts(board));
        assert_eq!(logit, reference::logit(network, weights, board));
        let mut scores = ArrayVec::new();
        accumulator.move_scores(board, points, &mut scores);
        let input = layers::input(&reference::pooled(weights, board), board.side());
        let policy = reference::policy_weights(network.head(board), &input, board);
        for (&point, &score) in points.iter().zip(&scores) {
            let cell = reference::cell(weights, board, point);
            assert_eq!(score, reference::move_score(network.head(board), &policy, &cell, board, point));
        }
        assert_eq!(scores.len(), points.len());
    }

    /// Weights at the largest absolute values that a file may have, with these signs.
    fn extreme_weights(rule: Rule, mut is_negative: impl FnMut() -> bool) -> Weights {
        let mut weights = random_weights(rule, 1);
        let mut signed = |limit: i32| if is_negative() { -limit } else { limit };
        weights.rows.iter_mut().flatten().for_each(|weight| *weight = signed(127) as i8);
        weights.bias.fill_with(|| signed(i32::from(BIAS_MAX)) as i16);
        for head in &mut weights.heads {
            let mut fill = |weights: &mut [i16], limit: i32| weights.fill_with(|| signed(limit) as i16);
            head.first.iter_mut().for_each(|row| fill(row, HEAD_MAX));
            head.threats.iter_mut().for_each(|row| fill(row, HEAD_MAX));
            head.second.iter_mut().for_each(|row| fill(row, HEAD_MAX));
            fill(&mut head.output, HEAD_MAX);
            fill(&mut head.skip, HEAD_MAX);
            head.hints.iter_mut().for_each(|row| fill(row, HEAD_MAX));
            fill(&mut head.skip_hints, HEAD_MAX);
            fill(&mut head.policy, POLICY_MAX);
            head.made.iter_mut().for_each(|row| fill(row, HEAD_MAX));
            let mut fill = |weights: &mut [i32]| weights.fill_with(|| signed(WIDE_MAX));
            fill(&mut head.first_bias);
            fill(&mut head.second_bias);
            fill(&mut head.skip_threats);
            fill(&mut head.pairs[..]);
            head.near.iter_mut().for_each(|row| fill(row));
            head.output_bias = signed(WIDE_MAX);
        }
        weights
    }

    /// Every sum fits its type: the tests check for overflow.
    #[test]
    fn weights_at_their_limits_overflow_nowhere_on_the_largest_board() {
        let size = Size::square(22).unwrap();
        for rule in [Rule::Freestyle, Rule::Renju] {
            let mut random = SmallRng::seed_from_u64(5);
            let mixed = extreme_weights(rule, || random.random_bool(0.5));
            for weights in [extreme_weights(rule, || false), extreme_weights(rule, || true), mixed] {
                assert!(Weights::parse(&weights.to_bytes()).is_ok(), "these weights are within the limits");
                let network = Arc::new(Network::new(&weights));
                for kernel in Kernel::usable() {
                    let mut random = SmallRng::seed_from_u64(6);
                    let mut board = Board::new(rule, size);
                    let mut accumulator = Accumulator::new(network.clone(), &board, kernel);
                    while board.occupied() + 8 < size.cells() {
                        let point = random_empty(&board, &mut random);
                        accumulator.played(point, board.side());
                        board.play(point, &mut NullObserver);
                        if board.occupied().is_multiple_of(60) {
                            let points = (0..5).map(|_| random_empty(&board, &mut random)).collect();
                            expect_reference(&mut accumulator, &network, &weights, &board, &points);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_refresh_discards_moves_and_dead_squares_are_walls() {
        let weights = random_weights(Rule::Caro, 8);
        let network = Arc::new(Network::new(&weights));
        let size = Size::square(12).unwrap();
        let point = |x, y| Point::new(x, y).unwrap();
        let cells = [(point(3, 3), Cell::Black), (point(4, 4), Cell::Wall), (point(5, 3), Cell::White)];
        let empty = Board::new(Rule::Caro, size);
        let mut board = Board::from_cells(Rule::Caro, size, &cells, Color::Black);
        let mut accumulator = Accumulator::new(network.clone(), &empty, Kernel::best());
        assert_eq!(*accumulator.pooled(), [0; WIDTH]);
        accumulator.played(point(1, 1), Color::Black);
        accumulator.update();
        accumulator.refresh(&board);
        assert_eq!(*accumulator.pooled(), reference::pooled(&weights, &board));
        for at in [point(4, 3), point(3, 4), point(8, 8)] {
            accumulator.played(at, board.side());
            board.play(at, &mut NullObserver);
        }
        assert_eq!(accumulator.logit(&board, reference::parts(&board)), reference::logit(&network, &weights, &board));
    }

    #[test]
    fn turning_the_board_and_swapping_colours_changes_nothing() {
        let mut random = SmallRng::seed_from_u64(3);
        let size = Size::square(15).unwrap();
        let weights = random_weights(Rule::Standard, 9);
        let network = Arc::new(Network::new(&weights));
        for _ in 0..20 {
            let board = random_board(Rule::Standard, size, 12, &mut random);
            let logit = |board: &Board| {
                Accumulator::new(network.clone(), board, Kernel::best()).logit(board, reference::parts(board))
            };
            let here = logit(&board);
            for turned in same_positions(&board) {
                assert_eq!(logit(&turned), here);
            }
        }
    }

    /// The position turned and mirrored, and with the colours swapped.
    fn same_positions(board: &Board) -> Vec<Board> {
        let size = board.size();
        let stones: Vec<(Point, Cell)> =
            size.points().filter(|&p| !board.is_empty(p)).map(|p| (p, board.cell(p))).collect();
        let mut boards = Vec::new();
        for symmetry in Symmetry::of(size) {
            let turned: Vec<(Point, Cell)> = stones.iter().map(|&(p, cell)| (symmetry.apply(p, size), cell)).collect();
            boards.push(Board::from_cells(board.rule(), size, &turned, board.side()));
        }
        let swapped: Vec<(Point, Cell)> =
            stones.iter().map(|&(p, cell)| (p, cell.color().map_or(cell, |color| color.opponent().into()))).collect();
        boards.push(Board::from_cells(board.rule(), size, &swapped, board.side().opponent()));
        boards
    }
}
