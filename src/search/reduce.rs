//! How much less deeply unpromising moves are searched. Floor 3.

use super::params::Params;
use crate::base::Depth;

/// Natural logarithms of 1..=63 in 1/64; entry 0 unused. Kept as integers so that every build reduces alike.
const LOG: [i32; 64] = {
    let mut table = [0; 64];
    let mut n = 1;
    while n < 64 {
        table[n] = log64(n as u64);
        n += 1;
    }
    table
};

/// ln(n) in 1/64, by squaring: bits of log2, times ln 2 (45426 / 65536).
const fn log64(n: u64) -> i32 {
    let whole = n.ilog2();
    let mut mantissa = (n << 32) >> whole;
    let mut fraction = 0u64;
    let mut bit = 0;
    while bit < 16 {
        mantissa = ((mantissa as u128 * mantissa as u128) >> 32) as u64;
        fraction <<= 1;
        if mantissa >= 2 << 32 {
            mantissa >>= 1;
            fraction |= 1;
        }
        bit += 1;
    }
    let log2 = ((whole as u64) << 16) + fraction;
    ((log2 * 45426) >> 26) as i32
}

/// Late-move reduction of the `index`-th move (from 0) of a node: the logarithm of the depth times that of the index,
/// less in PV nodes and for moves with a good history.
pub fn late_move(params: &Params, depth: Depth, index: usize, is_pv: bool, history: i32) -> Depth {
    let plies = depth.whole().clamp(1, 63) as usize;
    let logs = LOG[plies] * LOG[index.clamp(1, 63)] / 64;
    let mut reduction = params.lmr_offset() + logs * params.lmr_factor() / 100 - history * 64 / params.lmr_history();
    if is_pv {
        reduction -= 64;
    }
    Depth::units(reduction.max(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;

    #[test]
    fn logarithms_are_right_to_a_sixtyfourth() {
        for (n, log) in LOG.iter().enumerate().skip(1) {
            let exact = (n as f64).ln() * 64.0;
            assert!((f64::from(*log) - exact).abs() <= 1.0, "{n}: {log} {exact}");
        }
    }

    #[test]
    fn later_moves_and_deeper_nodes_are_reduced_more() {
        let params = Params::shipped(Rule::Freestyle);
        let reduction = |depth, index| late_move(&params, Depth::plies(depth), index, false, 0);
        assert!(reduction(8, 20) > reduction(8, 4) && reduction(12, 8) > reduction(4, 8));
        assert!(late_move(&params, Depth::plies(8), 8, true, 0) < reduction(8, 8));
    }
}
