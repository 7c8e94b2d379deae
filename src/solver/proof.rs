//! Builds the whole winning tree ([`Proof`]) of a position from what the solvers and the main search have found.
//!
//! Which replies a node must answer is decided by [`stops`] for a threatened win by fours and by [`zone`](super::zone)
//! for a slower win.

use super::hunt::{Candidate, Hunter};
use super::limits::SolverLimits;
use super::stops::{self, Stops};
use super::tree::{Proof, ProofNode};
use super::vcf::VcfLimits;
use super::vct::{THREAT_MOVES, VctSolver};
use super::zone::Zones;
use crate::base::clock::Instant;
use crate::base::maps::HashMap;
use crate::base::{Color, Point, ReplyList};
use crate::board::{Board, Threat};
use crate::search::forced;

/// Answers to the listed replies, and the answer to all others.
type Answers = (Vec<(Point, usize)>, Option<usize>);

/// Collects the proof of a position that a solver has solved.
pub struct ProofBuilder<'a> {
    solver: &'a mut VctSolver,
    limits: SolverLimits,
    /// Nodes that solver and hunter had visited before this proof.
    begin: u64,
    proof: Proof,
    /// Index of each distinct node; the flag says whether its move is the five.
    index: HashMap<(ProofNode, bool), usize>,
    /// Proven positions with the attacker to move, by key: the node that wins.
    known: HashMap<u64, usize>,
    /// The main search, used for wins that are not made of threats alone.
    hunter: Option<&'a mut Hunter>,
    /// Positions that could not be proven within the limits. They are tried again when the hunter believes in a win at
    /// this depth or deeper.
    unproven: HashMap<u64, u32>,
    zones: Zones,
}

/// Most nodes of the solver for threats in a position where the hunter has no win, or a wrong one.
const SOLVER_NODES: u64 = 30_000;
/// Most nodes of the hunter in such a position.
const HUNTER_NODES: u64 = 300_000;
/// Most nodes for a threatened win by fours.
const CHAIN_NODES: u64 = 20_000;

impl<'a> ProofBuilder<'a> {
    /// The winning tree of `attacker`, who moves first whichever side is to move, in a position that `solver` has proven to
    /// be won by threats or by fours. Positions that have dropped out of its table are searched again, each within
    /// `limits`; `None` when they do not suffice.
    pub fn build(solver: &'a mut VctSolver, board: &mut Board, attacker: Color, limits: SolverLimits) -> Option<Proof> {
        ProofBuilder::new(solver, None, limits).finish(board, attacker, ProofBuilder::attack)
    }

    /// The winning tree of a win by fours within `moves` attacking moves that `solver` has just found.
    pub fn build_fours(solver: &'a mut VctSolver, board: &mut Board, attacker: Color, moves: u32) -> Option<Proof> {
        let limits = SolverLimits { nodes: u64::MAX, deadline: None };
        ProofBuilder::new(solver, None, limits).finish(board, attacker, |builder, board| builder.fours(board, moves, 0))
    }

    /// Looks for a win that is not made of threats alone: a move that `hunter` believes to win is tried against every
    /// reply; where one is not answered, the hunter searches on, until a move holds or the limits are reached.
    pub fn hunt(
        solver: &'a mut VctSolver,
        hunter: &'a mut Hunter,
        board: &mut Board,
        attacker: Color,
        limits: SolverLimits,
    ) -> Option<Proof> {
        let builder = ProofBuilder::new(solver, Some(hunter), limits);
        builder.finish(board, attacker, |builder, board| match builder.solver.find_fours(board) {
            Some(attack) => builder.fours(board, attack.moves(), 0),
            None => builder.hunted(board, limits.nodes),
        })
    }

    fn new(solver: &'a mut VctSolver, hunter: Option<&'a mut Hunter>, limits: SolverLimits) -> ProofBuilder<'a> {
        let begin = solver.nodes() + hunter.as_ref().map_or(0, |hunter| hunter.nodes());
        ProofBuilder {
            solver,
            limits,
            begin,
            proof: Proof::default(),
            index: HashMap::default(),
            known: HashMap::default(),
            hunter,
            unproven: HashMap::default(),
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
        // Nodes after the root do not belong to the tree.
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
        if self.is_over() || !self.may_retry(board) {
            return None;
        }
        let index = if let Some(attack) = self.solver.find_fours(board) {
            self.fours(board, attack.moves(), 0)
        } else if self.hunter.is_some() {
            self.hunted(board, HUNTER_NODES)
        } else {
            self.solved(board, self.limits)
        };
        if let Some(index) = index {
            self.known.insert(key, index);
        } else {
            self.unproven.entry(key).or_insert(u32::MAX);
        }
        index
    }

    fn nodes(&self) -> u64 {
        self.solver.nodes() + self.hunter.as_ref().map_or(0, |hunter| hunter.nodes())
    }

    /// Limits of up to `nodes` nodes, within those left for the whole hunt.
    fn limits_for(&self, nodes: u64) -> SolverLimits {
        let left = self.limits.nodes.saturating_sub(self.nodes() - self.begin);
        SolverLimits { nodes: nodes.min(left), ..self.limits }
    }

    /// Whether the time is over, or the nodes of a hunt are used up.
    fn is_over(&self) -> bool {
        self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || (self.hunter.is_some() && self.limits_for(1).nodes == 0)
    }

    /// Whether a position has not failed before, or the hunter has searched it more deeply since.
    fn may_retry(&self, board: &Board) -> bool {
        let Some(&depth) = self.unproven.get(&board.key()) else { return true };
        let candidate = self.hunter.as_ref().and_then(|hunter| hunter.candidate(board));
        candidate.is_some_and(|candidate| candidate.depth >= depth)
    }

    /// Proves a position by threats.
    fn solved(&mut self, board: &mut Board, limits: SolverLimits) -> Option<usize> {
        if self.solver.prove(board, limits).proof != 0 {
            return None;
        }
        let point = self.solver.winning_move(board)?;
        self.answered(board, point)
    }

    /// Proves a position by the move that the hunter believes in, else by threats, else by what the hunter finds within
    /// `nodes` nodes, those for positions below included.
    fn hunted(&mut self, board: &mut Board, nodes: u64) -> Option<usize> {
        let mut candidate = self.hunter.as_ref()?.candidate(board);
        let begin = self.hunter.as_ref()?.nodes();
        let (mut depth, mut was_proven) = (0, false);
        let mut has_tried_threats = false;
        loop {
            if let Some(Candidate { point, depth: searched, is_proven }) = candidate {
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
            candidate = if limits.nodes > 0 && !self.is_over() {
                self.hunter.as_mut()?.find(board, depth, limits)
            } else {
                None
            };
            // The hunter does not search a proven position any deeper, so it will find nothing new.
            if candidate.is_none_or(|candidate| candidate.is_proven && was_proven) {
                self.unproven.insert(board.key(), depth);
                return None;
            }
        }
    }

    /// Proves that this move of the attacker wins.
    fn answered(&mut self, board: &mut Board, point: Point) -> Option<usize> {
        if !board.may_play(point, board.side()) {
            return None;
        }
        let (replies, rest) = board.with_move(point, |board| self.defence(board))?;
        Some(self.add(ProofNode { point, replies, rest }, false))
    }

    /// Adds the tree of a win by fours.
    fn fours(&mut self, board: &mut Board, moves: u32, spare: usize) -> Option<usize> {
        let us = board.side();
        let attack = self.solver.vcf.replay(board, moves, spare)?;
        let is_five = board.threat(attack.point, us) == Threat::Five;
        let mut replies = Vec::new();
        if !is_five {
            let answers = board.with_move(attack.point, |board| self.fours_after_stops(board, moves - 1, spare));
            replies = answers?;
        }
        Some(self.add(ProofNode { point: attack.point, replies, rest: None }, is_five))
    }

    /// The stops of a four, with the tree of a win by fours after each.
    fn fours_after_stops(&mut self, board: &mut Board, moves: u32, spare: usize) -> Option<Vec<(Point, usize)>> {
        let mut replies = Vec::new();
        for stop in forced::legal_stops(board) {
            let child = board.with_move(stop, |board| self.fours(board, moves, spare));
            replies.push((stop, child?));
        }
        replies.sort_unstable();
        Some(replies)
    }

    /// Answers every reply of the defender, who is to move after a move of the attacker.
    fn defence(&mut self, board: &mut Board) -> Option<Answers> {
        let them = board.side();
        let us = them.opponent();
        // A reply would draw the game, or win it.
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
        // Replies after which the hunter knows no win come first: a wrong candidate fails there.
        if let Some(hunter) = &self.hunter {
            list.sort_by_key(|&reply| hunter.has_candidate(board.key_after(reply)));
        }
        let mut replies = Vec::new();
        for reply in list {
            if self.is_over() {
                return None;
            }
            let child = board.with_move(reply, |board| self.unchanged(board, rest).or_else(|| self.attack(board)));
            let child = child?;
            // A reply with the same answer as a pass need not be listed.
            if Some(child) != rest {
                replies.push((reply, child));
            }
        }
        replies.sort_unstable();
        Some((replies, rest))
    }

    /// The attack planned against a pass, if it wins against this reply too. (A win by fours is found again as quickly.)
    fn unchanged(&mut self, board: &mut Board, rest: Option<usize>) -> Option<usize> {
        let (nodes, zones) = (&self.proof.nodes, &mut self.zones);
        rest.filter(|&rest| nodes[rest].rest.is_some() && zones.holds(nodes, board, rest, self.proof.distances[rest]))
    }

    /// What wins for the side to move if the opponent passes, and the replies that may change that.
    fn rest(&mut self, board: &mut Board) -> Option<(Stops, usize)> {
        if let Some((moves, rest)) = self.threat(board) {
            return Some((stops::stop_set(&mut self.solver.vcf, board, moves, 1)?, rest));
        }
        // No win by fours is threatened, but perhaps a slower win.
        self.hunter.as_ref()?;
        let rest = self.attack(board)?;
        let zone = self.zones.of(&self.proof.nodes, board, rest, self.proof.distances[rest]);
        Some((zone.map_or(Stops::All, Stops::Cells), rest))
    }

    /// The win by fours that the side to move threatens: its length in attacking moves, and its node.
    fn threat(&mut self, board: &mut Board) -> Option<(u32, usize)> {
        let limits = VcfLimits { moves: THREAT_MOVES, nodes: self.limits.nodes.min(CHAIN_NODES), spare: 1 };
        let moves = self.solver.vcf.find(board, limits)?.moves();
        Some((moves, self.fours(board, moves, 1)?))
    }
}
