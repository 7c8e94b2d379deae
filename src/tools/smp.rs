//! `bench smp`: nodes a second with one thread and with one thread per processor.

use super::bench::{POSITIONS, engine_at};
use crate::base::clock::Instant;
use crate::base::processors::processors;
use crate::search::{NullSink, SearchControl, SearchLimits};
use std::io::Write;
use std::time::Duration;

/// Time of each search.
const TURN: Duration = Duration::from_secs(1);
/// A search that ends sooner has proven its result, and is not counted.
const MIN_SEARCH: Duration = Duration::from_millis(500);

/// Nodes visited, and the time it took.
#[derive(Clone, Copy, Default)]
struct Speed {
    nodes: u64,
    time: Duration,
    /// Processor time of all threads; zero if the system does not report it.
    processor: Duration,
}

impl Speed {
    fn per_second(self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64()
    }

    /// Mean number of busy processors, and nodes per second of processor time.
    fn processors(self) -> (f64, f64) {
        let processors = self.processor.as_secs_f64() / self.time.as_secs_f64();
        (processors, self.per_second() / processors.max(f64::EPSILON))
    }

    fn add(&mut self, other: Speed) {
        self.nodes += other.nodes;
        self.time += other.time;
        self.processor += other.processor;
    }
}

/// Searches the bench positions for a fixed time, alternating between one thread and one thread per processor. The last line
/// of output is the ratio of the speeds. The processors in use show how busy the machine was with other work.
///
/// # Errors
/// When `out` cannot be written.
pub fn compare(out: &mut dyn Write) -> std::io::Result<()> {
    let most = processors();
    let counts = [1, most];
    let mut sums = [Speed::default(); 2];
    for position in &POSITIONS {
        let speeds = counts.map(|threads| {
            let mut engine = engine_at(position, threads);
            let control = SearchControl::within(SearchLimits { turn: Some(TURN), ..SearchLimits::default() });
            let (begin, used) = (Instant::now(), processor_time());
            let report = engine.think(&control, &mut NullSink);
            let processor = processor_time().saturating_sub(used);
            Speed { nodes: report.last.nodes, time: begin.elapsed(), processor }
        });
        let counted = speeds.iter().all(|speed| speed.time >= MIN_SEARCH);
        let [one, all] = speeds.map(Speed::per_second);
        let note = if counted { "" } else { " (proven, not counted)" };
        let (name, (width, height)) = (position.rule.name(), position.sides);
        writeln!(out, "{name:10} {width:>2}x{height:<2} {one:>9.0} and {all:>9.0} nps{note}")?;
        if counted {
            sums.iter_mut().zip(speeds).for_each(|(sum, speed)| sum.add(speed));
        }
    }
    for (threads, sum) in counts.iter().zip(sums) {
        let (nps, (processors, each)) = (sum.per_second(), sum.processors());
        writeln!(out, "{threads} threads: {nps:.0} nps on {processors:.2} processors, {each:.0} nps on each")?;
    }
    writeln!(out, "ratio {:.3}", sums[1].per_second() / sums[0].per_second())
}

/// Processor time of all running threads of this process; zero if the system does not report it. Threads that have ended are
/// not counted.
fn processor_time() -> Duration {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Duration::ZERO };
    let spent = threads.flatten().filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(spent.sum())
}
