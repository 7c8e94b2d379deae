//! The helper threads of a search (lazy SMP): they search the same position on their own and share the transposition
//! table.
//!
//! Helpers are parked between moves and live until fewer are wanted. They report to no sink and check no limits: the
//! main thread polls, stops them, and counts their votes for a move. With one thread there is no helper.

use super::history::History;
use super::params::Params;
use super::report::SearchReport;
use super::scope::Scope;
use super::shared::Shared;
use crate::base::clock::Instant;
use crate::base::memory::{REST, is_available};
use crate::board::Board;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Stack of a helper, in bytes: more than the deepest line with the largest lists needs.
const STACK: usize = 16 << 20;
/// Longest wait for the helpers' votes. They need far less unless the machine is too busy to run them.
const VOTE_TIME: Duration = Duration::from_millis(5);

/// One search for the helpers.
#[derive(Clone, Debug)]
pub struct Job {
    /// The position.
    pub board: Arc<Board>,
    /// Lines, blocked moves and blocked paths.
    pub scope: Arc<Scope>,
    /// The tunable numbers for the position's rule.
    pub params: Params,
    /// Deepest iteration, in plies.
    pub deepest: u32,
    /// What all threads share.
    pub shared: Arc<Shared>,
    /// The search that a helper runs.
    pub work: Work,
}

/// The search of a helper: its job, its thread number and its history.
pub type Work = fn(&Job, usize, &mut History) -> SearchReport;

/// A job for one helper.
#[derive(Debug)]
struct Assignment {
    job: Job,
    /// Its thread number in this job, from 1.
    id: usize,
    /// Whether it clears its history first.
    forget: bool,
}

/// A parked or searching thread, with its channels.
#[derive(Debug)]
struct Helper {
    /// `None` ends the thread.
    jobs: Option<Sender<Assignment>>,
    reports: Receiver<SearchReport>,
    thread: Option<JoinHandle<()>>,
    /// Whether it has a job whose report has not been received.
    busy: bool,
    /// Whether a new game has begun since its last job.
    forget: bool,
}

impl Helper {
    fn start() -> std::io::Result<Helper> {
        // A thread that runs out of memory aborts the process.
        if !is_available(STACK + REST) {
            return Err(std::io::ErrorKind::OutOfMemory.into());
        }
        let (jobs, inbox) = mpsc::channel();
        let (outbox, reports) = mpsc::channel();
        let builder = thread::Builder::new().name("helper".to_owned()).stack_size(STACK);
        let thread = builder.spawn(move || serve(&inbox, &outbox))?;
        Ok(Helper { jobs: Some(jobs), reports, thread: Some(thread), busy: false, forget: false })
    }

    /// Waits for its report, at most for `timeout` if there is one. `Err`: the helper panicked.
    fn collect(&mut self, timeout: Option<Duration>) -> Result<Option<SearchReport>, ()> {
        if !self.busy {
            return Ok(None);
        }
        let received = match timeout {
            Some(timeout) => self.reports.recv_timeout(timeout),
            None => self.reports.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        self.busy = matches!(received, Err(RecvTimeoutError::Timeout));
        match received {
            Ok(report) => Ok(Some(report)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(()),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            log::error!("a helper thread panicked; the search goes on without it");
        }
    }
}

/// Runs jobs until the channel closes. A job, and with it the reference to the table, is dropped before its report is
/// sent.
fn serve(jobs: &Receiver<Assignment>, reports: &Sender<SearchReport>) {
    let mut history = History::new();
    for Assignment { job, id, forget } in jobs {
        if forget {
            history.clear();
        } else {
            history.age();
        }
        let report = (job.work)(&job, id, &mut history);
        drop(job);
        if reports.send(report).is_err() {
            return;
        }
    }
}

/// The helpers, parked between searches.
#[derive(Debug, Default)]
pub struct Pool {
    helpers: Vec<Helper>,
}

impl Pool {
    /// A pool without helpers: the main thread searches alone.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// Number of threads of a search, the main thread included.
    pub fn threads(&self) -> usize {
        1 + self.helpers.len()
    }

    /// Starts or ends helpers until there are `threads` threads, the main thread included; fewer if the system gives no
    /// more.
    pub fn resize(&mut self, threads: usize) {
        self.helpers.truncate(threads.max(1) - 1);
        while self.threads() < threads {
            match Helper::start() {
                Ok(helper) => self.helpers.push(helper),
                Err(error) => {
                    log::warn!("no more than {} threads: {error}", self.threads());
                    return;
                }
            }
        }
    }

    /// Begins a new game: the helpers clear their histories before the next search.
    pub fn new_game(&mut self) {
        for helper in &mut self.helpers {
            helper.forget = true;
        }
    }

    /// Waits until every helper is parked and holds no reference to the table. Helpers that panicked are removed.
    pub fn settle(&mut self) {
        self.helpers.retain_mut(|helper| helper.collect(None).is_ok());
    }

    /// Starts the helpers on a job. They search until they are stopped or the result is dropped, or nothing is left to find.
    pub fn start(&mut self, job: &Job) -> RunningHelpers<'_> {
        self.settle();
        for (helper, id) in self.helpers.iter_mut().zip(1..) {
            let work = Assignment { job: job.clone(), id, forget: std::mem::take(&mut helper.forget) };
            helper.busy = helper.jobs.as_ref().is_some_and(|jobs| jobs.send(work).is_ok());
        }
        RunningHelpers { pool: self, shared: Arc::clone(&job.shared) }
    }
}

/// The searching helpers.
#[derive(Debug)]
pub struct RunningHelpers<'a> {
    pool: &'a mut Pool,
    shared: Arc<Shared>,
}

impl RunningHelpers<'_> {
    /// Stops the helpers and returns their reports, without those that do not come within a few milliseconds.
    pub fn stop_and_collect(self) -> Vec<SearchReport> {
        self.shared.helpers().stop();
        let until = Instant::now() + VOTE_TIME;
        let mut reports = Vec::new();
        self.pool.helpers.retain_mut(|helper| {
            let received = helper.collect(Some(until.saturating_duration_since(Instant::now())));
            reports.extend(received.iter().flatten().cloned());
            received.is_ok()
        });
        reports
    }
}

impl Drop for RunningHelpers<'_> {
    fn drop(&mut self) {
        self.shared.helpers().stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Point, Rule, Score, Size};
    use crate::search::TranspositionTable;
    use crate::search::report::tests::report;

    fn job(threads: usize, work: Work) -> Job {
        Job {
            board: Arc::new(Board::new(Rule::Freestyle, Size::square(15).unwrap())),
            scope: Arc::new(Scope::default()),
            params: Params::shipped(Rule::Freestyle),
            deepest: 3,
            shared: Arc::new(Shared::new(Arc::new(TranspositionTable::new(1 << 16)), None, threads)),
            work,
        }
    }

    /// Runs until it is stopped.
    fn patient(job: &Job, id: usize, _history: &mut History) -> SearchReport {
        while !job.shared.helpers().is_stopped() {
            thread::yield_now();
        }
        report(id, 1, Score::DRAW)
    }

    /// Counts one node under its number.
    fn numbered(job: &Job, id: usize, _history: &mut History) -> SearchReport {
        job.shared.note_nodes(id, 1);
        report(id, 1, Score::DRAW)
    }

    fn panicking(job: &Job, id: usize, history: &mut History) -> SearchReport {
        assert!(id != 1, "panics on purpose");
        patient(job, id, history)
    }

    #[test]
    fn helpers_work_until_stopped_and_let_the_table_go() {
        let mut pool = Pool::new();
        pool.resize(4);
        for _ in 0..20 {
            let job = job(pool.threads(), patient);
            let mut shared = Arc::clone(&job.shared);
            let running = pool.start(&job);
            drop(job);
            assert!(running.stop_and_collect().len() <= 3);
            pool.settle();
            assert!(Arc::get_mut(&mut shared).is_some(), "a parked helper holds nothing");
        }
        pool.resize(2);
        assert_eq!(pool.threads(), 2);
        drop(pool.start(&job(2, patient)));
    }

    #[test]
    fn a_panic_costs_one_helper_and_nothing_else() {
        let mut pool = Pool::new();
        pool.resize(3);
        let mut job = job(3, panicking);
        let reports = pool.start(&job).stop_and_collect();
        assert!(reports.iter().all(|report| report.best == Point::new(2, 7)));
        pool.settle();
        assert_eq!(pool.threads(), 2);
        assert!(Arc::get_mut(&mut job.shared).is_some());
        pool.resize(3);
        assert_eq!(pool.threads(), 3);
    }

    /// Bug: after the first helper had panicked, the others kept their numbers, which were too large for the next search.
    #[test]
    fn helpers_are_numbered_anew_for_each_search() {
        let mut pool = Pool::new();
        pool.resize(4);
        drop(pool.start(&job(4, panicking)));
        pool.settle();
        assert_eq!(pool.threads(), 3);
        let job = job(pool.threads(), numbered);
        drop(pool.start(&job));
        pool.settle();
        assert_eq!((pool.threads(), job.shared.nodes_of_others(0)), (3, 2));
    }
}
