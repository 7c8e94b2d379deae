//! The history heuristic: how often each move caused a cut-off, by its point, by the threats that it makes and denies, and
//! by where it lies from the last moves. Replies to a threatened four have a table by point of their own.

use super::continuation::Continuations;
use super::correction::Corrections;
use super::divisor::Divisor;
use super::gravity;
use super::params::Params;
use crate::base::point::CELLS;
use crate::base::{Color, Point};
use crate::board::Board;

/// What a thread has learned in the game so far.
#[derive(Clone, Debug)]
pub struct History {
    /// Success of each move by colour and point, in whatever position.
    table: Box<[[i16; CELLS]; 2]>,
    /// Success of each reply to a threatened four by colour and point.
    replies: Box<[[i16; CELLS]; 2]>,
    /// Success of moves by colour and by [`Board::threat_code`].
    threats: Box<[[i16; 256]; 2]>,
    /// Success of moves by where they lie from the last moves.
    continuations: Continuations,
    /// Corrections of the static evaluation.
    pub(super) corrections: Corrections,
}

impl History {
    /// An empty history.
    pub fn new() -> History {
        History {
            table: Box::new([[0; CELLS]; 2]),
            replies: Box::new([[0; CELLS]; 2]),
            threats: Box::new([[0; 256]; 2]),
            continuations: Continuations::new(),
            corrections: Corrections::new(),
        }
    }

    /// Clears all entries, for a new game.
    pub fn clear(&mut self) {
        *self = History::new();
    }

    /// Halves the entries of all moves, before a new move of the same game.
    pub fn age(&mut self) {
        let by_point = self.table.iter_mut().chain(self.replies.iter_mut()).flatten();
        let others = self.threats.iter_mut().flatten().chain(self.continuations.entries());
        by_point.chain(others).for_each(|entry| *entry /= 2);
    }

    /// The entry of a move, from `-history_limit` to `history_limit`.
    #[inline]
    pub fn get(&self, color: Color, point: Point) -> i32 {
        i32::from(self.table[color.index()][point.index()])
    }

    /// The definition of [`History::add_move_scores`] for one move.
    #[cfg(test)]
    fn move_score(&self, params: &Params, board: &Board, point: Point, is_reply: bool) -> i32 {
        let color = board.side();
        let by_point = if is_reply {
            i32::from(self.replies[color.index()][point.index()]) * params.history_replies() / 64
        } else {
            self.get(color, point)
        };
        let by_threats = self.by_threats(params, board, color.index(), point);
        let others = by_threats + self.continuations.of_moves(params, board).get(point);
        by_point / params.history_divisor() + others / 64 / params.history_divisor()
    }

    /// Adds to the score of each of these moves of the side to move what the history says about it, in units of the move score.
    /// `are_replies`: a four is threatened.
    pub fn add_move_scores(
        &self,
        params: &Params,
        board: &Board,
        points: &[Point],
        are_replies: bool,
        scores: &mut [i32],
    ) {
        let color = board.side().index();
        // Everything is in 64ths. Rounding towards zero once gives what rounding after each division would.
        let divisor = Divisor::new(64 * params.history_divisor());
        let continuations = self.continuations.of_moves(params, board);
        let (table, weight) =
            if are_replies { (&self.replies[color], params.history_replies()) } else { (&self.table[color], 64) };
        for (score, &point) in scores.iter_mut().zip(points) {
            let by_point = i32::from(table[point.index()]) * weight;
            let by_threats = self.by_threats(params, board, color, point);
            *score += divisor.divide(by_point) + divisor.divide(by_threats + continuations.get(point));
        }
    }

    /// The weighted entry of the threats that a move of the side to move makes and denies.
    #[inline(always)]
    fn by_threats(&self, params: &Params, board: &Board, color: usize, point: Point) -> i32 {
        i32::from(self.threats[color][usize::from(board.threat_code(point))]) * params.history_threats()
    }

    /// Records that a move of the side to move caused a cut-off at `depth` (whole plies) after the moves `tried` had not.
    pub fn reward(&mut self, params: &Params, board: &Board, best: Point, tried: &[Point], depth: i32) {
        let bonus = bonus(params, depth);
        let limit = params.history_limit();
        let color = board.side().index();
        let best_threats = usize::from(board.threat_code(best));
        learn_points(&mut self.table[color], best, tried, bonus, limit);
        gravity::update(&mut self.threats[color][best_threats], bonus, limit);
        self.continuations.update(params, board, best, bonus);
        for &point in tried {
            self.continuations.update(params, board, point, -bonus);
            let threats = usize::from(board.threat_code(point));
            if threats != best_threats {
                gravity::update(&mut self.threats[color][threats], -bonus, limit);
            }
        }
    }

    /// The same of a reply to a threatened four.
    pub fn reward_reply(&mut self, params: &Params, board: &Board, best: Point, tried: &[Point], depth: i32) {
        let replies = &mut self.replies[board.side().index()];
        learn_points(replies, best, tried, bonus(params, depth), params.history_limit());
    }
}

impl Default for History {
    fn default() -> History {
        History::new()
    }
}

/// Changes the entries of the best move and of those tried before it.
fn learn_points(entries: &mut [i16; CELLS], best: Point, tried: &[Point], bonus: i32, limit: i32) {
    gravity::update(&mut entries[best.index()], bonus, limit);
    for point in tried {
        gravity::update(&mut entries[point.index()], -bonus, limit);
    }
}

fn bonus(params: &Params, depth: i32) -> i32 {
    let bonus = params.history_square() * depth * depth + params.history_linear() * depth - params.history_offset();
    bonus.clamp(0, params.history_cap().min(params.history_limit()))
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
        assert_eq!(history.move_score(&params, &board, good, false), 0);
    }

    #[test]
    fn replies_to_a_threatened_four_are_learned_apart() {
        let params = Params::shipped(Rule::Freestyle);
        let mut history = History::new();
        let board = board("h8a1i8a15j8");
        let (good, bad) = (Point::new(6, 7).unwrap(), Point::new(12, 12).unwrap());
        for _ in 0..1000 {
            history.reward_reply(&params, &board, good, &[bad], 8);
        }
        let score = |point, is_reply| history.move_score(&params, &board, point, is_reply);
        assert!(score(good, true) > 0 && score(bad, true) < 0);
        assert_eq!([score(good, false), score(bad, false)], [0, 0]);
        assert!(history.replies.iter().flatten().all(|&entry| i32::from(entry).abs() <= params.history_limit()));
    }

    #[test]
    fn the_scores_of_many_moves_are_those_of_each() {
        let board = board("h8a1i8a15j9c13");
        let points: Vec<Point> = board.size().points().filter(|&point| board.is_empty(point)).collect();
        for rule in Rule::ALL {
            let params = Params::shipped(rule);
            let mut history = History::new();
            for (i, tried) in points.windows(7).enumerate() {
                history.reward(&params, &board, tried[i % 7], &tried[..3], 4 + i as i32 % 9);
                history.reward_reply(&params, &board, tried[i % 5], &tried[5..], 4 + i as i32 % 7);
            }
            for are_replies in [false, true] {
                let mut scores: Vec<i32> = (0..points.len() as i32).collect();
                history.add_move_scores(&params, &board, &points, are_replies, &mut scores);
                let each = points.iter().map(|&point| history.move_score(&params, &board, point, are_replies));
                let each: Vec<i32> = each.zip(0..).map(|(score, before)| score + before).collect();
                assert_eq!(scores, each);
                assert!(each.iter().zip(0..).any(|(&score, before)| score < before), "some moves have failed");
            }
        }
    }

    #[test]
    fn a_move_is_judged_by_others_with_the_same_threats() {
        let params = Params::shipped(Rule::Freestyle);
        let mut history = History::new();
        let board = board("h8a1i8a15");
        // j8 and g8 make the same threat and deny the same; n13 makes and denies none.
        let [made, same, quiet] = [(9, 7), (6, 7), (13, 2)].map(|(x, y)| Point::new(x, y).unwrap());
        assert_eq!(board.threat_pair(made), board.threat_pair(same));
        assert_ne!(board.threat_pair(made), board.threat_pair(quiet));
        for _ in 0..20 {
            history.reward(&params, &board, made, &[quiet], 8);
        }
        let score = |point| history.move_score(&params, &board, point, false);
        assert!(score(made) > score(same) && score(same) > 0 && score(quiet) < 0);
        assert_eq!(history.get(Color::Black, same), 0);
    }
}
