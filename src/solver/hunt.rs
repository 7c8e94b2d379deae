//! The main search as a source of candidate wins: which positions it believes won, and by which move.
//!
//! A candidate is no proof. The search tries only replies near the stones, at most nodes only the likeliest of them, and
//! when all of these lose it returns the strongest estimate. This is fast and usually correct.
//! [`ProofBuilder`](super::proof::ProofBuilder) takes the move, tries every reply, and searches again where one has no
//! answer.

use super::limits::SolverLimits;
use crate::base::clock::Instant;
use crate::base::{Ply, Point, Score};
use crate::board::Board;
use crate::eval::network::Network;
use crate::search::root::{self, Task};
use crate::search::tt::{Bound, TtEntry};
use crate::search::{
    History, Iteration, Params, Pool, ReportSink, Scope, SearchControl, SearchLimits, SearchReport, TranspositionTable,
};
use std::sync::Arc;

/// A search for wins, with its table, history and threads.
pub struct Hunter {
    table: Arc<TranspositionTable>,
    history: History,
    pool: Pool,
    nodes: u64,
}

/// A move that the search believes to win. That is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move.
    pub point: Point,
    /// How deeply it was searched, in plies.
    pub depth: u32,
    /// Whether the search calls the win proven.
    pub is_proven: bool,
}

impl Hunter {
    /// A hunter with a table of up to `bytes` bytes.
    pub fn new(bytes: u64) -> Hunter {
        let table = Arc::new(TranspositionTable::new(bytes));
        Hunter { table, history: History::new(), pool: Pool::new(), nodes: 0 }
    }

    /// Nodes visited since the hunter was made.
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

    /// The move with which the table says that the side to move wins this position.
    pub fn candidate(&self, board: &Board) -> Option<Candidate> {
        self.remembered(board.key()).filter(|candidate| board.is_empty(candidate.point))
    }

    /// Whether the table says that the side to move wins the position with this key.
    pub fn has_candidate(&self, key: u64) -> bool {
        self.remembered(key).is_some()
    }

    fn remembered(&self, key: u64) -> Option<Candidate> {
        let hit = self.table.probe(key, Ply::ROOT)?;
        let depth = hit.depth.max(0) as u32;
        let best = hit.best.filter(|_| hit.score.seems_won() && hit.bound != Bound::Upper);
        best.map(|point| Candidate { point, depth, is_proven: hit.bound.proves(hit.score) })
    }

    /// Searches until the side to move wins by proof or by an estimate at `depth` or deeper, or the limits are reached.
    pub fn find(&mut self, board: &Board, depth: u32, limits: SolverLimits) -> Option<Candidate> {
        let report = self.search(board, depth, limits);
        let Iteration { depth: reached, score, .. } = report.last;
        if !report.stands() {
            return None;
        }
        self.remember(board, score, report.best, reached);
        let is_proven = score.is_win();
        let best = report.best.filter(|_| is_proven || (score.seems_won() && reached >= depth));
        best.map(|point| Candidate { point, depth: reached, is_proven })
    }

    /// Stores the root, which the search itself does not store.
    fn remember(&self, board: &Board, score: Score, best: Option<Point>, depth: u32) {
        if depth > 0 {
            let entry = TtEntry { score, bound: Bound::Exact, depth: depth as i32, best, eval: None, was_pv: false };
            self.table.store(board.key(), Ply::ROOT, entry);
        }
    }

    fn search(&mut self, board: &Board, depth: u32, limits: SolverLimits) -> SearchReport {
        let control = SearchControl::default();
        let turn = limits.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let nodes = Some(limits.nodes).filter(|&nodes| nodes < u64::MAX);
        let started = Some(Instant::now());
        control.begin(SearchLimits { started, turn, nodes, wants_score: true, ..SearchLimits::default() });
        let task = Task {
            board: board.clone(),
            scope: Scope::default(),
            params: Params::shipped(board.rule()),
            network: Some(Network::embedded(board.rule())),
            history: &mut self.history,
            table: &self.table,
            pool: &mut self.pool,
            control: &control,
        };
        let report = root::search(task, &mut UntilWon { control: &control, depth });
        self.nodes += report.last.nodes;
        report
    }
}

/// Stops a search at the first iteration of at least some depth whose score is a win.
struct UntilWon<'a> {
    control: &'a SearchControl,
    depth: u32,
}

impl ReportSink for UntilWon<'_> {
    fn iteration(&mut self, iteration: &Iteration) {
        if iteration.depth >= self.depth && iteration.score.seems_won() {
            self.control.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Rule, Size};
    use crate::board::NullObserver;
    use crate::board::tests::board_after;
    use std::time::Duration;

    /// Bug: the search for a win ended within milliseconds where all moves but one lose, as it does for a move on the clock.
    #[test]
    fn a_hunt_uses_its_time_where_all_moves_but_one_lose() {
        let size = Size::square(20).unwrap();
        let mut board = Board::new(Rule::Freestyle, size);
        for (x, y) in [(10, 12), (8, 10), (10, 11), (10, 10), (10, 9), (9, 9), (11, 10), (10, 8)] {
            board.play(size.point(x, y).unwrap(), &mut NullObserver);
        }
        let (begin, time) = (Instant::now(), Duration::from_millis(500));
        let limits = SolverLimits { nodes: u64::MAX, deadline: Some(begin + time) };
        assert_eq!(Hunter::new(16 << 20).find(&board, 100, limits), None);
        assert!(begin.elapsed() > time / 2, "{:?}", begin.elapsed());
    }

    /// Bug: the loss was stored with the distance from the position after the move.
    #[test]
    fn a_loss_by_the_only_move_counts_that_move() {
        // White has to stop the five at f2, and black then makes an open four of h8, i8 and j8.
        let board = board_after(Rule::Freestyle, "b2a2c2o1d2o5e2o11h8l15i8e15j8");
        let mut hunter = Hunter::new(1 << 20);
        assert_eq!(hunter.find(&board, 4, SolverLimits { nodes: 10_000, deadline: None }), None);
        let hit = hunter.table.probe(board.key(), Ply::ROOT).unwrap();
        assert_eq!(hit.score, Score::loss_in(Ply::ROOT, 4));
    }
}
