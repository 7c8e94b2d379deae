//! Division by a number that is known only at run time, as one multiplication and a shift.

/// A divisor.
#[derive(Clone, Copy, Debug)]
pub struct Divisor {
    /// The least whole number of units of `2^-SHIFT` above its reciprocal, also where the reciprocal is whole: so negative
    /// multiples are rounded below their quotient, too.
    reciprocal: i64,
}

impl Divisor {
    const SHIFT: u32 = 40;
    /// Dividends and divisors are closer to zero than this, so that quotients are exact: the reciprocal is at most one unit
    /// too large, so a product is less than `LIMIT` units too large, and the next whole quotient is at least
    /// `2^SHIFT / by > LIMIT` units away.
    pub const LIMIT: i32 = 1 << 20;

    /// The divisor `by`, which is positive and below [`Divisor::LIMIT`].
    #[inline]
    pub fn new(by: i32) -> Divisor {
        debug_assert!((1..Divisor::LIMIT).contains(&by));
        Divisor { reciprocal: (1 << Divisor::SHIFT) / i64::from(by) + 1 }
    }

    /// The quotient, rounded towards zero as `dividend / by`.
    #[inline]
    pub fn divide(self, dividend: i32) -> i32 {
        debug_assert!(dividend.abs() < Divisor::LIMIT);
        let below = (i64::from(dividend) * self.reciprocal) >> Divisor::SHIFT;
        below as i32 + i32::from(dividend < 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_is_that_of_the_processor() {
        for by in (1..=512).chain([1000, 65_535, 1 << 19, Divisor::LIMIT - 1]) {
            let divisor = Divisor::new(by);
            let multiples = (-40..=40).map(|times| times * by);
            let near = multiples.flat_map(|multiple| [multiple - 1, multiple, multiple + 1]);
            let limits = [1 - Divisor::LIMIT, Divisor::LIMIT - 1];
            for dividend in near.chain(-2000..2000).chain(limits).filter(|n| n.abs() < Divisor::LIMIT) {
                assert_eq!(divisor.divide(dividend), dividend / by, "{dividend} / {by}");
            }
        }
    }
}
