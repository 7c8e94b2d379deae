//! Victory by continuous threats: an AND/OR search in which every move of the attacker threatens a win by fours.
//! Floor 3.
//!
//! **Threats.** A chain of fours ([`vcf`](super::vcf)) leaves the defender no choice. The next slower attack is the
//! move after which the attacker *would* have such a chain if the defender passed. Open threes are such moves, but so
//! are four-threes in preparation and quieter ones, and all are treated alike: after the attacker's move the
//! defender's pass is tried, and without a win by fours the move is no threat and is dropped. It is dropped, too, when
//! the defender wins by fours himself.
//!
//! **Replies.** Against a win by fours only the replies in its [stop set](super::stops) can help, and fours of the
//! defender's own. Where exact lists exist ([`duty`](super::forced::duty): open fours, four-threes) only what is in
//! both counts: each of the two is complete, so what is missing from one of them loses. Leaving out attacking moves is
//! always sound, leaving out replies never is, and this is the only place where any are left out.
//!
//! **Search.** Depth-first proof-number search: at every position two numbers say how far it is from being proven or
//! disproven, and the most promising leaf is expanded, with thresholds that keep the search deep in one part of the
//! tree as long as that stays promising. Stones are only ever added, so there are no cycles, but a great many
//! transpositions. The attacker's moves mostly transpose into each other, so his nodes take the largest of the disproof
//! numbers and one for each further move; the defender's replies are different problems, and their proof numbers add up.
//! The numbers of a new position are guessed by the network (`guide.rs`). Moves slower than an open three are not even
//! looked at before the others have shown to be hard.
//!
//! **Memory** is a fixed table of 16-byte entries, four to a bucket, of which the one with the least work behind it
//! makes way. Whatever was lost is found again.
//!
//! **Draws.** A move that leaves fewer moves than the threat needs is no threat. The number of moves left is a
//! function of the stones, as all else here, so the table needs to know nothing of it.

use super::forced::{self, Duty};
use super::guide::Guide;
use super::stops;
use super::vcf::{Attack, Search, VcfSolver};
use crate::base::memory::large_table;
use crate::base::{Color, Point, ReplyList};
use crate::board::{Board, Threat};
use std::time::Instant;

/// What the solver may use.
#[derive(Clone, Copy, Debug)]
pub struct VctLimits {
    /// Nodes, those of the searches for fours included.
    pub nodes: u64,
    /// When to stop.
    pub deadline: Option<Instant>,
}

/// What a search for a win by threats came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VctOutcome {
    /// There is one.
    Win,
    /// None with the threats that are looked at. Says nothing about slower attacks.
    NoWin,
    /// The limits were too narrow to tell.
    Unknown,
}

/// Outcome of [`VctSolver::solve`].
#[derive(Clone, Debug)]
pub struct VctResult {
    /// Whether there is a win by threats.
    pub outcome: VctOutcome,
    /// Plies to the five in the tree that was found; 0 without a win. Not the shortest win there is.
    pub distance: u32,
    /// The winning move.
    pub best: Option<Point>,
    /// Nodes visited.
    pub nodes: u64,
}

/// How far a node is from being settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Effort to prove the attacker's win; 0 when it is proven.
    pub proof: u32,
    /// Effort to disprove it; 0 when it is disproven.
    pub disproof: u32,
    /// Plies to the five in the proven tree.
    pub distance: u32,
}

/// No win by threats here, or none of the disproof's business.
const INFINITE: u32 = (1 << 20) - 1;
const DISPROVEN: Numbers = Numbers { proof: INFINITE, disproof: 0, distance: 0 };

impl Numbers {
    pub(super) fn proven(distance: u32) -> Numbers {
        Numbers { proof: 0, disproof: INFINITE, distance }
    }

    fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// A remembered position: key, then from the low end 20 bits proof, 20 disproof, 9 distance, 15 work.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    data: u64,
}

const BUCKET: usize = 4;
const MAX_WORK: u64 = (1 << 15) - 1;

impl Entry {
    fn new(key: u64, numbers: Numbers, work: u64) -> Entry {
        let data = u64::from(numbers.proof)
            | u64::from(numbers.disproof) << 20
            | u64::from(numbers.distance.min(511)) << 40
            | work.min(MAX_WORK) << 49;
        Entry { key, data }
    }

    fn numbers(self) -> Numbers {
        Numbers {
            proof: self.data as u32 & INFINITE,
            disproof: (self.data >> 20) as u32 & INFINITE,
            distance: (self.data >> 40) as u32 & 511,
        }
    }

    fn work(self) -> u64 {
        self.data >> 49
    }
}

/// The attacker's moves in the order in which they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Fours and open threes.
    Loud,
    /// Anything slower that builds on something.
    Quiet,
}

fn kind_of(board: &Board, point: Point, color: Color) -> Option<Kind> {
    match board.threat(point, color) {
        // What looks like a foul and is none is at least two threes.
        Threat::Forbidden => Some(Kind::Loud),
        threat if threat >= Threat::OpenThree => Some(Kind::Loud),
        threat if threat >= Threat::OpenTwo => Some(Kind::Quiet),
        _ => None,
    }
}

/// Longest chains of fours that are looked for, in attacking moves: to win, as a threat, by the defender.
const WIN_MOVES: u32 = 24;
pub(super) const THREAT_MOVES: u32 = 8;
const COUNTER_MOVES: u32 = 12;
/// Nodes for a win by fours at the attacker's node, for a threatened one, for one of the defender's.
const WIN_NODES: u64 = 300;
const THREAT_NODES: u64 = 100;
const COUNTER_NODES: u64 = 100;
/// Quiet moves are looked at when the proof of all others has become this hard.
const PATIENCE: u32 = 150;
/// A child is searched until it is a sixth worse than the second best: less jumping about.
const STAY: u32 = 6;

/// Finds wins by continuous threats. Keeps what it learned about a game from one position to the next.
pub struct VctSolver {
    pub(super) vcf: VcfSolver,
    table: Vec<Entry>,
    nodes: u64,
    start: u64,
    limits: VctLimits,
    out: bool,
    attacker: Color,
    guide: Guide,
}

impl VctSolver {
    /// A solver that uses about `bytes` of memory.
    pub fn new(bytes: u64) -> VctSolver {
        let entries = (bytes.max(1 << 12) / 16).ilog2();
        VctSolver {
            vcf: VcfSolver::new(entries.saturating_sub(2)),
            table: large_table(Entry::default(), 1 << (entries - 1)),
            nodes: 0,
            start: 0,
            limits: VctLimits { nodes: u64::MAX, deadline: None },
            out: false,
            attacker: Color::Black,
            guide: Guide::default(),
        }
    }

    /// The solver for wins by fours that works within this one.
    pub fn vcf(&mut self) -> &mut VcfSolver {
        &mut self.vcf
    }

    /// Nodes visited since the solver was made.
    pub fn nodes(&self) -> u64 {
        self.nodes + self.vcf.nodes()
    }

    /// Looks for a win of `attacker` by threats, as if it were his turn.
    pub fn solve(&mut self, board: &mut Board, attacker: Color, limits: VctLimits) -> VctResult {
        let before = self.nodes();
        let (numbers, best) = board.with_side(attacker, |board| {
            let numbers = self.prove(board, limits);
            (numbers, if numbers.proof == 0 { self.winning_move(board) } else { None })
        });
        let outcome = match numbers {
            Numbers { proof: 0, .. } => VctOutcome::Win,
            Numbers { disproof: 0, .. } => VctOutcome::NoWin,
            _ => VctOutcome::Unknown,
        };
        VctResult { outcome, distance: numbers.distance, best, nodes: self.nodes() - before }
    }

    /// Searches the position of the side to move until it is settled or the limits are met.
    pub(super) fn prove(&mut self, board: &mut Board, limits: VctLimits) -> Numbers {
        self.begin(board.side(), limits);
        self.guide.follow(board);
        let numbers = self.judge_attack(board);
        if numbers.is_settled() { numbers } else { self.search_attack(board, INFINITE, INFINITE) }
    }

    fn begin(&mut self, attacker: Color, limits: VctLimits) {
        self.attacker = attacker;
        self.limits = limits;
        self.start = self.nodes();
        self.out = false;
    }

    /// The attacker's move in a position that is proven: by fours, or by the child with the shortest win.
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
        self.vcf.find(board, Search { moves: WIN_MOVES, nodes: WIN_NODES, spare: 0 })
    }

    fn enter(&mut self) -> bool {
        self.nodes += 1;
        let spent = self.nodes() - self.start;
        if spent >= self.limits.nodes || self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.out = true;
        }
        self.out
    }

    /// The key of a position in this search: whose win is looked for belongs to it.
    fn salted(&self, key: u64) -> u64 {
        if self.attacker == Color::Black { key } else { key.rotate_left(32) }
    }

    fn probe(&self, key: u64) -> Option<Numbers> {
        let key = self.salted(key);
        let first = (key as usize & (self.table.len() - 1)) & !(BUCKET - 1);
        self.table[first..first + BUCKET].iter().find(|entry| entry.key == key).map(|entry| entry.numbers())
    }

    fn store(&mut self, key: u64, numbers: Numbers, work: u64) {
        let key = self.salted(key);
        let first = (key as usize & (self.table.len() - 1)) & !(BUCKET - 1);
        let bucket = &mut self.table[first..first + BUCKET];
        let index = bucket.iter().position(|entry| entry.key == key);
        let index = index.or_else(|| (0..BUCKET).min_by_key(|&i| bucket[i].work()));
        if let Some(index) = index {
            let work = if bucket[index].key == key { bucket[index].work().max(work) } else { work };
            bucket[index] = Entry::new(key, numbers, work);
        }
    }

    /// First judgement of a position with the attacker to move.
    fn judge_attack(&mut self, board: &mut Board) -> Numbers {
        if let Some(attack) = self.find_fours(board) {
            return Numbers::proven(attack.distance);
        }
        if board.moves_to_draw() < 3 {
            return DISPROVEN;
        }
        self.guide.attack(board)
    }

    /// First judgement of a position with the defender to move, after the attacker's move.
    fn judge_defence(&mut self, board: &mut Board) -> Numbers {
        self.nodes += 1;
        match self.defence(board) {
            None => DISPROVEN,
            Some((list, rest)) if list.is_empty() => Numbers::proven(rest),
            Some((list, _)) => self.guide.defence(board, list.len()),
        }
    }

    /// What the defender, who is to move, can do: the replies that need a look, and the plies in which any other loses.
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
            let counter = Search { moves: COUNTER_MOVES, nodes: COUNTER_NODES, spare: 0 };
            let threat = Search { moves: THREAT_MOVES, nodes: THREAT_NODES, spare: 1 };
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
        if board.moves_to_draw() >= 4
            && board.count(them.opponent(), Threat::OpenFour) > 0
            && let Duty::StopFour(list) = forced::duty(board)
        {
            return Some(list);
        }
        let limit = attack.distance.div_ceil(2);
        let stops = board.with_side(them.opponent(), |board| stops::stop_set(&mut self.vcf, board, limit, 1))?;
        let mut list = stops::replies(board, &stops);
        if let Duty::StopFourThree(replies) = forced::duty(board) {
            list.retain(|reply| replies.contains(reply));
        }
        Some(list)
    }

    /// Adds the attacker's moves of one kind, with what is known about them. Stops at a winning one.
    fn push_children(&mut self, board: &mut Board, kind: Kind, children: &mut Vec<(Point, Numbers)>) {
        for point in candidates(board, kind) {
            board.play(point, &mut self.guide);
            let numbers = if let Some(numbers) = self.probe(board.key()) {
                numbers
            } else {
                let numbers = self.judge_defence(board);
                self.store(board.key(), numbers, 0);
                numbers
            };
            board.undo(&mut self.guide);
            if numbers.disproof > 0 {
                children.push((point, numbers));
            }
            if numbers.proof == 0 {
                break;
            }
        }
    }

    /// The attacker's node: searched until its numbers reach the limits.
    fn search_attack(&mut self, board: &mut Board, proof_limit: u32, disproof_limit: u32) -> Numbers {
        let started = self.nodes;
        let key = board.key();
        if self.enter() {
            return Numbers { proof: 1, disproof: 1, distance: 0 };
        }
        let mut children = Vec::new();
        self.push_children(board, Kind::Loud, &mut children);
        let mut is_wide = false;
        loop {
            children.retain(|child| child.1.disproof > 0);
            let mut numbers = DISPROVEN;
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
            if !is_wide && numbers.proof >= PATIENCE {
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

    /// The defender's replies with what is known about them; none when he refutes, one that is disproven.
    fn defence_children(&mut self, board: &mut Board) -> (Vec<(Point, Numbers)>, Numbers) {
        let Some((list, rest)) = self.defence(board) else { return (Vec::new(), DISPROVEN) };
        let mut longest = rest;
        let mut children = Vec::with_capacity(list.len());
        for point in list {
            board.play(point, &mut self.guide);
            let numbers = if let Some(numbers) = self.probe(board.key()) {
                numbers
            } else {
                let numbers = self.judge_attack(board);
                self.store(board.key(), numbers, 0);
                numbers
            };
            board.undo(&mut self.guide);
            if numbers.disproof == 0 {
                return (Vec::new(), DISPROVEN);
            }
            if numbers.proof == 0 {
                longest = longest.max(numbers.distance + 1);
            } else {
                children.push((point, numbers));
            }
        }
        (children, Numbers::proven(longest))
    }

    /// The defender's node: searched until its numbers reach the limits.
    fn search_defence(&mut self, board: &mut Board, proof_limit: u32, disproof_limit: u32) -> Numbers {
        let started = self.nodes;
        let key = board.key();
        if self.enter() {
            return Numbers { proof: 1, disproof: 1, distance: 0 };
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
                numbers = DISPROVEN;
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

/// Moves of the attacker that may threaten something: fours and open threes, or what is slower. When the defender's
/// threats force the attacker's hand, the first kind holds all moves there are.
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
