//! The limits of a question that needs many searches: which opening is even, which stones balance a position.

use super::Engine;
use crate::base::clock::Instant;
use crate::search::params::Params;
use crate::search::time::TimeManager;
use crate::search::{SearchControl, SearchLimits, SearchReport};

/// A question that needs many searches, while they run.
pub(super) struct Question<'a> {
    /// The limits of the whole question, and whether it is stopped.
    pub control: &'a SearchControl,
    /// When its clock started.
    pub began: Instant,
    /// Nodes searched so far.
    pub nodes: u64,
    params: Params,
    /// Share of the game's clock that it gets: one part in this many.
    clock_parts: u32,
}

impl<'a> Question<'a> {
    /// Begins a question that gets one of `clock_parts` parts of the game's clock.
    pub fn new(engine: &Engine, control: &'a SearchControl, clock_parts: u32) -> Question<'a> {
        let began = control.limits().started.unwrap_or_else(Instant::now);
        Question { control, began, nodes: 0, params: engine.params.for_rule(engine.rule), clock_parts }
    }

    /// The limits for all its searches together, in the form of a single move's.
    pub fn limits(&self) -> SearchLimits {
        let limits = self.control.limits();
        let turn = limits.time_for_question(self.clock_parts);
        SearchLimits { started: Some(self.began), turn, left: None, ..limits }
    }

    /// Counts the nodes of a search.
    pub fn count(&mut self, report: &SearchReport) {
        self.nodes += report.last.nodes;
    }

    /// Whether the limits are reached.
    fn has_reached_limits(&self) -> bool {
        let limits = self.limits();
        let deadline = TimeManager::new(&limits, 1, &self.params);
        self.control.is_stopped()
            || limits.nodes.is_some_and(|nodes| nodes <= self.nodes)
            || (deadline.is_bounded() && deadline.is_over(self.began.elapsed()))
    }
}

impl Engine {
    /// Whether the question must end: by its limits or, in a replayed session, by the script.
    pub(super) fn is_over(&self, question: &Question<'_>) -> bool {
        self.traces.has_more().map_or_else(|| question.has_reached_limits(), |more| !more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Bug: the proposal of an opening kept no time for its answer.
    #[test]
    fn a_question_ends_before_its_time_is_up() {
        let engine = Engine::new();
        let is_over_after = |ms| {
            let started = Instant::now().checked_sub(Duration::from_millis(ms));
            let limits = SearchLimits { turn: Some(Duration::from_secs(1)), started, ..SearchLimits::default() };
            Question::new(&engine, &SearchControl::within(limits), 20).has_reached_limits()
        };
        assert!(!is_over_after(500), "half of the time is left");
        assert!(is_over_after(970), "30 ms are less than the reserve");
    }
}
