//! Several threads at one position (lazy SMP): they share the transposition table and little else, deepen on their
//! own, and what one has found the others find in the table. Floor 3.
//!
//! Helpers are parked between moves and live until fewer are wanted. They never print and never look at the limits:
//! the main thread polls, tells them to stop, and lets everybody vote on the move. With one thread there is no helper
//! and nothing here is more than a sum over one counter.

use super::history::History;
use super::limits::SearchControl;
use super::params::Params;
use super::report::SearchReport;
use super::root;
use super::scope::Scope;
use super::tt::TranspositionTable;
use crate::base::Point;
use crate::board::Board;
use crate::eval::network::Network;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Stack of a helper: the deepest line with the largest lists takes a part of this.
const STACK: usize = 16 << 20;
/// How long the answer waits for the helpers' votes. They need far less, unless the machine is too busy to run them.
const PATIENCE: Duration = Duration::from_millis(5);
/// What a vote counts beyond the value's distance from the lowest one.
const VOTE_BASE: i64 = 15;

/// What one thread tells the others; on cache lines of its own, as it changes all the time.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Member {
    nodes: AtomicU64,
    depth: AtomicU32,
}

/// What the threads of one search share. Number 0 is the main thread.
#[derive(Debug)]
pub struct Shared {
    table: Arc<TranspositionTable>,
    network: Option<Arc<Network>>,
    /// The helpers' control: it has no limits, and the main thread stops it.
    helpers: SearchControl,
    members: Box<[Member]>,
}

impl Shared {
    /// For a search by this many threads, with a network or without.
    pub fn new(table: Arc<TranspositionTable>, network: Option<Arc<Network>>, threads: usize) -> Shared {
        let members = (0..threads.max(1)).map(|_| Member::default()).collect();
        Shared { table, network, helpers: SearchControl::default(), members }
    }

    /// What was learned about positions.
    pub fn table(&self) -> &TranspositionTable {
        &self.table
    }

    /// The network that evaluates, if one does.
    pub fn network(&self) -> Option<Arc<Network>> {
        self.network.clone()
    }

    /// The control that helpers search under.
    pub fn helpers(&self) -> &SearchControl {
        &self.helpers
    }

    /// Thread `id` has visited this many nodes.
    #[inline]
    pub fn note_nodes(&self, id: usize, nodes: u64) {
        self.members[id].nodes.store(nodes, Ordering::Relaxed);
    }

    /// Nodes that the threads other than `id` have told of.
    #[inline]
    pub fn nodes_of_others(&self, id: usize) -> u64 {
        let others = self.members.iter().enumerate().filter(|&(other, _)| other != id);
        others.map(|(_, member)| member.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Thread `id` is about to search at this depth; `false`: enough others do, go deeper at once. The main thread
    /// leaves nothing out.
    pub fn enter_depth(&self, id: usize, depth: u32) -> bool {
        let busy = self.members.iter().filter(|member| member.depth.load(Ordering::Relaxed) >= depth).count();
        let wanted = id == 0 || 2 * busy <= self.members.len();
        if wanted {
            self.members[id].depth.store(depth, Ordering::Relaxed);
        }
        wanted
    }
}

/// What a helper is asked to do.
#[derive(Clone, Debug)]
pub struct Job {
    /// The position.
    pub board: Arc<Board>,
    /// What it is asked about.
    pub scope: Arc<Scope>,
    /// The tunable numbers for the position's rule.
    pub params: Params,
    /// Deepest iteration.
    pub deepest: u32,
    /// What all threads share.
    pub shared: Arc<Shared>,
}

/// What a helper does with a job, its number and its memory of moves.
type Work = fn(&Job, usize, &mut History) -> SearchReport;

/// A parked or searching thread, and the line to it.
#[derive(Debug)]
struct Helper {
    /// Jobs, with whether the memory of moves is to be cleared first. Gone when the thread has been told to end.
    jobs: Option<Sender<(Job, bool)>>,
    findings: Receiver<SearchReport>,
    thread: Option<JoinHandle<()>>,
    /// Has a job and has not handed in what it found.
    busy: bool,
    /// A new game has begun since its last job.
    forget: bool,
}

impl Helper {
    fn start(id: usize, work: Work) -> std::io::Result<Helper> {
        let (jobs, inbox) = mpsc::channel();
        let (outbox, findings) = mpsc::channel();
        let builder = thread::Builder::new().name(format!("helper {id}")).stack_size(STACK);
        let thread = builder.spawn(move || serve(id, work, &inbox, &outbox))?;
        Ok(Helper { jobs: Some(jobs), findings, thread: Some(thread), busy: false, forget: false })
    }

    /// Waits for what it found, up to `patience` if there is one. `Err`: the helper panicked.
    fn collect(&mut self, patience: Option<Duration>) -> Result<Option<SearchReport>, ()> {
        if !self.busy {
            return Ok(None);
        }
        let found = match patience {
            Some(patience) => self.findings.recv_timeout(patience),
            None => self.findings.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        self.busy = matches!(found, Err(RecvTimeoutError::Timeout));
        match found {
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

/// A helper's life. A job, and with it every share of the table, is let go before its findings are told.
fn serve(id: usize, work: Work, jobs: &Receiver<(Job, bool)>, findings: &Sender<SearchReport>) {
    let mut history = History::new();
    for (job, forget) in jobs {
        if forget {
            history.clear();
        } else {
            history.age();
        }
        let report = work(&job, id, &mut history);
        drop(job);
        if findings.send(report).is_err() {
            return;
        }
    }
}

/// The helpers, parked between searches.
#[derive(Debug)]
pub struct Pool {
    helpers: Vec<Helper>,
    work: Work,
}

impl Pool {
    /// No helpers: the main thread alone.
    pub fn new() -> Pool {
        Pool { helpers: Vec::new(), work: root::assist }
    }

    /// Threads that would search, the main one among them.
    pub fn threads(&self) -> usize {
        1 + self.helpers.len()
    }

    /// Starts or ends helpers until there are this many threads, the main one among them; fewer if the system does
    /// not have them.
    pub fn resize(&mut self, threads: usize) {
        self.helpers.truncate(threads.max(1) - 1);
        while self.threads() < threads {
            match Helper::start(self.threads(), self.work) {
                Ok(helper) => self.helpers.push(helper),
                Err(error) => {
                    log::warn!("no more than {} threads: {error}", self.threads());
                    return;
                }
            }
        }
    }

    /// A new game: the helpers forget what they know about moves.
    pub fn new_game(&mut self) {
        self.helpers.iter_mut().for_each(|helper| helper.forget = true);
    }

    /// Waits until every helper is parked; nobody but the caller holds the table then. Those that
    /// panicked are gone.
    pub fn settle(&mut self) {
        self.helpers.retain_mut(|helper| helper.collect(None).is_ok());
    }

    /// Sets the helpers to work. They go on until the crew is dismissed or dropped, or have nothing left to find.
    pub fn start(&mut self, job: &Job) -> Crew<'_> {
        self.settle();
        for helper in &mut self.helpers {
            let forget = std::mem::take(&mut helper.forget);
            helper.busy = helper.jobs.as_ref().is_some_and(|jobs| jobs.send((job.clone(), forget)).is_ok());
        }
        Crew { pool: self, shared: Arc::clone(&job.shared) }
    }
}

impl Default for Pool {
    fn default() -> Pool {
        Pool::new()
    }
}

/// The helpers at work.
#[derive(Debug)]
pub struct Crew<'a> {
    pool: &'a mut Pool,
    shared: Arc<Shared>,
}

impl Crew<'_> {
    /// Stops the helpers and gathers what they found. One that is not given the processor in time is not waited for.
    pub fn dismiss(self) -> Vec<SearchReport> {
        self.shared.helpers.stop();
        let until = Instant::now() + PATIENCE;
        let mut reports = Vec::new();
        self.pool.helpers.retain_mut(|helper| {
            let found = helper.collect(Some(until.saturating_duration_since(Instant::now())));
            reports.extend(found.iter().flatten().cloned());
            found.is_ok()
        });
        reports
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        self.shared.helpers.stop();
    }
}

/// Whose findings to follow, as an index; the main thread's are the first. A proven win goes before everything, the
/// shortest first; a proven loss is believed only when all agree. Otherwise moves are voted on: a vote weighs more
/// the deeper its thread has searched and the better it finds the position.
pub fn elect(reports: &[SearchReport]) -> usize {
    let lowest_first = |index: usize| std::cmp::Reverse(index);
    // A win that was known beforehand counts without any finished iteration.
    let has_say = |report: &SearchReport| report.last.depth > 0 || report.last.score.is_win();
    let done = |index: &usize| reports[*index].best.is_some() && has_say(&reports[*index]);
    let done: Vec<usize> = (0..reports.len()).filter(done).collect();
    let score = |index: usize| reports[index].last.score;
    let all_lose = done.iter().all(|&index| score(index).is_loss());
    if all_lose || done.iter().any(|&index| score(index).is_win()) {
        return done.into_iter().max_by_key(|&index| (score(index), lowest_first(index))).unwrap_or(0);
    }
    let voters: Vec<usize> = done.into_iter().filter(|&index| !score(index).is_loss()).collect();
    let lowest = voters.iter().map(|&index| score(index).units()).min().unwrap_or(0);
    let vote =
        |index: usize| (i64::from(score(index).units() - lowest) + VOTE_BASE) * i64::from(reports[index].last.depth);
    let votes = |best: Option<Point>| -> i64 {
        voters.iter().filter(|&&index| reports[index].best == best).map(|&index| vote(index)).sum()
    };
    let rank = |index: usize| (votes(reports[index].best), reports[index].last.depth, lowest_first(index));
    voters.iter().copied().max_by_key(|&index| rank(index)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Ply, Rule, Score, Size};
    use crate::search::Iteration;

    fn report(x: usize, depth: u32, score: Score) -> SearchReport {
        let pv = Point::new(x, 7).into_iter().collect();
        let last = Iteration { depth, seldepth: depth, score, nodes: 0, elapsed: Duration::ZERO, pv, rank: 1 };
        SearchReport::new(Point::new(x, 7), last)
    }

    fn job(threads: usize) -> Job {
        Job {
            board: Arc::new(Board::new(Rule::Freestyle, Size::square(15).unwrap())),
            scope: Arc::new(Scope::default()),
            params: Params::shipped(Rule::Freestyle),
            deepest: 3,
            shared: Arc::new(Shared::new(Arc::new(TranspositionTable::new(1 << 16)), None, threads)),
        }
    }

    /// Works until it is told to stop.
    fn patient(job: &Job, id: usize, _history: &mut History) -> SearchReport {
        while !job.shared.helpers().is_stopped() {
            thread::yield_now();
        }
        report(id, 1, Score::DRAW)
    }

    fn panicking(job: &Job, id: usize, history: &mut History) -> SearchReport {
        assert!(id != 1, "as the test wants it");
        patient(job, id, history)
    }

    #[test]
    fn helpers_work_until_dismissed_and_let_the_table_go() {
        let mut pool = Pool { helpers: Vec::new(), work: patient };
        pool.resize(4);
        for _ in 0..20 {
            let job = job(pool.threads());
            let mut shared = Arc::clone(&job.shared);
            let crew = pool.start(&job);
            drop(job);
            assert!(crew.dismiss().len() <= 3);
            pool.settle();
            assert!(Arc::get_mut(&mut shared).is_some(), "a parked helper holds nothing");
        }
        pool.resize(2);
        assert_eq!(pool.threads(), 2);
        drop(pool.start(&job(2)));
    }

    #[test]
    fn a_panic_costs_one_helper_and_nothing_else() {
        let mut pool = Pool { helpers: Vec::new(), work: panicking };
        pool.resize(3);
        let mut job = job(3);
        let reports = pool.start(&job).dismiss();
        assert!(reports.iter().all(|report| report.best == Point::new(2, 7)));
        pool.settle();
        assert_eq!(pool.threads(), 2);
        assert!(Arc::get_mut(&mut job.shared).is_some());
        pool.resize(3);
        assert_eq!(pool.threads(), 3);
    }

    #[test]
    fn depths_that_most_threads_search_are_left_out_by_helpers() {
        let shared = job(4).shared;
        assert!(shared.enter_depth(1, 5) && shared.enter_depth(2, 6) && shared.enter_depth(3, 5));
        assert!(shared.enter_depth(0, 5), "the main thread searches every depth");
        assert!(!shared.enter_depth(2, 5) && shared.enter_depth(2, 6));
    }

    #[test]
    fn votes() {
        let win = |moves| Score::win_in(Ply::ROOT, moves);
        let loss = |moves| Score::loss_in(Ply::ROOT, moves);
        let value = Score::estimate;
        // One thread, or a main thread that nobody contradicts.
        assert_eq!(elect(&[report(1, 9, value(-30))]), 0);
        assert_eq!(elect(&[report(1, 9, value(10)), report(1, 9, value(10))]), 0);
        // Two shallower ones against one; a deeper and better one against one.
        assert_eq!(elect(&[report(1, 10, value(10)), report(2, 9, value(8)), report(2, 9, value(9))]), 1);
        assert_eq!(elect(&[report(1, 9, value(10)), report(2, 10, value(20))]), 1);
        // The shortest win; a loss only where nobody knows better, and then the longest.
        assert_eq!(elect(&[report(1, 9, win(9)), report(2, 5, win(7)), report(3, 20, value(500))]), 1);
        assert_eq!(elect(&[report(1, 9, loss(8)), report(2, 3, value(-900))]), 1);
        assert_eq!(elect(&[report(1, 9, loss(8)), report(2, 9, loss(12)), report(3, 9, loss(12))]), 1);
        // Who has finished nothing has no vote.
        assert_eq!(elect(&[report(1, 1, value(-50)), report(2, 0, value(0))]), 0);
        assert_eq!(elect(&[report(1, 0, value(0)), report(2, 0, value(0))]), 0);
        // But a win may be known from earlier.
        assert_eq!(elect(&[report(1, 0, win(9)), report(2, 8, value(700))]), 0);
    }
}
