//! When one thread's search must stop: by its limits of nodes, depth and time, by a stop, and how often these are checked.

use super::limits::{Ponder, SearchControl};
use super::params::Params;
use super::shared::Shared;
use super::time::{TimeManager, node_time};
use crate::base::clock::Instant;
use std::time::Duration;

/// Most nodes between two checks of the clock, the limits and the other threads.
const MAX_POLL_INTERVAL: u64 = 256;
/// Fewest nodes between two checks.
const MIN_POLL_INTERVAL: u64 = 8;
/// Time that should pass between two checks.
const POLL_TIME: Duration = Duration::from_micros(300);

/// Nodes of the first iteration that are searched even after the deadline. Without a first iteration the move would be a
/// guess, and a win on the board might be missed. It nearly always ends within a millisecond. Helpers have no such nodes:
/// their results are not needed for a move.
pub const GRACE: u64 = 16_384;

/// Most time for these nodes, from the deadline or, after a stop, from the command. On an overloaded machine they could
/// take seconds. It is less than the reserve that the deadline leaves to the manager, but for moves of less than 60 ms.
const GRACE_TIME: Duration = Duration::from_millis(15);

/// Counts the nodes of one thread and decides when its search must stop.
pub struct StopCheck<'a> {
    /// The deadlines, and how the iterations went.
    pub manager: TimeManager,
    /// Set once the search must stop; scores returned after that mean nothing.
    pub aborted: bool,
    /// Nodes of this thread when the search was cut short inside an iteration; `None` if it was not.
    pub cut: Option<u64>,
    /// Nodes visited by this thread.
    nodes: u64,
    shared: &'a Shared,
    /// Number of the thread; 0 is the main thread.
    id: usize,
    control: &'a SearchControl,
    params: Params,
    /// Empty points of the position that is searched.
    empty: usize,
    /// When this search began; its reports count from then on.
    began: Instant,
    /// When the command arrived: the same, unless the search began in the opponent's time.
    started: Instant,
    /// Nodes that all threads together may visit.
    node_budget: u64,
    /// The part of the budget that the other threads leave to this one.
    node_limit: u64,
    /// Deepest iteration.
    deepest: u32,
    /// Nodes that are searched even after the deadline: [`GRACE`] until the first iteration has ended, then 0.
    grace: u64,
    limits_version: u32,
    /// Nodes that count as a millisecond, when nodes are the clock.
    nodes_per_ms: Option<u32>,
    /// Nodes at the next check of the clock.
    next_poll: u64,
    /// Nodes between two checks.
    poll_interval: u64,
    /// Time of the last check.
    polled_at: Duration,
    is_hurried: bool,
    /// Whether the search runs in the opponent's time, so that no answer is due.
    is_pondering: bool,
}

impl<'a> StopCheck<'a> {
    /// For thread `id` of a search under the limits of `control`, in a position with `empty` empty points.
    pub fn new(
        shared: &'a Shared,
        id: usize,
        control: &'a SearchControl,
        params: &Params,
        empty: usize,
    ) -> StopCheck<'a> {
        let started = control.limits().started.unwrap_or_else(Instant::now);
        let mut check = StopCheck {
            manager: TimeManager::default(),
            aborted: false,
            cut: None,
            nodes: 0,
            shared,
            id,
            control,
            params: *params,
            empty,
            began: started,
            started,
            node_budget: u64::MAX,
            node_limit: u64::MAX,
            deepest: u32::MAX,
            grace: if id == 0 { GRACE } else { 0 },
            limits_version: 0,
            nodes_per_ms: None,
            next_poll: MIN_POLL_INTERVAL,
            poll_interval: MIN_POLL_INTERVAL,
            polled_at: Duration::ZERO,
            is_hurried: false,
            is_pondering: false,
        };
        check.read_limits();
        check
    }

    fn read_limits(&mut self) {
        self.limits_version = self.control.version();
        let limits = self.control.limits();
        self.started = limits.started.unwrap_or(self.started);
        self.is_pondering = limits.ponder == Ponder::Pondering;
        self.manager.set_limits(&limits, self.empty, &self.params);
        self.nodes_per_ms = limits.nodes_per_ms;
        let has_other_limit = limits.is_counted() || limits.nodes_per_ms.is_some();
        self.is_hurried = (self.manager.is_bounded() || self.is_pondering) && !has_other_limit;
        self.node_budget = limits.nodes.unwrap_or(u64::MAX);
        self.node_limit = self.node_budget;
        self.deepest = limits.depth.unwrap_or(u32::MAX);
    }

    /// Nodes visited by this thread.
    #[inline]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Nodes visited by all threads, as far as the others have recorded them.
    pub fn total_nodes(&self) -> u64 {
        self.nodes + self.shared.nodes_of_others(self.id)
    }

    /// Records the nodes of this thread for the others.
    pub fn note_nodes(&self) {
        self.shared.note_nodes(self.id, self.nodes);
    }

    /// Time since the command arrived.
    pub fn elapsed(&self) -> Duration {
        self.since(self.started)
    }

    /// Time since the search began: after a hit, more than since the command arrived.
    pub fn searched(&self) -> Duration {
        self.since(self.began)
    }

    fn since(&self, begin: Instant) -> Duration {
        match self.nodes_per_ms {
            Some(per_ms) => node_time(self.total_nodes(), per_ms),
            None => begin.elapsed(),
        }
    }

    /// Whether only the clock or a stop ends this search: it must not wait for memory.
    pub fn is_hurried(&self) -> bool {
        self.is_hurried
    }

    /// Whether the search was stopped in the opponent's time, so that nobody needs its result.
    pub fn is_unwanted(&self) -> bool {
        self.is_pondering && self.control.is_stopped()
    }

    /// Ends the iteration of this depth, after which the deadline holds for every node, and says whether another one may
    /// begin.
    pub fn may_deepen(&mut self, depth: u32) -> bool {
        self.grace = 0;
        self.poll(depth);
        let is_deepest = depth >= self.deepest;
        !self.aborted
            && !is_deepest
            && self.nodes < self.node_limit
            && self.manager.may_deepen(&self.params, self.elapsed())
    }

    /// Counts a node of the iteration of this depth; `true` when the search must stop here. A stop is noticed at once; the
    /// clock and the other threads are checked every few nodes; the node limit is exact with one thread.
    #[inline]
    pub fn enter(&mut self, iteration: u32) -> bool {
        if self.nodes >= self.node_limit {
            self.aborted = true;
            self.cut.get_or_insert(self.nodes);
            return true;
        }
        self.nodes += 1;
        if self.nodes >= self.next_poll || self.control.is_stopped() {
            self.poll(iteration);
            if self.aborted {
                self.cut.get_or_insert(self.nodes - 1);
            }
        }
        self.aborted
    }

    /// Chooses the nodes until the next check so that the time between checks stays about the same however slow the nodes
    /// are.
    fn schedule_poll(&mut self, now: Duration) {
        let since = now.saturating_sub(self.polled_at);
        let interval = match self.nodes_per_ms {
            Some(per_ms) => u64::from(per_ms / 4),
            None if since > POLL_TIME => self.poll_interval / 2,
            None if since < POLL_TIME / 2 => self.poll_interval * 2,
            None => self.poll_interval,
        };
        self.poll_interval = interval.clamp(MIN_POLL_INTERVAL, MAX_POLL_INTERVAL);
        self.polled_at = now;
        self.next_poll = self.nodes + self.poll_interval;
    }

    fn poll(&mut self, iteration: u32) {
        self.control.ask_watch();
        if self.control.version() != self.limits_version {
            self.read_limits();
        }
        self.note_nodes();
        self.node_limit = self.node_budget.saturating_sub(self.shared.nodes_of_others(self.id));
        let now = self.elapsed();
        self.schedule_poll(now);
        let allowance = if self.nodes <= self.grace && !self.is_pondering { GRACE_TIME } else { Duration::ZERO };
        let is_late = self.manager.is_over(now.saturating_sub(allowance));
        // The limit of depth may have been lowered during the iteration.
        let is_too_deep = iteration > 1 && iteration > self.deepest;
        if is_late || is_too_deep || (self.control.is_stopped() && now >= allowance) {
            self.aborted = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Ply, Rule, Size};
    use crate::board::Board;
    use crate::search::SearchLimits;
    use crate::search::history::History;
    use crate::search::tt::TranspositionTable;
    use crate::search::worker::Worker;
    use std::sync::Arc;

    /// Calls `look` with a worker that has `turn_ms` milliseconds for its move, where `nodes_per_ms` nodes count as a
    /// millisecond; `None`: by the real clock.
    fn with_worker<T>(
        turn_ms: u64,
        nodes_per_ms: impl Into<Option<u32>>,
        look: impl FnOnce(&mut Worker<'_>) -> T,
    ) -> T {
        let board = Board::new(Rule::Freestyle, Size::square(15).unwrap());
        let shared = Shared::new(Arc::new(TranspositionTable::new(1 << 16)), None, 1);
        let turn = Some(Duration::from_millis(turn_ms));
        let control =
            SearchControl::within(SearchLimits { turn, nodes_per_ms: nodes_per_ms.into(), ..SearchLimits::default() });
        let mut history = History::new();
        let params = Params::shipped(Rule::Freestyle);
        look(&mut Worker::new(board, &params, &mut history, &shared, 0, &control))
    }

    /// Nodes of a first iteration that does not end by itself.
    fn endless_first_iteration(nodes_per_ms: u32) -> usize {
        with_worker(20, nodes_per_ms, |worker| (0..100_000).take_while(|_| !worker.enter(Ply::ROOT)).count())
    }

    #[test]
    fn the_first_iteration_is_given_some_nodes_and_some_time_beyond_the_deadline() {
        let fast = endless_first_iteration(1000);
        assert!((GRACE as usize..GRACE as usize + 1000).contains(&fast), "{fast}");
        let starved = endless_first_iteration(1);
        // The deadline of 20 ms is at 15, and 15 more are granted; nodes are counted to the next check of the clock.
        assert!(starved < 30 + 2 * MIN_POLL_INTERVAL as usize, "{starved}");
    }

    /// What stops a search on a machine without threads.
    #[test]
    fn a_watch_stops_the_search_at_the_next_check_of_the_clock() {
        let board = Board::new(Rule::Freestyle, Size::square(15).unwrap());
        let shared = Shared::new(Arc::new(TranspositionTable::new(1 << 16)), None, 1);
        let (mut history, params) = (History::new(), Params::shipped(Rule::Freestyle));
        for (watch, expected) in [((|| false) as fn() -> bool, false), (|| true, true)] {
            let control = SearchControl::watched(watch);
            control.begin(SearchLimits { nodes_per_ms: Some(1000), ..SearchLimits::default() });
            let part = control.part(control.limits());
            let mut worker = Worker::new(board.clone(), &params, &mut history, &shared, 0, &part);
            let stops = (0..2 * GRACE).any(|_| worker.enter(Ply::ROOT));
            assert_eq!((stops, control.is_stopped()), (expected, expected));
        }
    }

    /// Bug: the clock was checked every 256 nodes, however long they took.
    #[test]
    fn slow_nodes_make_the_clock_be_checked_more_often() {
        let too_late = with_worker(40, None, |worker| {
            let deadline = Duration::from_millis(40) + GRACE_TIME;
            let mut too_late = 0;
            loop {
                std::thread::sleep(Duration::from_millis(1));
                too_late += u64::from(worker.stop.elapsed() >= deadline);
                if worker.enter(Ply::ROOT) {
                    return too_late;
                }
            }
        });
        assert!(too_late <= MIN_POLL_INTERVAL, "{too_late} nodes of a millisecond beyond the deadline");
    }

    #[test]
    fn a_stop_in_the_opponents_time_waits_for_no_first_iteration() {
        let nodes = with_worker(10_000, None, |worker| {
            worker.stop.control.begin(SearchLimits::pondering());
            worker.stop.read_limits();
            worker.stop.control.stop();
            (0..100_000).take_while(|_| !worker.enter(Ply::ROOT)).count()
        });
        assert_eq!(nodes, 0);
    }

    /// The clock of a hit starts with its question; the reports count from the beginning of the search.
    #[test]
    fn a_hit_starts_the_clock() {
        with_worker(10_000, None, |worker| {
            worker.stop.control.begin(SearchLimits::pondering());
            worker.stop.read_limits();
            std::thread::sleep(Duration::from_millis(30));
            assert!(!worker.stop.manager.saves_time() && worker.stop.elapsed() >= Duration::from_millis(30));
            let asked = Instant::now();
            let turn = Some(Duration::from_secs(10));
            let hit = SearchLimits { started: Some(asked), turn, ponder: Ponder::Hit, ..SearchLimits::default() };
            worker.stop.control.set_limits(hit);
            assert!(!worker.enter(Ply::ROOT));
            worker.stop.poll(1);
            assert!(worker.stop.manager.saves_time() && worker.stop.elapsed() <= asked.elapsed());
            assert!(worker.stop.searched() >= Duration::from_millis(30));
        });
    }

    #[test]
    fn a_stop_ends_a_first_iteration_that_takes_long() {
        let nodes = with_worker(10_000, 10, |worker| {
            worker.stop.control.stop();
            (0..100_000).take_while(|_| !worker.enter(Ply::ROOT)).count()
        });
        assert!(nodes as u128 <= 10 * GRACE_TIME.as_millis(), "{nodes}");
    }
}
