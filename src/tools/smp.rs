//! What more threads are worth in nodes a second. Floor 6.

use super::bench::{POSITIONS, engine_at};
use crate::search::{NullSink, SearchControl, SearchLimits};
use std::io::Write;
use std::time::{Duration, Instant};

/// Time for each search.
const TURN: Duration = Duration::from_secs(1);
/// Searches that end sooner than this have proven their result and say nothing about speed.
const SHORTEST: Duration = Duration::from_millis(500);

/// Nodes visited, and the time that took.
#[derive(Clone, Copy, Default)]
struct Speed {
    nodes: u64,
    time: Duration,
    /// Processor time of all threads, where the system tells.
    processor: Duration,
}

impl Speed {
    fn per_second(self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64()
    }

    /// Processors at work, on average, and the nodes that each visited in a second of its time.
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

/// Searches the bench positions for a fixed time, with one thread and with one for each processor in turns. The last
/// line is the ratio of the speeds. The share of the processors that each really got tells how busy the machine was.
pub fn compare(out: &mut dyn Write) -> std::io::Result<()> {
    let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let counts = [1, most];
    let mut sums = [Speed::default(); 2];
    for position in &POSITIONS {
        let speeds = counts.map(|threads| {
            let mut engine = engine_at(position, threads);
            let control = SearchControl::default();
            control.begin(SearchLimits { turn: Some(TURN), ..SearchLimits::default() });
            let (begin, used) = (Instant::now(), processor_time());
            let report = engine.think(&control, &mut NullSink);
            let processor = processor_time().saturating_sub(used);
            Speed { nodes: report.last.nodes, time: begin.elapsed(), processor }
        });
        let counted = speeds.iter().all(|speed| speed.time >= SHORTEST);
        let [one, all] = speeds.map(Speed::per_second);
        let note = if counted { "" } else { " (proven, not counted)" };
        let (name, width, height) = (position.0.name(), position.1, position.2);
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

/// Time that all threads of this process have spent on processors; zero where the system does not tell. Threads
/// that have ended do not count.
fn processor_time() -> Duration {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Duration::ZERO };
    let spent = threads.flatten().filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(spent.sum())
}
