//! The stones, with the line words, the hash and the set of empty cells. They change together: this is the only code
//! that places or removes a stone.

use super::cells::CellSet;
use super::lines::Lines;
use super::zobrist;
use crate::base::point::CELLS;
use crate::base::{Cell, Color, Point, Rule, Size};

/// The stones and dead squares of a position.
#[derive(Clone, Debug)]
pub struct Stones {
    cells: Box<[Cell; CELLS]>,
    lines: Lines,
    empty: CellSet,
    hash: u64,
    count: usize,
}

impl Stones {
    /// A board of `size` without stones. The rule affects only the hash.
    pub fn new(rule: Rule, size: Size) -> Stones {
        let mut stones = Stones {
            cells: Box::new([Cell::Wall; CELLS]),
            lines: Lines::all_wall(),
            empty: size.points().collect(),
            hash: zobrist::empty_board(rule, size),
            count: 0,
        };
        for point in size.points() {
            stones.cells[point.index()] = Cell::Empty;
            stones.lines.set(point, Cell::Wall, Cell::Empty);
        }
        stones
    }

    /// The content of a point; a wall beyond the board.
    #[inline]
    pub fn cell(&self, point: Point) -> Cell {
        self.cells[point.index()]
    }

    /// The line words.
    #[inline]
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// The empty cells.
    #[inline]
    pub fn empty(&self) -> &CellSet {
        &self.empty
    }

    /// Hash of stones, rule and size, without the side to move.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Number of stones and dead squares.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Puts a stone on an empty cell.
    #[inline]
    pub fn place(&mut self, point: Point, color: Color) {
        debug_assert_eq!(self.cell(point), Cell::Empty);
        self.cells[point.index()] = color.into();
        self.flip(point, color);
        self.count += 1;
    }

    /// Removes a stone.
    #[inline]
    pub fn remove(&mut self, point: Point, color: Color) {
        debug_assert_eq!(self.cell(point), Cell::from(color));
        self.cells[point.index()] = Cell::Empty;
        self.flip(point, color);
        self.count -= 1;
    }

    /// Makes an empty cell a dead square, for the rest of the game.
    pub fn kill(&mut self, point: Point) {
        debug_assert_eq!(self.cell(point), Cell::Empty);
        self.cells[point.index()] = Cell::Wall;
        self.lines.set(point, Cell::Empty, Cell::Wall);
        self.empty.toggle(point);
        self.hash ^= zobrist::stone(point, Color::Black) ^ zobrist::stone(point, Color::White);
        self.count += 1;
    }

    #[inline]
    fn flip(&mut self, point: Point, color: Color) {
        self.lines.toggle(point, color);
        self.empty.toggle(point);
        self.hash ^= zobrist::stone(point, color);
    }
}
