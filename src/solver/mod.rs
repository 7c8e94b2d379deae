//! Solvers for forced wins: proofs for `solve`, `review` and the lines that the engine shows. The main search does not
//! use them.
//!
//! [`vcf`] finds wins by continuous fours, [`vct`] wins by continuous threats. [`proof`] turns a win into a whole tree
//! that a verifier can check; where threats alone do not win, it asks the main search ([`hunt`]) for candidate moves.

mod guide;
pub mod hunt;
pub mod limits;
mod numbers;
pub mod proof;
pub mod stops;
mod table;
pub mod tree;
pub mod vcf;
pub mod vct;
pub mod zone;

pub use hunt::{Candidate, Hunter};
pub use limits::SolverLimits;
pub use proof::ProofBuilder;
pub use tree::{Proof, ProofNode};
pub use vcf::{Outcome, VcfResult, VcfSolver};
pub use vct::{VctResult, VctSolver};
