//! What the threads of one search share.

use super::limits::SearchControl;
use super::tt::TranspositionTable;
use crate::eval::network::Network;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Progress of one thread, on cache lines of its own because it changes all the time.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Progress {
    nodes: AtomicU64,
    depth: AtomicU32,
}

/// Table, network, stop signal and progress of the threads of one search. Thread 0 is the main thread.
#[derive(Debug)]
pub struct Shared {
    table: Arc<TranspositionTable>,
    network: Option<Arc<Network>>,
    helpers: SearchControl,
    threads: Box<[Progress]>,
}

impl Shared {
    /// For a search by `threads` threads, with a network or without.
    pub fn new(table: Arc<TranspositionTable>, network: Option<Arc<Network>>, threads: usize) -> Shared {
        let threads = (0..threads.max(1)).map(|_| Progress::default()).collect();
        Shared { table, network, helpers: SearchControl::default(), threads }
    }

    /// The transposition table.
    pub fn table(&self) -> &TranspositionTable {
        &self.table
    }

    /// The network that evaluates; `None`: the classical evaluation does.
    pub fn network(&self) -> Option<Arc<Network>> {
        self.network.clone()
    }

    /// The control of the helpers: it has no limits, and the main thread stops it.
    pub fn helpers(&self) -> &SearchControl {
        &self.helpers
    }

    /// Records that thread `id` has visited `nodes` nodes.
    #[inline]
    pub fn note_nodes(&self, id: usize, nodes: u64) {
        self.threads[id].nodes.store(nodes, Ordering::Relaxed);
    }

    /// Nodes that the threads other than `id` have recorded.
    #[inline]
    pub fn nodes_of_others(&self, id: usize) -> u64 {
        let others = self.threads.iter().enumerate().filter(|&(other, _)| other != id);
        others.map(|(_, thread)| thread.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Records that thread `id` is about to search to `depth`. `false` when more than half of the threads have reached
    /// this depth: a helper then skips it. The main thread skips none.
    pub fn enter_depth(&self, id: usize, depth: u32) -> bool {
        let busy = self.threads.iter().filter(|thread| thread.depth.load(Ordering::Relaxed) >= depth).count();
        let is_entered = id == 0 || 2 * busy <= self.threads.len();
        if is_entered {
            self.threads[id].depth.store(depth, Ordering::Relaxed);
        }
        is_entered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_that_most_threads_search_are_left_out_by_helpers() {
        let shared = Shared::new(Arc::new(TranspositionTable::new(1 << 16)), None, 4);
        assert!(shared.enter_depth(1, 5) && shared.enter_depth(2, 6) && shared.enter_depth(3, 5));
        assert!(shared.enter_depth(0, 5), "the main thread searches every depth");
        assert!(!shared.enter_depth(2, 5) && shared.enter_depth(2, 6));
    }
}
