//! What the opponent threatens when nothing shows: a chain of fours that would win if we passed. Floor 3.
//!
//! The [stop set](super::stops) of the chain is complete, so a node that tries what is in it has tried everything: a loss
//! there is a proof, and there are some ten replies to look at instead of a hundred.

use super::forced::Duty;
use super::stops::{self, Stops};
use super::vcf::{Search, VcfSolver};
use super::worker::Worker;
use crate::base::Depth;
use crate::board::Threat;

/// Shallowest nodes at which a chain is looked for, in plies.
const DEPTH: i32 = 2;
/// Longest chains, in fours, and the nodes spent on finding one.
const MOVES: u32 = 8;
const NODES: u64 = 200;

/// Looks for chains of fours at the nodes of a search.
pub struct Chains {
    solver: VcfSolver,
    is_trusting: bool,
}

impl Chains {
    /// With a table of `2^table_bits` entries of 16 bytes.
    pub fn new(table_bits: u32) -> Chains {
        Chains { solver: VcfSolver::new(table_bits), is_trusting: false }
    }

    /// The search takes it for granted that what loses against every reply near the stones loses: its wins have to be
    /// proven by someone else.
    #[must_use]
    pub fn trusting(self) -> Chains {
        Chains { is_trusting: true, ..self }
    }
}

impl Worker<'_> {
    /// Whether a loss against all replies near the stones is reported as one.
    pub(super) fn is_trusting(&self) -> bool {
        self.chains.as_ref().is_some_and(|chains| chains.is_trusting)
    }

    /// What a chain of fours that the opponent threatens leaves us to do at a free node, if there is one.
    pub(super) fn threatened_chain(&mut self, duty: &Duty, depth: Depth) -> Option<Duty> {
        let solver = &mut self.chains.as_mut()?.solver;
        let board = &mut self.board;
        let them = board.side().opponent();
        if depth.whole() < DEPTH || !matches!(duty, Duty::Free) || board.count_from(them, Threat::Four) == 0 {
            return None;
        }
        let before = solver.nodes();
        board.set_side(them);
        let attack = solver.find(board, Search { moves: MOVES, nodes: NODES, spare: 1 });
        let stops = attack.and_then(|attack| stops::stop_set(solver, board, attack.distance.div_ceil(2), 1));
        board.set_side(them.opponent());
        self.nodes += solver.nodes() - before;
        match stops? {
            Stops::All => None,
            stops @ Stops::Cells(_) => Some(Duty::StopChain(stops::replies(board, &stops), attack?.distance + 1)),
        }
    }
}
