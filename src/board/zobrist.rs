//! Hash keys for stones, computed at compile time from a fixed seed, so that every run hashes alike.

use crate::base::hash::{GOLDEN, scatter};
use crate::base::point::CELLS;
use crate::base::{Color, Point, Rule, Size};

/// The key with this number.
const fn key(number: u64) -> u64 {
    scatter(number.wrapping_mul(GOLDEN))
}

static STONES: [[u64; CELLS]; 2] = {
    let mut keys = [[0; CELLS]; 2];
    let mut i = 0;
    while i < CELLS {
        keys[0][i] = key(2 * i as u64 + 1);
        keys[1][i] = key(2 * i as u64 + 2);
        i += 1;
    }
    keys
};

/// Changes with the side to move.
pub const SIDE: u64 = key(1 << 20);

/// The word of a stone. A dead square hashes as both stones together.
#[inline]
pub fn stone(point: Point, color: Color) -> u64 {
    STONES[color.index()][point.index()]
}

/// The hash of an empty board: boards of different rules or sizes never share an entry.
pub const fn empty_board(rule: Rule, size: Size) -> u64 {
    key((2 << 20) + (rule as u64 * 32 + size.width() as u64) * 32 + size.height() as u64)
}
