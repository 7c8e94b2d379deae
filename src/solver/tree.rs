//! A winning tree: for each move of the attacker, the replies that matter and the answer to each.
//!
//! A [`ProofNode`] is a move of the attacker with the answers to the replies: one node for each reply listed, and one,
//! `rest`, for all other replies. `rest` is the win that the move threatens, which goes through when the defender does
//! nothing about it. A node without `rest` threatens a five, which answers every reply that is not listed.
//!
//! A node does not refer to a position. Equal attacks in different positions are therefore one node, and a proof stores
//! each distinct node once, children before parents.

use crate::base::{Color, Point};
use crate::board::{Board, NullObserver, Threat};

/// A move of the attacker, and the answers to the replies.
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
    pub(super) distances: Vec<u32>,
}

impl Proof {
    /// Plies to the five against the longest defence.
    pub fn distance(&self) -> u32 {
        self.distances.last().copied().unwrap_or(0)
    }

    /// Plies to the five from the node with this index on, against the longest defence.
    pub fn distance_from(&self, node: usize) -> u32 {
        self.distances[node]
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
            let listed = node.replies.iter().copied().max_by_key(|&(_, child)| self.distances[child]);
            let longest_listed = listed.map_or(0, |(_, child)| self.distances[child]);
            let idle = node.rest.filter(|&rest| self.distances[rest] > longest_listed);
            let idle = idle.and_then(|rest| Some((idle_reply(board, attacker.opponent(), node)?, rest)));
            if let Some((reply, child)) = idle.or(listed) {
                play(board, reply, attacker.opponent());
                next = Some(child);
            } else {
                // No reply helps; the natural one takes a point of the five.
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

/// A legal reply that a node does not list.
fn idle_reply(board: &mut Board, defender: Color, node: &ProofNode) -> Option<Point> {
    let is_listed = |point: &Point| node.replies.iter().any(|(reply, _)| reply == point);
    let mut unlisted = board.empty_cells().points().filter(|point| !is_listed(point));
    unlisted.find(|&point| board.may_play(point, defender))
}
