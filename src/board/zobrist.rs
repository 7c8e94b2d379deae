//! Zobrist keys from `SplitMix64`: the hash of a position is the same in every run.

use crate::base::hash::{GOLDEN, scatter};
use crate::base::point::CELLS;
use crate::base::{Color, Point, Rule, Size};

/// The `number`-th key.
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

/// The key of white to move.
pub const SIDE: u64 = key(1 << 20);

/// The key of a stone. The key of a dead square is that of both stones combined.
#[inline]
pub fn stone(point: Point, color: Color) -> u64 {
    STONES[color.index()][point.index()]
}

/// The hash of an empty board. It depends on rule and size, so that equal stones hash differently under other rules and sizes.
pub const fn empty_board(rule: Rule, size: Size) -> u64 {
    key((2 << 20) + (rule as u64 * 32 + size.width() as u64) * 32 + size.height() as u64)
}
