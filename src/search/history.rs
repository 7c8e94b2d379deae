//! The history heuristic: how often each move caused a cut-off.

use super::correction::Corrections;
use super::params::Params;
use crate::base::point::CELLS;
use crate::base::{Color, Point};

/// What a thread has learned in the game so far.
#[derive(Clone, Debug)]
pub struct History {
    /// Success of each move by colour and point, in whatever position.
    table: Box<[[i16; CELLS]; 2]>,
    /// Corrections of the static evaluation.
    pub(super) corrections: Corrections,
}

impl History {
    /// An empty history.
    pub fn new() -> History {
        History { table: Box::new([[0; CELLS]; 2]), corrections: Corrections::new() }
    }

    /// Clears all entries, for a new game.
    pub fn clear(&mut self) {
        *self.table = [[0; CELLS]; 2];
        self.corrections.clear();
    }

    /// Halves the entries of all moves, before a new move of the same game.
    pub fn age(&mut self) {
        for entry in self.table.iter_mut().flatten() {
            *entry /= 2;
        }
    }

    /// The entry of a move, from `-history_limit` to `history_limit`.
    #[inline]
    pub fn get(&self, color: Color, point: Point) -> i32 {
        i32::from(self.table[color.index()][point.index()])
    }

    /// Records that a move of `color` caused a cut-off at `depth` (whole plies) after the moves `tried` had not.
    pub fn reward(&mut self, params: &Params, color: Color, best: Point, tried: &[Point], depth: i32) {
        let bonus = bonus(params, depth);
        self.update(params, color, best, bonus);
        for &point in tried {
            self.update(params, color, point, -bonus);
        }
    }

    /// Adds a bonus to an entry, scaled down near the limit (history gravity).
    fn update(&mut self, params: &Params, color: Color, point: Point, bonus: i32) {
        let entry = &mut self.table[color.index()][point.index()];
        let old = i32::from(*entry);
        *entry = (old + bonus - old * bonus.abs() / params.history_limit()) as i16;
    }
}

impl Default for History {
    fn default() -> History {
        History::new()
    }
}

fn bonus(params: &Params, depth: i32) -> i32 {
    let bonus = params.history_square() * depth * depth + params.history_linear() * depth - params.history_offset();
    bonus.clamp(0, params.history_cap())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;

    #[test]
    fn entries_stay_within_the_limit() {
        let params = Params::shipped(Rule::Freestyle);
        let limit = params.history_limit();
        let mut history = History::new();
        let (good, bad) = (Point::new(7, 7).unwrap(), Point::new(8, 8).unwrap());
        for _ in 0..1000 {
            history.reward(&params, Color::Black, good, &[bad], 30);
        }
        assert!((1..=limit).contains(&history.get(Color::Black, good)));
        assert!((-limit..0).contains(&history.get(Color::Black, bad)));
        assert_eq!(history.get(Color::White, good), 0);
    }
}
