//! Winning trees for the page to play through: every reply has its answer.

use super::wire::{self, Position};
use anyhow::Result;
use serde_json::{Value, json};
use std::time::Duration;
use tengen::base::clock::Instant;
use tengen::board::Board;
use tengen::solver::hunt::Hunter;
use tengen::solver::{Outcome, Proof, ProofBuilder, SolverLimits, VctSolver};

/// Memory of each solver, in bytes.
const MEMORY: u64 = 32 << 20;
/// The longest search, in milliseconds.
const MOST_MS: u64 = 3_600_000;
/// The solver for threats gets one part in this many of the time, and the hunt the rest.
const THREAT_SHARE: u64 = 3;

/// A proven win of the side to move with its whole tree, within `ms` milliseconds; null if none was found.
///
/// Each node is `[point, [[reply, node] ...], rest]`: the attacker's move, the replies with an answer of their own, and the node
/// that answers all others, or null where a five does. `distances` are the plies to the five from each node on; the last node is
/// the root.
///
/// # Errors
/// When there is no such position.
pub fn prove(position: &Position, ms: u64) -> Result<Value> {
    let (rule, size, section) = (position.rule()?, position.size()?, position.section()?);
    let mut board = Board::from_cells(rule, size, &section.cells(), section.to_move());
    let Some(proof) = search(&mut board, ms.min(MOST_MS)) else { return Ok(Value::Null) };
    let nodes: Vec<Value> = proof
        .nodes
        .iter()
        .map(|node| {
            let replies: Vec<_> =
                node.replies.iter().map(|&(reply, child)| (wire::index(size, reply), child)).collect();
            json!([wire::index(size, node.point), replies, node.rest])
        })
        .collect();
    let distances: Vec<u32> = (0..nodes.len()).map(|node| proof.distance_from(node)).collect();
    let line = wire::indices(size, &proof.line(&mut board, section.to_move()));
    Ok(json!({ "nodes": nodes, "distances": distances, "line": line }))
}

fn search(board: &mut Board, ms: u64) -> Option<Proof> {
    let started = Instant::now();
    let until = |ms: u64| SolverLimits { nodes: u64::MAX, deadline: Some(started + Duration::from_millis(ms)) };
    let attacker = board.side();
    let mut solver = VctSolver::new(MEMORY);
    if solver.solve(board, attacker, until(ms / THREAT_SHARE)).outcome == Outcome::Win
        && let Some(proof) = ProofBuilder::build(&mut solver, board, attacker, until(2 * ms / THREAT_SHARE))
    {
        return Some(proof);
    }
    let mut hunter = Hunter::new(MEMORY);
    ProofBuilder::hunt(&mut solver, &mut hunter, board, attacker, until(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_comes_with_its_tree_and_no_win_with_nothing() {
        let position = |moves| Position { width: 15, height: 15, moves, ..Position::default() };
        let three = position(vec![112, 0, 113, 14, 114, 224]);
        let proof = prove(&three, 10_000).unwrap();
        let nodes = proof["nodes"].as_array().unwrap();
        assert_eq!(nodes.len(), proof["distances"].as_array().unwrap().len());
        assert_eq!(proof["distances"].as_array().unwrap().last().unwrap(), 3);
        assert!(prove(&position(vec![112]), 200).unwrap().is_null());
    }
}
