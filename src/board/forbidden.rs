//! Renju's forbidden points: where black may not play, and why.
//!
//! The incremental [`Threat::Forbidden`] is only a suspicion: overlines and double fours are what they seem, but two
//! threes count only if black could really make a straight four of each - by a legal move, which may itself hang on
//! the legality of others. So suspected double threes are settled by putting the stone on the board and asking again,
//! as deep as the position goes (the recursion ends because every step adds a stone).

use super::shape::{Foul, RealThree, Shape, Threat};
use super::{Board, NullObserver};
use crate::base::{Cell, Color, Direction, Point};

impl Board {
    /// Whether black may not play the empty `point`. Always false in rules without forbidden points. The board is
    /// changed while thinking and restored before returning.
    pub fn is_forbidden(&mut self, point: Point) -> bool {
        if self.threat(point, Color::Black) != Threat::Forbidden {
            return false;
        }
        self.is_sure_foul(point) || self.real_threes(point, 2).len() >= 2
    }

    /// Whether `color` may play the empty `point`: white may always.
    #[inline]
    pub fn may_play(&mut self, point: Point, color: Color) -> bool {
        color == Color::White || !self.is_forbidden(point)
    }

    /// Why black may not play the empty `point`; `None` when it is legal.
    pub fn foul(&mut self, point: Point) -> Option<Foul> {
        if self.threat(point, Color::Black) != Threat::Forbidden {
            return None;
        }
        if let Some(&line) = Direction::ALL.iter().find(|&&d| self.is_overline(point, d)) {
            return Some(Foul::Overline(line));
        }
        let mut fours = Vec::new();
        for direction in Direction::ALL {
            match self.shape(point, Color::Black, direction) {
                Shape::Overline => fours.extend([direction, direction]),
                shape if shape.is_four() => fours.push(direction),
                _ => {}
            }
        }
        if fours.len() >= 2 {
            return Some(Foul::DoubleFour(fours));
        }
        let threes = self.real_threes(point, 4);
        (threes.len() >= 2).then_some(Foul::DoubleThree(threes))
    }

    /// Whether the shapes alone make a suspected point a foul: an overline, or two fours.
    fn is_sure_foul(&self, point: Point) -> bool {
        let shapes = Direction::ALL.map(|direction| self.shape(point, Color::Black, direction));
        shapes.contains(&Shape::Overline) || shapes.iter().filter(|shape| shape.is_four()).count() >= 2
    }

    /// Whether a black stone would stand in a row of six or more (the shape's code is shared with two fours).
    fn is_overline(&self, point: Point, direction: Direction) -> bool {
        let run = |sign: i32| {
            (1..=5)
                .take_while(|&steps| point.step(direction, sign * steps).is_some_and(|p| self.cell(p) == Cell::Black))
                .count()
        };
        self.shape(point, Color::Black, direction) == Shape::Overline && 1 + run(1) + run(-1) >= 6
    }

    /// The threes that a black stone on `point` makes and that could really become straight fours; stops looking
    /// once `enough` are found.
    fn real_threes(&mut self, point: Point, enough: usize) -> Vec<RealThree> {
        let lines: Vec<Direction> = Direction::ALL
            .into_iter()
            .filter(|&direction| self.shape(point, Color::Black, direction).is_open_three())
            .collect();
        let mut real = Vec::new();
        self.play_color(point, Color::Black, &mut NullObserver);
        for direction in lines {
            if let Some(four_point) = self.legal_four_point(point, direction) {
                real.push(RealThree { direction, four_point });
                if real.len() >= enough {
                    break;
                }
            }
        }
        self.undo(&mut NullObserver);
        real
    }

    /// With a black stone on `point`: the first point of the line, from its negative end, where black may legally
    /// make a straight four that contains the stone.
    fn legal_four_point(&mut self, point: Point, direction: Direction) -> Option<Point> {
        for steps in (-4..=4).filter(|&steps| steps != 0) {
            let Some(candidate) = point.step(direction, steps) else { continue };
            let between = |s: i32| point.step(direction, s * steps.signum()).map(|p| self.cell(p)) == Some(Cell::Black);
            let joined = (1..steps.abs()).all(between);
            if joined
                && self.is_empty(candidate)
                && self.shape(candidate, Color::Black, direction) == Shape::OpenFour
                && self.threat(candidate, Color::Black) != Threat::Five
                && !self.is_forbidden(candidate)
            {
                return Some(candidate);
            }
        }
        None
    }
}
