//! Keeps every core busy, and measures on each core when the machine itself stood still.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

/// A sleep of a millisecond that ends later than this is a stall. Shorter delays are ordinary scheduling of a loaded
/// machine and do not excuse a late answer.
const STALL: Duration = Duration::from_millis(10);

/// Columns of the histogram of oversleeps, one millisecond each; the last one counts all longer ones.
const COLUMNS: usize = 100;

/// What the control thread of one core measured.
struct Watch {
    /// Number of sleeps by how many whole milliseconds late they ended.
    oversleeps: [u64; COLUMNS],
    worst: Duration,
    stalls: Vec<(Instant, Instant)>,
}

/// One busy thread and one control thread on each core, at ordinary priority, until this is dropped.
pub struct Load {
    ends: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    watches: Vec<Arc<Mutex<Watch>>>,
}

impl Load {
    pub fn new() -> Load {
        let ends = Arc::new(AtomicBool::new(false));
        let mut load = Load { ends: Arc::clone(&ends), threads: Vec::new(), watches: Vec::new() };
        let allowed = sched_getaffinity(Pid::from_raw(0)).unwrap();
        for core in (0..CpuSet::count()).filter(|&core| allowed.is_set(core).unwrap()) {
            let watch = Watch { oversleeps: [0; COLUMNS], worst: Duration::ZERO, stalls: Vec::new() };
            let watch = Arc::new(Mutex::new(watch));
            load.watches.push(Arc::clone(&watch));
            let ended = Arc::clone(&ends);
            load.threads.push(spawn(move || {
                stay_on(core);
                while !ended.load(Ordering::Relaxed) {
                    spin_loop();
                }
            }));
            let ended = Arc::clone(&ends);
            load.threads.push(spawn(move || {
                stay_on(core);
                while !ended.load(Ordering::Relaxed) {
                    watch_once(&watch);
                }
            }));
        }
        load
    }

    /// How long each core stood still between two moments.
    pub fn stalls(&self, from: Instant, to: Instant) -> Vec<Duration> {
        let part = |&(begin, end): &(Instant, Instant)| end.min(to).saturating_duration_since(begin.max(from));
        self.watches.iter().map(|watch| watch.lock().unwrap().stalls.iter().map(part).sum()).collect()
    }

    /// How long the whole machine stood still between two moments: the time of the core that did so for the shortest time.
    /// One core alone may stall because of the brain, for example at the first touch of a large page.
    pub fn stalled(&self, from: Instant, to: Instant) -> Duration {
        self.stalls(from, to).into_iter().min().unwrap_or_default()
    }

    /// What the controls measured, one line for each core.
    pub fn summary(&self) -> String {
        let line = |(core, watch): (usize, &Arc<Mutex<Watch>>)| {
            let watch = watch.lock().unwrap();
            let sleeps: u64 = watch.oversleeps.iter().sum();
            let beyond = |ms: usize| watch.oversleeps[ms..].iter().sum::<u64>() as f64 / sleeps.max(1) as f64 * 1e2;
            let (first, third, tenth) = (beyond(1), beyond(3), beyond(STALL.as_millis() as usize));
            let (worst, stalls) = (watch.worst.as_secs_f64() * 1e3, watch.stalls.len());
            format!(
                "control of core {core}: {sleeps} sleeps of 1 ms, {first:.2} % over 1 ms late, {third:.2} % over 3 ms, \
                 {tenth:.3} % over 10 ms ({stalls} stalls), worst {worst:.1} ms"
            )
        };
        self.watches.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Binds the calling thread to one core.
fn stay_on(core: usize) {
    let mut only = CpuSet::new();
    only.set(core).and_then(|()| sched_setaffinity(Pid::from_raw(0), &only)).unwrap();
}

/// Sleeps a millisecond and records how much longer it took.
fn watch_once(watch: &Mutex<Watch>) {
    let pause = Duration::from_millis(1);
    let due = Instant::now() + pause;
    sleep(pause);
    let woke = Instant::now();
    let over = woke.saturating_duration_since(due);
    let mut watch = watch.lock().unwrap();
    watch.oversleeps[(over.as_millis() as usize).min(COLUMNS - 1)] += 1;
    watch.worst = watch.worst.max(over);
    if over > STALL {
        watch.stalls.push((due, woke));
    }
}
