//! Threads for searches, and items of work on several of them, with the results in order.

use anyhow::{Context, Result, anyhow};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Scope, ScopedJoinHandle};
use tengen::base::memory::SOLVER_STACK;

/// Starts a thread whose stack is large enough to search and to solve.
///
/// # Errors
/// When it cannot be started.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    thread::Builder::new().stack_size(SOLVER_STACK).spawn_scoped(scope, work).context("cannot start a thread")
}

/// Runs `count` items of work, one thread per worker, each with exclusive access to its worker. Returns the results in the
/// order of the items.
///
/// # Errors
/// The first error of the work in that order; when a thread cannot be started, or panics.
pub fn in_order<W: Send, T: Send>(
    count: usize,
    workers: &mut [W],
    work: impl Fn(usize, &mut W) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let (next, work) = (&next, &work);
    let run = |worker: &mut W| {
        let items = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < count));
        items.map(|index| (index, work(index, &mut *worker))).collect::<Vec<_>>()
    };
    let mut results = thread::scope(|scope| {
        let start = |worker| spawn(scope, move || run(worker));
        let threads: Result<Vec<_>> = workers.iter_mut().take(count).map(start).collect();
        let mut results = Vec::new();
        for thread in threads? {
            results.extend(thread.join().map_err(|_| anyhow!("a thread panicked"))?);
        }
        anyhow::Ok(results)
    })?;
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::ensure;

    #[test]
    fn results_are_in_order_whatever_the_threads() {
        for threads in [1, 3, 50] {
            let mut done = vec![0; threads];
            let square = |index, done: &mut usize| {
                *done += 1;
                Ok(index * index)
            };
            let squares = in_order(20, &mut done, square).unwrap();
            assert_eq!(squares, (0..20).map(|index| index * index).collect::<Vec<_>>());
            assert_eq!(done.iter().sum::<usize>(), 20);
        }
        assert!(in_order(0, &mut [(); 2], |index, ()| Ok(index)).unwrap().is_empty());
    }

    #[test]
    fn the_first_error_is_returned() {
        let work = |index, (): &mut ()| {
            ensure!(index < 3, "item {index}");
            Ok(())
        };
        assert_eq!(in_order(9, &mut [(); 3], work).unwrap_err().to_string(), "item 3");
    }
}
