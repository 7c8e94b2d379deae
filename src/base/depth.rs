//! Two distances that must never be mixed: what remains to be searched, and how far the root is. Floor 0.

use std::ops::{Add, Sub};

/// Remaining search depth in fixed point (1/64 ply), so that fractional reductions stay integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Depth(i32);

impl Depth {
    /// Nothing left: time for the quiescence search.
    pub const ZERO: Depth = Depth(0);
    /// One whole ply.
    pub const ONE: Depth = Depth(64);

    /// A whole number of plies.
    pub const fn plies(plies: i32) -> Depth {
        Depth(plies * 64)
    }

    /// A number of 1/64 plies.
    pub const fn units(units: i32) -> Depth {
        Depth(units)
    }

    /// So many 64ths of it.
    #[must_use]
    pub const fn scaled(self, share: i32) -> Depth {
        Depth(self.0 * share / 64)
    }

    /// Whole plies, rounded down.
    pub const fn whole(self) -> i32 {
        self.0 >> 6
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
    /// The root itself.
    pub const ROOT: Ply = Ply(0);
    /// The deepest line that is ever searched.
    pub const MAX: Ply = Ply(256);

    /// Distance as a number.
    #[inline]
    pub const fn count(self) -> i32 {
        self.0 as i32
    }

    /// Index into per-ply arrays.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// One move further from the root.
    #[inline]
    #[must_use]
    pub const fn next(self) -> Ply {
        Ply(self.0 + 1)
    }
}
