//! The flag that cancels a tournament.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Set when the tournament is to stop. Every wait checks it. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicU32>);

impl Cancel {
    /// Sets the flag; returns how often it was set before.
    pub fn set(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }

    /// Whether the flag is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }
}
