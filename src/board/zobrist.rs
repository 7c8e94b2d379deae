//! Hash keys for stones, computed at compile time from a fixed seed, so that every run hashes alike. Floor 1.

use crate::base::point::CELLS;
use crate::base::{Color, Point, Rule, Size};

/// One step of the splitmix64 generator.
const fn splitmix(state: u64) -> u64 {
    let mut z = state.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

static STONES: [[u64; CELLS]; 2] = {
    let mut keys = [[0; CELLS]; 2];
    let mut i = 0;
    while i < CELLS {
        keys[0][i] = splitmix(2 * i as u64 + 1);
        keys[1][i] = splitmix(2 * i as u64 + 2);
        i += 1;
    }
    keys
};

/// Changes with the side to move.
pub const SIDE: u64 = splitmix(1 << 20);

/// The word of a stone. A dead square hashes as both stones together.
#[inline]
pub fn stone(point: Point, color: Color) -> u64 {
    STONES[color.index()][point.index()]
}

/// The hash of an empty board: boards of different rules or sizes never share an entry.
pub const fn empty_board(rule: Rule, size: Size) -> u64 {
    splitmix((2 << 20) + (rule as u64 * 32 + size.width() as u64) * 32 + size.height() as u64)
}
