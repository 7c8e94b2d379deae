//! Renju's forbidden points: where black may not play. [`super::foul_explanation`] says why.
//!
//! [`Threat::Forbidden`] follows from the shapes alone. That is exact for overlines and double fours. A double three is
//! a foul only if black can make a straight four of each three by a legal move, and whether that move is legal may depend
//! on other threes in the same way. So the stone is played and the four points are examined, recursively; the recursion
//! ends because each step adds a stone.

use super::shape::{Shape, Threat};
use super::{Board, NullObserver};
use crate::base::{Cell, Color, Direction, Point, Rule, Size};

/// The points of a position that are forbidden to the side to move; none unless that is black under renju.
pub fn forbidden_points(rule: Rule, size: Size, cells: &[(Point, Cell)], side: Color) -> Vec<Point> {
    if !rule.has_forbidden(side) {
        return Vec::new();
    }
    let mut board = Board::from_cells(rule, size, cells, side);
    let mut points = board.points_of(side, Threat::Forbidden);
    points.retain(|point| board.is_forbidden(*point));
    points.to_vec()
}

impl Board {
    /// Whether black may not play on the empty `point`. Always false under rules without forbidden points. The board is
    /// changed meanwhile, and restored.
    pub fn is_forbidden(&mut self, point: Point) -> bool {
        if self.threat(point, Color::Black) != Threat::Forbidden {
            return false;
        }
        self.is_sure_foul(point) || self.makes_two_real_threes(point)
    }

    /// Whether `color` may play on the empty `point`. White always may.
    #[inline]
    pub fn may_play(&mut self, point: Point, color: Color) -> bool {
        color == Color::White || !self.is_forbidden(point)
    }

    /// Whether a point of [`Threat::Forbidden`] is a foul because of an overline or two fours.
    fn is_sure_foul(&self, point: Point) -> bool {
        let shapes = Direction::ALL.map(|direction| self.shape(point, Color::Black, direction));
        shapes.contains(&Shape::Overline) || shapes.iter().filter(|shape| shape.is_four()).count() >= 2
    }

    /// Whether a black stone on `point` makes two real threes: open threes of which black can make a straight four by a
    /// legal move.
    fn makes_two_real_threes(&mut self, point: Point) -> bool {
        let is_open_three = |&direction: &Direction| self.shape(point, Color::Black, direction).is_open_three();
        let lines: Vec<Direction> = Direction::ALL.into_iter().filter(is_open_three).collect();
        self.play_color(point, Color::Black, &mut NullObserver);
        let real = lines.into_iter().filter(|&direction| self.can_make_legal_four(point, direction)).take(2).count();
        self.undo(&mut NullObserver);
        real == 2
    }

    /// With a black stone on `point`: whether black may legally make a straight four in this direction that contains it.
    fn can_make_legal_four(&mut self, point: Point, direction: Direction) -> bool {
        (-4..=4i32).filter(|&steps| steps != 0).any(|steps| {
            let Some(candidate) = point.step(direction, steps) else { return false };
            let between = |s: i32| point.step(direction, s * steps.signum()).map(|p| self.cell(p)) == Some(Cell::Black);
            (1..steps.abs()).all(between)
                && self.is_empty(candidate)
                && self.shape(candidate, Color::Black, direction) == Shape::OpenFour
                && self.threat(candidate, Color::Black) != Threat::Five
                && !self.is_forbidden(candidate)
        })
    }
}
