//! The rules, implemented in the simplest way: every question is answered by looking at all stones again.
//!
//! This file defines what every rule means: who wins, what is a foul, which shape a line has, when a game is over. It
//! shares no table, key or mask with the fast board, so that each can check the other. It is slow. The referee, the
//! tests, the tools and the check of proven lines use it; the search does not.
//!
//! The board is a two-dimensional array. Everything that is neither a stone nor an empty square is a wall.

use super::shape::{Foul, RealThree, Shape, Threat};
use crate::base::maps::HashMap;
use crate::base::{Cell, Color, Direction, LineRule, Point, Rule, Size};
use std::cell::RefCell;

/// A position, without anything computed in advance.
#[derive(Clone, Debug)]
pub struct Oracle {
    rule: Rule,
    size: Size,
    /// By row and column; everything beyond the board is a wall.
    cells: [[Cell; Size::MAX_SIDE]; Size::MAX_SIDE],
}

/// The result of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The game goes on.
    Continues,
    /// The player has won.
    Wins,
    /// Black has lost by playing on a forbidden point.
    Foul(Foul),
    /// The game ends without a winner.
    Draw,
    /// The point is off the board or not empty. Nothing was placed.
    Illegal,
}

impl Oracle {
    /// An empty board.
    pub fn new(rule: Rule, size: Size) -> Oracle {
        let mut cells = [[Cell::Wall; Size::MAX_SIDE]; Size::MAX_SIDE];
        for point in size.points() {
            cells[point.y()][point.x()] = Cell::Empty;
        }
        Oracle { rule, size, cells }
    }

    /// A board with these stones and dead squares; of several entries for a point the last one counts.
    pub fn from_cells(rule: Rule, size: Size, cells: impl IntoIterator<Item = (Point, Cell)>) -> Oracle {
        let mut oracle = Oracle::new(rule, size);
        cells.into_iter().for_each(|(point, cell)| oracle.set(point, cell));
        oracle
    }

    /// The rule of the game.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The board's size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The content of `p`; a wall beyond the board.
    pub fn cell(&self, p: Point) -> Cell {
        self.cells[p.y()][p.x()]
    }

    /// Sets the content of `p`: places or removes a stone, or makes the square dead. Does nothing off the board.
    pub fn set(&mut self, p: Point, cell: Cell) {
        if self.size.contains(p) {
            self.cells[p.y()][p.x()] = cell;
        }
    }

    /// Number of stones of both colours.
    pub fn stones(&self) -> usize {
        self.size.points().filter(|&p| self.cell(p).color().is_some()).count()
    }

    /// Whether a stone of `color` on `p` completes a winning row. The content of `p` is ignored, so the answer is the same
    /// before and after the move.
    pub fn wins(&self, p: Point, color: Color) -> bool {
        Direction::ALL.iter().any(|&direction| self.wins_along(p, color, direction))
    }

    /// The same in one direction.
    pub fn wins_along(&self, p: Point, color: Color, direction: Direction) -> bool {
        let (back, ahead) = self.neighbours(p, color, direction);
        let blocks =
            |steps: usize, sign: i32| self.at(p, direction, (steps as i32 + 1) * sign) == Cell::from(color.opponent());
        let both_ends_blocked = blocks(back, -1) && blocks(ahead, 1);
        row_wins(self.rule.line_rule(color), back + 1 + ahead, both_ends_blocked)
    }

    /// The first stone in a winning row, row by row.
    pub fn winning_stone(&self) -> Option<Point> {
        self.size.points().find(|&p| self.cell(p).color().is_some_and(|color| self.wins(p, color)))
    }

    /// Why black may not play on the empty point `p`. `None` when the move is legal or makes exactly five, when the point
    /// is not empty, and under rules without forbidden points.
    ///
    /// Of several reasons, the first of overline, double four and double three is returned.
    pub fn foul(&self, p: Point) -> Option<Foul> {
        if !self.rule.has_forbidden(Color::Black) || self.cell(p) != Cell::Empty {
            return None;
        }
        let mut after = self.clone();
        after.set(p, Cell::Black);
        if after.wins(p, Color::Black) {
            return None;
        }
        if let Some(&direction) = Direction::ALL.iter().find(|&&direction| after.row(p, Color::Black, direction) > 5) {
            return Some(Foul::Overline(direction));
        }
        let mut fours = Vec::new();
        for direction in Direction::ALL {
            fours.extend(vec![direction; after.count_fours(p, direction)]);
        }
        if fours.len() >= 2 {
            return Some(Foul::DoubleFour(fours));
        }
        let threes: Vec<RealThree> =
            Direction::ALL.iter().filter_map(|&direction| after.real_three(p, direction)).collect();
        (threes.len() >= 2).then_some(Foul::DoubleThree(threes))
    }

    /// Whether a black stone on the empty point `p` is a foul, or may become one when white stones are added. Every three
    /// counts here, whether or not black may play on the points that make it a straight four: white stones can make such
    /// a point legal. Otherwise they only remove fours and threes, and do not make rows of black longer.
    pub fn may_become_foul(&self, p: Point) -> bool {
        if !self.rule.has_forbidden(Color::Black) || self.cell(p) != Cell::Empty {
            return false;
        }
        let mut after = self.clone();
        after.set(p, Cell::Black);
        let is_three = |direction: Direction| (-3..=3).any(|steps| after.makes_straight_four(p, direction, steps));
        !after.wins(p, Color::Black)
            && (Direction::ALL.iter().any(|&direction| after.row(p, Color::Black, direction) > 5)
                || Direction::ALL.iter().map(|&direction| after.count_fours(p, direction)).sum::<usize>() >= 2
                || Direction::ALL.iter().filter(|&&direction| is_three(direction)).count() >= 2)
    }

    /// The shape of the line through the empty point `p` after a stone of `color` on it.
    pub fn shape(&self, p: Point, color: Color, direction: Direction) -> Shape {
        let window = Window(std::array::from_fn(|i| match self.at(p, direction, i as i32 - CENTER as i32) {
            _ if i == CENTER => Seen::Own,
            Cell::Empty => Seen::Empty,
            Cell::Wall => Seen::Wall,
            stone if stone == Cell::from(color) => Seen::Own,
            _ => Seen::Opponent,
        }));
        line_shape(self.rule.line_rule(color), window)
    }

    /// The threat that a stone of `color` on the empty point `p` makes, from the shapes of its four lines.
    pub fn threat(&self, p: Point, color: Color) -> Threat {
        let lines = Direction::ALL.map(|direction| self.shape(p, color, direction));
        Threat::of_lines(lines, self.rule.has_forbidden(color))
    }

    /// Plays a stone of `color` on `p` and returns the result. The stone is placed even if it is a foul, so that the board
    /// shows why the game is over.
    pub fn play(&mut self, p: Point, color: Color) -> Verdict {
        if self.cell(p) != Cell::Empty {
            return Verdict::Illegal;
        }
        let wins = self.wins(p, color);
        let foul = if color == Color::Black { self.foul(p) } else { None };
        self.set(p, color.into());
        match foul {
            _ if wins => Verdict::Wins,
            Some(foul) => Verdict::Foul(foul),
            None if self.is_draw() => Verdict::Draw,
            None => Verdict::Continues,
        }
    }

    /// Whether the game is drawn: no empty square is left, or there are as many stones and dead squares as
    /// [`Rule::draw_at`] says. A board without stones is never drawn while a square is empty, so a renju game on 5x5 lasts
    /// one move.
    pub fn is_draw(&self) -> bool {
        let occupied = self.size.points().filter(|&p| self.cell(p) != Cell::Empty).count();
        let cells = self.size.cells();
        occupied == cells || (self.stones() > 0 && occupied >= self.rule.draw_at(cells))
    }

    /// The content of the cell `steps` away from `p`; a wall beyond the edge.
    fn at(&self, p: Point, direction: Direction, steps: i32) -> Cell {
        p.step(direction, steps).map_or(Cell::Wall, |q| self.cell(q))
    }

    /// Number of adjacent stones of `color` in a row before `p` and after it.
    pub(super) fn neighbours(&self, p: Point, color: Color, direction: Direction) -> (usize, usize) {
        let is_own = |&steps: &i32| self.at(p, direction, steps) == Cell::from(color);
        let count = |sign: i32| (1..Size::MAX_SIDE as i32).map(|i| i * sign).take_while(is_own).count();
        (count(-1), count(1))
    }

    /// Length of the row of `color` through `p`, with a stone of that colour there.
    pub fn row(&self, p: Point, color: Color, direction: Direction) -> usize {
        let (back, ahead) = self.neighbours(p, color, direction);
        back + 1 + ahead
    }

    /// Number of [fours](Oracle::fours) on one line.
    fn count_fours(&self, p: Point, direction: Direction) -> usize {
        self.fours(p, direction).len()
    }

    /// The fours on one line that contain the black stone on `p`, as steps from `p`. A four is a set of four black stones
    /// that one more stone makes exactly five. So the straight four `.XXXX.` is one four, although two points complete
    /// it, and `X.XXX.X` holds two fours.
    pub(super) fn fours(&self, p: Point, direction: Direction) -> Vec<Vec<i32>> {
        let mut fours: Vec<Vec<i32>> = Vec::new();
        for start in -4..=0 {
            let squares = start..start + 5;
            let is = |steps: i32, cell: Cell| self.at(p, direction, steps) == cell;
            let stones: Vec<i32> = squares.clone().filter(|&i| is(i, Cell::Black)).collect();
            let has_gap = squares.into_iter().any(|i| is(i, Cell::Empty));
            let is_exact = !is(start - 1, Cell::Black) && !is(start + 5, Cell::Black);
            if stones.len() == 4 && has_gap && is_exact && !fours.contains(&stones) {
                fours.push(stones);
            }
        }
        fours
    }

    /// The real three on one line that contains the black stone on `p`, if there is one: black may legally play on a
    /// square that makes it a straight four.
    fn real_three(&self, p: Point, direction: Direction) -> Option<RealThree> {
        let may_play = |e: Point| !self.wins(e, Color::Black) && self.foul(e).is_none();
        (-3..=3)
            .filter(|&steps| self.makes_straight_four(p, direction, steps))
            .filter_map(|steps| p.step(direction, steps))
            .find(|&e| may_play(e))
            .map(|four_point| RealThree { direction, four_point })
    }

    /// Whether a black stone on the empty square `steps` away from `p` makes a straight four with the stone on `p`: four in
    /// a row, both ends empty, and no black stone beyond an end, which would make six of the five.
    pub(super) fn makes_straight_four(&self, p: Point, direction: Direction, steps: i32) -> bool {
        let Some(e) = p.step(direction, steps) else { return false };
        if self.cell(e) != Cell::Empty {
            return false;
        }
        let (back, ahead) = self.neighbours(e, Color::Black, direction);
        let (first, last) = (-(back as i32), ahead as i32);
        let contains_p = (first..=last).contains(&-steps);
        let open_end = |end: i32, beyond: i32| {
            self.at(e, direction, end) == Cell::Empty && self.at(e, direction, beyond) != Cell::Black
        };
        contains_p && last - first == 3 && open_end(first - 1, first - 2) && open_end(last + 1, last + 2)
    }
}

/// Whether a row of this length wins. `both_ends_blocked`: opposing stones stand at both ends; an edge or a dead square
/// does not block.
fn row_wins(rule: LineRule, length: usize, both_ends_blocked: bool) -> bool {
    let enough = rule.win_length();
    match rule {
        LineRule::AtLeastFive => length >= enough,
        LineRule::ExactFive | LineRule::RenjuBlack => length == enough,
        LineRule::Caro => length > enough || (length == enough && !both_ends_blocked),
        LineRule::CaroExact => length == enough && !both_ends_blocked,
    }
}

/// A square of a line as one colour sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Own,
    Opponent,
    Empty,
    Wall,
}

/// Squares of a window. No square further away matters to the row through the centre.
const WIDTH: usize = 11;
/// The centre of a window.
const CENTER: usize = WIDTH / 2;

/// The window around a point as one colour sees it, with its own stone in the centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window([Seen; WIDTH]);

impl Window {
    /// A square; a wall outside the window.
    fn at(&self, i: i32) -> Seen {
        usize::try_from(i).ok().and_then(|i| self.0.get(i)).map_or(Seen::Wall, |&seen| seen)
    }

    /// First and last square of the longest stretch around the centre whose other squares all pass the test.
    fn around(&self, passes: fn(Seen) -> bool) -> (usize, usize) {
        let reach = |sign: i32| (1..=CENTER as i32).take_while(|&k| passes(self.at(CENTER as i32 + k * sign))).count();
        (CENTER - reach(-1), CENTER + reach(1))
    }

    /// Length of the row through the centre.
    fn row(&self) -> usize {
        let (first, last) = self.around(|seen| seen == Seen::Own);
        last + 1 - first
    }

    /// Whether the row through the centre wins.
    fn wins(&self, rule: LineRule) -> bool {
        let (first, last) = self.around(|seen| seen == Seen::Own);
        let both_ends_blocked =
            self.at(first as i32 - 1) == Seen::Opponent && self.at(last as i32 + 1) == Seen::Opponent;
        row_wins(rule, last + 1 - first, both_ends_blocked)
    }

    /// The window with square `i` changed.
    fn with(mut self, i: usize, seen: Seen) -> Window {
        self.0[i] = seen;
        self
    }

    /// The window around square `i` after an own stone on it. Squares outside this window become walls.
    fn after(self, i: usize) -> Window {
        let line = self.with(i, Seen::Own);
        Window(std::array::from_fn(|k| line.at(k as i32 + i as i32 - CENTER as i32)))
    }

    /// The squares as two bits each.
    fn key(self) -> u32 {
        self.0.iter().fold(0, |key, &seen| key * 4 + seen as u32)
    }
}

thread_local! {
    /// A memo of [`shape_by_definition`]: the same few hundred thousand windows occur again and again.
    static KNOWN: RefCell<HashMap<(LineRule, u32), Shape>> = RefCell::default();
}

/// The shape of a window.
fn line_shape(rule: LineRule, window: Window) -> Shape {
    let key = (rule, window.key());
    if let Some(shape) = KNOWN.with_borrow(|known| known.get(&key).copied()) {
        return shape;
    }
    let shape = shape_by_definition(rule, window);
    KNOWN.with_borrow_mut(|known| known.insert(key, shape));
    shape
}

/// The shape of a window, from the shapes that one more stone can make of it: what can become a five is a four, what can
/// become a four is a three, and so on.
fn shape_by_definition(rule: LineRule, window: Window) -> Shape {
    if window.wins(rule) {
        return Shape::Five;
    }
    if window.row() > rule.win_length() {
        return Shape::Overline;
    }
    let (first, last) = window.around(|seen| matches!(seen, Seen::Own | Seen::Empty));
    if last + 1 - first < rule.win_length() {
        return Shape::Dead;
    }
    let empties: Vec<usize> = (first..=last).filter(|&i| window.0[i] == Seen::Empty).collect();
    let fives: Vec<usize> = empties.iter().copied().filter(|&i| window.after(i).wins(rule)).collect();
    match fives[..] {
        [] => {}
        [_] => return Shape::Four,
        [left, right] if rule == LineRule::RenjuBlack && right - left == rule.win_length() => return Shape::OpenFour,
        // Two fours on one line. There are never more than two winning squares: a row that fills one of them contains all
        // nearer squares on that side of the centre.
        _ if rule == LineRule::RenjuBlack => return Shape::Overline,
        _ if one_stone_stops_all(rule, window, &fives) => return Shape::Four,
        _ => return Shape::OpenFour,
    }
    shape_by_next(rule, &empties.iter().map(|&i| window.after(i)).collect::<Vec<_>>())
}

/// Whether one opposing stone leaves none of the winning squares `fives`.
fn one_stone_stops_all(rule: LineRule, window: Window, fives: &[usize]) -> bool {
    (0..WIDTH).filter(|&d| window.0[d] == Seen::Empty).any(|d| {
        let defended = window.with(d, Seen::Opponent);
        !fives.iter().any(|&i| i != d && defended.after(i).wins(rule))
    })
}

/// The shape of a line without a four, from the windows that one more stone can make of it.
fn shape_by_next(rule: LineRule, next: &[Window]) -> Shape {
    let shapes: Vec<(Shape, usize)> = next.iter().map(|&w| (line_shape(rule, w), w.row())).collect();
    let count = |is: fn(Shape) -> bool| shapes.iter().filter(|(shape, _)| is(*shape)).count();
    let open_fours = count(|s| s == Shape::OpenFour);
    // An overline that is no longer than a winning row is black's double four on one line: a foul, but also a four.
    let is_double_four = |shape, row| shape == Shape::Overline && row <= rule.win_length();
    let fours = shapes.iter().any(|&(shape, row)| shape == Shape::Four || is_double_four(shape, row));
    let open_threes = count(Shape::is_open_three);
    match (open_fours, open_threes) {
        (2.., _) => Shape::OpenThreeWide,
        (1, _) => Shape::OpenThree,
        _ if fours => Shape::Three,
        (_, 4..) => Shape::OpenTwoWide,
        (_, 3) => Shape::OpenTwo,
        (_, 1..) => Shape::OpenTwoNarrow,
        _ if count(|s| s == Shape::Three) > 0 => Shape::Two,
        _ if count(Shape::is_open_two) > 0 => Shape::OpenOne,
        _ if count(|s| s == Shape::Two) > 0 => Shape::One,
        _ => Shape::Dead,
    }
}

#[cfg(test)]
mod tests;
