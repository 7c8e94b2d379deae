//! Floor 3: the search.

pub mod forced;
pub mod history;
pub mod limits;
pub mod order;
pub mod params;
pub mod pool;
pub mod prune;
pub mod pvs;
pub mod quiesce;
pub mod reduce;
pub mod report;
pub mod root;
pub mod time;
pub mod tt;

pub mod worker;

pub use history::History;
pub use limits::{SearchControl, SearchLimits};
pub use pool::Pool;
pub use report::{Iteration, NullSink, ReportSink, SearchReport};
pub use root::Task;
pub use tt::TranspositionTable;
