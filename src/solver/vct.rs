//! Victory by continuous threats (VCT): an AND/OR search in which every move of the attacker threatens a win by fours.
//!
//! **Threats.** A four ([`vcf`](super::vcf)) forces the reply. The next slower attack is a move after which the attacker
//! would win by fours if the defender passed: an open three, or any quieter move with such a follow-up. After each move
//! of the attacker the defender's pass is tried; a move without a win by fours after it is no threat and is dropped. A
//! move is also dropped when the defender wins by fours after it.
//!
//! **Replies.** Against a threatened win by fours only the replies in its [stop set](super::stops) and the defender's
//! own fours can help. Where exact lists exist ([`duty`](crate::search::forced::duty): open fours, four-threes), only
//! replies in both lists are tried: each list is complete, so a reply missing from one of them loses. Omitting attacking
//! moves is always sound, omitting replies is not; this is the only place where replies are omitted.
//!
//! **Search.** Depth-first proof-number search. Two numbers per position estimate the effort to prove and to disprove
//! it; the most promising leaf is expanded, and thresholds keep the search in one part of the tree while that stays
//! promising. Stones are only added, so there are no cycles, but many transpositions. The attacker's moves mostly
//! transpose into each other, so an attacker's node takes the largest of the disproof numbers plus one for each further
//! move; the defender's replies are separate problems, so their proof numbers are added. The network estimates the
//! numbers of a new position (`guide.rs`). Moves slower than an open three are generated only when the others have
//! turned out hard to prove.
//!
//! **Memory** is a table (`table.rs`) of 16-byte entries, four to a bucket; the entry with the least work is replaced. A replaced
//! entry is searched again when it is needed.
//!
//! **Draws.** A move that leaves fewer moves than the threat needs is no threat. The number of moves left follows from
//! the stones, so the table need not store it.

use super::guide::Guide;
use super::limits::SolverLimits;
use super::numbers::{INFINITE, Numbers};
use super::stops;
use super::table::{self, Table};
use super::vcf::{Attack, Outcome, VcfLimits, VcfSolver};
use crate::base::clock::Instant;
use crate::base::{Color, Point, ReplyList};
use crate::board::{Board, Threat};
use crate::search::forced::{self, Duty};

/// Outcome of [`VctSolver::solve`].
#[derive(Clone, Debug)]
pub struct VctResult {
    /// Whether there is a win by threats. [`Outcome::NoWin`]: none with the threats that are tried; slower attacks may
    /// still win, and so may a sequence of fours that is longer than the limits of the searches inside.
    pub outcome: Outcome,
    /// Plies to the five in the tree that was found; 0 without a win. There may be a shorter win.
    pub distance: u32,
    /// The winning move.
    pub best: Option<Point>,
    /// Nodes visited.
    pub nodes: u64,
}

/// Entries of a bucket.
const BUCKET: usize = 4;
// A data word: the proof number in its lowest bits, and from these bits on:
const DISPROOF_SHIFT: u32 = 20;
const DISTANCE_SHIFT: u32 = 40;
const WORK_SHIFT: u32 = 49;
const _: () = assert!(INFINITE < 1 << DISPROOF_SHIFT && INFINITE < 1 << (DISTANCE_SHIFT - DISPROOF_SHIFT));
/// Largest distance of an entry; longer ones are stored as this.
const MAX_DISTANCE: u32 = (1 << (WORK_SHIFT - DISTANCE_SHIFT)) - 1;
/// Largest work of an entry, in nodes; more is stored as this.
const MAX_WORK: u64 = u64::MAX >> WORK_SHIFT;

/// The entry of a position.
fn entry(key: u64, numbers: Numbers, work: u64) -> table::Entry {
    let data = u64::from(numbers.proof)
        | u64::from(numbers.disproof) << DISPROOF_SHIFT
        | u64::from(numbers.distance.min(MAX_DISTANCE)) << DISTANCE_SHIFT
        | work.min(MAX_WORK) << WORK_SHIFT;
    [key, data]
}

fn numbers_in([_, data]: table::Entry) -> Numbers {
    Numbers {
        proof: data as u32 & INFINITE,
        disproof: (data >> DISPROOF_SHIFT) as u32 & INFINITE,
        distance: (data >> DISTANCE_SHIFT) as u32 & MAX_DISTANCE,
    }
}

fn work_in([_, data]: table::Entry) -> u64 {
    data >> WORK_SHIFT
}

/// The attacker's moves in two groups, tried in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Fours and open threes.
    Loud,
    /// Slower moves that make at least an open two.
    Quiet,
}

fn kind_of(board: &Board, point: Point, color: Color) -> Option<Kind> {
    match board.threat(point, color) {
        // A suspected foul that is legal makes at least two threes.
        Threat::Forbidden => Some(Kind::Loud),
        threat if threat >= Threat::OpenThree => Some(Kind::Loud),
        threat if threat >= Threat::OpenTwo => Some(Kind::Quiet),
        _ => None,
    }
}

/// Length limit, in attacking moves, of the search for a win by fours at the attacker's node.
const WIN_MOVES: u32 = 24;
/// The same for a threatened win by fours.
pub(super) const THREAT_MOVES: u32 = 8;
/// The same for a win by fours of the defender.
const COUNTER_MOVES: u32 = 12;
/// Node limit of the search for a win by fours at the attacker's node.
const WIN_NODES: u64 = 300;
/// The same for a threatened win by fours.
const THREAT_NODES: u64 = 100;
/// The same for a win by fours of the defender.
const COUNTER_NODES: u64 = 100;
/// Quiet moves are added when the proof number of a node reaches this.
const QUIET_PROOF: u32 = 150;
/// A child is searched until it is worse than the second best by one part in this many, so that the search changes
/// between children less often (the 1 + epsilon trick).
const STAY: u32 = 6;

/// Finds wins by continuous threats. The table is kept between searches.
pub struct VctSolver {
    pub(super) vcf: VcfSolver,
    table: Table<BUCKET>,
    nodes: u64,
    start: u64,
    limits: SolverLimits,
    out: bool,
    attacker: Color,
    guide: Guide,
}

impl VctSolver {
    /// A solver whose tables take up to `bytes` bytes; less when the system does not have that much memory.
    pub fn new(bytes: u64) -> VctSolver {
        let sizes = std::iter::successors(Some(bytes), |&bytes| (bytes > 0).then_some(bytes / 2));
        sizes.into_iter().find_map(VctSolver::try_new).expect("the smallest tables take a hundred bytes")
    }

    /// The same; `None` when the system does not have that much memory.
    pub fn try_new(bytes: u64) -> Option<VctSolver> {
        Some(VctSolver {
            vcf: VcfSolver::new(bytes / 3)?,
            table: Table::reserve(bytes / 3 * 2)?,
            nodes: 0,
            start: 0,
            limits: SolverLimits { nodes: u64::MAX, deadline: None },
            out: false,
            attacker: Color::Black,
            guide: Guide::default(),
        })
    }

    /// The solver for wins by fours that this one uses.
    pub fn vcf(&mut self) -> &mut VcfSolver {
        &mut self.vcf
    }

    /// Nodes visited since the solver was made.
    pub fn nodes(&self) -> u64 {
        self.nodes + self.vcf.nodes()
    }

    /// Looks for a win of `attacker` by threats. The attacker moves first, whichever side is to move.
    pub fn solve(&mut self, board: &mut Board, attacker: Color, limits: SolverLimits) -> VctResult {
        let before = self.nodes();
        let (numbers, best) = board.with_side(attacker, |board| {
            let numbers = self.prove(board, limits);
            (numbers, if numbers.proof == 0 { self.winning_move(board) } else { None })
        });
        let (outcome, distance) = match numbers {
            Numbers { proof: 0, distance, .. } => (Outcome::Win, distance),
            Numbers { disproof: 0, .. } => (Outcome::NoWin, 0),
            _ => (Outcome::Unknown, 0),
        };
        VctResult { outcome, distance, best, nodes: self.nodes() - before }
    }

    /// Searches a position, with the attacker to move, until it is settled or the limits are reached.
    pub(super) fn prove(&mut self, board: &mut Board, limits: SolverLimits) -> Numbers {
        self.begin(board.side(), limits);
        self.guide.follow(board);
        let numbers = self.judge_attack(board);
        if numbers.is_settled() { numbers } else { self.search_attack(board, INFINITE, INFINITE) }
    }

    fn begin(&mut self, attacker: Color, limits: SolverLimits) {
        self.attacker = attacker;
        self.limits = limits;
        self.start = self.nodes();
        self.out = false;
    }

    /// The winning move of a proven position: the first of a win by fours, or the one with the shortest proven win.
    pub(super) fn winning_move(&mut self, board: &mut Board) -> Option<Point> {
        if let Some(attack) = self.find_fours(board) {
            return Some(attack.point);
        }
        self.guide.leave();
        let mut children = Vec::new();
        for kind in [Kind::Loud, Kind::Quiet] {
            self.push_children(board, kind, &mut children);
        }
        children.retain(|child| child.1.proof == 0);
        children.into_iter().min_by_key(|&(point, numbers)| (numbers.distance, point)).map(|(point, _)| point)
    }

    /// A win by fours of the side to move, within the usual limits.
    pub(super) fn find_fours(&mut self, board: &mut Board) -> Option<Attack> {
        self.vcf.find(board, VcfLimits { moves: WIN_MOVES, nodes: WIN_NODES, spare: 0 })
    }

    fn enter(&mut self) -> bool {
        self.nodes += 1;
        let spent = self.nodes() - self.start;
        if spent >= self.limits.nodes || self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.out = true;
        }
        self.out
    }

    /// The key of a position in the table. It differs by attacker.
    fn salted(&self, key: u64) -> u64 {
        if self.attacker == Color::Black { key } else { key.rotate_left(32) }
    }

    fn probe(&self, key: u64) -> Option<Numbers> {
        let key = self.salted(key);
        self.table.entries(self.table.bucket(key)).iter().find(|entry| entry[0] == key).map(|&entry| numbers_in(entry))
    }

    fn store(&mut self, key: u64, numbers: Numbers, work: u64) {
        let key = self.salted(key);
        let places = self.table.bucket(key);
        let bucket = self.table.entries(places.clone());
        let index = bucket.iter().position(|entry| entry[0] == key);
        let index = index.or_else(|| (0..BUCKET).min_by_key(|&i| work_in(bucket[i])));
        if let Some(index) = index {
            let work = if bucket[index][0] == key { work_in(bucket[index]).max(work) } else { work };
            self.table.set(places.start + index, entry(key, numbers, work));
        }
    }

    /// The numbers of a position in the table, else its initial numbers, which `judge` finds.
    fn numbers_of(&mut self, board: &mut Board, judge: impl FnOnce(&mut VctSolver, &mut Board) -> Numbers) -> Numbers {
        self.probe(board.key()).unwrap_or_else(|| {
            let numbers = judge(self, board);
            self.store(board.key(), numbers, 0);
            numbers
        })
    }

    /// Initial numbers of a position with the attacker to move.
    fn judge_attack(&mut self, board: &mut Board) -> Numbers {
        if let Some(attack) = self.find_fours(board) {
            return Numbers::proven(attack.distance);
        }
        if board.moves_to_draw() < 3 {
            return Numbers::DISPROVEN;
        }
        self.guide.attack(board)
    }

    /// Initial numbers of a position with the defender to move, after the attacker's move.
    fn judge_defence(&mut self, board: &mut Board) -> Numbers {
        self.nodes += 1;
        match self.defence(board) {
            None => Numbers::DISPROVEN,
            Some((list, rest)) if list.is_empty() => Numbers::proven(rest),
            Some((list, _)) => self.guide.defence(board, list.len()),
        }
    }

    /// The replies of the defender, who is to move, that must be searched, and the plies in which any other reply loses.
    /// `None` when the attacker's last move was no threat, or the defender wins.
    fn defence(&mut self, board: &mut Board) -> Option<(ReplyList, u32)> {
        let them = board.side();
        let us = them.opponent();
        if board.moves_to_draw() < 2 || board.count(them, Threat::Five) > 0 {
            return None;
        }
        let (mut list, rest) = if board.count(us, Threat::Five) > 0 {
            (forced::legal_stops(board).into_iter().collect(), 2)
        } else {
            let counter = VcfLimits { moves: COUNTER_MOVES, nodes: COUNTER_NODES, spare: 0 };
            let threat = VcfLimits { moves: THREAT_MOVES, nodes: THREAT_NODES, spare: 1 };
            let attack = board.with_side(us, |board| self.vcf.find(board, threat))?;
            if self.vcf.find(board, counter).is_some() {
                return None;
            }
            let list = self.stop_list(board, attack)?;
            (list, attack.distance + 1)
        };
        list.retain(|reply| board.may_play(*reply, them));
        Some((list, rest))
    }

    /// The replies of the side to move to a threatened win by fours.
    fn stop_list(&mut self, board: &mut Board, attack: Attack) -> Option<ReplyList> {
        let them = board.side();
        if board.count(them.opponent(), Threat::OpenFour) > 0
            && let Duty::StopFour(list) = forced::duty(board)
        {
            return Some(list);
        }
        let limit = attack.moves();
        let stops = board.with_side(them.opponent(), |board| stops::stop_set(&mut self.vcf, board, limit, 1))?;
        let mut list = stops::replies(board, &stops);
        if let Duty::StopFourThree(replies) = forced::duty(board) {
            list.retain(|reply| replies.contains(reply));
        }
        Some(list)
    }

    /// Adds the attacker's moves of one kind with their numbers. Stops at a winning one.
    fn push_children(&mut self, board: &mut Board, kind: Kind, children: &mut Vec<(Point, Numbers)>) {
        for point in candidates(board, kind) {
            board.play(point, &mut self.guide);
            let numbers = self.numbers_of(board, VctSolver::judge_defence);
            board.undo(&mut self.guide);
            if numbers.disproof > 0 {
                children.push((point, numbers));
            }
            if numbers.proof == 0 {
                break;
            }
        }
    }

    /// The attacker's node, searched until it is settled or one of its numbers reaches its limit.
    fn search_attack(&mut self, board: &mut Board, proof_limit: u32, disproof_limit: u32) -> Numbers {
        let started = self.nodes;
        let key = board.key();
        if self.enter() {
            return Numbers::UNSEARCHED;
        }
        let mut children = Vec::new();
        self.push_children(board, Kind::Loud, &mut children);
        let mut is_wide = false;
        loop {
            children.retain(|child| child.1.disproof > 0);
            let mut numbers = Numbers::DISPROVEN;
            let (mut best, mut second) = (0, INFINITE);
            for (index, &(_, child)) in children.iter().enumerate() {
                if child.proof < numbers.proof {
                    second = numbers.proof;
                    (best, numbers.proof, numbers.distance) = (index, child.proof, child.distance + 1);
                } else {
                    second = second.min(child.proof);
                }
                numbers.disproof = numbers.disproof.max(child.disproof);
            }
            if !is_wide && numbers.proof >= QUIET_PROOF {
                is_wide = true;
                self.push_children(board, Kind::Quiet, &mut children);
                continue;
            }
            let others = children.len().saturating_sub(1) as u32;
            if numbers.proof == 0 {
                numbers.disproof = INFINITE;
            } else if numbers.disproof > 0 {
                numbers.disproof = (numbers.disproof + others).min(INFINITE - 1);
            }
            if numbers.is_settled() || numbers.proof >= proof_limit || numbers.disproof >= disproof_limit || self.out {
                self.store(key, numbers, self.nodes - started);
                return numbers;
            }
            let proof = proof_limit.min(second.saturating_add(second / STAY + 1));
            let disproof = disproof_limit.saturating_sub(others).max(1);
            board.play(children[best].0, &mut self.guide);
            children[best].1 = self.search_defence(board, proof, disproof);
            board.undo(&mut self.guide);
        }
    }

    /// The replies that are not proven to lose, with their numbers, and the numbers of those that are: disproven as soon
    /// as one reply refutes the attack.
    fn defence_children(&mut self, board: &mut Board) -> (Vec<(Point, Numbers)>, Numbers) {
        let Some((list, rest)) = self.defence(board) else { return (Vec::new(), Numbers::DISPROVEN) };
        let mut longest = rest;
        let mut children = Vec::with_capacity(list.len());
        for point in list {
            board.play(point, &mut self.guide);
            let numbers = self.numbers_of(board, VctSolver::judge_attack);
            board.undo(&mut self.guide);
            if numbers.disproof == 0 {
                return (Vec::new(), Numbers::DISPROVEN);
            }
            if numbers.proof == 0 {
                longest = longest.max(numbers.distance + 1);
            } else {
                children.push((point, numbers));
            }
        }
        (children, Numbers::proven(longest))
    }

    /// The defender's node, searched until it is settled or one of its numbers reaches its limit.
    fn search_defence(&mut self, board: &mut Board, proof_limit: u32, disproof_limit: u32) -> Numbers {
        let started = self.nodes;
        let key = board.key();
        if self.enter() {
            return Numbers::UNSEARCHED;
        }
        let (mut children, mut settled) = self.defence_children(board);
        loop {
            let mut numbers = Numbers { proof: 0, disproof: INFINITE, distance: settled.distance };
            let (mut best, mut second) = (0, INFINITE);
            for (index, &(_, child)) in children.iter().enumerate() {
                if child.disproof < numbers.disproof {
                    second = numbers.disproof;
                    (best, numbers.disproof) = (index, child.disproof);
                } else {
                    second = second.min(child.disproof);
                }
                numbers.proof = (numbers.proof + child.proof).min(INFINITE - 1);
            }
            if settled.disproof == 0 || numbers.disproof == 0 {
                numbers = Numbers::DISPROVEN;
            }
            if numbers.is_settled() || numbers.proof >= proof_limit || numbers.disproof >= disproof_limit || self.out {
                self.store(key, numbers, self.nodes - started);
                return numbers;
            }
            let disproof = disproof_limit.min(second.saturating_add(second / STAY + 1));
            let others = numbers.proof.saturating_sub(children[best].1.proof);
            let proof = proof_limit.saturating_sub(others).max(1);
            board.play(children[best].0, &mut self.guide);
            let child = self.search_attack(board, proof, disproof);
            board.undo(&mut self.guide);
            children[best].1 = child;
            if child.proof == 0 {
                settled.distance = settled.distance.max(child.distance + 1);
                children.swap_remove(best);
            }
        }
    }
}

/// Legal moves of the attacker of one kind. When the attacker must answer a threat of the defender, all possible moves
/// are of the first kind.
fn candidates(board: &mut Board, kind: Kind) -> ReplyList {
    let us = board.side();
    let mut list = match (forced::duty(board), kind) {
        (Duty::StopFive(list), Kind::Loud) => list.into_iter().collect(),
        (Duty::StopFour(list) | Duty::StopFourThree(list), Kind::Loud) => list,
        (Duty::Free, _) => {
            let mut list = ReplyList::new();
            board.for_each_near(|point| {
                if kind_of(board, point, us) == Some(kind) {
                    list.push(point);
                }
            });
            list
        }
        _ => ReplyList::new(),
    };
    list.retain(|point| board.may_play(*point, us));
    list
}
