//! The hand-made evaluation: every empty point is worth something to each side by the shapes a stone there would
//! make, and having the move is worth something by the threats at hand. Floor 2.
//!
//! The sum over all points swings by a tempo with every move, so the estimate averages the sums after the last two
//! moves, and the threat terms restore what the move itself is worth.

use super::Evaluator;
use crate::base::{Color, Point, Rule, Score};
use crate::board::tables::{COMBINATIONS, Combination, all_combinations};
use crate::board::{Board, Change, Observer, Shape, Threat};
use std::sync::OnceLock;

/// What a line's shape is worth on an empty point, by shape code.
const SHAPE_VALUE: [i32; 14] = [0, 0, 0, 2, 2, 2, 4, 5, 5, 11, 16, 26, 53, 30];
/// What a combination of lines adds to the sum of its shapes, by threat code.
const THREAT_VALUE: [i32; 14] = [0, 0, 0, 0, 5, 6, 0, 10, 24, 0, 7, 36, 12, 0];
/// First guess at a move: what it makes for us, by threat code.
const ATTACK: [i32; 14] = [0, 0, 18, 18, 34, 36, 52, 60, 110, 44, 74, 300, 625, 1000];
/// First guess at a move: what it denies the opponent, by threat code.
const DEFENCE: [i32; 14] = [0, 0, 14, 15, 26, 28, 40, 52, 80, 36, 56, 170, 300, 700];
/// What threats at hand are worth to the side to move, by threat code and saturating at two points.
const OWN_THREAT: [i32; 14] = [0, 0, 0, 0, 2, 3, 14, 22, 70, 6, 20, 160, 400, 0];
/// What the opponent's threats cost the side to move, by threat code and saturating at two points.
const THEIR_THREAT: [i32; 14] = [0, 0, 0, 0, 1, 1, 4, 8, 24, 2, 8, 40, 70, 150];
/// The move itself.
const TEMPO: i32 = 12;

/// Room for every combination, rounded up so that a masked index needs no check.
const TABLE: usize = COMBINATIONS.next_power_of_two();

/// Everything looked up by a combination of four shapes.
#[derive(Debug)]
struct Values {
    value: Box<[i16; TABLE]>,
    /// Attack and defence score of a move.
    order: Box<[[i16; 2]; TABLE]>,
}

impl Values {
    fn of(forbidden_rule: bool) -> &'static Values {
        static TABLES: [OnceLock<Values>; 2] = [const { OnceLock::new() }; 2];
        TABLES[usize::from(forbidden_rule)].get_or_init(|| Values::build(forbidden_rule))
    }

    fn build(forbidden_rule: bool) -> Values {
        let mut value = Vec::with_capacity(TABLE);
        let mut order = Vec::with_capacity(TABLE);
        for lines in all_combinations() {
            let threat = Threat::of_lines(lines, forbidden_rule);
            let sum: i32 = lines.iter().map(|&shape: &Shape| SHAPE_VALUE[shape as usize]).sum();
            if threat == Threat::Forbidden {
                value.push(0);
                order.push([0, DEFENCE[threat.index()] as i16]);
            } else {
                value.push((sum + THREAT_VALUE[threat.index()]) as i16);
                order.push([(ATTACK[threat.index()] + sum) as i16, (DEFENCE[threat.index()] + sum * 3 / 4) as i16]);
            }
        }
        value.resize(TABLE, 0);
        order.resize(TABLE, [0; 2]);
        Values {
            value: value.into_boxed_slice().try_into().expect("one value a combination"),
            order: order.into_boxed_slice().try_into().expect("one pair a combination"),
        }
    }
}

/// The hand-made evaluation; see the module's words.
#[derive(Clone, Debug)]
pub struct ShapeEvaluator {
    values: [&'static Values; 2],
    /// Black's points minus white's, now and after each earlier move.
    sum: i32,
    earlier: Vec<i32>,
}

impl ShapeEvaluator {
    /// An evaluator for one rule; call [`Evaluator::refresh`] before use.
    pub fn new(rule: Rule) -> ShapeEvaluator {
        ShapeEvaluator {
            values: Color::ALL.map(|color| Values::of(rule.has_forbidden(color))),
            sum: 0,
            earlier: Vec::with_capacity(1024),
        }
    }

    #[inline]
    fn value(&self, of: [Combination; 2]) -> i32 {
        i32::from(self.values[0].value[of[0].id() & (TABLE - 1)])
            - i32::from(self.values[1].value[of[1].id() & (TABLE - 1)])
    }

    /// Black's points minus white's over all empty points.
    pub fn sum(&self) -> i32 {
        self.sum
    }
}

impl Observer for ShapeEvaluator {
    #[inline]
    fn played(&mut self, _: Point, _: Color, taken: [Combination; 2], changes: impl Iterator<Item = Change>) {
        self.earlier.push(self.sum);
        let gained: i32 = changes.map(|change| self.value(change.after) - self.value(change.before)).sum();
        self.sum += gained - self.value(taken);
    }

    #[inline]
    fn undo(&mut self) {
        if let Some(sum) = self.earlier.pop() {
            self.sum = sum;
        }
    }
}

impl Evaluator for ShapeEvaluator {
    fn refresh(&mut self, board: &Board) {
        self.values = Color::ALL.map(|color| Values::of(board.rule().has_forbidden(color)));
        self.earlier.clear();
        self.sum = board.size().points().filter(|&p| board.is_empty(p)).map(|p| self.value(board.worth(p))).sum();
    }

    fn evaluate(&mut self, board: &Board) -> Score {
        let us = board.side();
        let before = self.earlier.last().copied().unwrap_or(self.sum);
        let for_black = i32::midpoint(self.sum, before);
        let for_us = if us == Color::Black { for_black } else { -for_black };
        let mut threats = TEMPO;
        for threat in Threat::ALL {
            let own = board.count(us, threat).min(2) as i32;
            let their = board.count(us.opponent(), threat).min(2) as i32;
            threats += own * OWN_THREAT[threat.index()] - their * THEIR_THREAT[threat.index()];
        }
        Score::estimate(for_us + threats)
    }

    #[inline]
    fn move_score(&self, board: &Board, point: Point) -> i32 {
        let us = board.side();
        let worth = board.worth(point);
        let attack = self.values[us.index()].order[worth[us.index()].id() & (TABLE - 1)][0];
        let defence = self.values[us.opponent().index()].order[worth[us.opponent().index()].id() & (TABLE - 1)][1];
        i32::from(attack) + i32::from(defence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Size;
    use crate::board::notation::parse_moves;

    #[test]
    fn the_running_sum_equals_a_fresh_look_and_undo_restores_it() {
        for rule in Rule::ALL {
            let size = Size::square(15).unwrap();
            let mut board = Board::new(rule, size);
            let mut evaluator = ShapeEvaluator::new(rule);
            evaluator.refresh(&board);
            let mut sums = vec![evaluator.sum()];
            for point in parse_moves("h8i9g9h10h9f9g8g7f7e6i8", size).unwrap() {
                board.play(point, &mut evaluator);
                let mut fresh = ShapeEvaluator::new(rule);
                fresh.refresh(&board);
                assert_eq!(evaluator.sum(), fresh.sum());
                sums.push(evaluator.sum());
            }
            for sum in sums.iter().rev().skip(1) {
                board.undo(&mut evaluator);
                assert_eq!(evaluator.sum(), *sum);
            }
        }
    }

    #[test]
    fn colours_are_worth_the_same_under_symmetric_rules() {
        let size = Size::square(15).unwrap();
        let moves = parse_moves("h8i9g9h10h9f9", size).unwrap();
        let stones = |first: Color| {
            let mut color = first;
            moves
                .iter()
                .map(|&p| {
                    let cell = color.into();
                    color = color.opponent();
                    (p, cell)
                })
                .collect::<Vec<_>>()
        };
        let scores = Color::ALL.map(|first| {
            let board = Board::from_cells(Rule::Standard, size, &stones(first), first);
            let mut evaluator = ShapeEvaluator::new(Rule::Standard);
            evaluator.refresh(&board);
            evaluator.evaluate(&board)
        });
        assert_eq!(scores[0], scores[1]);
    }
}
