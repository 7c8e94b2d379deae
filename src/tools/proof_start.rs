//! Positions to solve and start positions of proofs: whether an unfinished game can have reached them. It uses the reference
//! rules of [`Oracle`] only.
//!
//! Where the stones of each colour are listed in playing order, as [`solve`](super::solve) lists them, the game is replayed.
//! Otherwise stones are taken back, one by one and in turns, until the board is empty: each must be one that could have
//! been the last.

use crate::base::maps::HashSet;
use crate::base::{Cell, Color, Direction, Point};
use crate::board::oracle::{Oracle, Verdict};
use anyhow::{bail, ensure};

/// Stones taken back in search of an order of play, before the search gives up.
const MAX_STEPS: u32 = 20_000;
/// Distance, in cells, up to which stones of a line count as near each other.
const NEAR: i32 = 4;

/// Checks that an unfinished game can have reached the position on the board. `stones`: those of black and of white, in
/// playing order if it is known; no two on one point. Returns the side to move.
///
/// # Errors
/// Says why there is no such game, or that none was found.
pub fn check(oracle: &Oracle, stones: &[Vec<Point>; 2]) -> anyhow::Result<Color> {
    if let Some(reason) = why_over(oracle) {
        bail!("the game is over: {reason}");
    }
    let [black, white] = stones.each_ref().map(Vec::len);
    ensure!(
        black == white || black == white + 1,
        "no game has {black} black and {white} white stones: black begins, and the players take turns"
    );
    let side = Color::to_move_after(black + white);
    if is_order(oracle, stones) {
        return Ok(side);
    }
    let mut past = Past { oracle: oracle.clone(), impossible: HashSet::default(), steps: 0 };
    let last = side.opponent();
    match past.exists(last) {
        Ok(true) => Ok(side),
        Ok(false) if past.last_stones(last).is_empty() => bail!(
            "no game leads here: each stone of {} would have been a foul as the last move, or the game was over before",
            last.name()
        ),
        Ok(false) => bail!("no game leads here: in every order of the moves one is a foul or ends the game"),
        Err(GaveUp) => bail!("no order of the moves was found that leads here; list the stones in playing order"),
    }
}

/// Why the game is over whatever the last move was; `None` while it may go on.
fn why_over(oracle: &Oracle) -> Option<String> {
    for point in oracle.size().points() {
        let Some(color) = oracle.cell(point).color() else { continue };
        if oracle.wins(point, color) {
            return Some(format!("{} has won", color.name()));
        }
        // When the row became so long it was a foul, or it made a five as well and won.
        if oracle.rule().has_forbidden(color)
            && longest_row(oracle, point, color) > oracle.rule().line_rule(color).win_length()
        {
            return Some(format!("{} has more than five in a row", color.name()));
        }
    }
    oracle.is_draw().then(|| "it is drawn".to_owned())
}

/// The stones of `color` in the longest row through a point, with a stone of that colour on it.
fn longest_row(oracle: &Oracle, point: Point, color: Color) -> usize {
    Direction::ALL.into_iter().map(|direction| oracle.row(point, color, direction)).max().unwrap_or_default()
}

/// Whether the stones are listed in an order in which they can have been played.
fn is_order(oracle: &Oracle, stones: &[Vec<Point>; 2]) -> bool {
    let mut game = Oracle::new(oracle.rule(), oracle.size());
    let total = stones.iter().map(Vec::len).sum();
    (0..total).all(|index| {
        let color = Color::to_move_after(index);
        game.play(stones[color.index()][index / 2], color) == Verdict::Continues
    })
}

/// The search for an order of play took too many steps.
struct GaveUp;

/// The search for an order of play, backwards.
struct Past {
    oracle: Oracle,
    /// Positions to which no order leads.
    impossible: HashSet<Vec<Cell>>,
    steps: u32,
}

impl Past {
    /// Whether an order of play leads to the position on the board, `last` having moved last. The game is not over there,
    /// unless the last move ended it.
    fn exists(&mut self, last: Color) -> Result<bool, GaveUp> {
        if self.oracle.stones() == 0 {
            return Ok(true);
        }
        let position: Vec<Cell> = self.oracle.size().points().map(|point| self.oracle.cell(point)).collect();
        if self.impossible.contains(&position) {
            return Ok(false);
        }
        for point in self.likely_first(last) {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(GaveUp);
            }
            if !self.may_be_last(point, last) {
                continue;
            }
            self.oracle.set(point, Cell::Empty);
            let found = self.exists(last.opponent());
            self.oracle.set(point, last.into());
            if found? {
                return Ok(true);
            }
        }
        self.impossible.insert(position);
        Ok(false)
    }

    /// The stones that `color` can have played last.
    fn last_stones(&mut self, color: Color) -> Vec<Point> {
        let mut points = self.likely_first(color);
        points.retain(|&point| self.may_be_last(point, color));
        points
    }

    /// Whether the game was not over before this stone and the stone was no foul.
    fn may_be_last(&mut self, point: Point, color: Color) -> bool {
        self.oracle.set(point, Cell::Empty);
        let is_foul = color == Color::Black && self.oracle.foul(point).is_some();
        let may_be = !is_foul && why_over(&self.oracle).is_none();
        self.oracle.set(point, color.into());
        may_be
    }

    /// The stones of a colour, first those whose removal is the most likely to leave a position that can be reached: of long
    /// rows and of dense shapes for black, and white stones that block few of black's lines.
    fn likely_first(&self, color: Color) -> Vec<Point> {
        let oracle = &self.oracle;
        let is_near = |point: Point, direction, steps| {
            let near = point.step(direction, steps);
            steps != 0 && near.is_some_and(|near| oracle.cell(near) == Cell::Black)
        };
        let near_black = |point: Point| {
            let near = Direction::ALL.map(|direction| (-NEAR..=NEAR).filter(|&s| is_near(point, direction, s)).count());
            near.iter().sum::<usize>() as i32
        };
        let urgency = |point: Point| {
            let row = longest_row(oracle, point, color) as i32;
            (if row > 4 { row } else { 0 }, if color == Color::Black { near_black(point) } else { -near_black(point) })
        };
        let stones = oracle.size().points().filter(|&point| oracle.cell(point) == color.into());
        let mut stones: Vec<((i32, i32), Point)> = stones.map(|point| (urgency(point), point)).collect();
        stones.sort_unstable_by_key(|&(urgency, point)| (std::cmp::Reverse(urgency), point));
        stones.into_iter().map(|(_, point)| point).collect()
    }
}
