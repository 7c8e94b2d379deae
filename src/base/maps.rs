//! Hash maps without random keys. Floor 0.
//!
//! The standard ones draw their keys from the operating system. Here nothing is drawn: a run is the same as the last
//! one, and the Windows executable does not ask for `bcryptprimitives.dll`, which old systems do not have. Our keys
//! come from positions, never from an attacker, so nobody can gain from knowing where they land.

use std::hash::{BuildHasherDefault, DefaultHasher};

/// A map whose order depends on its content only; made by `default()`.
pub type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// A set whose order depends on its content only; made by `default()`.
pub type HashSet<T> = std::collections::HashSet<T, BuildHasherDefault<DefaultHasher>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_maps_agree_on_the_order() {
        let (one, two): (HashSet<u64>, HashSet<u64>) = ((0..1000).collect(), (0..1000).collect());
        assert!(one.iter().eq(&two), "standard sets would differ, having drawn different keys");
    }
}
