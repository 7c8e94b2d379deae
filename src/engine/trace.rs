//! Traces of searches, with what is needed to repeat them; session records are made of these.

use crate::base::{Point, Score};
use crate::search::{SearchControl, SearchLimits, SearchReport};
use std::collections::VecDeque;

/// One search: where it ended, and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchTrace {
    /// Depth of the last iteration that was started.
    pub depth: u32,
    /// Number of nodes at which it was stopped; `None` if it ended by itself.
    pub cut: Option<u64>,
    /// Nodes searched.
    pub nodes: u64,
    /// The move.
    pub best: Option<Point>,
    /// Its score.
    pub score: Score,
}

impl SearchTrace {
    /// The trace of a finished search.
    pub fn of(report: &SearchReport) -> SearchTrace {
        SearchTrace {
            depth: report.entered,
            cut: report.cut,
            nodes: report.last.nodes,
            best: report.best,
            score: report.last.score,
        }
    }

    /// Limits under which a search with one thread repeats this one without a clock.
    fn limits(&self) -> SearchLimits {
        let depth = if self.cut.is_some() { None } else { Some(self.depth.max(1)) };
        SearchLimits { nodes: self.cut, depth, ..SearchLimits::default() }
    }
}

/// Records searches, and holds those to repeat.
#[derive(Debug, Default)]
pub(super) struct Traces {
    /// `None` until the first [`Traces::take`].
    noted: Option<Vec<SearchTrace>>,
    script: Option<VecDeque<SearchTrace>>,
}

impl Traces {
    /// The traces since the last call. The first call switches recording on.
    pub fn take(&mut self) -> Vec<SearchTrace> {
        self.noted.replace(Vec::new()).unwrap_or_default()
    }

    pub fn note(&mut self, report: &SearchReport) {
        if let Some(noted) = &mut self.noted {
            noted.push(SearchTrace::of(report));
        }
    }

    pub fn set_script(&mut self, script: Option<Vec<SearchTrace>>) {
        self.script = script.map(VecDeque::from);
    }

    /// The control of the next search, with the limits of the script; `None` without a script.
    pub fn scripted_control(&mut self) -> Option<SearchControl> {
        let script = self.script.as_mut()?;
        let unforeseen = SearchLimits { depth: Some(1), ..SearchLimits::default() };
        let limits = script.pop_front().map_or(unforeseen, |trace| trace.limits());
        Some(SearchControl::within(limits))
    }

    /// Whether the script has another search; `None` without a script.
    pub fn has_more(&self) -> Option<bool> {
        self.script.as_ref().map(|script| !script.is_empty())
    }
}
