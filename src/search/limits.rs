//! What the caller allows a search to use, and how it can change its mind meanwhile. Floor 3.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The caller's allowance for one move. `None` means "not limited by this".
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SearchLimits {
    /// When the command arrived; the clock runs from here. `None`: from the start of the search.
    pub started: Option<Instant>,
    /// Most time for this move; zero means "answer at once".
    pub turn: Option<Duration>,
    /// Time left for the rest of the game; zero means "answer at once".
    pub left: Option<Duration>,
    /// Time added after each move.
    pub increment: Duration,
    /// Most nodes to visit, by all threads together; exact with one thread.
    pub nodes: Option<u64>,
    /// Deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Nodes that count as a millisecond instead of real time: for studies of the use of time.
    pub nodes_per_ms: Option<u32>,
}

impl SearchLimits {
    /// Time for one of so many moves: that part of the game's clock and the increment, which comes after the move only,
    /// so that the clock must last until then. `None` where there is no clock.
    pub fn part_of_game(&self, moves: u32) -> Option<Duration> {
        let left = self.left?;
        Some((left / moves.max(1)).saturating_add(self.increment).min(left / 4 * 3))
    }

    /// Time for a question that takes the place of one of so many moves; `None`: no limit.
    pub fn time_for_question(&self, moves: u32) -> Option<Duration> {
        self.turn.into_iter().chain(self.part_of_game(moves)).min()
    }
}

/// The line between whoever asked for a search and the search itself; shared between threads.
#[derive(Debug, Default)]
pub struct SearchControl {
    stop: Arc<AtomicBool>,
    version: AtomicU32,
    limits: Mutex<SearchLimits>,
}

impl SearchControl {
    /// Prepares for a new search under `limits`.
    pub fn begin(&self, limits: SearchLimits) {
        self.stop.store(false, Ordering::Relaxed);
        self.set_limits(limits);
    }

    /// A control for one of several searches that answer one question: limits of its own, the same stop signal.
    #[must_use]
    pub fn part(&self, limits: SearchLimits) -> SearchControl {
        SearchControl { stop: Arc::clone(&self.stop), version: AtomicU32::new(1), limits: Mutex::new(limits) }
    }

    /// Asks the search to answer at once.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the search was asked to answer at once.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Replaces the limits of the running search, all but the depth.
    pub fn set_limits(&self, limits: SearchLimits) {
        *self.limits.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = limits;
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Changes with every [`SearchControl::set_limits`]; lets the search notice for the price of a load.
    #[inline]
    pub fn version(&self) -> u32 {
        self.version.load(Ordering::Acquire)
    }

    /// The limits in force.
    pub fn limits(&self) -> SearchLimits {
        self.limits.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}
