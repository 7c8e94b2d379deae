//! Two distances in the search tree, as two types so that they cannot be confused: the remaining depth, and the distance
//! from the root.

use std::ops::{Add, Sub};

/// Units of [`Depth`] per ply.
const UNITS: i32 = 64;

/// Remaining search depth in fixed point (1/64 ply), so that fractional reductions stay integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Depth(i32);

impl Depth {
    /// No depth left: the quiescence search takes over.
    pub const ZERO: Depth = Depth(0);
    /// One ply.
    pub const ONE: Depth = Depth(UNITS);

    /// A whole number of plies.
    pub const fn plies(plies: i32) -> Depth {
        Depth(plies * UNITS)
    }

    /// A number of 1/64 plies.
    pub const fn units(units: i32) -> Depth {
        Depth(units)
    }

    /// This depth times `share` / 64.
    #[must_use]
    pub const fn scaled(self, share: i32) -> Depth {
        Depth(self.0 * share / UNITS)
    }

    /// Whole plies, rounded down.
    pub const fn whole(self) -> i32 {
        self.0.div_euclid(UNITS)
    }
}

impl Add for Depth {
    type Output = Depth;
    fn add(self, other: Depth) -> Depth {
        Depth(self.0 + other.0)
    }
}

impl Sub for Depth {
    type Output = Depth;
    fn sub(self, other: Depth) -> Depth {
        Depth(self.0 - other.0)
    }
}

/// Distance from the root of the search in moves; at most [`Ply::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ply(u16);

impl Ply {
    /// The root.
    pub const ROOT: Ply = Ply(0);
    /// Length of the longest line that the search follows.
    pub const MAX: Ply = Ply(256);

    /// The distance as a number.
    #[inline]
    pub const fn count(self) -> i32 {
        self.0 as i32
    }

    /// Index into per-ply arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The ply after the next move.
    #[inline]
    #[must_use]
    pub const fn next(self) -> Ply {
        Ply(self.0 + 1)
    }
}
