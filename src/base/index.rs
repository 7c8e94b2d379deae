//! Array indices that are known to be in range.

/// `index`, which is below `LENGTH`, in a form that needs no bounds check.
///
/// Builds with debug assertions panic where `index` is not in range. Other builds take it modulo `LENGTH`, which is a
/// mask where that is a power of two, so that a wrong index is a wrong element and never a wrong address.
#[inline(always)]
pub const fn bounded<const LENGTH: usize>(index: usize) -> usize {
    debug_assert!(index < LENGTH);
    index % LENGTH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_in_range_stays_as_it_is() {
        assert!((0..24).all(|index| bounded::<24>(index) == index));
    }

    #[test]
    #[should_panic(expected = "index < LENGTH")]
    #[cfg(debug_assertions)]
    fn an_index_out_of_range_is_noticed() {
        bounded::<24>(24);
    }
}
