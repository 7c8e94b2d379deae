//! Proof and disproof numbers, as depth-first proof-number search uses them (Nagai 2002).

/// How far a node is from being proven or disproven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Effort to prove the attacker's win; 0 when it is proven.
    pub proof: u32,
    /// Effort to disprove it; 0 when it is disproven.
    pub disproof: u32,
    /// Plies to the five in the proven tree.
    pub distance: u32,
}

/// A saturated number: the proof number of a disproven node, the disproof number of a proven one.
pub(super) const INFINITE: u32 = (1 << 20) - 1;

impl Numbers {
    /// A node without a win by threats.
    pub const DISPROVEN: Numbers = Numbers { proof: INFINITE, disproof: 0, distance: 0 };

    /// A node that has not been searched.
    pub const UNSEARCHED: Numbers = Numbers { proof: 1, disproof: 1, distance: 0 };

    /// A node won in `distance` plies.
    pub const fn proven(distance: u32) -> Numbers {
        Numbers { proof: 0, disproof: INFINITE, distance }
    }

    /// Whether the node is proven or disproven.
    pub const fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}
