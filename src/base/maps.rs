//! Hash maps without random keys.
//!
//! The standard maps draw random keys from the operating system. These maps do not, so every run iterates in the same
//! order, and the Windows executable does not need `bcryptprimitives.dll`, which old systems lack. Random keys protect
//! against chosen inputs; our inputs are positions.

use std::hash::{BuildHasherDefault, DefaultHasher};

/// A map that iterates in the same order in every run of the same program. Create it with `default()`.
pub type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// A set that iterates in the same order in every run of the same program. Create it with `default()`.
pub type HashSet<T> = std::collections::HashSet<T, BuildHasherDefault<DefaultHasher>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sets_filled_alike_iterate_in_the_same_order() {
        let (one, two): (HashSet<u64>, HashSet<u64>) = ((0..1000).collect(), (0..1000).collect());
        assert!(one.iter().eq(&two), "standard sets differ, because their keys are random");
    }
}
