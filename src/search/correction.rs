//! Correction history: by how much searches ended above or below the static evaluation, for positions with the same
//! threats, and for those with the same stones around the last move. Later evaluations are moved by a part of it.
//! Experiments: `correction-numbers`, `spsa-40-25k`.

use super::gravity;
use super::params::Params;
use crate::base::hash::GOLDEN;
use crate::base::{Color, Score};
use crate::board::lines::{SQUARE, SQUARE_ROWS};
use crate::board::{Board, Threat};

/// Number of entries for each side to move; a power of two.
const ENTRIES: usize = 1 << 14;
/// Bound of an entry.
const LIMIT: i32 = 8192;
/// Denominator of the weights: with this weight the correction equals the entry.
const PARTS: i32 = 2048;

/// The threats whose numbers of points, up to three, make the key of a position.
const COUNTED: [Threat; 9] = {
    let (_, from_three) = Threat::ALL.split_at(Threat::Three.index());
    let (counted, rest) = from_three.split_at(9);
    assert!(rest.len() == 2, "all but an open four and a five");
    *counted.first_chunk().expect("nine were split off")
};

/// The corrections of one thread.
#[derive(Clone, Debug)]
pub struct Corrections {
    /// For positions with the same threats.
    threats: Table,
    /// For positions with the same stones around the last move.
    stones: Table,
}

/// Entries by side to move and by a hash of what the positions have in common.
type Table = Box<[[i16; ENTRIES]; 2]>;

impl Corrections {
    /// No corrections.
    pub fn new() -> Corrections {
        Corrections { threats: Box::new([[0; ENTRIES]; 2]), stones: Box::new([[0; ENTRIES]; 2]) }
    }

    /// The static evaluation of a position, corrected.
    #[inline]
    pub fn apply(&self, params: &Params, board: &Board, eval: Score) -> Score {
        let us = board.side().index();
        let by_threats = i32::from(self.threats[us][threats_key(board)]) * params.correction_weight();
        let by_stones = i32::from(self.stones[us][stones_key(board)]) * params.correction_stones();
        Score::estimate(eval.units() + (by_threats + by_stones) / PARTS)
    }

    /// Learns from a search to `depth` (whole plies) that ended with `score` where the corrected evaluation was `eval`.
    pub fn learn(&mut self, params: &Params, board: &Board, eval: Score, score: Score, depth: i32) {
        let most = params.correction_error();
        let error = (score.units() - eval.units()).clamp(-most, most);
        let (deepest, most) = (params.correction_depth(), params.correction_bonus());
        let bonus = (error * depth.clamp(0, deepest) * params.correction_rate()).clamp(-most, most);
        let us = board.side().index();
        gravity::update(&mut self.threats[us][threats_key(board)], bonus, LIMIT);
        gravity::update(&mut self.stones[us][stones_key(board)], bonus, LIMIT);
    }
}

/// Index of the entry of positions with these threats. Others may share it.
fn threats_key(board: &Board) -> usize {
    let us: Color = board.side();
    let mut counts = 0u64;
    for color in [us, us.opponent()] {
        for threat in COUNTED {
            counts = counts * 4 + (board.count(color, threat) as u64).min(3);
        }
    }
    index_of(counts)
}

/// Index of the entry of positions with these stones around the last move. Others may share it.
fn stones_key(board: &Board) -> usize {
    let numbers = &SQUARE_NUMBERS[board.side().index()];
    let rows = board.last_move().map(|last| board.square(last));
    let append = |cells, row| cells * u64::from(NUMBERS) + u64::from(numbers[row]);
    index_of(rows.into_iter().flatten().fold(0, append))
}

/// More than the number of any row of a square: five cells in base five.
const NUMBERS: u16 = 5u16.pow(SQUARE as u32);

/// For each side to move, the numbers of the rows of a square. A cell is 0 if it is empty, 1 with an opposing stone, 2 with
/// an own one, 3 a wall.
static SQUARE_NUMBERS: [[u16; SQUARE_ROWS]; 2] = {
    let mut numbers = [[0; SQUARE_ROWS]; 2];
    let mut at = 0;
    while at < 2 * SQUARE_ROWS {
        let (side, row) = (at / SQUARE_ROWS, at % SQUARE_ROWS);
        let mut cell = 0;
        while cell < SQUARE {
            let value = match (row >> (2 * cell) & 3, side) {
                (0, _) => 3,
                (3, _) => 0,
                (1, 0) | (2, 1) => 2,
                _ => 1,
            };
            numbers[side][row] = numbers[side][row] * 5 + value;
            cell += 1;
        }
        at += 1;
    }
    numbers
};

/// Multiplicative hashing (Knuth): the upper bits depend on the whole word.
fn index_of(word: u64) -> usize {
    (word.wrapping_mul(GOLDEN) >> (64 - ENTRIES.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;
    use crate::board::tests::board_after;

    fn board(moves: &str) -> Board {
        board_after(Rule::Freestyle, moves)
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
        assert_eq!(
            corrections.apply(&params, &elsewhere, eval),
            eval,
            "other threats, and other stones round the last move"
        );
    }

    #[test]
    fn squares_are_read_from_the_lines_as_from_the_cells() {
        // A corner, an edge and the middle; both sides to move.
        for moves in ["h8a1i9b2", "h8a1i9", "a15b14a14b13o15", "h8i9g9h10h9", "o8n8o9n7"] {
            let board = board(moves);
            let last = board.last_move().unwrap();
            let mut number = 0u64;
            for (dy, dx) in (-2..=2).flat_map(|dy| (-2..=2).map(move |dx| (dy, dx))) {
                let point = board.size().point(last.x() as i64 + dx, last.y() as i64 + dy);
                let value = match point.map(|point| board.cell(point).color()) {
                    None => 3,
                    Some(None) => 0,
                    Some(Some(color)) => 1 + u64::from(color == board.side()),
                };
                number = 5 * number + value;
            }
            assert_eq!(stones_key(&board), index_of(number), "{moves}");
        }
    }

    #[test]
    fn the_same_stones_around_the_last_move_are_corrected_among_other_threats() {
        let params = Params::shipped(Rule::Freestyle);
        // The last move j10 lies beside i9 in both; the other stones are far from it.
        let (here, there) = (board("a1i9o1j10"), board("a1i9c1a15d1j10"));
        assert_ne!(threats_key(&here), threats_key(&there));
        let eval = Score::DRAW;
        let mut corrections = Corrections::new();
        corrections.learn(&params, &here, eval, Score::estimate(200), 8);
        assert!(corrections.apply(&params, &there, eval) > eval);
        assert!(corrections.apply(&params, &here, eval) > corrections.apply(&params, &there, eval), "both tables");
        assert_eq!(corrections.apply(&params, &board("a1i9o1k10"), eval), eval, "a last move elsewhere");
    }

    #[test]
    fn entries_stay_within_their_bound() {
        let params = Params::shipped(Rule::Freestyle);
        let here = board("h8a1i8a15");
        let mut corrections = Corrections::new();
        for _ in 0..1000 {
            corrections.learn(&params, &here, Score::estimate(-2000), Score::estimate(2000), 60);
        }
        let most = LIMIT * (params.correction_weight() + params.correction_stones()) / PARTS;
        let moved = corrections.apply(&params, &here, Score::DRAW).units();
        assert!(moved > 0 && moved <= most, "{moved} of {most}");
    }
}
