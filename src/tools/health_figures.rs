//! `bench health`: where the nodes of the search go, and how good its move order is.
//!
//! The ranges beside the figures are typical of a good search of this kind in middle games. A figure outside its range needs
//! an explanation, not necessarily a change. Two are outside for known reasons:
//!
//! - *Nodes decided by the threats* are few, because the complete lists of replies leave out most moves that the threats
//!   decide, so those never become nodes. With all other moves added to the lists the figure is 82 %.
//! - *Nodes of the next depth* are many, because one iteration in four costs as much as all earlier ones together, or more.
//!   Stronger reductions lower the figure a little and win no games (`experiments/search.md`).

use super::bench::{POSITIONS, engine_at};
use crate::base::Rule;
use crate::search::health::{self, EVENTS, Event};
use crate::search::{Iteration, ReportSink, SearchControl, SearchLimits};
use std::io::Write;

/// Nodes of each search.
const NODES: u64 = 500_000;
/// The growth from one iteration to the next is measured from this many nodes on.
const SETTLED: u64 = 10_000;

/// Sums over several searches.
#[derive(Clone, Copy, Default)]
struct Sums {
    nodes: u64,
    events: [u64; EVENTS],
    /// Sum of the logarithms of the growth in nodes, and the plies of depth in which it happened.
    growth: (f64, u32),
    /// Sum of the depths reached, and the number of searches.
    depth: (u32, u32),
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.nodes += other.nodes;
        self.events.iter_mut().zip(other.events).for_each(|(sum, events)| *sum += events);
        self.growth = (self.growth.0 + other.growth.0, self.growth.1 + other.growth.1);
        self.depth = (self.depth.0 + other.depth.0, self.depth.1 + other.depth.1);
    }

    fn get(&self, event: Event) -> f64 {
        self.events[event as usize] as f64
    }

    /// Name, value, decimals and healthy range of each figure.
    fn figures(&self) -> [(&'static str, f64, usize, &'static str); 10] {
        let percent = |part: f64, whole: f64| 100.0 * part / whole.max(1.0);
        let cuts = self.get(Event::CutFirst) + self.get(Event::CutEarly) + self.get(Event::CutLater);
        let early = self.get(Event::CutFirst) + self.get(Event::CutEarly);
        let interior = self.get(Event::Free) + self.get(Event::Forced);
        let nodes = self.nodes as f64;
        [
            ("cut-offs on the first move, %", percent(self.get(Event::CutFirst), cuts), 1, "> 88"),
            ("cut-offs on the first three moves, %", percent(early, cuts), 1, "> 96"),
            ("quiescence nodes, %", percent(self.get(Event::Quiescent), nodes), 1, "30-50"),
            ("forced among interior nodes, %", percent(self.get(Event::Forced), interior), 1, "35-55"),
            ("nodes known to the table, %", percent(self.get(Event::Found), self.get(Event::Probed)), 1, "30-45"),
            ("nodes decided by the threats, %", percent(self.get(Event::Concluded), nodes), 1, "10-20"),
            (
                "moves tried at free nodes without a cut-off",
                self.get(Event::MovesAtFailLow) / self.get(Event::FailedLow),
                1,
                "8-15",
            ),
            ("nodes of the next depth, times", (self.growth.0 / f64::from(self.growth.1)).exp(), 2, "1.3-1.5"),
            ("depth reached", f64::from(self.depth.0) / f64::from(self.depth.1), 1, ""),
            ("interior nodes, %", percent(interior, nodes), 1, ""),
        ]
    }
}

/// Depth and nodes at the end of each iteration.
#[derive(Default)]
struct Growth(Vec<(u32, u64)>);

impl ReportSink for Growth {
    fn iteration(&mut self, iteration: &Iteration) {
        if !iteration.score.is_decisive() {
            self.0.push((iteration.depth, iteration.nodes));
        }
    }
}

/// Searches the bench positions with a fixed number of nodes and prints the figures of each rule and of all together.
///
/// # Errors
/// When the build does not count, or `out` cannot be written.
pub fn run(out: &mut dyn Write) -> anyhow::Result<()> {
    anyhow::ensure!(health::IS_COUNTING, "this build does not count; build it with --features health");
    let mut by_rule = [Sums::default(); Rule::ALL.len()];
    for position in &POSITIONS {
        let mut engine = engine_at(position, 1);
        let control = SearchControl::within(SearchLimits { nodes: Some(NODES), ..SearchLimits::default() });
        let mut growth = Growth::default();
        health::take();
        let report = engine.think(&control, &mut growth);
        let mut sums = Sums { nodes: report.last.nodes, events: health::take(), ..Sums::default() };
        let settled: Vec<_> = growth.0.iter().filter(|&&(_, nodes)| nodes >= SETTLED).collect();
        if let (Some(first), Some(last)) = (settled.first(), settled.last()) {
            sums.growth = ((last.1 as f64 / first.1 as f64).ln(), last.0 - first.0);
            sums.depth = (last.0, 1);
        }
        by_rule[position.rule.index()].add(&sums);
    }
    let mut all = Sums::default();
    for sums in &by_rule {
        all.add(sums);
    }
    let columns: Vec<_> = by_rule.iter().chain([&all]).map(Sums::figures).collect();
    let names = Rule::ALL.iter().map(|rule| rule.name()).chain(["all"]);
    write!(out, "{:38}", "")?;
    names.into_iter().try_for_each(|name| write!(out, "{name:>11}"))?;
    writeln!(out, "  healthy")?;
    for (row, (name, _, _, range)) in columns[0].iter().enumerate() {
        write!(out, "{name:38}")?;
        for column in &columns {
            let (_, value, decimals, _) = column[row];
            write!(out, "{value:>11.decimals$}")?;
        }
        writeln!(out, "  {range}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_builds_that_count_have_figures() {
        let searched = health::IS_COUNTING && {
            let mut engine = engine_at(&POSITIONS[0], 1);
            engine.think_nodes(5000);
            true
        };
        assert_eq!(health::take().iter().all(|&count| count > 0), searched);
        if !searched {
            assert!(run(&mut Vec::new()).is_err());
        }
    }
}
