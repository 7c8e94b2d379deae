//! Counters of what the search does, for `pbrain-tengen bench health`.
//!
//! Only builds with the cargo feature `health` count; in all others the calls compile to nothing.

use std::sync::atomic::{AtomicU64, Ordering};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A node of the quiescence search.
    Quiescent,
    /// A node that the threats on the board decide without search.
    Concluded,
    /// A probe of the table in the main search.
    Probed,
    /// A probe that found the position.
    Found,
    /// A node of the main search that neither the threats nor the table decide, without a threat that must be answered.
    Free,
    /// The same, where a threat leaves few replies.
    Forced,
    /// A cut-off by the first move.
    CutFirst,
    /// A cut-off by the second or third move.
    CutEarly,
    /// A cut-off by a later move.
    CutLater,
    /// A free node failed low.
    FailedLow,
    /// Moves tried at nodes that failed low.
    MovesAtFailLow,
}

/// Number of events.
pub const EVENTS: usize = Event::MovesAtFailLow as usize + 1;

/// Whether this build counts.
pub const IS_COUNTING: bool = cfg!(feature = "health");

static COUNTERS: [AtomicU64; EVENTS] = [const { AtomicU64::new(0) }; EVENTS];

/// Adds `amount` to the counter of an event.
#[inline(always)]
pub fn add(event: Event, amount: u64) {
    if IS_COUNTING {
        COUNTERS[event as usize].fetch_add(amount, Ordering::Relaxed);
    }
}

/// Counts of this process since the last call, by event.
pub fn take() -> [u64; EVENTS] {
    std::array::from_fn(|event| COUNTERS[event].swap(0, Ordering::Relaxed))
}

/// Counts one event.
#[inline(always)]
pub fn count(event: Event) {
    add(event, 1);
}

/// Counts a cut-off by the move with this index, from 0.
#[inline(always)]
pub fn count_cut(index: usize) {
    count(match index {
        0 => Event::CutFirst,
        1 | 2 => Event::CutEarly,
        _ => Event::CutLater,
    });
}
