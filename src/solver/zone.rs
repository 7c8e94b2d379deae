//! The *zone* of a winning tree: the cells where one more defending stone may matter. With a stone on any other cell the
//! same tree still wins.
//!
//! [`stops`](super::stops) does this for a tree of fours; this file does it for any tree. After a move that threatens no
//! five, a tree answers the replies that it lists, and to all others it plays on as if the defender had passed. The
//! claim is therefore made for several stones at once:
//!
//! > The tree holds here, and in every position with up to `extra` more defending stones, none of them in the zone.
//!
//! The zone consists of
//!
//! - the attacker's points, and the points of the fives that the attacker threatens (in caro also both ends of these
//!   fives);
//! - all cells with which the defender, with the extra stones and the reply to come, could make a five;
//! - the zone of every subtree: of the answers to listed replies with the same number of extra stones, and of what
//!   follows a pass with one more. Replies in the latter zone are played out, each with its own zone; all others change
//!   nothing.
//!
//! In renju, stones far away decide about fouls. Where the tree needs a point that could be a foul, there is no zone.
//! The verifier checks the same claim independently, with the reference rules.

use super::tree::{Proof, ProofNode};
use crate::base::maps::HashMap;
use crate::base::{Cell, Color, Direction, Point};
use crate::board::cells::ROWS;
use crate::board::{Board, CellSet, Threat};
use crate::search::forced;

/// Most positions visited for one zone.
const POSITIONS: u32 = 100_000;
/// Most zones kept.
const MEMORY: usize = 1 << 16;
/// Moves that must be left before the draw beyond those of the win.
const DRAW_MARGIN: usize = 4;

impl Proof {
    /// The zone of the whole tree: with one more defending stone on any other cell, it still wins. `None` when any cell
    /// may matter.
    pub fn zone(&self, board: &mut Board, attacker: Color) -> Option<CellSet> {
        let root = self.nodes.len().checked_sub(1)?;
        board.with_side(attacker, |board| Zones::default().of(&self.nodes, board, root, self.distance()))
    }
}

/// Computes zones and keeps those already known, by position, node and number of extra stones.
#[derive(Default)]
pub(super) struct Zones {
    known: HashMap<(u64, usize, usize), CellSet>,
    visited: u32,
}

impl Zones {
    /// The cells where one more defending stone may matter to the tree of node `index`, which wins for the side to move
    /// in `distance` plies; `None` when any cell may.
    pub fn of(&mut self, nodes: &[ProofNode], board: &mut Board, index: usize, distance: u32) -> Option<CellSet> {
        self.follow(nodes, board, index, distance, 1)
    }

    /// Whether the tree of node `index` wins here. `false` may be wrong, `true` is a proof.
    pub fn holds(&mut self, nodes: &[ProofNode], board: &mut Board, index: usize, distance: u32) -> bool {
        self.follow(nodes, board, index, distance, 0).is_some()
    }

    fn follow(
        &mut self,
        nodes: &[ProofNode],
        board: &mut Board,
        index: usize,
        distance: u32,
        extra: usize,
    ) -> Option<CellSet> {
        // The tree does not consider a draw by the number of moves.
        if board.moves_to_draw() <= distance as usize + DRAW_MARGIN {
            return None;
        }
        if self.known.len() > MEMORY {
            self.known.clear();
        }
        self.visited = 0;
        Walk { nodes, zones: self, attacker: board.side() }.attack(board, index, extra)
    }
}

/// A walk through a tree.
struct Walk<'a> {
    nodes: &'a [ProofNode],
    zones: &'a mut Zones,
    attacker: Color,
}

impl Walk<'_> {
    /// The zone of a node in the position on the board, with the attacker to move, for `extra` extra stones.
    fn attack(&mut self, board: &mut Board, index: usize, extra: usize) -> Option<CellSet> {
        let key = (board.key(), index, extra);
        if let Some(&zone) = self.zones.known.get(&key) {
            return Some(zone);
        }
        self.zones.visited += 1;
        let point = self.nodes[index].point;
        if self.zones.visited > POSITIONS || !board.is_empty(point) || may_be_foul(board, point, self.attacker) {
            return None;
        }
        let mut zone = CellSet::default();
        add_five(board, point, self.attacker, &mut zone);
        if board.threat(point, self.attacker) != Threat::Five {
            let replies = board.with_move(point, |board| self.defence(board, index, extra));
            zone |= replies?;
        }
        self.zones.known.insert(key, zone);
        Some(zone)
    }

    /// The zone after the attacker's move at node `index`.
    fn defence(&mut self, board: &mut Board, index: usize, extra: usize) -> Option<CellSet> {
        let (us, them) = (self.attacker, self.attacker.opponent());
        if board.count(them, Threat::Five) > 0 {
            return None;
        }
        let mut zone = if extra > 0 { rows(board, them, extra + 1) } else { CellSet::default() };
        board.for_each_point_of(us, Threat::Five, |five| add_five(board, five, us, &mut zone));
        let node = &self.nodes[index];
        if board.count(us, Threat::Five) > 0 {
            for stop in forced::kill_intersection(board, us, Threat::Five) {
                let listed = node.replies.iter().find(|(reply, _)| *reply == stop).map(|&(_, child)| child);
                let answer = self.answer(board, stop, listed.or(node.rest)?, extra)?;
                zone |= answer;
            }
            return Some(zone);
        }
        let rest = node.rest?;
        let pass = board.with_side(us, |board| self.attack(board, rest, extra + 1))?;
        zone |= pass;
        for &(reply, child) in &node.replies {
            let answer = self.answer(board, reply, child, extra)?;
            zone |= answer;
        }
        for reply in (pass & *board.empty_cells()).points() {
            if node.replies.iter().all(|(listed, _)| *listed != reply) {
                let answer = self.answer(board, reply, rest, extra)?;
                zone |= answer;
            }
        }
        Some(zone)
    }

    /// The zone of node `child` after a reply.
    fn answer(&mut self, board: &mut Board, reply: Point, child: usize, extra: usize) -> Option<CellSet> {
        if !board.is_empty(reply) || may_be_foul(board, reply, self.attacker.opponent()) {
            return None;
        }
        board.with_move(reply, |board| self.attack(board, child, extra))
    }
}

/// Whether this point is a foul for `color` or may become one with more stones on the board.
fn may_be_foul(board: &Board, point: Point, color: Color) -> bool {
    color == Color::Black && board.threat(point, Color::Black) == Threat::Forbidden
}

/// Adds the cells where an opposing stone keeps `color` from playing at `point` or from the five there: the point, and in
/// caro the ends of the row.
fn add_five(board: &Board, point: Point, color: Color, zone: &mut CellSet) {
    zone.insert(point);
    if !board.rule().is_caro() {
        return;
    }
    for direction in Direction::ALL {
        for sign in [-1, 1] {
            let mut row = (1..).map_while(|steps| point.step(direction, steps * sign));
            if let Some(end) = row.find(|&cell| board.cell(cell) != Cell::from(color)) {
                zone.insert(end);
            }
        }
    }
}

/// The empty cells of all rows, as long as those that win, that `color` can fill with `stones` stones.
fn rows(board: &Board, color: Color, stones: usize) -> CellSet {
    let length = board.rule().line_rule(color).win_length();
    let empty = board.empty_cells().rows();
    let own: CellSet = board.size().points().filter(|&point| board.cell(point) == Cell::from(color)).collect();
    let own = own.rows();
    let mut found = [0; ROWS];
    for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
        // The bits of a padded row, shifted so that the cell `steps` steps on stands where the winning row begins.
        let shift = |bits: u32, steps: usize| match right {
            0 => bits,
            1 => bits >> steps,
            _ => bits << steps,
        };
        for row in 0..ROWS - (length - 1) * down {
            let (mut fits, mut ones, mut twos, mut fours) = (u32::MAX, 0, 0, 0);
            for steps in 0..length {
                let at = row + steps * down;
                let gap = shift(empty[at], steps);
                fits &= gap | shift(own[at], steps);
                // The gaps so far, counted for all winning rows that begin in this padded row at once.
                let carry = ones & gap;
                ones ^= gap;
                fours ^= twos & carry;
                twos ^= carry;
            }
            // Exact for rows of up to five. Longer ones would give more cells than needed, which is safe.
            fits &= match stones {
                0 => !(ones | twos | fours),
                1 => !(twos | fours),
                2 => !(fours | (twos & ones)),
                3 => !fours,
                4 => !(fours & ones),
                _ => u32::MAX,
            };
            for steps in 0..length {
                let at = row + steps * down;
                let back = match right {
                    0 => fits,
                    1 => fits << steps,
                    _ => fits >> steps,
                };
                found[at] |= back & empty[at];
            }
        }
    }
    CellSet::from_rows(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Rule, Size};
    use crate::board::NullObserver;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    /// The slow reference of [`rows`].
    fn rows_one_by_one(board: &Board, color: Color, stones: usize) -> CellSet {
        let length = board.rule().line_rule(color).win_length();
        let mut found = CellSet::default();
        for start in board.size().points() {
            for direction in Direction::ALL {
                let row: Vec<Point> = (0..length as i32).filter_map(|steps| start.step(direction, steps)).collect();
                let own = row.iter().filter(|&&point| board.cell(point) == Cell::from(color)).count();
                let empty = row.iter().filter(|&&point| board.is_empty(point)).count();
                if own + empty == length && empty <= stones {
                    row.iter().filter(|&&point| board.is_empty(point)).for_each(|&point| found.insert(point));
                }
            }
        }
        found
    }

    #[test]
    fn rows_are_those_that_counting_finds() {
        let mut random = SmallRng::seed_from_u64(1);
        for (width, height) in [(5, 5), (15, 15), (22, 22), (7, 19)] {
            let mut board = Board::new(Rule::Freestyle, Size::new(width, height).unwrap());
            for _ in 0..width * height / 2 {
                let point = Point::new(random.random_range(0..width), random.random_range(0..height)).unwrap();
                if !board.is_empty(point) {
                    continue;
                }
                board.play(point, &mut NullObserver);
                for (color, stones) in [(Color::Black, 1), (Color::White, 2), (Color::Black, 3), (Color::White, 4)] {
                    assert_eq!(rows(&board, color, stones), rows_one_by_one(&board, color, stones), "{stones}");
                }
            }
        }
    }
}
