//! Limits of a search, and the control with which the caller can stop it or change them while it runs.

use crate::base::clock::Instant;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Whose time a search takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ponder {
    /// The engine's own: an answer is due.
    #[default]
    Off,
    /// The opponent's: no answer is due, so a stop ends the search at once, with whatever result.
    Pondering,
    /// The search began in the opponent's time, and the opponent has played the expected move: now an answer is due.
    Hit,
}

/// A depth limit that hardly any search reaches, in plies. Yixin-Board always sends a limit, and this one is its default.
const UNREACHED_DEPTH: u32 = 100;
/// The same for nodes.
const UNREACHED_NODES: u64 = 1_000_000_000;

/// Limits of one move. `None` means no limit.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SearchLimits {
    /// When the command arrived, which starts the clock. `None`: the start of the search does.
    pub started: Option<Instant>,
    /// Most time for this move; zero: answer at once.
    pub turn: Option<Duration>,
    /// Time left for the rest of the game; zero: answer at once.
    pub left: Option<Duration>,
    /// Time added to the game's clock after each move.
    pub increment: Duration,
    /// What a move takes of the game's clock beyond the time measured here.
    pub overhead: Duration,
    /// Most nodes of all threads together; exact with one thread.
    pub nodes: Option<u64>,
    /// Deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Nodes that count as a millisecond, where nodes replace the clock: for studies of the use of time.
    pub nodes_per_ms: Option<u32>,
    /// Whose time it takes.
    pub ponder: Ponder,
    /// Whether the score is wanted, as for a proof or an analysis, not only a move: then a search on the clock goes on where
    /// all moves but one lose.
    pub wants_score: bool,
}

impl SearchLimits {
    /// A search in the opponent's time: until it is stopped, or gets the limits of a question.
    pub fn pondering() -> SearchLimits {
        SearchLimits { ponder: Ponder::Pondering, ..SearchLimits::default() }
    }

    /// Whether a limit of depth or nodes can be what ends the search.
    pub fn is_counted(&self) -> bool {
        self.depth.is_some_and(|depth| depth < UNREACHED_DEPTH)
            || self.nodes.is_some_and(|nodes| nodes < UNREACHED_NODES)
    }
}

/// Stop flag and limits of a running search; shared between threads.
#[derive(Debug, Default)]
pub struct SearchControl {
    stop: Arc<AtomicBool>,
    version: AtomicU32,
    limits: Mutex<SearchLimits>,
    watch: Option<fn() -> bool>,
}

impl SearchControl {
    /// A control for a machine without threads, where nobody else can stop the search: at every check of the clock the search
    /// asks `watch` whether to stop.
    pub fn watched(watch: fn() -> bool) -> SearchControl {
        SearchControl { watch: Some(watch), ..SearchControl::default() }
    }

    /// A control for one search under `limits`.
    pub fn within(limits: SearchLimits) -> SearchControl {
        let control = SearchControl::default();
        control.begin(limits);
        control
    }

    /// Prepares for a new search under `limits`.
    pub fn begin(&self, limits: SearchLimits) {
        self.stop.store(false, Ordering::Relaxed);
        self.set_limits(limits);
    }

    /// A control for one of several searches that answer one question: its own limits, the same stop flag.
    #[must_use]
    pub fn part(&self, limits: SearchLimits) -> SearchControl {
        let (stop, watch) = (Arc::clone(&self.stop), self.watch);
        SearchControl { stop, version: AtomicU32::new(1), limits: Mutex::new(limits), watch }
    }

    /// Tells the search to stop and answer at once.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the search was told to stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Stops the search if the watch says so, where there is one.
    pub fn ask_watch(&self) {
        if self.watch.is_some_and(|watch| watch()) {
            self.stop();
        }
    }

    /// Replaces the limits of the running search. A [part](SearchControl::part) of it keeps its own.
    pub fn set_limits(&self, limits: SearchLimits) {
        *self.lock() = limits;
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Number of [`SearchControl::set_limits`] calls: a cheap way to notice a change.
    #[inline]
    pub fn version(&self) -> u32 {
        self.version.load(Ordering::Acquire)
    }

    /// The limits in force.
    pub fn limits(&self) -> SearchLimits {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, SearchLimits> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: with the limits that Yixin-Board always sends, the search waited for memory, and pondering never hit.
    #[test]
    fn limits_that_no_search_reaches_do_not_count() {
        let is_counted = |depth, nodes| SearchLimits { nodes, depth, ..SearchLimits::default() }.is_counted();
        assert!(!is_counted(None, None) && !is_counted(Some(225), Some(1_000_000_000)));
        assert!(is_counted(Some(20), None) && is_counted(None, Some(5000)));
    }
}
