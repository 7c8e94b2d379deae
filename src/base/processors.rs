//! The processors of this machine.

use std::num::NonZero;
use std::thread::available_parallelism;

/// Number of threads that this process can run at once; 1 if the system does not say.
pub fn processors() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}
