//! Floor 3: the search.

pub mod limits;
pub mod report;

pub use limits::{SearchControl, SearchLimits};
pub use report::{Iteration, NullSink, ReportSink, SearchReport};
