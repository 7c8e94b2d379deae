//! Correction history: by how much searches ended above or below the static evaluation, for positions with the same
//! threats. Entries are kept by side to move and threats; later evaluations are moved by a part of them.

use super::gravity;
use super::params::Params;
use crate::base::{Color, Score};
use crate::board::{Board, Threat};

/// Number of entries for each side to move; a power of two.
const ENTRIES: usize = 1 << 14;
/// Bound of an entry.
const LIMIT: i32 = 8192;
/// Deepest search that counts by its depth; deeper ones count like it.
const DEEPEST: i32 = 16;
/// Parts of an entry that `correction_weight` counts.
const PARTS: i32 = 2048;

/// The threats whose numbers of points, up to three, make the key of a position.
const COUNTED: [Threat; 9] = [
    Threat::Three,
    Threat::DoubleTwo,
    Threat::ThreePlus,
    Threat::OpenThree,
    Threat::OpenThreePlus,
    Threat::DoubleThree,
    Threat::Four,
    Threat::FourPlus,
    Threat::FourThree,
];

/// The corrections of one thread.
#[derive(Clone, Debug)]
pub struct Corrections {
    table: Box<[[i16; ENTRIES]; 2]>,
}

impl Corrections {
    /// No corrections.
    pub fn new() -> Corrections {
        Corrections { table: Box::new([[0; ENTRIES]; 2]) }
    }

    /// Removes all corrections, for a new game.
    pub fn clear(&mut self) {
        *self.table = [[0; ENTRIES]; 2];
    }

    /// The static evaluation of a position, corrected.
    #[inline]
    pub fn apply(&self, params: &Params, board: &Board, eval: Score) -> Score {
        let entry = i32::from(self.table[board.side().index()][key(board)]);
        Score::estimate(eval.units() + entry * params.correction_weight() / PARTS)
    }

    /// Learns from a search to `depth` (whole plies) that ended with `score` where the corrected evaluation was `eval`.
    pub fn learn(&mut self, params: &Params, board: &Board, eval: Score, score: Score, depth: i32) {
        let most = params.correction_error();
        let error = (score.units() - eval.units()).clamp(-most, most);
        let bonus = (error * depth.clamp(0, DEEPEST) * 2).clamp(-LIMIT / 8, LIMIT / 8);
        let entry = &mut self.table[board.side().index()][key(board)];
        gravity::update(entry, bonus, LIMIT);
    }
}

/// Index of the entry of a position. Positions with different threats may share one.
fn key(board: &Board) -> usize {
    let us: Color = board.side();
    let mut counts = 0u64;
    for color in [us, us.opponent()] {
        for threat in COUNTED {
            counts = counts * 4 + (board.count(color, threat) as u64).min(3);
        }
    }
    // Multiplicative hashing (Knuth): the upper bits depend on all counts.
    (counts.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - ENTRIES.trailing_zeros())) as usize
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::base::{Rule, Size};
    use crate::board::NullObserver;
    use crate::board::notation::parse_moves;

    /// The freestyle position after these moves.
    pub(in crate::search) fn board(moves: &str) -> Board {
        let size = Size::square(15).unwrap();
        let mut board = Board::new(Rule::Freestyle, size);
        for point in parse_moves(moves, size).unwrap() {
            board.play(point, &mut NullObserver);
        }
        board
    }

    #[test]
    fn an_evaluation_moves_towards_what_searches_found_and_not_beyond() {
        let params = Params::shipped(Rule::Freestyle);
        let (here, elsewhere) = (board("h8a1i8a15"), board("h8a1"));
        let (eval, found) = (Score::estimate(10), Score::estimate(70));
        let mut corrections = Corrections::new();
        assert_eq!(corrections.apply(&params, &here, eval), eval);
        let mut last = eval;
        for _ in 0..200 {
            let corrected = corrections.apply(&params, &here, eval);
            assert!(corrected >= last && corrected <= found);
            corrections.learn(&params, &here, corrected, found, 6);
            last = corrected;
        }
        assert!(last > eval);
        assert_eq!(corrections.apply(&params, &elsewhere, eval), eval, "other threats");
        corrections.clear();
        assert_eq!(corrections.apply(&params, &here, eval), eval);
    }

    #[test]
    fn entries_stay_within_their_bound() {
        let params = Params::shipped(Rule::Freestyle);
        let here = board("h8a1i8a15");
        let mut corrections = Corrections::new();
        for _ in 0..1000 {
            corrections.learn(&params, &here, Score::estimate(-2000), Score::estimate(2000), 60);
        }
        let most = LIMIT * params.correction_weight() / PARTS;
        let moved = corrections.apply(&params, &here, Score::DRAW).units();
        assert!(moved > 0 && moved <= most, "{moved} of {most}");
    }
}
