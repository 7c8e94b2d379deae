//! Every straight line as one 64-bit word of two-bit cells, and how a window is read from it.
//!
//! 32 rows, 32 columns and 63 diagonals each way: together 1.5 KB. A cell's position inside its words is its padded
//! column (row for vertical lines), so positions grow along [`Direction::delta`]. Fresh memory is all wall.

use crate::base::point::{BORDER, STRIDE};
use crate::base::{Cell, Color, Direction, Point, Rule, bounded};

/// The words of all lines.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Indexed by `direction * 64 + line`.
    words: [u64; WORDS],
}

/// Number of line words.
const WORDS: usize = 4 * 64;

/// Where a point lies on one of its lines: the word's index and the cell's position in it.
#[inline]
const fn locate(point: Point, direction: Direction) -> (usize, usize) {
    let (x, y) = (point.index() % STRIDE, point.index() / STRIDE);
    let (line, position) = match direction {
        Direction::Horizontal => (y, x),
        Direction::Vertical => (x, y),
        Direction::Rising => (x + y, x),
        Direction::Falling => (STRIDE - 1 + y - x, x),
    };
    (direction.index() * 64 + line, position)
}

/// The two bits of a cell: `00` wall, `01` black, `10` white, `11` empty.
#[inline]
const fn bits(cell: Cell) -> u64 {
    match cell {
        Cell::Wall => 0,
        Cell::Black => 1,
        Cell::White => 2,
        Cell::Empty => 3,
    }
}

/// The bit of a cell that a stone of `color` changes.
#[inline]
pub const fn stone_flip(color: Color) -> u64 {
    bits(Cell::Empty)
        ^ match color {
            Color::Black => bits(Cell::Black),
            Color::White => bits(Cell::White),
        }
}

impl Lines {
    /// No cells at all: everything is wall.
    pub fn all_wall() -> Lines {
        Lines { words: [0; WORDS] }
    }

    /// Changes what stands on a cell.
    pub fn set(&mut self, point: Point, from: Cell, to: Cell) {
        for direction in Direction::ALL {
            let (word, position) = locate(point, direction);
            self.words[bounded::<WORDS>(word)] ^= (bits(from) ^ bits(to)) << (2 * position);
        }
    }

    /// Puts a stone on an empty cell, or takes it away again: the same single bit in four words.
    #[inline]
    pub fn toggle(&mut self, point: Point, color: Color) {
        for direction in Direction::ALL {
            let (word, position) = locate(point, direction);
            self.words[bounded::<WORDS>(word)] ^= stone_flip(color) << (2 * position);
        }
    }

    /// The line around `point`, turned so that [`window`] reads the window of the cell at `distance` from the point.
    #[inline]
    pub fn around<const HALF: usize>(&self, point: Point, direction: Direction) -> u64 {
        let (word, position) = locate(point, direction);
        // Cells that wrap around are border walls.
        self.words[bounded::<WORDS>(word)].rotate_right((2 * (position + 32 - 2 * HALF)) as u32 & 63)
    }

    /// Key of the window centred on `point`, without its centre.
    pub fn key(&self, point: Point, direction: Direction, half: usize) -> usize {
        if half == 4 {
            window::<4>(self.around::<4>(point, direction), 0).0
        } else {
            window::<5>(self.around::<5>(point, direction), 0).0
        }
    }
}

/// From a turned line, the key of the window of the cell at `distance` (-HALF..=HALF) and whether that cell is empty.
#[inline]
pub fn window<const HALF: usize>(around: u64, distance: isize) -> (usize, bool) {
    let cells = around >> (2 * (distance + HALF as isize)) as u32;
    let side = (1u64 << (2 * HALF)) - 1;
    let key = cells & side | cells >> 2 & side << (2 * HALF);
    (key as usize, cells >> (2 * HALF) & 3 == 3)
}

/// In a window key of this half-width, the position of the two bits of the cell at `distance` (not 0).
#[inline]
pub const fn cell_slot(half: usize, distance: isize) -> usize {
    let cell = if distance < 0 { distance + half as isize } else { distance + half as isize - 1 };
    2 * cell as usize
}

/// The bit to clear in an empty cell at `slot` to put a stone of `color` there.
#[inline]
pub const fn stone_bit(slot: usize, color: Color) -> usize {
    (stone_flip(color) as usize) << slot
}

// Windows reach 4 or 5 cells to each side, and never beyond the border. A rule that looks further needs a wider border
// and longer window keys.
const _: () = {
    let mut i = 0;
    while i < Rule::ALL.len() {
        let reach = Rule::ALL[i].reach();
        assert!(reach == 4 || reach == 5);
        assert!(reach <= BORDER);
        i += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Size;

    #[test]
    fn windows_show_the_cells_around_each_point() {
        let size = Size::new(13, 9).unwrap();
        let mut lines = Lines::all_wall();
        let mut cells = std::collections::HashMap::new();
        for (i, point) in size.points().enumerate() {
            let cell = [Cell::Empty, Cell::Black, Cell::Empty, Cell::White, Cell::Empty][i * 7 % 5];
            lines.set(point, Cell::Wall, cell);
            cells.insert(point, cell);
        }
        for point in size.points() {
            for direction in Direction::ALL {
                let key = lines.key(point, direction, 5);
                for distance in (-5..=5isize).filter(|&d| d != 0) {
                    let expected = point
                        .step(direction, distance as i32)
                        .and_then(|p| cells.get(&p))
                        .copied()
                        .unwrap_or(Cell::Wall);
                    assert_eq!((key >> cell_slot(5, distance) & 3) as u64, bits(expected));
                }
                assert_eq!(window::<5>(lines.around::<5>(point, direction), 0).1, cells[&point] == Cell::Empty);
            }
        }
    }
}
