//! Floor 3: the search.

pub mod chains;
pub mod forced;
pub mod health;
pub mod history;
pub mod hunt;
pub mod limits;
pub mod lines;
pub mod order;
pub mod params;
pub mod pool;
pub mod proof;
pub mod prune;
pub mod pvs;
pub mod quiesce;
pub mod reduce;
pub mod report;
pub mod root;
pub mod scope;
pub mod stops;
pub mod time;
pub mod tt;
pub mod vcf;
pub mod vct;
pub mod worker;

pub use history::History;
pub use hunt::Hunter;
pub use limits::{SearchControl, SearchLimits};
pub use params::{ParamError, ParamTable};
pub use pool::Pool;
pub use proof::{Proof, ProofBuilder, ProofNode};
pub use report::{Iteration, NullSink, ReportSink, RootEvent, SearchReport};
pub use root::Task;
pub use scope::{BlockedPaths, Scope};
pub use tt::TranspositionTable;
pub use vcf::{VcfOutcome, VcfResult, VcfSolver};
pub use vct::{VctLimits, VctOutcome, VctResult, VctSolver};
