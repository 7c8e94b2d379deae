//! What the engine's searches did, enough to do the same again: the ground of the bug bundle. Floor 4.

use crate::base::{Point, Score};
use crate::search::{SearchControl, SearchLimits, SearchReport};
use std::collections::VecDeque;

/// One search: where it ended, and what it came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchTrace {
    /// Depth of the last iteration that was begun.
    pub depth: u32,
    /// Number of nodes at which it was cut short, if it was.
    pub cut: Option<u64>,
    /// Nodes in all.
    pub nodes: u64,
    /// The move.
    pub best: Option<Point>,
    /// Its score.
    pub score: Score,
}

impl SearchTrace {
    /// What a finished search has to say.
    pub fn of(report: &SearchReport) -> SearchTrace {
        SearchTrace {
            depth: report.entered,
            cut: report.cut,
            nodes: report.last.nodes,
            best: report.best,
            score: report.last.score,
        }
    }

    /// The limits under which one thread takes the same course, without a clock.
    fn limits(&self) -> SearchLimits {
        let depth = if self.cut.is_some() { None } else { Some(self.depth.max(1)) };
        SearchLimits { nodes: self.cut, depth, ..SearchLimits::default() }
    }
}

/// Searches noted as they happen, and searches to be repeated.
#[derive(Debug, Default)]
pub(super) struct Traces {
    /// Nothing is noted before somebody asks for it.
    noted: Option<Vec<SearchTrace>>,
    script: Option<VecDeque<SearchTrace>>,
}

impl Traces {
    /// Everything noted since the last time; from the first call on there is something to note.
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

    /// The control of the next search when there is a script: its limits are those of the script.
    pub fn scripted_control(&mut self) -> Option<SearchControl> {
        let script = self.script.as_mut()?;
        let unforeseen = SearchLimits { depth: Some(1), ..SearchLimits::default() };
        let limits = script.pop_front().map_or(unforeseen, |trace| trace.limits());
        let control = SearchControl::default();
        control.begin(limits);
        Some(control)
    }

    /// Whether the script has another search; `None` without a script.
    pub fn has_more(&self) -> Option<bool> {
        self.script.as_ref().map(|script| !script.is_empty())
    }
}
