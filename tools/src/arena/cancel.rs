//! One flag that every wait looks at. Floor 6.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Says whether the tournament is to stop; clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicU32>);

impl Cancel {
    /// Asks everybody to stop; returns how often that was asked before.
    pub fn set(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }

    /// Whether somebody asked.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }
}
