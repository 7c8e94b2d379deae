//! The main search, network and all, in the service of the solver: it finds wins whose moves do not all threaten
//! something. Floor 3.
//!
//! Its wins are not proofs: a free node counts as lost when every reply near the stones loses. What it leaves in its
//! table is enough to build a proof from, and [`ProofBuilder`](super::proof::ProofBuilder) tries every reply.

use super::chains::Chains;
use super::forced::{self, Duty};
use super::history::History;
use super::limits::{SearchControl, SearchLimits};
use super::params::Params;
use super::pool::Pool;
use super::report::{NullSink, SearchReport};
use super::root::{self, Task};
use super::scope::Scope;
use super::tt::{Bound, TranspositionTable, TtEntry};
use super::vct::VctLimits;
use crate::base::{Ply, Point, Score};
use crate::board::{Board, NullObserver, Threat};
use crate::eval::network::Network;
use std::sync::Arc;
use std::time::Instant;

/// Entries of the table of chains, as a power of two.
const CHAIN_BITS: u32 = 18;

/// A search for wins, with its memory.
pub struct Hunter {
    table: Arc<TranspositionTable>,
    history: History,
    pool: Pool,
    nodes: u64,
}

impl Hunter {
    /// One whose table has about `bytes`.
    pub fn new(bytes: u64) -> Hunter {
        let table = Arc::new(TranspositionTable::new(bytes));
        Hunter { table, history: History::new(), pool: Pool::new(), nodes: 0 }
    }

    /// Nodes visited since it was made.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if let Some(table) = Arc::get_mut(&mut self.table) {
            table.clear();
        }
        self.history.clear();
    }

    /// Whether the side to move wins, as far as the search can tell within these limits.
    pub fn find(&mut self, board: &Board, limits: VctLimits) -> bool {
        let control = SearchControl::default();
        let turn = limits.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let nodes = Some(limits.nodes).filter(|&nodes| nodes < u64::MAX);
        control.begin(SearchLimits { started: Some(Instant::now()), turn, nodes, ..SearchLimits::default() });
        // A search does not think about a move without choice, so it begins after it.
        if let Some(point) = only_move(board) {
            let mut after = board.clone();
            after.play(point, &mut NullObserver);
            let report = self.search(&after, &control);
            let score = report.last.score;
            if !score.is_loss() {
                return false;
            }
            self.remember_win(board, -score, point);
            return true;
        }
        let report = self.search(board, &control);
        let Some(best) = report.best.filter(|_| report.last.score.is_win()) else { return false };
        // The root is in nobody's table.
        self.remember_win(board, report.last.score, best);
        true
    }

    fn remember_win(&self, board: &Board, score: Score, point: Point) {
        let entry = TtEntry { score, bound: Bound::Lower, depth: 0, best: Some(point), eval: None };
        self.table.store(board.key(), Ply::ROOT, entry);
    }

    fn search(&mut self, board: &Board, control: &SearchControl) -> SearchReport {
        let task = Task {
            board: board.clone(),
            scope: Scope::default(),
            params: Params::shipped(board.rule()),
            network: Network::embedded(board.rule()),
            history: &mut self.history,
            table: &self.table,
            pool: &mut self.pool,
            chains: Some(Chains::new(CHAIN_BITS).trusting()),
            control,
        };
        let report = root::search(task, &mut NullSink);
        self.nodes += report.last.nodes;
        report
    }

    /// The move with which the side to move wins, if the search has seen the position.
    pub fn winning_move(&self, board: &Board) -> Option<Point> {
        let hit = self.table.probe(board.key(), Ply::ROOT)?;
        hit.best.filter(|&best| hit.score.is_win() && hit.bound.proves(hit.score) && board.is_empty(best))
    }
}

/// The side to move's only way to stop a five.
fn only_move(board: &Board) -> Option<Point> {
    match forced::duty(board) {
        Duty::StopFive(list) if list.len() == 1 && board.count(board.side(), Threat::Five) == 0 => Some(list[0]),
        _ => None,
    }
}
