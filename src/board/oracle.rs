//! The slow, obvious rules, by looking at the stones again every time.
//!
//! This file owns the meaning of every rule: who wins, what is a foul, what a line is worth, when a game is over.
//! It must not know how the fast board does the same: it shares no table, key or mask with it, so that the two can
//! check each other. Referee, tests and tools use it; play and search never do.
//!
//! The board is a plain two-dimensional array. Anything that is not a stone or an empty square is a wall: beyond
//! the edge, or a square declared dead.

use super::shape::{Foul, RealThree, Shape, Threat};
use crate::base::maps::HashMap;
use crate::base::{Cell, Color, Direction, LineRule, Point, Rule, Size};
use std::cell::RefCell;

/// A position judged by rescanning it.
#[derive(Clone, Debug)]
pub struct Oracle {
    rule: Rule,
    size: Size,
    /// By row, then by column; everything beyond the board is a wall.
    cells: [[Cell; Size::MAX_SIDE]; Size::MAX_SIDE],
}

/// What the referee says to a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The game goes on.
    Continues,
    /// The mover has won.
    Wins,
    /// The mover has lost: black may not play here.
    Foul(Foul),
    /// The game ends without a winner.
    Draw,
    /// Off the board, or not an empty square; nothing was placed.
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

    /// The game being played.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The size of the board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// What stands on `p`; a wall when `p` is not on this board.
    pub fn cell(&self, p: Point) -> Cell {
        self.cells[p.y()][p.x()]
    }

    /// Puts `cell` on `p`: places or removes a stone, or declares the square dead. Nothing happens off the board.
    pub fn set(&mut self, p: Point, cell: Cell) {
        if self.size.contains(p) {
            self.cells[p.y()][p.x()] = cell;
        }
    }

    /// Number of stones of both colours.
    pub fn stones(&self) -> usize {
        self.size.points().filter(|&p| self.cell(p).color().is_some()).count()
    }

    /// Whether a stone of `color` on `p` completes a winning row. What stands on `p` now is not looked at, so the
    /// question may be asked before the move or after it.
    pub fn wins(&self, p: Point, color: Color) -> bool {
        Direction::ALL.iter().any(|&direction| {
            let (back, ahead) = self.neighbours(p, color, direction);
            let blocks = |steps: usize, sign: i32| {
                self.at(p, direction, (steps as i32 + 1) * sign) == Cell::from(color.opponent())
            };
            let both_ends_blocked = blocks(back, -1) && blocks(ahead, 1);
            row_wins(self.rule.line_rule(color), back + 1 + ahead, both_ends_blocked)
        })
    }

    /// Why black may not play the empty point `p`. `None` when the move is legal, when it makes an exact five,
    /// when the point is not empty, and in every rule but renju.
    ///
    /// Of several reasons the first of overline, double four, double three is given.
    pub fn foul(&self, p: Point) -> Option<Foul> {
        if !self.rule.has_forbidden(Color::Black) || self.cell(p) != Cell::Empty {
            return None;
        }
        let mut after = self.clone();
        after.set(p, Cell::Black);
        if after.wins(p, Color::Black) {
            return None;
        }
        if let Some(&direction) = Direction::ALL.iter().find(|&&direction| after.black_row(p, direction) > 5) {
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

    /// Whether black's stone on the empty point `p` is a foul, or could be one once there are more white stones: all
    /// its threes count, whether or not black may play the points that make them straight fours. White stones only
    /// take fours and threes away, and rows of black stay as long as they are.
    pub fn may_become_foul(&self, p: Point) -> bool {
        if !self.rule.has_forbidden(Color::Black) || self.cell(p) != Cell::Empty {
            return false;
        }
        let mut after = self.clone();
        after.set(p, Cell::Black);
        let is_three = |direction: Direction| (-3..=3).any(|steps| after.makes_straight_four(p, direction, steps));
        !after.wins(p, Color::Black)
            && (Direction::ALL.iter().any(|&direction| after.black_row(p, direction) > 5)
                || Direction::ALL.iter().map(|&direction| after.count_fours(p, direction)).sum::<usize>() >= 2
                || Direction::ALL.iter().filter(|&&direction| is_three(direction)).count() >= 2)
    }

    /// The line through the empty point `p` along `direction` after a stone of `color` on it.
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

    /// What a stone of `color` on the empty point `p` is worth, from the shapes of its four lines.
    pub fn threat(&self, p: Point, color: Color) -> Threat {
        let lines = Direction::ALL.map(|direction| self.shape(p, color, direction));
        Threat::of_lines(lines, self.rule.has_forbidden(color))
    }

    /// Judges a stone of `color` on `p`, then places it. A foul is placed too: the game is over, and the stone
    /// shows why.
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

    /// Whether the game ends without a winner here: no empty square is left, or in renju all but 25 squares hold
    /// stones. At least one stone must have been played, so a renju game on 5x5 lasts one move.
    pub fn is_draw(&self) -> bool {
        let is_full = self.size.points().all(|p| self.cell(p) != Cell::Empty);
        let stones = self.stones();
        is_full || (stones > 0 && stones >= self.rule.draw_at(self.size.cells()))
    }

    /// What stands `steps` away from `p`; a wall beyond the edge.
    fn at(&self, p: Point, direction: Direction, steps: i32) -> Cell {
        p.step(direction, steps).map_or(Cell::Wall, |q| self.cell(q))
    }

    /// Stones of `color` in one piece with `p`: how many before it and how many after it.
    pub(super) fn neighbours(&self, p: Point, color: Color, direction: Direction) -> (usize, usize) {
        let is_own = |&steps: &i32| self.at(p, direction, steps) == Cell::from(color);
        let count = |sign: i32| (1..Size::MAX_SIDE as i32).map(|i| i * sign).take_while(is_own).count();
        (count(-1), count(1))
    }

    /// Length of the black row through `p`.
    fn black_row(&self, p: Point, direction: Direction) -> usize {
        let (back, ahead) = self.neighbours(p, Color::Black, direction);
        back + 1 + ahead
    }

    /// How many [fours](Oracle::fours) one line holds.
    fn count_fours(&self, p: Point, direction: Direction) -> usize {
        self.fours(p, direction).len()
    }

    /// Fours along one line that contain the black stone on `p`, as steps from there. A four is a set of four black
    /// stones that one more makes exactly five; so the straight four `.XXXX.`, which two stones can complete, is one
    /// four, and `X.XXX.X` holds two.
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

    /// The real three along one line that contains the black stone on `p`: black could legally play one of the
    /// squares that make it a straight four.
    fn real_three(&self, p: Point, direction: Direction) -> Option<RealThree> {
        let may_play = |e: Point| !self.wins(e, Color::Black) && self.foul(e).is_none();
        (-3..=3)
            .filter(|&steps| self.makes_straight_four(p, direction, steps))
            .filter_map(|steps| p.step(direction, steps))
            .find(|&e| may_play(e))
            .map(|four_point| RealThree { direction, four_point })
    }

    /// Whether black on the empty square `steps` away joins the stone on `p` in a straight four: four in a row,
    /// both ends empty, and no black stone behind them that would turn the five into a six.
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

/// Whether a row of this length wins. `both_ends_blocked` means by opposing stones; an edge or a dead square is no
/// block.
fn row_wins(rule: LineRule, length: usize, both_ends_blocked: bool) -> bool {
    let enough = rule.win_length();
    match rule {
        LineRule::AtLeastFive => length >= enough,
        LineRule::ExactFive | LineRule::RenjuBlack => length == enough,
        LineRule::Caro => length > enough || (length == enough && !both_ends_blocked),
        LineRule::CaroExact => length == enough && !both_ends_blocked,
    }
}

/// What one colour sees on a square of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Own,
    Opponent,
    Empty,
    Wall,
}

/// Squares of a window; no row that matters to its centre reaches further.
const WIDTH: usize = 11;
/// The centre of a window, where the stone in question stands.
const CENTER: usize = WIDTH / 2;

/// A stretch of line as one colour sees it, its own stone in the centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window([Seen; WIDTH]);

impl Window {
    /// What lies on a square; a wall outside the window.
    fn at(&self, i: i32) -> Seen {
        usize::try_from(i).ok().and_then(|i| self.0.get(i)).map_or(Seen::Wall, |&seen| seen)
    }

    /// First and last square of the piece of line around the centre on which every square passes.
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

    /// The same line with another square changed.
    fn with(mut self, i: usize, seen: Seen) -> Window {
        self.0[i] = seen;
        self
    }

    /// The window around square `i` after an own stone on it; what lies outside this window becomes wall.
    fn after(self, i: usize) -> Window {
        let line = self.with(i, Seen::Own);
        Window(std::array::from_fn(|k| line.at(k as i32 + i as i32 - CENTER as i32)))
    }

    /// The squares in two bits each.
    fn key(self) -> u32 {
        self.0.iter().fold(0, |key, &seen| key * 4 + seen as u32)
    }
}

thread_local! {
    /// Windows already classified. Only a memory of [`shape_by_definition`]: the oracle is asked for the same few
    /// hundred thousand windows again and again.
    static KNOWN: RefCell<HashMap<(LineRule, u32), Shape>> = RefCell::default();
}

/// The class of a window.
fn line_shape(rule: LineRule, window: Window) -> Shape {
    let key = (rule, window.key());
    if let Some(shape) = KNOWN.with_borrow(|known| known.get(&key).copied()) {
        return shape;
    }
    let shape = shape_by_definition(rule, window);
    KNOWN.with_borrow_mut(|known| known.insert(key, shape));
    shape
}

/// The class of a window by what the best further stone would make of it. Nothing is listed by hand: a four is what
/// becomes a five, a three what becomes a four, and so on down.
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
        // Two fours that share only some of their stones. There are never more than two squares to consider: the
        // row that fills one of them would have to hold every other on its side of the centre.
        _ if rule == LineRule::RenjuBlack => return Shape::Overline,
        _ if one_stone_stops_all(rule, window, &fives) => return Shape::Four,
        _ => return Shape::OpenFour,
    }
    shape_by_next(rule, &empties.iter().map(|&i| window.after(i)).collect::<Vec<_>>())
}

/// Whether the opponent has a square that leaves no winning square of `fives`.
fn one_stone_stops_all(rule: LineRule, window: Window, fives: &[usize]) -> bool {
    (0..WIDTH).filter(|&d| window.0[d] == Seen::Empty).any(|d| {
        let defended = window.with(d, Seen::Opponent);
        !fives.iter().any(|&i| i != d && defended.after(i).wins(rule))
    })
}

/// The class of a line without a four, from the windows one further stone can make of it.
fn shape_by_next(rule: LineRule, next: &[Window]) -> Shape {
    let shapes: Vec<(Shape, usize)> = next.iter().map(|&w| (line_shape(rule, w), w.row())).collect();
    let count = |is: fn(Shape) -> bool| shapes.iter().filter(|(shape, _)| is(*shape)).count();
    let open_fours = count(|s| s == Shape::OpenFour);
    // An overline of five stones or fewer is black's double four in one line: not allowed to him, but a four.
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
