//! The history heuristic: how often each move caused a cut-off, by its point and by the threats that it makes and denies.

use super::correction::Corrections;
use super::gravity;
use super::params::Params;
use crate::base::point::CELLS;
use crate::base::{Color, Point};
use crate::board::{Board, Threat};

/// Number of pairs of a threat made and one denied.
const THREAT_PAIRS: usize = Threat::ALL.len() * Threat::ALL.len();

/// What a thread has learned in the game so far.
#[derive(Clone, Debug)]
pub struct History {
    /// Success of each move by colour and point, in whatever position.
    table: Box<[[i16; CELLS]; 2]>,
    /// Success of moves by colour and by the threats that they make and deny.
    threats: Box<[[i16; THREAT_PAIRS]; 2]>,
    /// Corrections of the static evaluation.
    pub(super) corrections: Corrections,
}

impl History {
    /// An empty history.
    pub fn new() -> History {
        History {
            table: Box::new([[0; CELLS]; 2]),
            threats: Box::new([[0; THREAT_PAIRS]; 2]),
            corrections: Corrections::new(),
        }
    }

    /// Clears all entries, for a new game.
    pub fn clear(&mut self) {
        *self.table = [[0; CELLS]; 2];
        *self.threats = [[0; THREAT_PAIRS]; 2];
        self.corrections.clear();
    }

    /// Halves the entries of all moves, before a new move of the same game.
    pub fn age(&mut self) {
        let entries = self.table.iter_mut().flatten().chain(self.threats.iter_mut().flatten());
        entries.for_each(|entry| *entry /= 2);
    }

    /// The entry of a move, from `-history_limit` to `history_limit`.
    #[inline]
    pub fn get(&self, color: Color, point: Point) -> i32 {
        i32::from(self.table[color.index()][point.index()])
    }

    /// What the history adds to the score of a move of the side to move, in units of the move score.
    #[inline]
    pub fn move_score(&self, params: &Params, board: &Board, point: Point) -> i32 {
        let color = board.side();
        let threats = i32::from(self.threats[color.index()][threat_pair(board, point)]) * params.history_threats() / 64;
        self.get(color, point) / params.history_divisor() + threats / params.history_divisor()
    }

    /// Records that a move of the side to move caused a cut-off at `depth` (whole plies) after the moves `tried` had not.
    pub fn reward(&mut self, params: &Params, board: &Board, best: Point, tried: &[Point], depth: i32) {
        let bonus = bonus(params, depth);
        let limit = params.history_limit();
        let color = board.side().index();
        let best_pair = threat_pair(board, best);
        gravity::update(&mut self.table[color][best.index()], bonus, limit);
        gravity::update(&mut self.threats[color][best_pair], bonus, limit);
        for &point in tried {
            gravity::update(&mut self.table[color][point.index()], -bonus, limit);
            let pair = threat_pair(board, point);
            if pair != best_pair {
                gravity::update(&mut self.threats[color][pair], -bonus, limit);
            }
        }
    }
}

impl Default for History {
    fn default() -> History {
        History::new()
    }
}

/// Index of the threats that a move of the side to move makes and denies.
fn threat_pair(board: &Board, point: Point) -> usize {
    let us = board.side();
    board.threat(point, us) as usize * Threat::ALL.len() + board.threat(point, us.opponent()) as usize
}

fn bonus(params: &Params, depth: i32) -> i32 {
    let bonus = params.history_square() * depth * depth + params.history_linear() * depth - params.history_offset();
    bonus.clamp(0, params.history_cap())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;
    use crate::search::correction::tests::board;

    #[test]
    fn entries_stay_within_the_limit() {
        let params = Params::shipped(Rule::Freestyle);
        let limit = params.history_limit();
        let mut history = History::new();
        let board = board("h8a1i8a15");
        let (good, bad) = (Point::new(9, 7).unwrap(), Point::new(8, 8).unwrap());
        for _ in 0..1000 {
            history.reward(&params, &board, good, &[bad], 30);
        }
        assert!((1..=limit).contains(&history.get(Color::Black, good)));
        assert!((-limit..0).contains(&history.get(Color::Black, bad)));
        assert_eq!(history.get(Color::White, good), 0);
        assert!(history.threats.iter().flatten().all(|&entry| i32::from(entry).abs() <= limit));
        history.clear();
        assert_eq!(history.move_score(&params, &board, good), 0);
    }

    #[test]
    fn a_move_is_judged_by_others_with_the_same_threats() {
        let params = Params::shipped(Rule::Freestyle);
        let mut history = History::new();
        let board = board("h8a1i8a15");
        // j8 and g8 make the same threat and deny the same; n13 makes and denies none.
        let [made, same, quiet] = [(9, 7), (6, 7), (13, 2)].map(|(x, y)| Point::new(x, y).unwrap());
        assert_eq!(threat_pair(&board, made), threat_pair(&board, same));
        assert_ne!(threat_pair(&board, made), threat_pair(&board, quiet));
        for _ in 0..20 {
            history.reward(&params, &board, made, &[quiet], 8);
        }
        let score = |point| history.move_score(&params, &board, point);
        assert!(score(made) > score(same) && score(same) > 0 && score(quiet) < 0);
        assert_eq!(history.get(Color::Black, same), 0);
    }
}
