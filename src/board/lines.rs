//! Each straight line of the board as a 64-bit word with two bits per cell, and how windows are read from the words.
//!
//! There are 32 rows, 32 columns and 63 diagonals of each kind. The position of a cell in its words is its padded column
//! (on vertical lines its padded row), so positions increase along [`Direction::delta`]. A zero word is all wall.

use crate::base::point::{BORDER, STRIDE};
use crate::base::{Cell, Color, Direction, Point, Rule, bounded};

/// The line words of a board.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Indexed by `direction * 64 + line`.
    words: [u64; WORDS],
}

/// Rows and columns of the square that [`Lines::square`] returns.
pub const SQUARE: usize = 5;
/// Number of different rows of such a square.
pub const SQUARE_ROWS: usize = 1 << (2 * SQUARE);

/// Number of line words.
const WORDS: usize = 4 * 64;

/// The index of the word of a line through `point`, and the position of `point` in it.
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

/// The bit of an empty cell that a stone of `color` clears.
#[inline]
pub const fn stone_flip(color: Color) -> u64 {
    bits(Cell::Empty)
        ^ match color {
            Color::Black => bits(Cell::Black),
            Color::White => bits(Cell::White),
        }
}

impl Lines {
    /// Lines that consist of walls only.
    pub fn all_wall() -> Lines {
        Lines { words: [0; WORDS] }
    }

    /// Changes the content of a cell.
    pub fn set(&mut self, point: Point, from: Cell, to: Cell) {
        for direction in Direction::ALL {
            let (word, position) = locate(point, direction);
            self.words[bounded::<WORDS>(word)] ^= (bits(from) ^ bits(to)) << (2 * position);
        }
    }

    /// Puts a stone on an empty cell, or removes it: flips one bit in four words.
    #[inline]
    pub fn toggle(&mut self, point: Point, color: Color) {
        for direction in Direction::ALL {
            let (word, position) = locate(point, direction);
            self.words[bounded::<WORDS>(word)] ^= stone_flip(color) << (2 * position);
        }
    }

    /// A line through `point`, rotated so that the window of the cell at `distance`, at most `HALF` either way, begins at
    /// bit `2 * (distance + HALF)`.
    #[inline]
    pub fn around<const HALF: usize>(&self, point: Point, direction: Direction) -> u64 {
        let (word, position) = locate(point, direction);
        // The rotation is modulo 64. Cells that wrap around are walls of the border.
        self.words[bounded::<WORDS>(word)].rotate_right((2 * (position + 32 - 2 * HALF)) as u32 & 63)
    }

    /// The square of cells at most two rows and columns from `point`: its rows from above, each with its leftmost cell in
    /// the lowest two of ten bits.
    #[inline]
    pub fn square(&self, point: Point) -> [usize; SQUARE] {
        let (row, position) = locate(point, Direction::Horizontal);
        let (first, shift) = (row - SQUARE / 2, 2 * (position - SQUARE / 2));
        std::array::from_fn(|i| (self.words[bounded::<WORDS>(first + i)] >> shift) as usize & (SQUARE_ROWS - 1))
    }

    /// The key of the window around `point`: its cells without the centre.
    pub fn key(&self, point: Point, direction: Direction, half: usize) -> usize {
        if half == 4 {
            window_key::<4>(self.around::<4>(point, direction))
        } else {
            window_key::<5>(self.around::<5>(point, direction))
        }
    }
}

/// The key of the window of the point that `around`, from [`Lines::around`], is centred on.
#[inline]
fn window_key<const HALF: usize>(around: u64) -> usize {
    let cells = around >> (2 * HALF);
    let side = (1u64 << (2 * HALF)) - 1;
    (cells & side | cells >> 2 & side << (2 * HALF)) as usize
}

/// `cells` are two groups of sixteen cells of two bits. Returns a bit for each empty cell: the first group in bits 0..16, the
/// second in bits 32..48.
#[inline]
pub const fn empty_bits(cells: u64) -> u64 {
    let bits = cells & cells >> 1 & 0x5555_5555_5555_5555;
    let bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    let bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F;
    let bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF;
    (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
}

/// The position, in a window key, of the two bits of the cell at `distance`, which is not 0.
#[inline]
pub const fn cell_slot(half: usize, distance: isize) -> usize {
    let cell = if distance < 0 { distance + half as isize } else { distance + half as isize - 1 };
    2 * cell as usize
}

/// The bit to clear in a window key to put a stone of `color` on the empty cell at `slot`; see [`cell_slot`].
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
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

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
            }
        }
    }

    #[test]
    fn empty_cells_have_a_bit_each_in_both_halves() {
        let mut random = SmallRng::seed_from_u64(4);
        for _ in 0..10_000 {
            let cells: u64 = random.random();
            let bit = |cell: usize| u64::from(cells >> (2 * cell) & 3 == 3) << (cell % 16 + 32 * (cell / 16));
            assert_eq!(empty_bits(cells), (0..32).map(bit).sum::<u64>(), "{cells:x}");
        }
    }
}
