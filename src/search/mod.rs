//! The main search: limits and time, table, move order, what threats force, and the deepening search itself. It uses
//! neither the solvers nor the oracle.

pub mod forced;
pub mod health;
pub mod history;
pub mod limits;
pub mod lines;
pub mod order;
pub mod params;
pub mod pool;
mod proven_line;
pub mod prune;
pub mod pvs;
pub mod quiesce;
pub mod reduce;
pub mod report;
mod reprove;
pub mod root;
pub mod scope;
pub mod time;
pub mod tt;
pub mod worker;

pub use history::History;
pub use limits::{SearchControl, SearchLimits};
pub use params::{ParamError, ParamTable, Params};
pub use pool::Pool;
pub use report::{Iteration, NullSink, ReportSink, RootEvent, SearchReport};
pub use root::Task;
pub use scope::{BlockedPaths, Scope};
pub use tt::TranspositionTable;
