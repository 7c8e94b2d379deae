//! Results as data: what a finished iteration and a finished search have to say. No text here. Floor 3.

use crate::base::{Point, Score};
use std::time::Duration;

/// One finished iteration of the deepening search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Nominal depth in plies.
    pub depth: u32,
    /// Deepest line reached, in plies.
    pub seldepth: u32,
    /// Score from the side to move's view. That of the first line is the position's: it is a loss only where no reply was
    /// left out but those that a threat refutes. That of another line is its move's.
    pub score: Score,
    /// Nodes since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// The line both sides are expected to play, the move to be made first.
    pub pv: Vec<Point>,
    /// Which of the best lines this is, from 1.
    pub rank: usize,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// The move to play; `None` only when the board has no empty point.
    pub best: Option<Point>,
    /// The last finished iteration, or what stands in for it when none was needed.
    pub last: Iteration,
    /// The best lines of the last finished iteration, as many as were asked for and as there are, best first, each with
    /// what its move is worth. Empty where only one was asked for: that is `last`.
    pub lines: Vec<Iteration>,
    /// The number of nodes at which the search was cut short, if it was: with this as its only limit it would take the
    /// same course. A search that ended by itself would do so with the depth of `last` for its limit.
    pub cut: Option<u64>,
    /// Depth of the last iteration that was begun.
    pub entered: u32,
}

impl SearchReport {
    /// A report with nothing but a move and what stands for it.
    pub fn new(best: Option<Point>, last: Iteration) -> SearchReport {
        SearchReport { best, last, lines: Vec::new(), cut: None, entered: 0 }
    }
}

/// What happens at the root while a search runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootEvent {
    /// An iteration to this depth begins.
    Deepens(u32),
    /// A move is looked at.
    Begins(Point),
    /// It has been looked at.
    Ends(Point),
    /// It is the best so far.
    Leads(Point),
    /// It is proven to lose.
    Loses(Point),
}

/// Who wants to hear of a search while it runs. Called from the searching thread.
pub trait ReportSink {
    /// Called once per finished iteration and line, worse lines first.
    fn iteration(&mut self, iteration: &Iteration);

    /// Called at every step of the root, very often in the first milliseconds.
    fn root_event(&mut self, _event: RootEvent) {}
}

/// Hears nothing.
#[derive(Debug, Default)]
pub struct NullSink;

impl ReportSink for NullSink {
    fn iteration(&mut self, _iteration: &Iteration) {}
}
