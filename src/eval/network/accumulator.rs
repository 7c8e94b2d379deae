//! The network's cells and their sum, updated move by move: a move changes at most 33 cells. The additions of rows are here,
//! and the loops of the head are called from here.
//!
//! Updates are lazy: moves and undos are only recorded. When a result is needed, moves that were applied but have been
//! undone are reverted from a copy, and moves that were played but not yet applied are applied. So a move that is undone
//! before a result is needed costs nothing, and a move that is undone and played again is not applied twice.

use super::architecture::{CELL_MAX, HINTS, WIDTH};
use super::dispatch::Work;
use super::features::{REACH, ShapePair, line_kind};
use super::kernel::Kernel;
use super::layers;
use super::packed_head::PackedHead;
use super::products::Products;
use super::{CellChannels, Network, ROWS_LEN, Rows};
use crate::base::point::CELLS;
use crate::base::{Cell, Color, Direction, MoveScores, Point, Score, Size, bounded};
use crate::board::Board;
use crate::board::lines::{Lines, stone_flip};
use crate::eval::shapes::Parts;
use std::sync::Arc;

/// The most cells that a move changes: eight on each line, and its own.
const TOUCHED: usize = 8 * REACH + 1;

/// The state that a move replaced, for undo.
#[derive(Clone, Debug)]
struct Frame {
    point: Point,
    color: Color,
    pooled: [i32; WIDTH],
    len: usize,
    touched: [u16; TOUCHED],
    cells: [CellChannels; TOUCHED],
}

impl Frame {
    fn new(point: Point, color: Color) -> Frame {
        let (touched, cells) = ([0; TOUCHED], [CellChannels([0; WIDTH]); TOUCHED]);
        Frame { point, color, pooled: [0; WIDTH], len: 0, touched, cells }
    }

    /// Saves a cell.
    #[inline(always)]
    fn keep(&mut self, index: usize, cell: &CellChannels) {
        self.touched[self.len] = index as u16;
        self.cells[self.len] = *cell;
        self.len += 1;
    }
}

/// The channels of all cells of a position and the sum of their activations, with the states before each move.
#[derive(Clone, Debug)]
pub struct Accumulator {
    network: Arc<Network>,
    kernel: Kernel,
    /// The moves played since the last refresh.
    moves: Vec<(Point, Color)>,
    /// The moves applied since the last refresh. The first `applied` are valid.
    frames: Vec<Frame>,
    applied: usize,
    /// Length of the common prefix of `frames` and `moves`, as far as known.
    agreed: usize,
    state: State,
}

#[derive(Clone, Debug)]
struct State {
    lines: Lines,
    cells: Box<[CellChannels; CELLS]>,
    /// The sum of the activations of all cells, minus that of an empty board.
    pooled: [i32; WIDTH],
}

impl Accumulator {
    /// An accumulator for `board`, ready for use.
    pub fn new(network: Arc<Network>, board: &Board, kernel: Kernel) -> Accumulator {
        let cells = Box::new([CellChannels([0; WIDTH]); CELLS]);
        let state = State { lines: Lines::all_wall(), cells, pooled: [0; WIDTH] };
        let moves = Vec::with_capacity(256);
        let mut new = Accumulator { network, kernel, moves, frames: Vec::new(), applied: 0, agreed: 0, state };
        new.refresh(board);
        new
    }

    /// Starts again from this position.
    pub fn refresh(&mut self, board: &Board) {
        self.moves.clear();
        self.applied = 0;
        self.agreed = 0;
        let empty = self.state.fill(&self.network, board.size(), |_| Cell::Empty);
        let here = self.state.fill(&self.network, board.size(), |point| board.cell(point));
        self.state.pooled = std::array::from_fn(|i| here[i] - empty[i]);
    }

    /// Records a move.
    #[inline]
    pub fn played(&mut self, point: Point, color: Color) {
        self.moves.push((point, color));
    }

    /// Records that the last move was taken back.
    #[inline]
    pub fn undo(&mut self) {
        self.moves.pop();
        self.agreed = self.agreed.min(self.moves.len());
    }

    /// Applies the recorded moves and undos.
    #[inline]
    pub fn update(&mut self) {
        while self.agreed < self.applied.min(self.moves.len()) {
            let frame = &self.frames[self.agreed];
            if (frame.point, frame.color) != self.moves[self.agreed] {
                break;
            }
            self.agreed += 1;
        }
        if self.applied > self.agreed || self.applied < self.moves.len() {
            self.kernel.run(ApplyMoves(self));
        }
    }

    /// Takes back the applied moves that are not agreed, and applies the recorded ones.
    #[inline(always)]
    fn apply_moves(&mut self) {
        while self.applied > self.agreed {
            self.applied -= 1;
            self.state.take_back(&self.frames[self.applied]);
        }
        while self.applied < self.moves.len() {
            let (point, color) = self.moves[self.applied];
            if self.frames.len() == self.applied {
                self.frames.push(Frame::new(point, color));
            }
            let frame = &mut self.frames[self.applied];
            (frame.point, frame.color) = (point, color);
            self.state.apply(&self.network, frame);
            self.applied += 1;
        }
        self.agreed = self.applied;
    }

    /// The sum of the activations of all cells, minus that of an empty board. Call [`Accumulator::update`] first.
    pub fn pooled(&self) -> &[i32; WIDTH] {
        &self.state.pooled
    }

    /// The estimate for the side to move as a logit; see [`layers::output`].
    pub fn logit(&mut self, board: &Board, parts: Parts) -> i64 {
        self.update();
        let (head, hints) = (self.network.packed_head(board), layers::hints(parts));
        self.kernel.run(Estimate { head, state: &self.state, hints, board })
    }

    /// The estimate for the side to move; `parts` are the terms of the classical evaluation.
    pub fn evaluate(&mut self, board: &Board, parts: Parts) -> Score {
        layers::score(self.logit(board, parts))
    }

    /// Appends the scores of moves of the side to move. Call [`Accumulator::update`] first.
    #[inline]
    pub fn move_scores(&self, board: &Board, points: &[Point], scores: &mut MoveScores) {
        let (head, state) = (self.network.packed_head(board), &self.state);
        self.kernel.run(Policy { head, state, board, points, scores });
    }
}

/// See [`Accumulator::update`].
struct ApplyMoves<'a>(&'a mut Accumulator);

impl Work for ApplyMoves<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Products) {
        self.0.apply_moves();
    }
}

/// See [`Accumulator::logit`].
struct Estimate<'a> {
    head: &'a PackedHead,
    state: &'a State,
    hints: [i16; HINTS],
    board: &'a Board,
}

impl Work for Estimate<'_> {
    type Output = i64;

    #[inline(always)]
    fn run(self, products: impl Products) -> i64 {
        let input = layers::input(&self.state.pooled, self.board.side());
        layers::output(products, self.head, &input, self.hints, self.board)
    }
}

/// See [`Accumulator::move_scores`].
struct Policy<'a> {
    head: &'a PackedHead,
    state: &'a State,
    board: &'a Board,
    points: &'a [Point],
    scores: &'a mut MoveScores,
}

impl Work for Policy<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, products: impl Products) {
        let Policy { head, state: State { cells, pooled, .. }, board, points, scores } = self;
        layers::move_scores(products, head, board, cells, pooled, points, scores);
    }
}

impl State {
    /// Computes all cells of the position that `stone` returns, and returns the sum of their activations.
    fn fill(&mut self, network: &Network, size: Size, stone: impl Fn(Point) -> Cell) -> [i32; WIDTH] {
        self.lines = Lines::all_wall();
        for point in size.points() {
            self.lines.set(point, Cell::Wall, stone(point));
        }
        let mut sum = [0; WIDTH];
        for point in size.points().filter(|&point| stone(point) != Cell::Wall) {
            let mut cell = network.empty_cell();
            for direction in Direction::ALL {
                add(&mut cell, &network.rows[line_kind(direction)], ShapePair::at(&self.lines, point, direction));
            }
            self.cells[point.index()] = cell;
            for (sum, value) in sum.iter_mut().zip(cell.0) {
                *sum += i32::from(layers::activation(value));
            }
        }
        sum
    }

    /// Applies the move of `frame` and saves the replaced state in it.
    #[inline(always)]
    fn apply(&mut self, network: &Network, frame: &mut Frame) {
        frame.pooled = self.pooled;
        let point = frame.point;
        // The point's cell is at this bit of the line around it.
        let flip = stone_flip(frame.color) << (4 * REACH);
        let mut gained = [0i16; WIDTH];
        let own_before = self.cells[point.index()];
        let mut own_after = own_before;
        frame.len = 0;
        for direction in Direction::ALL {
            let rows = &network.rows[line_kind(direction)];
            let before = self.lines.around::<REACH>(point, direction);
            let after = before ^ flip;
            let [old, new] = [before, after].map(|line| ShapePair::of_window(line >> (2 * REACH)));
            subtract(&mut own_after, rows, old);
            add(&mut own_after, rows, new);
            self.change_side::<-1>(rows, direction, before, after, frame, &mut gained);
            self.change_side::<1>(rows, direction, before, after, frame, &mut gained);
        }
        self.cells[point.index()] = own_after;
        frame.keep(point.index(), &own_before);
        add_difference(&mut gained, &own_before, &own_after);
        for (sum, gained) in self.pooled.iter_mut().zip(gained) {
            *sum += i32::from(gained);
        }
        self.lines.toggle(point, frame.color);
    }

    /// Updates the cells of a line on one side of the frame's point, up to the first wall, behind which nothing changes.
    /// `before` and `after` are the line around the point.
    #[inline(always)]
    fn change_side<const SIGN: isize>(
        &mut self,
        rows: &Rows,
        direction: Direction,
        before: u64,
        after: u64,
        frame: &mut Frame,
        gained: &mut [i16; WIDTH],
    ) {
        for step in 1..=REACH as isize {
            let shift = 2 * (REACH as isize + SIGN * step);
            let [before, after] = [before, after].map(|line| line >> shift);
            let center = before >> (2 * REACH) & 3;
            if center == 0 {
                break;
            }
            let index = bounded::<CELLS>((frame.point.index() as isize + SIGN * step * direction.stride()) as usize);
            let cell = &mut self.cells[index];
            let old = *cell;
            frame.keep(index, &old);
            let windows = [before, after];
            let [lost, won] =
                if SIGN > 0 { ShapePair::of_left_sides(windows) } else { ShapePair::of_right_sides(windows) };
            let mut new = old;
            subtract(&mut new, rows, lost);
            add(&mut new, rows, won);
            *cell = new;
            add_difference(gained, &old, &new);
        }
    }

    /// Reverts the move of `frame`.
    #[inline(always)]
    fn take_back(&mut self, frame: &Frame) {
        for (cell, &index) in frame.cells[..frame.len].iter().zip(&frame.touched) {
            self.cells[bounded::<CELLS>(index as usize)] = *cell;
        }
        self.pooled = frame.pooled;
        self.lines.toggle(frame.point, frame.color);
    }
}

/// Adds the difference between the activations of a cell before and after. The sum of 33 differences fits in 16 bits.
#[inline(always)]
fn add_difference(gained: &mut [i16; WIDTH], old: &CellChannels, new: &CellChannels) {
    for ((gained, &new), &old) in gained.iter_mut().zip(&new.0).zip(&old.0) {
        *gained += layers::activation(new) - layers::activation(old);
    }
}

const _: () = assert!(TOUCHED as i32 * CELL_MAX as i32 <= i16::MAX as i32);

#[inline(always)]
fn add(cell: &mut CellChannels, rows: &Rows, shapes: ShapePair) {
    let row = &rows[bounded::<ROWS_LEN>(shapes.for_black())].0;
    for (channel, &weight) in cell.0.iter_mut().zip(row) {
        *channel += i16::from(weight);
    }
}

#[inline(always)]
fn subtract(cell: &mut CellChannels, rows: &Rows, shapes: ShapePair) {
    let row = &rows[bounded::<ROWS_LEN>(shapes.for_black())].0;
    for (channel, &weight) in cell.0.iter_mut().zip(row) {
        *channel -= i16::from(weight);
    }
}
