//! What a solver may use up.

use crate::base::clock::Instant;

/// Limits of a search by [`super::VctSolver`] or [`super::Hunter`], or of building a proof.
#[derive(Clone, Copy, Debug)]
pub struct SolverLimits {
    /// Most nodes, those of the searches for fours included.
    pub nodes: u64,
    /// When to stop; `None`: no time limit.
    pub deadline: Option<Instant>,
}
