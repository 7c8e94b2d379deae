//! Analyses side by side, and how far they are.

use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Stack of an analysing thread in bytes: the solver recurses deeply.
const STACK: usize = 256 << 20;

/// Does pieces of work on so many threads and returns the results in order.
///
/// # Errors
/// When a thread cannot be started, or panics.
pub fn side_by_side<T: Send>(count: usize, threads: usize, work: impl Fn(usize) -> T + Sync) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return done;
            }
            done.push((index, work(index)));
        }
    };
    let mut results = thread::scope(|scope| {
        let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
        let threads: std::io::Result<Vec<_>> = (0..threads.min(count)).map(start).collect();
        let mut results = Vec::new();
        for thread in threads.context("cannot start a thread")? {
            results.extend(thread.join().map_err(|_| anyhow!("the analysis panicked"))?);
        }
        anyhow::Ok(results)
    })?;
    results.sort_by_key(|&(index, _)| index);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// A bar on the error stream; nothing where that is no terminal.
///
/// # Errors
/// Never in practice: the template is a good one.
pub fn progress_bar(positions: usize) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} positions, {eta}")?;
    Ok(ProgressBar::new(positions as u64).with_style(style))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whatever_the_threads() {
        for threads in [1, 3, 50] {
            let squares = side_by_side(20, threads, |index| index * index).unwrap();
            assert_eq!(squares, (0..20).map(|index| index * index).collect::<Vec<_>>());
        }
        assert!(side_by_side(0, 2, |index| index).unwrap().is_empty());
    }
}
