//! Explanations of renju's forbidden points: what a black stone on a point would make on each line, which threes are
//! real and which are false, and why.
//!
//! The verdict comes from the oracle; this file finds the stones that are the reason. A three is *real* when black may
//! play on a point that makes it a straight four. Each such point is a [`FourPoint`]. One that black may not use has an
//! [`Explanation`] of its own, recursively.

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
    /// The explanation of the point, where it is a foul or looks like one; else `None`.
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

impl Explanation {
    /// Explains an empty point of a renju position.
    pub fn new(position: &Oracle, point: Point) -> Explanation {
        let ruling = match position.foul(point) {
            _ if position.wins(point, Color::Black) => Ruling::Wins,
            None => Ruling::Legal,
            Some(Foul::Overline(_)) => Ruling::Overline,
            Some(Foul::DoubleFour(_)) => Ruling::DoubleFour,
            Some(Foul::DoubleThree(_)) => Ruling::DoubleThree,
        };
        let mut after = position.clone();
        after.set(point, Cell::Black);
        let rows = Direction::ALL.iter().flat_map(|&direction| rows(position, &after, point, direction)).collect();
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

/// The rows that a black stone on `point` makes on a line. `before` is the position without the stone, `after` with it.
fn rows(before: &Oracle, after: &Oracle, point: Point, direction: Direction) -> Vec<Row> {
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
        let four_points = four_points.iter().filter_map(|&steps| at(steps)).map(|e| four_point(after, e)).collect();
        rows.push(row(&stones, RowKind::Three(four_points)));
    } else if rows.is_empty() && before.shape(point, Color::Black, direction) == Shape::Three {
        let is = |steps: i32, cell: Cell| at(steps).is_some_and(|p| after.cell(p) == cell);
        let inside = |start: &i32| (*start..*start + 5).all(|i| is(i, Cell::Black) || is(i, Cell::Empty));
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
fn four_point(position: &Oracle, point: Point) -> FourPoint {
    let explanation = Explanation::new(position, point);
    let is_open = explanation.ruling == Ruling::Legal;
    let needs_explanation = !is_open || explanation.is_trap();
    FourPoint { point, is_open, explanation: needs_explanation.then(|| Box::new(explanation)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Rule, Size};
    use crate::board::notation::parse_diagram;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    /// Hard positions, with the verdicts on the points that matter.
    const POSITIONS: &str = include_str!("../../tests/data/forbidden.txt");

    fn oracle(picture: &str) -> Oracle {
        let diagram = parse_diagram(picture).unwrap();
        let mut oracle = Oracle::new(Rule::Renju, diagram.size);
        diagram.cells.iter().for_each(|&(point, cell)| oracle.set(point, cell));
        oracle
    }

    /// Checks that the rows agree with the verdict, which comes from the oracle.
    fn check(oracle: &Oracle, explanation: &Explanation) {
        let fours = explanation.count(|row| matches!(row.kind, RowKind::Four(_)));
        let threes = explanation.count(Row::is_real_three);
        let expected = if explanation.count(|row| row.kind == RowKind::Five) > 0 {
            Ruling::Wins
        } else if explanation.count(|row| row.kind == RowKind::Overline) > 0 {
            Ruling::Overline
        } else if fours >= 2 {
            Ruling::DoubleFour
        } else if threes >= 2 {
            Ruling::DoubleThree
        } else {
            Ruling::Legal
        };
        assert_eq!(explanation.ruling, expected, "{explanation:?}");
        assert_eq!(oracle.foul(explanation.point).is_some(), explanation.ruling.is_foul());
        for row in &explanation.rows {
            assert!(row.stones.contains(&explanation.point));
            let count = match &row.kind {
                RowKind::Five => 5,
                RowKind::Overline => row.stones.len().max(6),
                RowKind::Four(fives) => {
                    assert!((1..=2).contains(&fives.len()), "{row:?}");
                    4
                }
                RowKind::Three(four_points) => {
                    assert!(!four_points.is_empty() && row.is_real_three() != row.is_false_three());
                    3
                }
                RowKind::ClosedThree => 3,
            };
            assert_eq!(row.stones.len(), count, "{row:?}");
            let mut after = oracle.clone();
            after.set(explanation.point, Cell::Black);
            let RowKind::Three(four_points) = &row.kind else { continue };
            for four_point in four_points {
                assert_eq!(
                    four_point.is_open,
                    after.foul(four_point.point).is_none() && !after.wins(four_point.point, Color::Black)
                );
                let explanation = four_point.explanation.as_deref();
                assert!(four_point.is_open || explanation.is_some());
                explanation.inspect(|explanation| check(&after, explanation));
            }
        }
    }

    #[test]
    fn hard_positions_are_explained_to_the_end_of_their_chains() {
        let (mut longest, mut links) = (0, 0);
        for block in POSITIONS.split("\n\n").skip(1) {
            let mut lines = block.lines();
            let (name, chain) = (lines.next().unwrap(), lines.next().unwrap());
            let mut oracle = oracle(&lines.collect::<Vec<_>>().join("\n"));
            let chain: Vec<(Point, &str)> = chain
                .split("; ")
                .map(|link| {
                    let (point, verdict) = link.split_once(' ').unwrap();
                    let (x, y) = point.split_once(',').unwrap();
                    (Point::new(x.parse().unwrap(), y.parse().unwrap()).unwrap(), verdict)
                })
                .collect();
            let explanation = Explanation::new(&oracle, chain[0].0);
            check(&oracle, &explanation);
            // Each later point of the chain is a four point of some three, with the verdict in the file.
            let mut here = &explanation;
            for (index, &(point, verdict)) in chain.iter().enumerate() {
                let judged = Explanation::new(&oracle, point);
                assert_eq!(judged.ruling.name(), verdict, "{name}: {point}");
                if index > 0 {
                    let four_points = here.rows.iter().filter_map(|row| match &row.kind {
                        RowKind::Three(four_points) => Some(four_points),
                        _ => None,
                    });
                    // The last points of some chains are not four points; they show why there is none.
                    let Some(found) = four_points.flatten().find(|four_point| four_point.point == point) else { break };
                    assert_eq!(found.is_open, judged.ruling == Ruling::Legal, "{name}: {point}");
                    longest = longest.max(index);
                    links += 1;
                    match found.explanation.as_deref() {
                        Some(explanation) => here = explanation,
                        None => break,
                    }
                }
                oracle.set(point, Cell::Black);
            }
        }
        assert!(longest >= 2 && links >= 15, "{links} links, {longest} in the longest chain");
    }

    #[test]
    fn rows_and_rulings_agree_in_random_positions() {
        let mut random = SmallRng::seed_from_u64(8);
        let size = Size::square(9).unwrap();
        let (mut fouls, mut traps) = (0, 0);
        for _ in 0..200 {
            let mut oracle = Oracle::new(Rule::Renju, size);
            for point in size.points() {
                let cell = match random.random_range(0..10) {
                    0..=2 => Cell::Black,
                    3 => Cell::White,
                    _ => Cell::Empty,
                };
                oracle.set(point, cell);
            }
            let explanations = all(&oracle);
            for explanation in &explanations {
                check(&oracle, explanation);
            }
            fouls += explanations.iter().filter(|explanation| explanation.ruling.is_foul()).count();
            traps += explanations.iter().filter(|explanation| explanation.is_trap()).count();
            let empty = |p: &Point| oracle.cell(*p) == Cell::Empty;
            let forbidden = size.points().filter(empty).filter(|&p| oracle.foul(p).is_some()).count();
            assert_eq!(explanations.iter().filter(|explanation| explanation.ruling.is_foul()).count(), forbidden);
        }
        assert!(fouls > 300 && traps > 30, "{fouls} {traps}");
    }
}
