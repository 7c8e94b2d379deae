//! One searching thread: its board, evaluator, memory of moves and counters. Floor 3.

use super::history::History;
use super::limits::SearchControl;
use super::params::Params;
use super::pool::Shared;
use super::scope::BlockedPaths;
use super::time::{Clock, NodeClock, SystemClock, TimeManager};
use super::tt::TranspositionTable;
use crate::base::{Ply, Point, Score};
use crate::board::Board;
use crate::eval::ChosenEvaluator;
use arrayvec::ArrayVec;
use std::time::{Duration, Instant};

/// Most nodes between two looks at the clock, the limits and the other threads.
const POLL_MOST: u64 = 256;
/// Fewest.
const POLL_FEWEST: u64 = 8;
/// The time that should pass between two looks at the clock.
const POLL_TIME: Duration = Duration::from_micros(300);

/// Nodes after which the table grows.
const GROWTH_INTERVAL: u64 = 256;
/// Most buckets by which it grows at a time: a tenth of a millisecond.
const GROWTH_MOST: u64 = 4096;

/// Until the first iteration has ended, the clock does not count before this many nodes: without that iteration a
/// move would be a guess, and a win that is on the board might be missed. It nearly always ends within a millisecond;
/// the bound is for the rare one that does not. Helpers have none: what they find is not needed for a move.
pub const GRACE: u64 = 16_384;

/// And for so long beyond the deadline, or from the command where a stop ends the search: on a machine that hardly gives
/// us any processor, even these nodes could take seconds. Less than what the deadline keeps back for the manager.
const GRACE_TIME: Duration = Duration::from_millis(15);

/// A line of play.
pub type Line = ArrayVec<Point, { Ply::MAX.index() + 1 }>;

/// Everything one thread needs to search.
pub struct Worker<'a> {
    /// The position being searched.
    pub board: Board,
    /// The evaluation, kept in step with the board.
    pub evaluator: ChosenEvaluator,
    /// The tunable numbers for the position's rule.
    pub params: Params,
    /// What was learned about moves.
    pub history: &'a mut History,
    /// What was learned about positions.
    pub table: &'a TranspositionTable,
    /// Best line found from each ply on.
    pub lines: Vec<Line>,
    /// Static evaluation at each ply of the line being searched; none where threats forbid one.
    pub statics: Vec<Option<Score>>,
    /// Nodes visited by this thread.
    pub nodes: u64,
    /// Deepest ply visited.
    pub seldepth: usize,
    /// Set once the search must stop; every score returned after that is meaningless.
    pub aborted: bool,
    /// The nodes of this thread at which that was, when it was inside an iteration.
    pub cut: Option<u64>,
    /// Moves that must not be played below the root.
    pub paths: BlockedPaths,
    shared: &'a Shared,
    /// Number of the thread; the main one is 0.
    id: usize,
    control: &'a SearchControl,
    clock: SystemClock,
    manager: TimeManager,
    /// Nodes that all threads together may visit.
    node_budget: u64,
    /// What the other threads have left of that to this one.
    node_limit: u64,
    /// Nodes before which the clock does not count; none once the first iteration has ended.
    grace: u64,
    limits_version: u32,
    /// Nodes that count as a millisecond, when nodes are the clock.
    nodes_per_ms: Option<u32>,
    /// Nodes at which the clock is looked at next.
    next_poll: u64,
    /// Nodes between two such looks.
    poll_interval: u64,
    /// When it was last looked at.
    polled_at: Duration,
    /// Whether only the clock ends this search, so that it does not wait for memory.
    is_hurried: bool,
    /// Buckets that this search has added to the table: one for each node, unless the system is slow to give memory.
    grown: u64,
}

impl<'a> Worker<'a> {
    /// Thread `id`'s worker for `board`, under the limits that `control` holds.
    pub fn new(
        board: Board,
        params: Params,
        history: &'a mut History,
        shared: &'a Shared,
        id: usize,
        control: &'a SearchControl,
    ) -> Worker<'a> {
        let evaluator = ChosenEvaluator::new(&board, shared.network());
        let started = control.limits().started.unwrap_or_else(Instant::now);
        let mut worker = Worker {
            board,
            evaluator,
            params,
            history,
            table: shared.table(),
            lines: vec![Line::new(); Ply::MAX.index() + 2],
            statics: vec![None; Ply::MAX.index() + 2],
            nodes: 0,
            seldepth: 0,
            aborted: false,
            cut: None,
            paths: BlockedPaths::default(),
            shared,
            id,
            control,
            clock: SystemClock::since(started),
            manager: TimeManager::default(),
            node_budget: u64::MAX,
            node_limit: u64::MAX,
            grace: if id == 0 { GRACE } else { 0 },
            limits_version: 0,
            nodes_per_ms: None,
            next_poll: POLL_FEWEST,
            poll_interval: POLL_FEWEST,
            polled_at: Duration::ZERO,
            is_hurried: false,
            grown: 0,
        };
        worker.read_limits();
        worker
    }

    fn read_limits(&mut self) {
        self.limits_version = self.control.version();
        let limits = self.control.limits();
        let empty = self.board.size().cells().saturating_sub(self.board.move_number());
        self.manager.set_limits(&limits, empty, &self.params);
        self.nodes_per_ms = limits.nodes_per_ms;
        let has_other_limit = limits.nodes.is_some() || limits.depth.is_some() || limits.nodes_per_ms.is_some();
        self.is_hurried = self.manager.is_bounded() && !has_other_limit;
        self.node_budget = limits.nodes.unwrap_or(u64::MAX);
        self.node_limit = self.node_budget;
    }

    /// Nodes visited by all threads, as far as the others have told.
    pub fn total_nodes(&self) -> u64 {
        self.nodes + self.shared.nodes_of_others(self.id)
    }

    /// Tells the others how many nodes this thread has visited.
    pub fn note_nodes(&self) {
        self.shared.note_nodes(self.id, self.nodes);
    }

    /// Whether this thread should search at this depth, rather than deeper at once.
    pub fn enter_depth(&self, depth: u32) -> bool {
        self.shared.enter_depth(self.id, depth)
    }

    /// Time since the command arrived.
    pub fn elapsed(&self) -> Duration {
        match self.nodes_per_ms {
            Some(per_ms) => NodeClock { nodes: self.total_nodes(), per_ms }.now(),
            None => self.clock.now(),
        }
    }

    /// An iteration has ended with this move and score; `effort` is the part of its nodes below that move, in
    /// thousandths.
    pub fn note_iteration(&mut self, best: Point, score: Score, effort: i32) {
        self.manager.note_iteration(best, score, effort);
    }

    /// Whether this is the thread that answers.
    pub fn is_main(&self) -> bool {
        self.id == 0
    }

    /// Whether so much time is left, and nobody has asked for the answer.
    pub fn can_spare(&self, time: Duration) -> bool {
        !self.control.is_stopped() && !self.manager.is_over(self.elapsed() + time)
    }

    /// Whether a clock limits this search.
    pub fn is_timed(&self) -> bool {
        self.manager.is_bounded()
    }

    /// An iteration has ended: from now on the clock counts. Says whether another one may begin.
    pub fn may_deepen(&mut self) -> bool {
        self.grace = 0;
        self.poll();
        !self.aborted && self.nodes < self.node_limit && self.manager.may_deepen(&self.params, self.elapsed())
    }

    /// Counts a node; true when the search must stop here. A stop is seen at once; the clock and the other threads are
    /// looked at now and then; the node limit is exact for a thread that is alone.
    #[inline]
    pub fn enter(&mut self, ply: Ply) -> bool {
        if self.nodes >= self.node_limit {
            self.aborted = true;
            self.cut.get_or_insert(self.nodes);
            return true;
        }
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply.index());
        if self.nodes.is_multiple_of(GROWTH_INTERVAL) && self.is_main() {
            self.grow_table();
        }
        if self.nodes >= self.next_poll || self.control.is_stopped() {
            self.poll();
            if self.aborted {
                self.cut.get_or_insert(self.nodes - 1);
            }
        }
        self.aborted
    }

    /// Makes room for the nodes since the last time. Where only the clock ends it, the search goes on with a smaller
    /// table rather than wait for the system.
    fn grow_table(&mut self) {
        let due = self.total_nodes().saturating_sub(self.grown).min(GROWTH_MOST);
        self.grown += self.table.grow(due, self.is_hurried);
    }

    /// Chooses the nodes until the next look at the clock, so that the time between two looks stays about the same,
    /// however slow the nodes are.
    fn schedule_poll(&mut self, now: Duration) {
        let since = now.saturating_sub(self.polled_at);
        let interval = match self.nodes_per_ms {
            Some(per_ms) => u64::from(per_ms / 4),
            None if since > POLL_TIME => self.poll_interval / 2,
            None if since < POLL_TIME / 2 => self.poll_interval * 2,
            None => self.poll_interval,
        };
        self.poll_interval = interval.clamp(POLL_FEWEST, POLL_MOST);
        self.polled_at = now;
        self.next_poll = self.nodes + self.poll_interval;
    }

    fn poll(&mut self) {
        if self.control.version() != self.limits_version {
            self.read_limits();
        }
        self.note_nodes();
        self.node_limit = self.node_budget.saturating_sub(self.shared.nodes_of_others(self.id));
        let now = self.elapsed();
        self.schedule_poll(now);
        let allowance = if self.nodes <= self.grace { GRACE_TIME } else { Duration::ZERO };
        let is_late = self.manager.is_over(now.saturating_sub(allowance));
        if is_late || (self.control.is_stopped() && now >= allowance) {
            self.aborted = true;
        }
    }

    /// Whether the side to move may play `point`: empty, and no foul.
    pub fn is_legal(&mut self, point: Point) -> bool {
        self.board.may_play(point, self.board.side())
    }

    /// The key under which the table knows the position.
    #[inline]
    pub fn key(&self) -> u64 {
        self.board.key() ^ self.paths.salt()
    }

    /// Plays a move on board and evaluator.
    #[inline]
    pub fn play(&mut self, point: Point) {
        self.table.prefetch(self.board.key_after(point) ^ self.paths.salt());
        self.board.play(point, &mut self.evaluator);
    }

    /// Takes it back.
    #[inline]
    pub fn undo(&mut self) {
        self.board.undo(&mut self.evaluator);
    }

    /// Makes `point` followed by the next ply's line the best line from `ply` on.
    pub fn extend_line(&mut self, ply: Ply, point: Point) {
        let (head, tail) = self.lines.split_at_mut(ply.index() + 1);
        let line = &mut head[ply.index()];
        line.clear();
        line.push(point);
        for &next in tail[0].iter().take(Ply::MAX.index()) {
            line.push(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Rule, Size};
    use crate::search::SearchLimits;
    use std::sync::Arc;

    /// What becomes of a worker that has so much time for its move, on a machine that visits so many nodes in a
    /// millisecond; by the real clock where that is not said.
    fn with_worker<T>(
        turn_ms: u64,
        nodes_per_ms: impl Into<Option<u32>>,
        look: impl FnOnce(&mut Worker<'_>) -> T,
    ) -> T {
        let board = Board::new(Rule::Freestyle, Size::square(15).unwrap());
        let shared = Shared::new(Arc::new(TranspositionTable::new(1 << 16)), None, 1);
        let control = SearchControl::default();
        let turn = Some(Duration::from_millis(turn_ms));
        control.begin(SearchLimits { turn, nodes_per_ms: nodes_per_ms.into(), ..SearchLimits::default() });
        let mut history = History::new();
        let params = Params::shipped(Rule::Freestyle);
        look(&mut Worker::new(board, params, &mut history, &shared, 0, &control))
    }

    /// Nodes of a first iteration that never ends.
    fn endless_first_iteration(nodes_per_ms: u32) -> usize {
        with_worker(20, nodes_per_ms, |worker| (0..100_000).take_while(|_| !worker.enter(Ply::ROOT)).count())
    }

    #[test]
    fn no_time_is_spared_when_it_is_short_or_the_answer_is_awaited() {
        let some = Duration::from_millis(50);
        assert!(with_worker(1000, 10, |worker| worker.can_spare(some)));
        assert!(!with_worker(40, 10, |worker| worker.can_spare(some)));
        let late = |worker: &mut Worker<'_>| {
            worker.nodes = 9900;
            worker.can_spare(some)
        };
        assert!(!with_worker(1000, 10, late));
        let stopped = |worker: &mut Worker<'_>| {
            worker.control.stop();
            worker.can_spare(some)
        };
        assert!(!with_worker(1000, 10, stopped));
    }

    #[test]
    fn the_first_iteration_is_given_some_nodes_and_some_time_beyond_the_deadline() {
        let fast = endless_first_iteration(1000);
        assert!((GRACE as usize..GRACE as usize + 1000).contains(&fast), "{fast}");
        let starved = endless_first_iteration(1);
        // The deadline of 20 ms is at 15, and 15 more are granted; nodes are counted to the next look at the clock.
        assert!(starved < 30 + 2 * POLL_FEWEST as usize, "{starved}");
    }

    /// The clock was looked at every 256 nodes, however long they took.
    #[test]
    fn slow_nodes_let_the_clock_be_looked_at_more_often() {
        let too_late = with_worker(40, None, |worker| {
            let deadline = Duration::from_millis(40) + GRACE_TIME;
            let mut too_late = 0;
            loop {
                std::thread::sleep(Duration::from_millis(1));
                too_late += u64::from(worker.elapsed() >= deadline);
                if worker.enter(Ply::ROOT) {
                    return too_late;
                }
            }
        });
        assert!(too_late <= POLL_FEWEST, "{too_late} nodes of a millisecond beyond the deadline");
    }

    #[test]
    fn a_stop_ends_a_first_iteration_that_takes_long() {
        let nodes = with_worker(10_000, 10, |worker| {
            worker.control.stop();
            (0..100_000).take_while(|_| !worker.enter(Ply::ROOT)).count()
        });
        assert!(nodes as u128 <= 10 * GRACE_TIME.as_millis(), "{nodes}");
    }
}
