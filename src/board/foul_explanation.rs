//! Explanations of renju's forbidden points: what a black stone on a point would make on each line, which threes are
//! real and which are false, and why.
//!
//! The verdict comes from the oracle; this file finds the stones that are the reason. A three is *real* when black may
//! play on a point that makes it a straight four. Each such point is a [`FourPoint`]. One that black may not use has an
//! [`Explanation`] of its own, recursively, down to a limit.

use super::oracle::Oracle;
use super::shape::{Foul, Shape};
use crate::base::{Cell, Color, Direction, Point};

/// The explanation of one empty point: the verdict on a black stone there, and the rows it makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The point.
    pub point: Point,
    /// Whether the stone wins, is legal or is a foul.
    pub ruling: Ruling,
    /// The rows that the stone would make, line by line.
    pub rows: Vec<Row>,
}

/// Whether a black stone wins, is legal or is a foul.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It makes exactly five, which takes precedence over every foul.
    Wins,
    /// It is legal.
    Legal,
    /// Six or more in a row.
    Overline,
    /// Two fours at once.
    DoubleFour,
    /// Two real threes at once.
    DoubleThree,
}

impl Ruling {
    /// Whether the stone is a foul.
    pub fn is_foul(self) -> bool {
        !matches!(self, Ruling::Wins | Ruling::Legal)
    }

    /// The English name.
    pub fn name(self) -> &'static str {
        match self {
            Ruling::Wins => "five",
            Ruling::Legal => "legal",
            Ruling::Overline => "overline",
            Ruling::DoubleFour => "double four",
            Ruling::DoubleThree => "double three",
        }
    }
}

/// A row that the stone would make on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The line.
    pub direction: Direction,
    /// Its black stones, including the new one, in order along the line.
    pub stones: Vec<Point>,
    /// Its kind.
    pub kind: RowKind,
}

/// Kinds of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// Exactly five.
    Five,
    /// Six or more.
    Overline,
    /// A four, with the points that make it five.
    Four(Vec<Point>),
    /// A three, with the points that make it a straight four.
    Three(Vec<FourPoint>),
    /// A three that can become a four, but not a straight one. It does not count.
    ClosedThree,
}

/// A point where a black stone turns a three into a straight four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FourPoint {
    /// The point.
    pub point: Point,
    /// Whether black may play there to make the straight four.
    pub is_open: bool,
    /// The explanation of the point, where it is a foul or looks like one; else, and at the deepest level, `None`.
    pub explanation: Option<Box<Explanation>>,
}

impl Row {
    /// Whether this is a real three.
    pub fn is_real_three(&self) -> bool {
        matches!(&self.kind, RowKind::Three(four_points) if four_points.iter().any(|four_point| four_point.is_open))
    }

    /// Whether this is a three that does not count because black may not use any of its four points.
    pub fn is_false_three(&self) -> bool {
        matches!(&self.kind, RowKind::Three(four_points) if !four_points.iter().any(|four_point| four_point.is_open))
    }
}

/// Explanations are nested this deeply at most. Positions of games need three to five levels; a lattice of threes would have hundreds
/// of thousands of explanations, forty levels deep.
const DEEPEST: usize = 6;

impl Explanation {
    /// Explains an empty point of a renju position.
    pub fn new(position: &Oracle, point: Point) -> Explanation {
        Explanation::nested(position, point, DEEPEST)
    }

    /// The same with so many levels of explanations of four points.
    fn nested(position: &Oracle, point: Point, levels: usize) -> Explanation {
        let ruling = match position.foul(point) {
            _ if position.wins(point, Color::Black) => Ruling::Wins,
            None => Ruling::Legal,
            Some(Foul::Overline(_)) => Ruling::Overline,
            Some(Foul::DoubleFour(_)) => Ruling::DoubleFour,
            Some(Foul::DoubleThree(_)) => Ruling::DoubleThree,
        };
        let mut after = position.clone();
        after.set(point, Cell::Black);
        let rows = |&direction| rows(position, &after, point, direction, levels);
        let rows = Direction::ALL.iter().flat_map(rows).collect();
        Explanation { point, ruling, rows }
    }

    /// Whether the point is legal but looks forbidden: an exact five together with a foul, or two or more threes of which
    /// at most one is real.
    pub fn is_trap(&self) -> bool {
        let fours = self.count(|row| matches!(row.kind, RowKind::Four(_)));
        let overlines = self.count(|row| row.kind == RowKind::Overline);
        let threes = self.count(|row| matches!(row.kind, RowKind::Three(_)));
        !self.ruling.is_foul() && (overlines > 0 || fours >= 2 || threes >= 2)
    }

    /// Number of rows for which `is` returns true.
    pub fn count(&self, is: impl Fn(&Row) -> bool) -> usize {
        self.rows.iter().filter(|row| is(row)).count()
    }
}

/// Explains all points that are forbidden, or are legal but look forbidden.
pub fn all(position: &Oracle) -> Vec<Explanation> {
    let empty = position.size().points().filter(|&point| position.cell(point) == Cell::Empty);
    let explanations = empty.map(|point| Explanation::new(position, point));
    explanations.filter(|explanation| explanation.ruling.is_foul() || explanation.is_trap()).collect()
}

/// The rows that a black stone on `point` makes on a line. `before` is the position without the stone, `after` with it; four points
/// have so many levels of explanations.
fn rows(before: &Oracle, after: &Oracle, point: Point, direction: Direction, levels: usize) -> Vec<Row> {
    let at = |steps: i32| point.step(direction, steps).filter(|&p| after.size().contains(p));
    let row = |steps: &[i32], kind: RowKind| {
        let stones = steps.iter().filter_map(|&steps| at(steps)).collect();
        Row { direction, stones, kind }
    };
    let (back, ahead) = after.neighbours(point, Color::Black, direction);
    let piece: Vec<i32> = (-(back as i32)..=ahead as i32).collect();
    match piece.len() {
        ..5 => {}
        5 => return vec![row(&piece, RowKind::Five)],
        _ => return vec![row(&piece, RowKind::Overline)],
    }
    let mut rows = Vec::new();
    for stones in after.fours(point, direction) {
        let completes = |p: &Point| {
            let mut filled = after.clone();
            filled.set(*p, Cell::Black);
            let (back, ahead) = filled.neighbours(*p, Color::Black, direction);
            let inside = |steps: &i32| at(*steps).is_some_and(|stone| is_in_run(*p, stone, direction, back, ahead));
            back + 1 + ahead == 5 && stones.iter().all(inside)
        };
        let empty = (-4..=4).filter_map(at).filter(|&p| after.cell(p) == Cell::Empty);
        rows.push(row(&stones, RowKind::Four(empty.filter(completes).collect())));
    }
    let four_points: Vec<i32> = (-4..=4).filter(|&steps| after.makes_straight_four(point, direction, steps)).collect();
    if let Some(&first) = four_points.first() {
        let e = at(first).expect("a straight four lies on the board");
        let (back, ahead) = after.neighbours(e, Color::Black, direction);
        let stones: Vec<i32> = (first - back as i32..=first + ahead as i32).filter(|&steps| steps != first).collect();
        let four_points = four_points.iter().filter_map(|&steps| at(steps));
        let four_points = four_points.map(|e| four_point(after, e, levels)).collect();
        rows.push(row(&stones, RowKind::Three(four_points)));
    } else if rows.is_empty() && before.shape(point, Color::Black, direction) == Shape::Three {
        let is = |steps: i32, cell: Cell| at(steps).is_some_and(|p| after.cell(p) == cell);
        let fits = |start: i32| !is(start - 1, Cell::Black) && !is(start + 5, Cell::Black);
        let inside = |&start: &i32| fits(start) && (start..start + 5).all(|i| is(i, Cell::Black) || is(i, Cell::Empty));
        let stones = |start: i32| (start..start + 5).filter(|&i| is(i, Cell::Black)).collect::<Vec<_>>();
        if let Some(stones) = (-4..=0).filter(inside).map(stones).find(|stones| stones.len() == 3) {
            rows.push(row(&stones, RowKind::ClosedThree));
        }
    }
    rows
}

/// Whether `stone` lies on the line at most `back` steps before or `ahead` steps after `p`.
fn is_in_run(p: Point, stone: Point, direction: Direction, back: usize, ahead: usize) -> bool {
    (-(back as i32)..=ahead as i32).any(|steps| p.step(direction, steps) == Some(stone))
}

/// What black's stone at `point`, which makes a straight four, is under the rule.
fn four_point(position: &Oracle, point: Point, levels: usize) -> FourPoint {
    let Some(levels) = levels.checked_sub(1) else {
        let is_open = position.foul(point).is_none() && !position.wins(point, Color::Black);
        return FourPoint { point, is_open, explanation: None };
    };
    let explanation = Explanation::nested(position, point, levels);
    let is_open = explanation.ruling == Ruling::Legal;
    let needs_explanation = !is_open || explanation.is_trap();
    FourPoint { point, is_open, explanation: needs_explanation.then(|| Box::new(explanation)) }
}
