//! The main search: limits and time, table, move order, what threats force, and the deepening search itself. It uses
//! neither the solvers nor the oracle.

mod child;
mod continuation;
mod correction;
mod deepening;
mod divisor;
mod extend;
pub mod forced;
mod gravity;
pub mod health;
mod history;
mod limits;
pub mod order;
pub mod params;
mod path_node;
mod pool;
mod prune;
mod pvs;
mod quiesce;
mod reduce;
mod report;
mod reprove;
pub mod root;
mod root_move;
mod scope;
mod shared;
mod stop_check;
pub mod time;
pub mod tt;
mod vote;
mod window;
mod worker;

pub use history::History;
pub use limits::{Ponder, SearchControl, SearchLimits};
pub use params::{ParamError, ParamTable, Params};
pub use pool::Pool;
pub use report::{Iteration, NullSink, ReportSink, RootEvent, SearchReport};
pub use root::Task;
pub use scope::{BlockedPaths, Scope};
pub use stop_check::GRACE;
pub use tt::TranspositionTable;
