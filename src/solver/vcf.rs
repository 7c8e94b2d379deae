//! Victory by continuous fours (VCF): finds such a win wherever on the board there is one.
//!
//! A *four* threatens a five, so the defender has one reply (in caro one or two), and the tree of a win by fours is
//! narrow on the defender's side. It is the cheapest proof of a win: at every attacker's node *some* four wins, at every
//! defender's node *every* stop loses.
//!
//! **The attacker's moves.** A five, if there is one. If the defender threatens a five, only a stop of it that is itself
//! a four. Otherwise an open four wins in three plies, and any four may be tried. Black in renju may not play a foul, so
//! a four that the shapes suspect is tested exactly: a fork may be forbidden, and a suspected double three that contains
//! a four may be legal.
//!
//! **The defender's moves.** Stop the five: the [kill sets](crate::search::forced) say where, including the far-end
//! blocks of caro. A stop that is a foul for black in renju is no stop. The defender has no five at that point, because
//! the attacker's four had to stop any such threat.
//!
//! **The table.** Independent fours commute, so the tree grows with the factorial of their number, the positions only
//! exponentially. The table stores for each attacker's node the distance of the win, or the number of attacking moves
//! within which there is none. A subtree that failed without reaching the length limit fails at every length, which
//! ends the deepening early.
//!
//! **Draws.** A win that needs more moves than are left before the draw does not count. The number of moves left follows
//! from the stones, so the table need not store it. Only a search for a threat, where a move of the defender is still to
//! come ([`VcfLimits::spare`]), has fewer moves than the position says; what it may store is restricted.

use super::table::Table;
use crate::base::clock::Instant;
use crate::base::{Color, Point};
use crate::board::{Board, NullObserver, Threat};
use crate::search::forced;
use std::time::Duration;

/// The result of a search for a forced win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is one.
    Win,
    /// There is none of the kind that the solver looks for.
    NoWin,
    /// The limits were reached first.
    Unknown,
}

/// Outcome of [`VcfSolver::solve`].
#[derive(Clone, Debug)]
pub struct VcfResult {
    /// Whether there is a win by fours. [`Outcome::NoWin`] is a proof, too.
    pub outcome: Outcome,
    /// Plies to the five against the longest defence; 0 without a win.
    pub distance: u32,
    /// The attack against the longest defence. It ends with the five, or with black's foul.
    pub line: Vec<Point>,
    /// Attacker's nodes visited.
    pub nodes: u64,
}

/// A winning move and the length of the win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attack {
    /// The move.
    pub point: Point,
    /// Plies to the five, this move included.
    pub distance: u32,
}

impl Attack {
    /// Moves of the attacker to the five, this one included.
    pub fn moves(self) -> u32 {
        self.distance.div_ceil(2)
    }
}

/// Limits of one search for a win by fours.
#[derive(Clone, Copy, Debug)]
pub struct VcfLimits {
    /// Attacking moves, the five included.
    pub moves: u32,
    /// Nodes.
    pub nodes: u64,
    /// Moves that will be played before the attack begins: 1 for a threat, else 0.
    pub spare: usize,
}

/// An attacker's node in the table.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    /// The winning move, 0 for none.
    point: u16,
    /// Plies to the win, 0 when none is known.
    distance: u16,
    /// There is no win within this many attacking moves; `FOREVER` when there is none at all.
    failed: u16,
    /// Nodes of the largest search from here that used up its nodes.
    spent: u16,
}

impl Slot {
    /// The slot as an entry of the table.
    fn packed(self) -> [u64; 2] {
        let parts = [self.point, self.distance, self.failed, self.spent].map(u64::from);
        [self.key, parts[0] | parts[1] << 16 | parts[2] << 32 | parts[3] << 48]
    }

    fn unpack([key, data]: [u64; 2]) -> Slot {
        let [point, distance, failed, spent] = [0, 16, 32, 48].map(|shift| (data >> shift) as u16);
        Slot { key, point, distance, failed, spent }
    }
}

/// In [`Slot::failed`]: no win at any length.
const FOREVER: u16 = u16::MAX;
/// A length limit that no win on any board reaches.
pub const ANY_LENGTH: u32 = 250;
/// The lengths of the iterations, in attacking moves.
const LENGTHS: [u32; 9] = [1, 2, 3, 5, 8, 12, 20, 40, ANY_LENGTH];
/// Nodes between two checks of the clock.
const POLL_INTERVAL: u64 = 1024;
/// Weight of a four's threat code in its order; that of the opponent's threat there counts once.
const ORDER_THREAT: i32 = 64;
/// Bonus in the order for a four on a line with the attacker's last move, at most [`NEAR`] steps from it.
const ORDER_NEAR: i32 = 100;
/// See [`ORDER_NEAR`].
const NEAR: usize = 4;

/// Finds wins by continuous fours. The table is kept between searches; one solver may be used for positions of any rule
/// and size.
pub struct VcfSolver {
    table: Table<1>,
    /// Candidate moves of the nodes on the current path, best last.
    moves: Vec<(i32, Point)>,
    nodes: u64,
    node_limit: u64,
    deadline: Option<Instant>,
    spare: usize,
    /// The limits are used up: results are no longer valid.
    out: bool,
    /// The length limit was reached somewhere below the current node.
    cut: bool,
}

impl VcfSolver {
    /// A solver whose table takes up to `bytes` bytes; `None` when the system does not have that much memory.
    pub fn new(bytes: u64) -> Option<VcfSolver> {
        Some(VcfSolver {
            table: Table::reserve(bytes)?,
            moves: Vec::new(),
            nodes: 0,
            node_limit: u64::MAX,
            deadline: None,
            spare: 0,
            out: false,
            cut: false,
        })
    }

    /// Sets when searches end; `None`: no time limit.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Nodes visited since the solver was made.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Looks for a win of `attacker` by iterative deepening. The attacker moves first, whichever side is to move.
    pub fn solve(&mut self, board: &mut Board, attacker: Color, limit_nodes: u64) -> VcfResult {
        self.solve_by(board, attacker, limit_nodes, LENGTHS.into_iter())
    }

    /// Like [`VcfSolver::solve`], but the win found is the shortest one by fours.
    pub fn solve_shortest(&mut self, board: &mut Board, attacker: Color, limit_nodes: u64) -> VcfResult {
        self.solve_by(board, attacker, limit_nodes, 1..=ANY_LENGTH)
    }

    fn solve_by(
        &mut self,
        board: &mut Board,
        attacker: Color,
        limit_nodes: u64,
        lengths: impl Iterator<Item = u32>,
    ) -> VcfResult {
        let before = self.nodes;
        let (outcome, attack, line) = board.with_side(attacker, |board| {
            let (outcome, attack) = self.deepen(board, limit_nodes, 0, lengths);
            (outcome, attack, attack.map_or_else(Vec::new, |attack| self.line(board, attack)))
        });
        let distance = attack.map_or(0, |attack| attack.distance);
        VcfResult { outcome, distance, line, nodes: self.nodes - before }
    }

    /// Looks for a win by fours of the side to move within these limits. A search that used up its nodes is recorded, too:
    /// no later one with as few nodes is begun.
    pub fn find(&mut self, board: &mut Board, limits: VcfLimits) -> Option<Attack> {
        let us = board.side();
        if forced::has_no_four(board, us) {
            return None;
        }
        let spent = limits.nodes.min(u64::from(u16::MAX)) as u16;
        let slot = self.slot(board.key());
        if slot.distance == 0 && (slot.failed == FOREVER || slot.spent >= spent) {
            return None;
        }
        // The usual lengths below the limit, then the limit.
        let shorter = LENGTHS.into_iter().filter(|&length| length < limits.moves);
        let lengths = shorter.chain([limits.moves]);
        let (_, attack) = self.deepen(board, limits.nodes, limits.spare, lengths);
        if self.out {
            let key = board.key();
            let mut slot = self.slot(key);
            slot.spent = slot.spent.max(spent);
            self.store(key, slot);
        }
        attack
    }

    /// The winning move in a position that a search has found to be won within `moves` attacking moves.
    pub fn replay(&mut self, board: &mut Board, moves: u32, spare: usize) -> Option<Attack> {
        self.begin(u64::MAX, spare);
        self.attack(board, moves)
    }

    fn begin(&mut self, limit_nodes: u64, spare: usize) {
        self.node_limit = self.nodes.saturating_add(limit_nodes);
        self.spare = spare;
        self.out = false;
        self.moves.clear();
    }

    fn deepen(
        &mut self,
        board: &mut Board,
        limit_nodes: u64,
        spare: usize,
        lengths: impl Iterator<Item = u32>,
    ) -> (Outcome, Option<Attack>) {
        self.begin(limit_nodes, spare);
        for length in lengths {
            self.cut = false;
            let attack = self.attack(board, length);
            if self.out {
                break;
            }
            match attack {
                Some(attack) => return (Outcome::Win, Some(attack)),
                None if !self.cut => return (Outcome::NoWin, None),
                None => {}
            }
        }
        (Outcome::Unknown, None)
    }

    /// The table's entry of a position, or an empty one.
    fn slot(&self, key: u64) -> Slot {
        let place = self.table.bucket(key);
        let slot = Slot::unpack(self.table.entries(place)[0]);
        if slot.key == key { slot } else { Slot { key, ..Slot::default() } }
    }

    fn store(&mut self, key: u64, slot: Slot) {
        self.table.set(self.table.bucket(key).start, slot.packed());
    }

    /// The attacker's node, the attacker being the side to move: a winning move within `left` attacking moves.
    fn attack(&mut self, board: &mut Board, left: u32) -> Option<Attack> {
        let us = board.side();
        let them = us.opponent();
        let to_draw = board.moves_to_draw().saturating_sub(self.spare);
        if board.count(us, Threat::Five) > 0 {
            let point = board.find(us, Threat::Five)?;
            return (to_draw >= 1).then_some(Attack { point, distance: 1 });
        }
        if to_draw < 3 || forced::has_no_four(board, us) {
            return None;
        }
        // With two moves left only an open four wins. In renju also white's four whose stop is a foul, and black's open four
        // that is suspected of a foul.
        let threatened = board.count(them, Threat::Five) > 0;
        let hopeless = left == 2 && !threatened && !board.rule().has_forbidden(Color::Black);
        if left >= 2
            && !threatened
            && let Some(point) = board.find(us, Threat::OpenFour)
        {
            return Some(Attack { point, distance: 3 });
        }
        if left < 2 || hopeless {
            self.cut = true;
            return None;
        }
        let key = board.key();
        let slot = self.slot(key);
        let known = u32::from(slot.distance);
        if known > 0 && known < 2 * left && known as usize <= to_draw {
            return Some(Attack { point: Point::from_index(slot.point as usize)?, distance: known });
        }
        if u32::from(slot.failed) >= left {
            self.cut |= slot.failed != FOREVER;
            return None;
        }
        self.nodes += 1;
        if self.nodes > self.node_limit || (self.nodes.is_multiple_of(POLL_INTERVAL) && self.is_late()) {
            self.out = true;
            return None;
        }
        let cut_elsewhere = std::mem::replace(&mut self.cut, false);
        let attack = self.try_fours(board, left, threatened);
        let cut_here = std::mem::replace(&mut self.cut, cut_elsewhere);
        self.cut |= cut_here && attack.is_none();
        if self.out {
            return None;
        }
        let mut slot = self.slot(key);
        if let Some(attack) = attack {
            slot.point = attack.point.index() as u16;
            slot.distance = attack.distance as u16;
            self.store(key, slot);
        } else if self.spare == 0 || to_draw > 2 * left as usize {
            // In the second case no attack was long enough for the draw to matter, spare moves or not.
            slot.failed = if cut_here { left as u16 } else { FOREVER };
            self.store(key, slot);
        }
        attack
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn try_fours(&mut self, board: &mut Board, left: u32, threatened: bool) -> Option<Attack> {
        let us = board.side();
        let first = self.moves.len();
        self.push_fours(board, threatened);
        let mut won = None;
        while self.moves.len() > first {
            let Some((_, point)) = self.moves.pop() else { break };
            if !board.may_play(point, us) {
                continue;
            }
            let distance = board.with_move(point, |board| self.defend(board, left));
            if self.out {
                break;
            }
            if let Some(distance) = distance {
                won = Some(Attack { point, distance: distance + 1 });
                break;
            }
        }
        self.moves.truncate(first);
        won
    }

    /// Pushes the attacker's fours, the most promising last.
    fn push_fours(&mut self, board: &Board, threatened: bool) {
        let us = board.side();
        let first = self.moves.len();
        let last = board.move_before_last();
        let mut push = |point: Point| {
            if forced::may_make_four(board, point, us) {
                let is_near = last.is_some_and(|last| last.is_aligned_with(point) && last.distance(point) <= NEAR);
                let (made, prevented) = (board.threat(point, us) as i32, board.threat(point, us.opponent()) as i32);
                self.moves.push((made * ORDER_THREAT + i32::from(is_near) * ORDER_NEAR + prevented, point));
            }
        };
        if threatened {
            forced::kill_intersection(board, us.opponent(), Threat::Five).into_iter().for_each(push);
        } else {
            board.for_each_strong(us, &mut push);
        }
        self.moves[first..].sort_unstable();
    }

    /// The defender's node after a four: plies to the five if every stop loses.
    fn defend(&mut self, board: &mut Board, left: u32) -> Option<u32> {
        let mut longest = 2;
        for stop in forced::legal_stops(board) {
            let attack = board.with_move(stop, |board| self.attack(board, left - 1));
            longest = longest.max(attack?.distance + 1);
        }
        Some(longest)
    }

    /// The line of a win against the longest defence, to the five or the foul.
    fn line(&mut self, board: &mut Board, attack: Attack) -> Vec<Point> {
        self.begin(u64::MAX, 0);
        // The win is known; a deadline that passes now must not cut its line short. What the table has lost is searched again.
        let deadline = self.deadline;
        self.deadline = deadline.map(|_| Instant::now() + Duration::from_secs(1));
        let mut line = Vec::new();
        let mut next = Some(attack);
        while let Some(attack) = next.take() {
            let us = board.side();
            let wins = board.threat(attack.point, us) == Threat::Five;
            board.play(attack.point, &mut NullObserver);
            line.push(attack.point);
            if wins {
                break;
            }
            let Some(reply) = self.longest_reply(board, attack.moves()) else { break };
            let is_foul = !board.may_play(reply, us.opponent());
            board.play(reply, &mut NullObserver);
            line.push(reply);
            if is_foul {
                break;
            }
            next = self.attack(board, attack.moves());
        }
        for _ in &line {
            board.undo(&mut NullObserver);
        }
        self.deadline = deadline;
        line
    }

    /// The stop after which the win, within `moves` attacking moves, takes longest; a point of the five where there is no
    /// legal stop.
    fn longest_reply(&mut self, board: &mut Board, moves: u32) -> Option<Point> {
        let mut best = None;
        for stop in forced::legal_stops(board) {
            let length = board.with_move(stop, |board| self.attack(board, moves).map_or(0, |attack| attack.distance));
            if best.is_none_or(|(longest, _)| length > longest) {
                best = Some((length, stop));
            }
        }
        best.map(|(_, stop)| stop).or_else(|| board.find(board.side().opponent(), Threat::Five))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rule;
    use crate::board::tests::board_after;

    /// Bug: after a search that ended by its length limit, a longer one with fewer nodes was not begun.
    #[test]
    fn a_search_that_was_too_short_does_not_prevent_a_longer_one() {
        const MOVES: &str = concat!(
            "c14e14h12d13e13f12c12f10f9d11d10g9e11g10g8i10h10h11f13e9j9f6",
            "d8h8i7i6i9k9g6g7h5k10e8f7c8f8b8a8c9a7c10c11c6c7d7b5f5i5h6e6",
        );
        let mut board = board_after(Rule::Freestyle, MOVES);
        let mut vcf = VcfSolver::new(1 << 20).unwrap();
        assert_eq!(vcf.find(&mut board, VcfLimits { moves: 3, nodes: 20_000, spare: 0 }), None);
        assert!(vcf.find(&mut board, VcfLimits { moves: 24, nodes: 300, spare: 0 }).is_some());
    }
}
