//! A win as a whole: for each move of the attacker, every reply that matters and what follows it. Floor 3.
//!
//! A [`ProofNode`] is a move of the attacker and his answers to the replies: one node for each listed reply, and one,
//! `rest`, for all others - the threatened win that goes through when the defender does nothing about it. Which replies
//! do something about it is what [`stops`] and [`zone`](super::zone) say. Without `rest` the move threatens a five and
//! every other reply is answered by that.
//!
//! A node says nothing about the position it is used in. So equal attacks in different positions are one node, and most
//! of a proof is shared: the builder keeps each distinct node once, children before parents.

use super::forced;
use super::hunt::{Belief, Hunter};
use super::stops::{self, Stops};
use super::vcf::Search;
use super::vct::{THREAT_MOVES, VctLimits, VctSolver};
use super::zone::Zones;
use crate::base::maps::HashMap;
use crate::base::{Color, Point, ReplyList};
use crate::board::{Board, CellSet, NullObserver, Threat};
use std::time::Instant;

/// A move of the attacker, and what he answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProofNode {
    /// The move.
    pub point: Point,
    /// Replies with an answer of their own: the index of the node that follows.
    pub replies: Vec<(Point, usize)>,
    /// What follows any other reply; `None` when a five does, or the move is a five itself.
    pub rest: Option<usize>,
}

/// A winning tree.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// All nodes, children before their parents; the last one is the root.
    pub nodes: Vec<ProofNode>,
    /// Plies to the five from each node on.
    distances: Vec<u32>,
}

impl Proof {
    /// Plies to the five when the defender holds out as long as he can.
    pub fn distance(&self) -> u32 {
        self.distances.last().copied().unwrap_or(0)
    }

    /// The cells where one more stone of the defender's may matter: with one anywhere else, the same tree still wins.
    /// `None` when any cell may.
    pub fn zone(&self, board: &mut Board, attacker: Color) -> Option<CellSet> {
        let root = self.nodes.len().checked_sub(1)?;
        board.with_side(attacker, |board| Zones::default().of(&self.nodes, board, root, self.distance()))
    }

    /// The attack against the longest defence, to the five or the foul, from the position that was proven.
    pub fn line(&self, board: &mut Board, attacker: Color) -> Vec<Point> {
        let mut line = Vec::new();
        let mut play = |board: &mut Board, point: Point, color: Color| {
            board.play_color(point, color, &mut NullObserver);
            line.push(point);
        };
        let mut next = self.nodes.len().checked_sub(1);
        while let Some(node) = next.take().map(|index| &self.nodes[index]) {
            let is_five = board.threat(node.point, attacker) == Threat::Five;
            play(board, node.point, attacker);
            if is_five {
                break;
            }
            let named = node.replies.iter().copied().max_by_key(|&(_, child)| self.distances[child]);
            let longest_named = named.map_or(0, |(_, child)| self.distances[child]);
            let idle = node.rest.filter(|&rest| self.distances[rest] > longest_named);
            let idle = idle.and_then(|rest| Some((idle_reply(board, attacker.opponent(), node)?, rest)));
            if let Some((reply, child)) = idle.or(named) {
                play(board, reply, attacker.opponent());
                next = Some(child);
            } else {
                // Any reply will do; the most natural one takes a point of the five.
                let Some(reply) = board.find(attacker, Threat::Five) else { break };
                let is_foul = !board.may_play(reply, attacker.opponent());
                play(board, reply, attacker.opponent());
                match board.find(attacker, Threat::Five) {
                    Some(five) if !is_foul => play(board, five, attacker),
                    _ => {}
                }
            }
        }
        for _ in &line {
            board.undo(&mut NullObserver);
        }
        line
    }
}

/// A legal reply that a node does not name.
fn idle_reply(board: &mut Board, defender: Color, node: &ProofNode) -> Option<Point> {
    let is_named = |point: &Point| node.replies.iter().any(|(reply, _)| reply == point);
    let mut unnamed = board.empty_cells().points().filter(|point| !is_named(point));
    unnamed.find(|&point| board.may_play(point, defender))
}

/// Answers to the replies that are named, and to all others.
type Answers = (Vec<(Point, usize)>, Option<usize>);

/// Collects the proof of a position that a solver has solved.
pub struct ProofBuilder<'a> {
    solver: &'a mut VctSolver,
    limits: VctLimits,
    /// Nodes before this proof was begun.
    begin: u64,
    proof: Proof,
    /// Where each node is; whether its move is the five belongs to it.
    index: HashMap<(ProofNode, bool), usize>,
    /// Positions with the attacker to move that have been proven.
    known: HashMap<u64, usize>,
    /// The search that has found the win, where the solver has not.
    hunter: Option<&'a mut Hunter>,
    /// Positions that could not be proven, or not within what was left, with the depth beyond which a belief in them is news.
    lost: HashMap<u64, u32>,
    zones: Zones,
}

/// Nodes for one position that the hunter's table knows nothing of, or is wrong about: for the solver, and then for the
/// hunter.
const SOLVER_NODES: u64 = 30_000;
const HUNTER_NODES: u64 = 300_000;
/// Most nodes for a threatened chain of fours.
const CHAIN_NODES: u64 = 20_000;

impl<'a> ProofBuilder<'a> {
    /// The winning tree of `attacker`, as if it were his turn, in a position that `solver` knows to be won by threats or
    /// by fours. What it has forgotten is searched again, each time within `limits`; `None` when they do not suffice.
    pub fn build(solver: &'a mut VctSolver, board: &mut Board, attacker: Color, limits: VctLimits) -> Option<Proof> {
        ProofBuilder::new(solver, None, limits).finish(board, attacker, ProofBuilder::attack)
    }

    /// Looks for a win that is not made of threats alone: what `hunter` believes is tried against every reply, again and
    /// again, until it holds or the limits are met.
    pub fn hunt(
        solver: &'a mut VctSolver,
        hunter: &'a mut Hunter,
        board: &mut Board,
        attacker: Color,
        limits: VctLimits,
    ) -> Option<Proof> {
        let builder = ProofBuilder::new(solver, Some(hunter), limits);
        builder.finish(board, attacker, |builder, board| match builder.solver.find_fours(board) {
            Some(attack) => builder.fours(board, attack.distance.div_ceil(2), 0),
            None => builder.hunted(board, limits.nodes),
        })
    }

    fn new(solver: &'a mut VctSolver, hunter: Option<&'a mut Hunter>, limits: VctLimits) -> ProofBuilder<'a> {
        let begin = solver.nodes() + hunter.as_ref().map_or(0, |hunter| hunter.nodes());
        ProofBuilder {
            solver,
            limits,
            begin,
            proof: Proof::default(),
            index: HashMap::default(),
            known: HashMap::default(),
            hunter,
            lost: HashMap::default(),
            zones: Zones::default(),
        }
    }

    /// The tree that `prove` builds for `attacker` to move.
    fn finish(
        mut self,
        board: &mut Board,
        attacker: Color,
        prove: impl FnOnce(&mut Self, &mut Board) -> Option<usize>,
    ) -> Option<Proof> {
        let root = board.with_side(attacker, |board| prove(&mut self, board));
        let mut proof = self.proof;
        // Later nodes, if any, are shared parts of nothing.
        proof.nodes.truncate(root? + 1);
        proof.distances.truncate(proof.nodes.len());
        Some(proof)
    }

    fn add(&mut self, node: ProofNode, is_five: bool) -> usize {
        let node = (node, is_five);
        if let Some(&index) = self.index.get(&node) {
            return index;
        }
        let after = node.0.replies.iter().map(|&(_, child)| child).chain(node.0.rest);
        let longest = after.map(|child| self.proof.distances[child] + 2).max().unwrap_or(1);
        let index = self.proof.nodes.len();
        self.proof.distances.push(if is_five { 1 } else { longest.max(3) });
        self.proof.nodes.push(node.0.clone());
        self.index.insert(node, index);
        index
    }

    /// Proves a position with the attacker to move.
    fn attack(&mut self, board: &mut Board) -> Option<usize> {
        let key = board.key();
        if let Some(&index) = self.known.get(&key) {
            return Some(index);
        }
        if self.is_over() || !self.is_worth_a_try(board) {
            return None;
        }
        let index = if let Some(attack) = self.solver.find_fours(board) {
            self.fours(board, attack.distance.div_ceil(2), 0)
        } else if self.hunter.is_some() {
            self.hunted(board, HUNTER_NODES)
        } else {
            self.solved(board, self.limits)
        };
        if let Some(index) = index {
            self.known.insert(key, index);
        } else {
            self.lost.entry(key).or_insert(u32::MAX);
        }
        index
    }

    fn nodes(&self) -> u64 {
        self.solver.nodes() + self.hunter.as_ref().map_or(0, |hunter| hunter.nodes())
    }

    /// Up to so many nodes, within the limits that a hunt has as a whole.
    fn limits_for(&self, nodes: u64) -> VctLimits {
        let left = self.limits.nodes.saturating_sub(self.nodes() - self.begin);
        VctLimits { nodes: nodes.min(left), ..self.limits }
    }

    /// Whether the time is over, or the nodes of a hunt are.
    fn is_over(&self) -> bool {
        self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || (self.hunter.is_some() && self.limits_for(1).nodes == 0)
    }

    /// Whether there is anything new about a position.
    fn is_worth_a_try(&self, board: &Board) -> bool {
        let Some(&depth) = self.lost.get(&board.key()) else { return true };
        let belief = self.hunter.as_ref().and_then(|hunter| hunter.belief(board));
        belief.is_some_and(|belief| belief.depth >= depth)
    }

    /// Proves a position by threats.
    fn solved(&mut self, board: &mut Board, limits: VctLimits) -> Option<usize> {
        if self.solver.prove(board, limits).proof != 0 {
            return None;
        }
        let point = self.solver.winning_move(board)?;
        self.answered(board, point)
    }

    /// Proves a position by what the hunter believes, or else by threats, or else by what he comes to believe within so
    /// many nodes, all those below it counted.
    fn hunted(&mut self, board: &mut Board, nodes: u64) -> Option<usize> {
        let mut belief = self.hunter.as_ref()?.belief(board);
        let begin = self.hunter.as_ref()?.nodes();
        let (mut depth, mut was_proven) = (0, false);
        let mut has_tried_threats = false;
        loop {
            if let Some(Belief { point, depth: searched, is_proven }) = belief {
                if let Some(index) = self.answered(board, point) {
                    return Some(index);
                }
                depth = depth.max(searched + 1);
                was_proven |= is_proven;
            }
            if !has_tried_threats {
                has_tried_threats = true;
                let limits = self.limits_for(SOLVER_NODES);
                if let Some(index) = self.solved(board, limits) {
                    return Some(index);
                }
            }
            let limits = self.limits_for(nodes.saturating_sub(self.hunter.as_ref()?.nodes() - begin));
            belief = if limits.nodes > 0 && !self.is_over() {
                self.hunter.as_mut()?.find(board, depth, limits)
            } else {
                None
            };
            // What is taken for proven is not searched any deeper: nothing new will come of it.
            if belief.is_none_or(|belief| belief.is_proven && was_proven) {
                self.lost.insert(board.key(), depth);
                return None;
            }
        }
    }

    /// Proves that a move of the attacker's wins.
    fn answered(&mut self, board: &mut Board, point: Point) -> Option<usize> {
        if !board.may_play(point, board.side()) {
            return None;
        }
        board.play(point, &mut NullObserver);
        let defence = self.defence(board);
        board.undo(&mut NullObserver);
        let (replies, rest) = defence?;
        Some(self.add(ProofNode { point, replies, rest }, false))
    }

    /// Writes down a win by fours.
    fn fours(&mut self, board: &mut Board, moves: u32, spare: usize) -> Option<usize> {
        let us = board.side();
        let attack = self.solver.vcf.replay(board, moves, spare)?;
        let is_five = board.threat(attack.point, us) == Threat::Five;
        let mut replies = Vec::new();
        if !is_five {
            board.play(attack.point, &mut NullObserver);
            for stop in forced::legal_stops(board) {
                board.play(stop, &mut NullObserver);
                let child = self.fours(board, moves - 1, spare);
                board.undo(&mut NullObserver);
                if let Some(child) = child {
                    replies.push((stop, child));
                } else {
                    board.undo(&mut NullObserver);
                    return None;
                }
            }
            board.undo(&mut NullObserver);
        }
        replies.sort_unstable();
        Some(self.add(ProofNode { point: attack.point, replies, rest: None }, is_five))
    }

    /// Proves a position with the defender to move, after a move of the attacker's.
    fn defence(&mut self, board: &mut Board) -> Option<Answers> {
        let them = board.side();
        let us = them.opponent();
        // The reply would draw the game, or win it.
        if board.moves_to_draw() < 2 || board.count(them, Threat::Five) > 0 {
            return None;
        }
        let (mut list, rest): (ReplyList, _) = if board.count(us, Threat::Five) > 0 {
            (forced::legal_stops(board).into_iter().collect(), None)
        } else {
            let (stops, rest) = board.with_side(us, |board| self.rest(board))?;
            let mut list = stops::replies(board, &stops);
            list.retain(|reply| board.may_play(*reply, them));
            (list, Some(rest))
        };
        // A belief that is wrong is mostly so where the hunter has not looked.
        if let Some(hunter) = &self.hunter {
            list.sort_by_key(|&reply| hunter.believes(board.key_after(reply)));
        }
        let mut replies = Vec::new();
        for reply in list {
            if self.is_over() {
                return None;
            }
            board.play(reply, &mut NullObserver);
            let child = self.unchanged(board, rest).or_else(|| self.attack(board));
            board.undo(&mut NullObserver);
            let child = child?;
            // The same attack as against a pass needs no mention.
            if Some(child) != rest {
                replies.push((reply, child));
            }
        }
        replies.sort_unstable();
        Some((replies, rest))
    }

    /// The attack that was meant against a pass, if it wins all the same. (A chain of fours is found again as quickly.)
    fn unchanged(&mut self, board: &mut Board, rest: Option<usize>) -> Option<usize> {
        let (nodes, zones) = (&self.proof.nodes, &mut self.zones);
        rest.filter(|&rest| nodes[rest].rest.is_some() && zones.holds(nodes, board, rest, self.proof.distances[rest]))
    }

    /// What wins for the side to move if the other passes, and the replies that may change that.
    fn rest(&mut self, board: &mut Board) -> Option<(Stops, usize)> {
        if let Some((moves, rest)) = self.threat(board) {
            return Some((stops::stop_set(&mut self.solver.vcf, board, moves, 1)?, rest));
        }
        // No chain of fours is threatened, but perhaps a slower win.
        self.hunter.as_ref()?;
        let rest = self.attack(board)?;
        let zone = self.zones.of(&self.proof.nodes, board, rest, self.proof.distances[rest]);
        Some((zone.map_or(Stops::All, Stops::Cells), rest))
    }

    /// The win by fours that the side to move threatens: its length in attacking moves and its node.
    fn threat(&mut self, board: &mut Board) -> Option<(u32, usize)> {
        let search = Search { moves: THREAT_MOVES, nodes: self.limits.nodes.min(CHAIN_NODES), spare: 1 };
        let moves = self.solver.vcf.find(board, search)?.distance.div_ceil(2);
        Some((moves, self.fours(board, moves, 1)?))
    }
}
