//! Renju's forbidden points: where black may not play, and why.
//!
//! [`Threat::Forbidden`] follows from the shapes alone. That is exact for overlines and double fours. A double three is
//! a foul only if black can make a straight four of each three by a legal move, and whether that move is legal may depend
//! on other threes in the same way. So the stone is played and the four points are examined, recursively; the recursion
//! ends because each step adds a stone.

use super::shape::{Foul, RealThree, Shape, Threat};
use super::{Board, NullObserver};
use crate::base::{Cell, Color, Direction, Point};

impl Board {
    /// Whether black may not play on the empty `point`. Always false under rules without forbidden points. The board is
    /// changed meanwhile, and restored.
    pub fn is_forbidden(&mut self, point: Point) -> bool {
        if self.threat(point, Color::Black) != Threat::Forbidden {
            return false;
        }
        self.is_sure_foul(point) || self.real_threes(point, 2).len() >= 2
    }

    /// Whether `color` may play on the empty `point`. White always may.
    #[inline]
    pub fn may_play(&mut self, point: Point, color: Color) -> bool {
        color == Color::White || !self.is_forbidden(point)
    }

    /// Why black may not play on the empty `point`; `None` when it is legal.
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

    /// Whether a point of [`Threat::Forbidden`] is a foul because of an overline or two fours.
    fn is_sure_foul(&self, point: Point) -> bool {
        let shapes = Direction::ALL.map(|direction| self.shape(point, Color::Black, direction));
        shapes.contains(&Shape::Overline) || shapes.iter().filter(|shape| shape.is_four()).count() >= 2
    }

    /// Whether a black stone would make a row of six or more. [`Shape::Overline`] alone may also be two fours.
    fn is_overline(&self, point: Point, direction: Direction) -> bool {
        let run = |sign: i32| {
            (1..=5)
                .take_while(|&steps| point.step(direction, sign * steps).is_some_and(|p| self.cell(p) == Cell::Black))
                .count()
        };
        self.shape(point, Color::Black, direction) == Shape::Overline && 1 + run(1) + run(-1) >= 6
    }

    /// The real threes that a black stone on `point` makes, at most `enough` of them.
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

    /// With a black stone on `point`: the first point along the line where black may legally make a straight four that
    /// contains the stone.
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
