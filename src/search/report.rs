//! Results as data: what a finished iteration and a finished search have to say. No text here. Floor 3.

use crate::base::{Point, Score};
use std::time::Duration;

/// One finished iteration of the deepening search.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// Nominal depth in plies.
    pub depth: u32,
    /// Deepest line reached, in plies.
    pub seldepth: u32,
    /// Score from the side to move's view.
    pub score: Score,
    /// Nodes since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// The line both sides are expected to play, the move to be made first.
    pub pv: Vec<Point>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// The move to play; `None` only when the board has no empty point.
    pub best: Option<Point>,
    /// The last finished iteration, or what stands in for it when none was needed.
    pub last: Iteration,
}

/// Who wants to hear of finished iterations.
pub trait ReportSink {
    /// Called once per finished iteration, from the searching thread.
    fn iteration(&mut self, iteration: &Iteration);
}

/// Hears nothing.
#[derive(Debug, Default)]
pub struct NullSink;

impl ReportSink for NullSink {
    fn iteration(&mut self, _iteration: &Iteration) {}
}
