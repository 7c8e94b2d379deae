//! The processors of this machine.

use std::num::NonZero;
use std::thread::available_parallelism;

/// Number of threads that this process can run at once; 1 if the system does not say.
pub fn processors() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// Whether there are threads at all. A browser's worker has none: the search runs alone, and the hash table prepares its memory
/// itself.
pub const HAS_THREADS: bool = cfg!(not(target_family = "wasm"));
